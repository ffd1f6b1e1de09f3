"""XSD's constructors: the table of SPARQL 1.1, 17.5, and XPath functions, 17."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.terms import XSD, Literal
from tests.build import nt, result

# The doubles nearest to these, exactly.
MILLIONTH, LARGE = f"{Decimal.from_float(0.000001):f}", int(1e39)
# The operands of the table, each with what it becomes; None is a type error or a wrong value.
TYPES = ("string", "float", "double", "decimal", "integer", "dateTime", "boolean")
TABLE: list[tuple[str, list[str | None]]] = [
    ('"13"', ["13", "1.3E1", "1.3E1", "13.0", "13", None, None]),
    ('" 1\\n"', [" 1\n", "1.0E0", "1.0E0", "1.0", "1", None, "true"]),
    ('"-10.2E3"', ["-10.2E3", "-1.02E4", "-1.02E4", None, None, None, None]),
    ('"+33.3300"', ["+33.3300", "3.333E1", "3.333E1", "33.33", None, None, None]),
    ('"true"', ["true", None, None, None, None, None, "true"]),
    ('"INF"', ["INF", "INF", "INF", None, None, None, None]),
    (
        '"2002-10-10T17:00:00.500+00:00"',
        ["2002-10-10T17:00:00.500+00:00", *[None] * 4, "2002-10-10T17:00:00.5Z", None],
    ),
    ('"string"', ["string", *[None] * 6]),
    ('"1.25"^^xsd:float', ["1.25", "1.25E0", "1.25E0", "1.25", "1", None, "true"]),
    ('"NaN"^^xsd:float', ["NaN", "NaN", "NaN", None, None, None, "false"]),
    ('"-INF"^^xsd:double', ["-INF", "-INF", "-INF", None, None, None, "true"]),
    ('"-0.0"^^xsd:double', ["-0", "-0.0E0", "-0.0E0", "0.0", "0", None, "false"]),
    ('"1e6"^^xsd:double', ["1.0E6", "1.0E6", "1.0E6", "1000000.0", "1000000", None, "true"]),
    ('"0.000001"^^xsd:double', ["0.000001", "1.0E-6", "1.0E-6", MILLIONTH, "0", None, "true"]),
    ('"1e39"^^xsd:double', ["1.0E39", "INF", "1.0E39", f"{LARGE}.0", f"{LARGE}", None, "true"]),
    ('"-2.50"^^xsd:decimal', ["-2.5", "-2.5E0", "-2.5E0", "-2.5", "-2", None, "true"]),
    ('"3.0"^^xsd:decimal', ["3", "3.0E0", "3.0E0", "3.0", "3", None, "true"]),
    ('"007"^^xsd:integer', ["7", "7.0E0", "7.0E0", "7.0", "7", None, "true"]),
    ('"0"^^xsd:byte', ["0", "0.0E0", "0.0E0", "0.0", "0", None, "false"]),
    (
        '"2002-10-10T17:00:00-05:00"^^xsd:dateTime',
        ["2002-10-10T17:00:00-05:00", *[None] * 4, "2002-10-10T17:00:00-05:00", None],
    ),
    (
        '"2002-10-10Z"^^xsd:date',
        ["2002-10-10Z", *[None] * 4, "2002-10-10T00:00:00Z", None],
    ),
    ('"1"^^xsd:boolean', ["true", "1.0E0", "1.0E0", "1.0", "1", None, "true"]),
    ("<http://example.org/a>", ["http://example.org/a", *[None] * 6]),
    ("_:b", [None] * 7),
    ('"1"@en', [None] * 7),
    ('"x"^^xsd:integer', [None] * 7),
    ('"1"^^<http://example.org/unknown>', [None] * 7),
]


@pytest.mark.parametrize(("operand", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_casts_follow_the_table(operand: str, expected: list[str | None]) -> None:
    for name, text in zip(TYPES, expected, strict=True):
        datatype = None if name == "string" else XSD[name]
        wanted = None if text is None else Literal(text, datatype=datatype)
        assert result(f"xsd:{name}", operand) == wanted, name


def test_a_double_becomes_the_decimal_it_is() -> None:
    found = result("xsd:decimal", '"0.1"^^xsd:double')
    exact = "0.1000000000000000055511151231257827021181583404541015625"
    assert found == Literal(exact, datatype=XSD.decimal)


@pytest.mark.parametrize(
    ("name", "operand", "expected"),
    [
        ("date", '"2002-10-10T23:00:00-05:00"^^xsd:dateTime', "2002-10-10-05:00"),
        ("date", '"2002-10-10"', "2002-10-10"),
        ("date", '"2002-13-10"', None),
        ("date", '"12:00:00"^^xsd:time', None),
        ("time", '"2002-10-10T23:00:00.5+05:00"^^xsd:dateTime', "23:00:00.5+05:00"),
        ("time", '"24:00:00"', "00:00:00"),
        ("time", '"2002-10-10"^^xsd:date', None),
        ("dateTime", '"12:00:00"^^xsd:time', None),
        ("dayTimeDuration", '"P1Y2DT3H"^^xsd:duration', "P2DT3H"),
        ("yearMonthDuration", '"P1Y2DT3H"^^xsd:duration', "P1Y"),
        ("duration", '"PT90M"^^xsd:dayTimeDuration', "PT1H30M"),
        ("dayTimeDuration", '"PT90M"', "PT1H30M"),
        ("duration", "1", None),
        ("byte", '"127"', "127"),
        ("byte", '"128"', None),
        ("byte", '"-128.9"^^xsd:decimal', "-128"),
        ("unsignedInt", '"-1"^^xsd:integer', None),
        ("positiveInteger", '"true"^^xsd:boolean', "1"),
    ],
)
def test_further_casts_of_xpath(name: str, operand: str, expected: str | None) -> None:
    source = nt(operand) if operand != "1" else nt('"1"^^xsd:integer')
    wanted = None if expected is None else Literal(expected, datatype=XSD[name])
    assert result(f"xsd:{name}", source) == wanted


@given(st.floats(allow_nan=False))
def test_a_double_and_its_string_are_cast_into_each_other(number: float) -> None:
    text = result("xsd:string", result("xsd:double", Literal(repr(number).replace("inf", "INF"))))
    back = result("xsd:double", text)
    assert isinstance(back, Literal)
    assert float(str(back).replace("INF", "inf")) == number

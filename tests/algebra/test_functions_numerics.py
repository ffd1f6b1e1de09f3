"""ABS, ROUND, CEIL and FLOOR: XPath functions, 6.4."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.terms import Literal
from tests.build import nt, result, term


@pytest.mark.parametrize(
    ("argument", "absolute", "rounded", "up", "down"),
    [
        ('"2.5"^^xsd:decimal', "2.5", "3.0", "3.0", "2.0"),
        ('"2.4999"^^xsd:decimal', "2.4999", "2.0", "3.0", "2.0"),
        ('"-2.5"^^xsd:decimal', "2.5", "-2.0", "-2.0", "-3.0"),
        ('"-0.5"^^xsd:decimal', "0.5", "0.0", "0.0", "-1.0"),
        ('"-7"^^xsd:integer', "7", "-7", "-7", "-7"),
        ('"1.5"^^xsd:double', "1.5E0", "2.0E0", "2.0E0", "1.0E0"),
        ('"-0.4"^^xsd:double', "4.0E-1", "-0.0E0", "-0.0E0", "-1.0E0"),
        ('"-0.0"^^xsd:double', "0.0E0", "-0.0E0", "-0.0E0", "-0.0E0"),
        ('"-0.0"^^xsd:float', "0.0E0", "-0.0E0", "-0.0E0", "-0.0E0"),
        ('"0.49999999999999994"^^xsd:double', "4.9999999999999994E-1", "0.0E0", "1.0E0", "0.0E0"),
        ('"-1.5"^^xsd:float', "1.5E0", "-1.0E0", "-1.0E0", "-2.0E0"),
        ('"-INF"^^xsd:double', "INF", "-INF", "-INF", "-INF"),
        ('"NaN"^^xsd:float', "NaN", "NaN", "NaN", "NaN"),
    ],
)
def test_rounding_keeps_the_type(
    argument: str, absolute: str, rounded: str, up: str, down: str
) -> None:
    source = nt(argument)
    assert isinstance(source, Literal)
    for name, text in (("ABS", absolute), ("ROUND", rounded), ("CEIL", up), ("FLOOR", down)):
        assert result(name, source) == Literal(text, datatype=source.datatype), name


def test_a_derived_integer_becomes_an_integer() -> None:
    assert result("ABS", '"-5"^^xsd:byte') == term(5)


@pytest.mark.parametrize("name", ["ABS", "ROUND", "CEIL", "FLOOR"])
def test_only_numbers_are_rounded(name: str) -> None:
    assert result(name, '"1"') is None
    assert result(name, '"x"^^xsd:integer') is None
    assert result(name, True) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_rounding_is_exact(number: float) -> None:
    exact = Fraction(number)
    found = [result(name, number) for name in ("FLOOR", "ROUND", "CEIL")]
    floor, nearest, ceiling = (Fraction(float(str(each))) for each in found)
    assert (int(floor), int(ceiling)) == (math.floor(exact), math.ceil(exact))
    assert -Fraction(1, 2) < nearest - exact <= Fraction(1, 2)

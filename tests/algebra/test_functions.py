"""Which functions there are, and that each says what it returns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra.expressions import ExpressionError, Nature, Scope, functions
from askos.algebra.expressions.registry import TERM, function
from askos.terms import XSD, Solution, Term
from tests.build import nt, result
from tests.strategies import terms

# SPARQL 1.1, productions 121 to 127 (BuiltInCall with Aggregate), and 114 for IN.
GRAMMAR = """
    STR LANG LANGMATCHES DATATYPE BOUND IRI URI BNODE RAND ABS CEIL FLOOR ROUND CONCAT STRLEN
    UCASE LCASE ENCODE_FOR_URI CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER YEAR MONTH DAY HOURS
    MINUTES SECONDS TIMEZONE TZ NOW UUID STRUUID MD5 SHA1 SHA256 SHA384 SHA512 COALESCE IF STRLANG
    STRDT SAMETERM ISIRI ISURI ISBLANK ISLITERAL ISNUMERIC REGEX SUBSTR REPLACE EXISTS NOT-EXISTS
    IN NOT-IN COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT
"""
BUILT_IN = GRAMMAR.split()
FORMS = {"BOUND", "IF", "COALESCE", "EXISTS", "NOT-EXISTS", "IN", "NOT-IN"}
AGGREGATES = {"COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"}
CASTS = ("string", "boolean", "integer", "decimal", "float", "double", "dateTime", "date", "time")
TEXTS = [
    '"abc"',
    '"a"',
    '"1"',
    '"en"',
    '"abc"@en',
    '"2024-02-29T23:59:59.5Z"^^xsd:dateTime',
    '"2024-02-29"^^xsd:date',
    '"PT5M"^^xsd:dayTimeDuration',
    '"-2.5"^^xsd:decimal',
    '"NaN"^^xsd:double',
    '"1"^^xsd:byte',
    '"true"^^xsd:boolean',
    '"a"^^<http://example.org/unknown>',
]


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_is_a_function_a_form_or_an_aggregate(name: str) -> None:
    known = name in {entry.name for entry in functions()}
    assert [known, name in FORMS, name in AGGREGATES].count(True) == 1


@pytest.mark.parametrize("name", CASTS)
def test_the_constructors_of_xsd_go_by_their_iris(name: str) -> None:
    assert function(str(XSD[name])).arity == (1, 1)


def test_nothing_else_is_registered_under_a_plain_name() -> None:
    named = {entry.name for entry in functions() if entry.name.isupper() and not entry.symbol}
    assert named == set(BUILT_IN) - FORMS - AGGREGATES


def test_two_names_share_one_law() -> None:
    for name in ("IRI", "ISIRI"):
        other = name.replace("IRI", "URI")
        assert result(name, "<http://a/>") == result(other, "<http://a/>")


def test_every_result_type_is_known_but_that_of_a_new_blank_node() -> None:
    untyped = [entry.name for entry in functions() if entry.returns is TERM]
    assert [name for name in untyped if "example.org" not in name] == ["BNODE"]


@given(st.data())
def test_a_function_of_anything_returns_what_it_says_or_is_an_error(data: st.DataObject) -> None:
    pure = [entry for entry in functions() if entry.nature is not Nature.KEYED]
    entry = data.draw(st.sampled_from(pure))
    least, most = entry.arity
    count = data.draw(st.integers(least, least + 2 if most is None else most))
    some = terms() | st.sampled_from(TEXTS).map(nt)
    arguments: list[Term] = [data.draw(some) for _ in range(count)]
    try:
        found = entry.apply(arguments, Scope(Solution()))
    except ExpressionError:
        return
    entry.returns.convert(found)

from __future__ import annotations

import pytest
from hypothesis import given

from askos.algebra import (
    FALSE,
    TRUE,
    And,
    Bound,
    Coalesce,
    Exists,
    Expression,
    If,
    In,
    Keyed,
    Not,
    Or,
    Ref,
    Timestamp,
)
from askos.algebra.expressions import ExpressionError, Scope, truth
from askos.errors import QueryError
from askos.terms import RDF, XSD, BNode, Literal, Solution, Term, URIRef
from tests.build import EX, S1, X, Y, Z, call, constant, expression, pattern, solution, term
from tests.strategies import expressions, solutions

ERROR = "an error"
MU = solution(x=1, y="a")


def value(e: Expression, mu: Solution = MU, instant: int = 0) -> Term | str:
    try:
        return e.evaluate(Scope(mu, instant))
    except ExpressionError:
        return ERROR


def typed(text: str, datatype: URIRef) -> Literal:
    return Literal(text, datatype=datatype)


def moment(text: str) -> Literal:
    return typed(text, XSD.dateTime)


# ---- three-valued logic ---------------------------------------------------------------------

T, F, E = TRUE, FALSE, Ref(Z)  # ?z is unbound: an error
TRUTH = {TRUE.term: True, FALSE.term: False, ERROR: None}


@pytest.mark.parametrize(
    ("left", "right", "both", "either"),
    [
        (T, T, True, True),
        (T, F, False, True),
        (T, E, None, True),
        (F, T, False, True),
        (F, F, False, False),
        (F, E, False, None),
        (E, T, None, True),
        (E, F, False, None),
        (E, E, None, None),
    ],
)
def test_logic_has_three_values(
    left: Expression, right: Expression, both: bool | None, either: bool | None
) -> None:
    assert TRUTH[value(And(left, right))] is both
    assert TRUTH[value(Or(left, right))] is either


def test_not_keeps_an_error() -> None:
    assert [TRUTH[value(Not(e))] for e in (T, F, E)] == [False, True, None]


@given(expressions(exists=False), expressions(exists=False), solutions())
def test_de_morgan_holds_with_errors(a: Expression, b: Expression, mu: Solution) -> None:
    scope = Scope(mu)
    assert truth(Not(And(a, b)), scope) is truth(Or(Not(a), Not(b)), scope)
    assert truth(Not(Not(a)), scope) is truth(a, scope)


@pytest.mark.parametrize(
    ("thing", "truth"),
    [
        (True, True),
        (False, False),
        (typed("1", XSD.boolean), True),
        (typed("maybe", XSD.boolean), False),
        (0, False),
        (7, True),
        (0.0, False),
        (typed("NaN", XSD.double), False),
        (typed("INF", XSD.float), True),
        (typed("abc", XSD.integer), False),
        (typed("300", XSD.byte), False),
        (typed("127", XSD.byte), True),
        (typed("0.0", XSD.decimal), False),
        (Literal(""), False),
        (Literal("a"), True),
        (Literal("", lang="en"), False),
        (Literal("a", lang="en"), True),
        (EX.a, None),
        (BNode("b"), None),
        (moment("2024-01-01T00:00:00Z"), None),
        (typed("a", EX.unknown), None),
        (URIRef("http://not an iri"), None),
    ],
)
def test_effective_boolean_values(thing: object, truth: bool | None) -> None:
    assert TRUTH[value(And(constant(thing), T))] is truth


# ---- comparison -----------------------------------------------------------------------------

ONE = typed("1", XSD.integer)
UTC, PLUS_1 = moment("2024-01-01T12:00:00Z"), moment("2024-01-01T13:00:00+01:00")


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, typed("01", XSD.integer), True),
        (1, typed("1.0", XSD.decimal), True),
        (1, typed("1", XSD.double), True),
        (1, 2, False),
        (typed("NaN", XSD.double), typed("NaN", XSD.double), False),
        (typed("-0.0", XSD.double), typed("0.0", XSD.double), True),
        (typed("1", XSD.unsignedByte), 1, True),
        (Literal("a"), Literal("a"), True),
        (Literal("a"), Literal("b"), False),
        (Literal("a", lang="en"), Literal("a", lang="EN"), True),
        (Literal("a", lang="en"), Literal("a", lang="de"), False),
        (True, typed("1", XSD.boolean), True),
        (True, False, False),
        (UTC, PLUS_1, True),
        (UTC, moment("2024-01-01T12:00:00.001Z"), False),
        (typed("2024-01-01", XSD.date), typed("2024-01-02", XSD.date), False),
        (typed("12:00:00Z", XSD.time), typed("13:00:00+01:00", XSD.time), True),
        (moment("2023-12-31T24:00:00Z"), moment("2024-01-01T00:00:00Z"), True),
        (UTC, moment("2024-01-01T12:00:00"), None),
        (UTC, moment("2024-01-02T12:00:00"), False),
        (typed("2006-08-23", XSD.date), typed("2006-08-23Z", XSD.date), None),
        (moment("2024-01-01T12:00:00"), moment("2024-01-01T12:00:00.0"), True),
        (1, Literal("1"), False),
        (1, True, False),
        (UTC, typed("2024-01-01", XSD.date), False),
        (Literal("a", lang="en"), Literal("a"), False),
        (Literal("a", lang="en"), typed("a", EX.unknown), False),
        (Literal("a", lang="en"), typed("a", XSD.integer), False),
        (Literal("a"), typed("a", EX.unknown), None),
        (EX.a, EX.a, True),
        (EX.a, EX.b, False),
        (EX.a, Literal("a"), False),
        (typed("a", EX.unknown), typed("a", EX.unknown), True),
        (typed("a", EX.unknown), typed("b", EX.unknown), None),
        (typed("x", XSD.integer), typed("x", XSD.integer), True),
        (typed("x", XSD.integer), 1, None),
    ],
)
def test_equality_is_by_value(left: object, right: object, equal: bool | None) -> None:
    assert TRUTH[value(call("=", left, right))] is equal
    assert TRUTH[value(call("=", right, left))] is equal
    assert TRUTH[value(call("!=", left, right))] is (None if equal is None else not equal)


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (1, 2),
        (-3, typed("-2.5", XSD.decimal)),
        (1, typed("1.5", XSD.float)),
        (typed("-INF", XSD.double), -(10**30)),
        (Literal("B"), Literal("a")),
        (False, True),
        (UTC, moment("2024-01-01T12:00:00.5Z")),
        (moment("-0044-03-15T00:00:00Z"), UTC),
        (UTC, moment("2024-01-02T12:00:00")),
        (moment("2024-02-29T00:00:00Z"), moment("2024-03-01T00:00:00Z")),
        (typed("2023-12-31", XSD.date), typed("2024-01-01", XSD.date)),
    ],
)
def test_order_is_by_value(less: object, more: object) -> None:
    found = [value(call(op, less, more)) for op in ("<", "<=", ">", ">=")]
    assert [TRUTH[answer] for answer in found] == [True, True, False, False]
    assert TRUTH[value(call("<=", less, less))] is True


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, Literal("1")),
        (EX.a, EX.b),
        (Literal("a", lang="en"), Literal("b", lang="en")),
        (UTC, typed("2024-01-01", XSD.date)),
        (UTC, moment("2024-01-01T20:00:00")),
        (moment("2024-02-30T00:00:00Z"), UTC),
        (moment("2024-13-01T00:00:00Z"), UTC),
        (moment("2024-01-01T25:00:00Z"), UTC),
        (moment("2024-01-01T24:00:01Z"), UTC),
        (typed("1900-02-29", XSD.date), typed("1900-03-01", XSD.date)),
        (typed("x", XSD.integer), 1),
    ],
)
def test_what_has_no_order_is_an_error(left: object, right: object) -> None:
    assert value(call("<", left, right)) == ERROR


def test_nan_is_neither_less_nor_more_nor_equal() -> None:
    nan = typed("NaN", XSD.double)
    assert {value(call(op, nan, 1)) for op in ("<", "<=", ">", ">=", "=")} == {FALSE.term}


def test_same_term_compares_terms() -> None:
    assert value(call("SAMETERM", 1, typed("01", XSD.integer))) == FALSE.term
    assert value(call("SAMETERM", typed("x", XSD.integer), typed("x", XSD.integer))) == TRUE.term


# ---- forms ----------------------------------------------------------------------------------


def test_bound_if_and_coalesce_look_at_errors() -> None:
    assert value(Bound(X)) == TRUE.term
    assert value(Bound(Z)) == FALSE.term
    assert value(If(T, constant(1), E)) == term(1)
    assert value(If(F, E, constant(2))) == term(2)
    assert value(If(E, constant(1), constant(2))) == ERROR
    assert value(Coalesce((E, Ref(X), E))) == term(1)
    assert value(Coalesce((E,))) == ERROR
    assert value(Coalesce(())) == ERROR


def test_in_compares_values_and_remembers_errors() -> None:
    def within(*choices: object) -> Term | str:
        return value(In(Ref(X), tuple(expression(c) for c in choices)))

    assert within(2, typed("1.0", XSD.decimal)) == TRUE.term
    assert within(E, 1) == TRUE.term
    assert within(2, 3) == FALSE.term
    assert within(E, 2) == ERROR
    assert within() == FALSE.term
    assert value(In(E, (constant(1),))) == ERROR


def test_exists_needs_a_graph() -> None:
    with pytest.raises(QueryError, match="there is no graph to look into"):
        value(Exists(pattern(X, "p", Y)))


def test_timestamp_needs_a_stream_triple() -> None:
    assert value(Timestamp(X)) == ERROR
    assert value(Timestamp(X), Solution({X: EX.a}, {(X, S1): 7})) == term(7)


# ---- functions on terms ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "thing", "expected"),
    [
        ("ISIRI", EX.a, True),
        ("ISIRI", 1, False),
        ("ISBLANK", BNode("b"), True),
        ("ISLITERAL", 1, True),
        ("ISNUMERIC", 1, True),
        ("ISNUMERIC", typed("x", XSD.integer), False),
        ("ISNUMERIC", EX.a, False),
        ("STR", EX.a, Literal(str(EX.a))),
        ("STR", typed("01", XSD.integer), Literal("01")),
        ("STR", BNode("b"), ERROR),
        ("LANG", Literal("a", lang="en"), Literal("en")),
        ("LANG", Literal("a"), Literal("")),
        ("LANG", EX.a, ERROR),
        ("DATATYPE", 1, XSD.integer),
        ("DATATYPE", Literal("a"), XSD.string),
        ("DATATYPE", Literal("a", lang="en"), RDF.langString),
    ],
)
def test_functions_on_terms(name: str, thing: object, expected: object) -> None:
    wanted = expected if expected == ERROR else term(expected)
    assert value(call(name, constant(thing))) == wanted


def test_now_is_the_instant() -> None:
    assert value(call("NOW"), instant=951_782_400_007) == moment("2000-02-29T00:00:00.007Z")


def test_keyed_functions_have_their_forms() -> None:
    def keyed(name: str, *arguments: Expression, site: str = "q") -> Term:
        found = value(Keyed(name, arguments, site, (X,)))
        assert not isinstance(found, str) or isinstance(found, Term)
        return found

    rand = keyed("RAND")
    assert isinstance(rand, Literal)
    assert 0 <= float(rand) < 1
    assert keyed("UUID").startswith("urn:uuid:")
    assert keyed("UUID") == URIRef(f"urn:uuid:{keyed('STRUUID')}")
    assert isinstance(keyed("BNODE"), BNode)
    assert keyed("BNODE") != keyed("BNODE", constant(Literal("l")))
    assert keyed("RAND") != keyed("RAND", site="another")
    assert value(Keyed("RAND", (), "q", (X,)), solution(x=2)) != keyed("RAND")
    assert value(Keyed("RAND", (), "q", (Y,)), solution(x=2, y="a")) == value(
        Keyed("RAND", (), "q", (Y,))
    )

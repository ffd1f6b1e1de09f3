"""Functions of terms, strings and dateTimes over whole batches, against the algebra's."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askos.algebra import And, Bound, Call, Constant, Expression, In, Not, Ref
from askos.algebra.expressions import Scope
from askos.algebra.expressions.logic import truth
from askos.columns import decode
from askos.columns.expressions import compile_value
from askos.terms import XSD, BNode, Literal, Solution, Term, URIRef
from tests.build import X, Y, call, constant, solution
from tests.columns.batches import CODER
from tests.columns.test_expressions import by_the_algebra, kept, many, of, value_of

NUMERALS = [
    *(of(x, XSD.integer) for x in ("0", "5", "-5", "+5", "01", "-0", "", "1E3", str(2**63))),
    *(of(x, XSD.decimal) for x in ("12.50", "10.0", "-0.0", "0.05", "-0.050", ".5", "5.", "100")),
    *(of(x, XSD.double) for x in ("1E3", "1.5", "NaN", "INF", "-0.0", "1e-7")),
    *(of(x, XSD.float) for x in ("0.1", "16777217", "NaN")),
    *(of(x, XSD.boolean) for x in ("true", "false", "1", "no")),
    *(of(x, XSD.int) for x in ("7", "2147483648")),
]
MOMENTS = [
    *(
        of(x, XSD.dateTime)
        for x in (
            *("0001-01-01T00:00:00", "0001-12-31T23:59:59.999Z", "9999-12-31T23:59:59.9Z"),
            *("2024-02-29T12:30:05.250Z", "2024-02-29T12:30:05.250", "1969-12-31T23:59:59Z"),
            *("2024-02-29T02:30:05.250+14:00", "2024-03-01T02:30:05.25", "2024-02-28T22:30:05.25Z"),
            *("2024-03-01T02:30:05.251", "-0044-03-15T00:00:00Z", "2023-12-31T24:00:00Z"),
            *("2024-02-29T12:30:05.2504Z", "2023-02-29T00:00:00Z", "12024-01-01T00:00:00Z"),
        )
    ),
    of("2024-02-29", XSD.date),
    of("12:30:05.5", XSD.time),
]
TEXTS = [
    "",
    "a",
    "A",
    "ab",
    "b",
    "en",
    "en-GB",
    "de",
    "*",
    "ß",
    "İ",
    "Σ",
    "straße",
    "日本",
    "😀",
    "ＡＢ",
]
ESCAPES = [
    '"',
    "\\",
    '\\"',
    "\n",
    "\\n",
    "\r\t\b\f",
    "\\\\",
    'a"b',
    "a\\",
    "\x00",
    "\x7f",
    "\\u0041",
]
STRINGS = [
    *(Literal(text) for text in (*TEXTS, *ESCAPES)),
    *(Literal(text, lang=tag) for text in (*TEXTS[:6], *ESCAPES[:5]) for tag in ("en", "en-gb")),
    *(Literal(text, datatype=URIRef("http://example.org/t")) for text in ("a", "", "\n")),
    *(Literal(text, datatype=XSD.token) for text in ("a", " a  b ")),
    Literal("a", datatype=XSD.string),
]
IRIS = [URIRef("http://example.org/a"), URIRef("a"), URIRef("http://日本/")]
NAMES: list[Term] = [*IRIS, BNode("a"), BNode("b1")]
ALL: list[Term] = [*NAMES, *STRINGS, *NUMERALS, *MOMENTS]


def anything() -> st.SearchStrategy[Term]:
    text = st.text(st.sampled_from('aAbß\\"\n\rn\x00日😀@^<>-. '), max_size=4)
    return st.one_of(
        st.sampled_from(ALL),
        text.map(Literal),
        text.map(lambda x: Literal(x, lang="en")),
    )


UNARY = ["STR", "LANG", "DATATYPE", "UCASE", "LCASE", "STRLEN", "TZ", "TIMEZONE"]
UNARY += ["YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS"]
UNARY += ["ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC"]
UNARY += [str(kind) for kind in (XSD.string, XSD.boolean, XSD.integer, XSD.float, XSD.dateTime)]
TESTS = ["STRSTARTS", "STRENDS", "CONTAINS", "LANGMATCHES", "REGEX"]
COMPARISONS = ["=", "!=", "<", "<=", ">", ">=", "SAMETERM"]
PATTERNS = ["", "a", "^a", "a$", "^a$", "^", "$", "^$", "a|b", "a.", "\\.", "[", "A", "\n", "a\\$"]


@st.composite
def wordings(draw: st.DrawFn, depth: int = 2) -> Expression:
    """Functions of terms within each other."""
    constants = anything().filter(lambda term: not isinstance(term, BNode)).map(Constant)
    if not depth or not draw(st.integers(0, 3)):
        return draw(st.sampled_from([Ref(X), Ref(Y), Ref(X)]) | constants)
    inner = wordings(depth - 1)
    match draw(st.integers(0, 6)):
        case 0 | 1:
            return Call(draw(st.sampled_from(UNARY)), (draw(inner),))
        case 2:
            return Call(draw(st.sampled_from(TESTS)), (draw(inner), draw(constants | inner)))
        case 3:
            return Call(draw(st.sampled_from(COMPARISONS)), (draw(inner), draw(inner)))
        case 4:
            return Call("CONCAT", tuple(draw(st.lists(inner, max_size=3))))
        case 5:
            places = st.lists(st.integers(-2, 4).map(constant), min_size=1, max_size=2)
            return Call("SUBSTR", (draw(inner), *draw(places)))
    return In(draw(inner), tuple(draw(st.lists(constants, max_size=3))))


def rows() -> st.SearchStrategy[list[Solution]]:
    row = st.dictionaries(st.sampled_from([X, Y]), anything(), max_size=2).map(Solution)
    return st.lists(row, min_size=1, max_size=8)


def computed(expression: Expression, given: list[Solution]) -> list[Term | None]:
    return decode(*compile_value(expression, CODER)(many(*given)))


def check(expression: Expression, given: list[Solution]) -> None:
    """As value, as condition, and as its negation."""
    assert computed(expression, given) == [value_of(expression, mu) for mu in given]
    check_condition(expression, given)


def check_condition(expression: Expression, given: list[Solution]) -> None:
    answers = [truth(expression, Scope(mu)) for mu in given]
    assert kept(expression, given) == [answer is True for answer in answers]
    assert kept(Not(expression), given) == [answer is False for answer in answers]


@given(wordings(), rows())
@example(In(call("TZ", X), ()), [solution(x="a")])
@example(call("ISIRI", call("TZ", X)), [solution(x="a")])
def test_arrays_say_what_the_algebra_says(expression: Expression, given: list[Solution]) -> None:
    check(expression, given)


EACH = [solution(), *(solution(x=term) for term in ALL)]


@pytest.mark.parametrize("name", UNARY)
def test_every_function_meets_every_kind_of_term(name: str) -> None:
    check(call(name, X), EACH)


@pytest.mark.parametrize("name", COMPARISONS)
def test_every_kind_of_term_meets_every_other(name: str) -> None:
    pairs = product([*NAMES, *STRINGS[::6], *NUMERALS[::4], *MOMENTS[::3]], repeat=2)
    check(call(name, X, Y), [Solution({X: a, Y: b}) for a, b in pairs])


@pytest.mark.parametrize("term", [*NUMERALS, *MOMENTS], ids=str)
def test_every_value_is_compared_with_its_like(term: Term) -> None:
    like = NUMERALS if term in NUMERALS else MOMENTS
    given = [solution(), *(solution(x=other) for other in [*like, STRINGS[1], NAMES[0]])]
    for name in COMPARISONS:
        check_condition(call(name, X, constant(term)), given)
    check_condition(call("<", constant(term), X), given)


@pytest.mark.parametrize("name", [*TESTS, "=", "!=", "<", "SAMETERM"])
def test_every_string_meets_a_constant(name: str) -> None:
    given = [solution(), *(solution(x=term) for term in [*NAMES, *STRINGS, NUMERALS[0]])]
    for term in (*STRINGS[::3], *NAMES[:2]):
        check_condition(call(name, X, constant(term)), given)


@pytest.mark.parametrize("flags", ["", "i", "q", "s", "m", "x", "?"])
def test_a_pattern_has_flags(flags: str) -> None:
    given = [solution(x=term) for term in STRINGS[::2]]
    for pattern in PATTERNS:
        check_condition(
            call("REGEX", X, constant(Literal(pattern)), constant(Literal(flags))), given
        )


def test_one_of_any_constants() -> None:
    for choices in ((), ("a", "en"), (5, 12.5), ("a", 5), (True,)):
        terms = [Constant(Literal(c)) if isinstance(c, str) else constant(c) for c in choices]
        check(In(Ref(X), tuple(terms)), EACH)
        check(In(call("STR", X), tuple(terms)), EACH)
    check(In(Ref(X), (Constant(NUMERALS[2]), Constant(STRINGS[1]), Constant(NAMES[0]))), EACH)


# ---- by arrays -------------------------------------------------------------------------------

PLAIN = [solution(x=term) for term in (NAMES[0], *STRINGS[:5], Literal("a", lang="en"))]
TIMES = [solution(x=of(f"2024-02-{day:02}T12:00:00Z", XSD.dateTime), y=day) for day in range(1, 9)]
WORD = constant(Literal("a"))
ARRAYS: list[tuple[Expression, list[Solution]]] = [
    (call("STRSTARTS", call("STR", X), WORD), PLAIN),
    (call("CONTAINS", call("LCASE", call("STR", X)), WORD), PLAIN),
    (call("REGEX", call("STR", X), constant(Literal("^a"))), PLAIN),
    (call("LANGMATCHES", call("LANG", X), constant(Literal("en"))), PLAIN[1:]),
    (call("=", call("DATATYPE", X), constant(XSD.string)), PLAIN[1:]),
    (call(">", call("STRLEN", call("STR", X)), 1), PLAIN),
    (call("!=", X, WORD), PLAIN),
    (call("SAMETERM", X, WORD), PLAIN),
    (In(Ref(X), (WORD, constant("a"), constant(5))), PLAIN),
    (call("CONCAT", call("STR", X), call("SUBSTR", call("STR", X), 1, 2)), PLAIN),
    (call("ISLITERAL", X), [*PLAIN, *TIMES]),
    (call("ISNUMERIC", Y), TIMES),
    (call("<", X, constant(of("2024-02-03T13:00:00.1+01:00", XSD.dateTime))), TIMES),
    (call("=", call("DAY", X), Y), TIMES),
    (call("SECONDS", X), TIMES),
    (call("TZ", X), TIMES),
    (call(str(XSD.string), Y), TIMES),
    (call(str(XSD.boolean), Y), TIMES),
]


@pytest.mark.parametrize(("expression", "given"), ARRAYS, ids=lambda part: str(part)[:40])
def test_arrays_do_not_ask_the_algebra(
    expression: Expression, given: list[Solution], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = [value_of(expression, mu) for mu in given]

    def refuse(*_: object) -> None:
        raise AssertionError("one by one")

    monkeypatch.setattr("askos.columns.cases._solutions", refuse)
    assert computed(expression, given) == wanted
    if all(isinstance(term, Literal) and term.datatype == XSD.boolean for term in wanted):
        assert kept(expression, given) == [term == constant(True).term for term in wanted]


def test_only_what_is_left_is_evaluated_by_further_conditions() -> None:
    few = And(call(">", Y, 6), call("=", call("YEAR", call(str(XSD.dateTime), X)), 2024))
    assert kept(few, TIMES) == by_the_algebra(few, TIMES)
    none = And(call("STRENDS", X, WORD), And(call(">", Y, 99), Bound(X)))
    assert kept(none, TIMES) == [False] * len(TIMES)

"""Functions by name: what they take, who may add one; and long sums."""

from __future__ import annotations

import pytest
from hypothesis import given

from askos.algebra import (
    TRUE,
    And,
    Arithmetic,
    Bound,
    Call,
    Constant,
    Exists,
    Expression,
    In,
    Keyed,
    Not,
    Ref,
    Timestamp,
)
from askos.algebra.expressions import ExpressionError, Function, Scope, functions, register
from askos.algebra.expressions.registry import NUMBER, SIMPLE, STRING, TERM, function
from askos.algebra.expressions.values import LangString
from askos.errors import QueryError
from askos.terms import Literal, Solution, Term
from tests.algebra.test_expressions import ERROR, ONE, value
from tests.build import EX, X, Y, Z, call, constant, pattern, term
from tests.strategies import expressions, solutions

# ---- the registry ---------------------------------------------------------------------------


def test_a_strict_call_passes_an_error_on() -> None:
    assert value(call("+", Z, 1)) == ERROR
    assert value(call("ISIRI", Z)) == ERROR


def test_types_refuse_terms() -> None:
    assert value(call("+", EX.a, 1)) == ERROR
    assert value(call("+", Literal("1"), 1)) == ERROR
    assert value(Keyed("BNODE", (constant(Literal("l", lang="en")),), "q", ())) == ERROR
    assert STRING.convert(Literal("l")) == "l"
    with pytest.raises(ExpressionError, match="is not a simple string"):
        SIMPLE.convert(term(1))


@pytest.mark.parametrize(
    ("name", "count", "message"),
    [
        ("+", 1, r"\+ takes 2 arguments, not 1"),
        ("NOW", 1, "NOW takes 0 arguments, not 1"),
        ("STRLENGTH", 1, "unknown function STRLENGTH"),
    ],
)
def test_a_wrong_call_is_refused_when_it_is_built(name: str, count: int, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        Call(name, (constant(1),) * count)


def test_an_unknown_function_gets_the_nearest_known_one_as_hint() -> None:
    with pytest.raises(QueryError, match="did you mean DATATYPE"):
        function("datatyp")
    with pytest.raises(QueryError, match=r"known: .*ISIRI"):
        function("qqqqqqqq")


def test_arity_counts_optional_and_repeated_parameters() -> None:
    optional = Function("f", (TERM, TERM), lambda *terms: terms[0], optional=1)
    variadic = Function("g", (TERM, NUMBER), lambda *terms: len(terms) > 2, variadic=True)
    assert (optional.arity, variadic.arity) == ((1, 2), (1, None))
    with pytest.raises(QueryError, match="f takes 1 to 2 arguments, not 3"):
        optional.check_arity(3)
    with pytest.raises(QueryError, match="g takes 1 or more arguments, not 0"):
        variadic.check_arity(0)
    assert variadic.apply([EX.a, ONE, ONE]) == TRUE.term
    with pytest.raises(ExpressionError, match="is not a number"):
        variadic.apply([EX.a, ONE, EX.a])


def test_a_law_that_returns_no_value_of_sparql_is_our_fault() -> None:
    with pytest.raises(TypeError, match="not a value of SPARQL"):
        Function("f", (), lambda: None).apply([])


def test_python_values_become_terms() -> None:
    assert Function("f", (), lambda: 3).apply([]) == term(3)
    assert Function("f", (), lambda: LangString("a", "en")).apply([]) == Literal("a", lang="en")


@given(expressions(exists=False), solutions())
def test_a_function_returns_what_it_says(e: Expression, mu: Solution) -> None:
    for call_ in (node for node in e.walk() if isinstance(node, Call)):
        found = value(call_, mu)
        if isinstance(found, Term):
            call_.function.returns.convert(found)
        else:
            assert found == ERROR


def test_a_function_is_registered_once() -> None:
    with pytest.raises(QueryError, match="registered already"):
        register(function("ISIRI"))


def test_user_functions_go_by_their_iri() -> None:
    register(Function(str(EX.double), (NUMBER,), lambda n: n))
    assert value(call(str(EX.double), 1)) == ONE
    assert str(call(str(EX.double), X)) == f"<{EX.double}>(?x)"


def test_every_registered_function_names_its_types() -> None:
    for entry in functions():
        assert all(kind.name for kind in entry.parameters)
        assert bool(entry.symbol) == bool(entry.power)


@given(expressions(), solutions())
def test_expressions_yield_a_term_or_sparqls_error(e: Expression, mu: Solution) -> None:
    try:
        found = e.evaluate(Scope(mu, 0, lambda plan, outer: bool(outer)))
    except ExpressionError:
        return
    assert isinstance(found, Term)


@given(expressions(exists=False), solutions())
def test_only_the_variables_of_an_expression_matter(e: Expression, mu: Solution) -> None:
    assert value(e, mu) == value(e, mu.project(e.variables))


def test_expressions_know_what_they_depend_on() -> None:
    assert Keyed("BNODE", (call("STR", X),), "q", (Y,)).variables == {X, Y}
    assert Timestamp(X).variables == {X}
    assert Exists(pattern(X, "p", Y)).variables == {X, Y}
    assert And(Bound(X), In(Ref(Y), (Ref(Z),))).variables == {X, Y, Z}


def test_an_expression_is_transformed_bottom_up() -> None:
    def double(e: Expression) -> Expression:
        return Not(e) if isinstance(e, Ref) else e

    assert And(Ref(X), TRUE).transform(double) == And(Not(Ref(X)), TRUE)
    same = And(Ref(X), TRUE)
    assert same.transform(lambda e: e) is same


def test_expressions_print_themselves() -> None:
    assert str(And(call("<", X, 5), Bound(Y))) == "?x < 5 && BOUND(?y)"
    assert str(Constant(EX.a)) == f"<{EX.a}>"


# ---- long sums and products ------------------------------------------------------------------


@given(solutions())
def test_arithmetic_of_many_is_calls_within_calls(mu: Solution) -> None:
    operands = (Ref(X), Ref(Y), constant(2.5), call("*", X, 3), Ref(Z))
    signs = ("+", "-", "-", "+")
    nested = call("+", call("-", call("-", call("+", X, Y), 2.5), call("*", X, 3)), Z)
    assert _outcome(Arithmetic(operands, signs), mu) == _outcome(nested, mu)
    assert str(Arithmetic(operands, signs)) == str(nested)


def _outcome(expression: Expression, mu: Solution) -> Term | None:
    try:
        return expression.evaluate(Scope(mu))
    except ExpressionError:
        return None


def test_arithmetic_keeps_the_parentheses_it_needs() -> None:
    inner = call("-", X, Y)
    assert str(Arithmetic((Ref(X), inner, Ref(Z)), ("-", "+"))) == "?x - (?x - ?y) + ?z"
    assert str(call("*", Arithmetic((Ref(X), Ref(Y)), ("+",)), Z)) == "(?x + ?y) * ?z"


@pytest.mark.parametrize("signs", [(), ("+",), ("+", "*"), ("=", "=")])
def test_arithmetic_is_of_one_strength(signs: tuple[str, ...]) -> None:
    with pytest.raises(QueryError, match="Arithmetic"):
        Arithmetic((Ref(X), Ref(Y), Ref(Z)), signs)

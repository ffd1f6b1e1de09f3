"""EXISTS: the pattern with the bindings outside put in."""

from __future__ import annotations

import pytest

from askos.algebra import (
    And,
    Binding,
    Bound,
    Count,
    Exists,
    Expression,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    Minus,
    Not,
    Operator,
    Or,
    Project,
    Ref,
    Slice,
    Union,
)
from askos.algebra.operators.paths import Link, ZeroOrMore
from askos.algebra.reference import evaluate as meaning
from tests.build import EX, G1, W, X, Y, Z, bag, call, solution, table
from tests.static.build import ask, graph, match, path

DATA = graph(
    ("a", "p", 1), ("b", "p", 2), ("c", "p", 3), ("a", "q", 1), ("b", "q", 5), ("a", "r", "b")
)
A, B, C = (solution(x=x, y=y) for x, y in (("a", 1), ("b", 2), ("c", 3)))
PX = match(X, "p", Y)


def kept(condition: Expression) -> object:
    plan = Filter(condition, PX)
    rows = ask(plan, DATA)
    assert rows == meaning(plan, {G1: list(DATA)}, 0)
    return rows


def test_the_pattern_joins_with_the_solution() -> None:
    assert kept(Exists(match(X, "q", Z))) == bag(A, B)
    assert kept(Not(Exists(match(X, "q", Z)))) == bag(C)
    assert kept(Exists(match(X, "q", Y))) == bag(A)


def test_filters_inside_see_the_solution_outside() -> None:
    assert kept(Exists(Filter(call("<", Y, Z), match(X, "q", Z)))) == bag(B)
    later = Filter(call("<", Y, Z), match(W, "q", Z))
    assert kept(Exists(later)) == bag(A, B, C)


@pytest.mark.parametrize(
    "pattern",
    [
        Minus(match(X, "q", Z), Filter(call("=", Y, 2), match(X, "q", Z))),
        LeftJoin(match(X, "r", Z), match(Z, "p", Y)),
        Filter(Bound(Y), match(X, "q", Z)),
        Extend(Y, call("+", Z, 0), match(X, "q", Z)),
        Project((Z,), Filter(Bound(X), match(W, "q", Z))),
        Group((Binding(X, Ref(X)),), (Binding(Y, Count()),), match(X, "q", Z)),
        Filter(call(">", W, 1), Group((), (Binding(W, Count()),), match(X, "p", Z))),
        Slice(0, 1, match(X, "q", Z)),
        Union(match(X, "r", Z), match(Z, "q", Y)),
        Join(match(X, "q", Z), table(solution(x="a"), solution(y=3))),
        Filter(Exists(match(X, "r", W)), match(Z, "q", Y)),
        Filter(Not(Exists(Filter(call("=", Y, Z), match(X, "q", W)))), match(X, "q", Z)),
    ],
    ids=lambda pattern: type(pattern).__name__,
)
def test_it_means_what_the_reference_says(pattern: Operator) -> None:
    kept(Exists(pattern))
    kept(Not(Exists(pattern)))


def test_a_path_of_zero_length_starts_from_a_term_outside_the_graph() -> None:
    outside = table(solution(x="stranger"))
    reach = path(X, ZeroOrMore(Link(EX.p)), Z)
    assert ask(Filter(Exists(reach), outside), DATA) == bag(solution(x="stranger"))


def test_it_may_stand_anywhere_in_an_expression() -> None:
    either = Or(Exists(match(X, "r", Z)), call("=", Y, 3))
    assert kept(either) == bag(A, C)
    assert kept(And(Exists(match(X, "q", Z)), Not(Exists(match(X, "r", Z))))) == bag(B)
    bound = Extend(Z, Exists(match(X, "q", Y)), PX)
    assert ask(bound, DATA) == bag(
        solution(x="a", y=1, z=True), solution(x="b", y=2, z=False), solution(x="c", y=3, z=False)
    )

from __future__ import annotations

from collections import Counter

import pytest

from askos.algebra import GraphAccess, Path, Union
from askos.algebra.operators.paths import (
    Alternative,
    Inverse,
    Link,
    Negated,
    OneOrMore,
    PathExpression,
    Sequence,
    ZeroOrMore,
    ZeroOrOne,
)
from askos.algebra.reference import Streams, evaluate
from askos.terms import Solution, Term, Variable
from tests.build import EX, G1, S1, X, Y, forever, stream, term, triple

P, Q = Link(EX.p), Link(EX.q)
GRAPH = {
    G1: [
        triple("a", "p", "b"),
        triple("b", "p", "c"),
        triple("c", "p", "a"),
        triple("a", "q", "c"),
        triple("b", "q", "c"),
    ]
}


def ends(path: PathExpression, start: str = "a") -> dict[str, int]:
    """Where the path leads from `start`, and how often."""
    found = evaluate(Path(EX[start], path, Y, GraphAccess(G1)), GRAPH, 0)
    return {_name(mu[Y]): n for mu, n in found.items() if isinstance(mu, Solution)}


def _name(term: Term) -> str:
    return str(term).removeprefix(str(EX))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (P, {"b": 1}),
        (Inverse(P), {"c": 1}),
        (Inverse(Inverse(P)), {"b": 1}),
        (Sequence(P, Q), {"c": 1}),
        (Inverse(Sequence(P, P)), {"b": 1}),
        (Alternative(Q, Sequence(P, P)), {"c": 2}),
        (Inverse(Alternative(P, Q)), {"c": 1}),
        (ZeroOrOne(Alternative(P, P)), {"a": 1, "b": 1}),
        (ZeroOrMore(P), {"a": 1, "b": 1, "c": 1}),
        (OneOrMore(P), {"a": 1, "b": 1, "c": 1}),
        (OneOrMore(Q), {"c": 1}),
        (Inverse(OneOrMore(P)), {"a": 1, "b": 1, "c": 1}),
        (Inverse(ZeroOrOne(P)), {"a": 1, "c": 1}),
        (Negated((EX.p,)), {"c": 1}),
        (Negated(), {"b": 1, "c": 1}),
        (Negated((), (EX.q,)), {"c": 1}),
        (Negated((EX.p,), (EX.q,)), {"c": 2}),
        (Inverse(Negated((EX.q,))), {"c": 1}),
        (Inverse(Negated((), (EX.p,))), {"c": 1}),
        (ZeroOrMore(Negated((EX.p,))), {"a": 1, "c": 1}),
    ],
    ids=str,
)
def test_each_path_from_a(path: PathExpression, expected: dict[str, int]) -> None:
    assert ends(path) == expected


def test_zero_length_between_two_variables_relates_every_node_to_itself() -> None:
    nothing = ZeroOrMore(Link(EX.nothing))
    found = evaluate(Path(X, nothing, Y, GraphAccess(G1)), GRAPH, 0)
    assert {(_name(mu[X]), _name(mu[Y])) for mu in found if isinstance(mu, Solution)} == {
        ("a", "a"),
        ("b", "b"),
        ("c", "c"),
    }


def test_zero_length_starts_at_a_constant_that_the_graph_does_not_know() -> None:
    nothing = ZeroOrMore(Link(EX.nothing))
    assert ends(nothing, "unknown") == {"unknown": 1}
    backwards = Path(X, nothing, term(5), GraphAccess(G1))
    assert evaluate(backwards, GRAPH, 0) == Counter([Solution({X: term(5)})])


@pytest.mark.parametrize("path", [P, Sequence(P, Q), OneOrMore(P), Negated((EX.p,)), ZeroOrOne(Q)])
def test_a_path_finds_the_same_from_either_end(path: PathExpression) -> None:
    graph = GraphAccess(G1)
    both = evaluate(Path(X, path, Y, graph), GRAPH, 0)
    for node in (EX.a, EX.b, EX.c):
        there = evaluate(Path(X, path, node, graph), GRAPH, 0)
        kept = {mu: n for mu, n in both.items() if isinstance(mu, Solution) and mu[Y] == node}
        assert there == Counter({mu.project([X]): n for mu, n in kept.items()})
        turned = evaluate(Path(node, Inverse(path), X, graph), GRAPH, 0)
        assert turned == there


def test_a_path_with_one_variable_at_both_ends_finds_cycles() -> None:
    found = evaluate(Path(X, Sequence(P, Sequence(P, P)), X, GraphAccess(G1)), GRAPH, 0)
    assert len(found) == 3
    assert not evaluate(Path(X, P, X, GraphAccess(G1)), GRAPH, 0)


def test_a_path_between_constants_binds_nothing_and_counts_ways() -> None:
    ways = Alternative(Q, Sequence(P, P))
    assert evaluate(Path(EX.a, ways, EX.c, GraphAccess(G1)), GRAPH, 0) == {Solution(): 2}


def test_a_path_runs_over_windows_and_static_data_together() -> None:
    data: Streams = {G1: [triple("a", "p", "b")], S1: stream(("b", "p", "c", 5))}
    plan = Path(EX.a, OneOrMore(P), Variable("end"), Union(GraphAccess(G1), forever()))
    assert [len(evaluate(plan, data, t)) for t in (4, 5)] == [1, 2]

from __future__ import annotations

import pytest

from askos.algebra import Join, Operator, Path
from askos.algebra.operators import EmptyGraph
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
from askos.static import StaticGraph
from tests.build import EX, X, Y, bag, solution, table, triple
from tests.static.build import ask, graph, path

P, Q = Link(EX.p), Link(EX.q)
# A cycle a → b → c → a, a way out to d, and a second way from a to c.
DATA = graph(("a", "p", "b"), ("b", "p", "c"), ("c", "p", "a"), ("c", "q", "d"), ("a", "q", "c"))


def ends(walk: PathExpression, start: str) -> list[str]:
    rows = ask(path(start, walk, Y), DATA).elements()
    return sorted(row[Y].removeprefix(str(EX)) for row in rows)  # type: ignore[index]


@pytest.mark.parametrize(
    ("walk", "reached"),
    [
        (P, "b"),
        (Inverse(P), "c"),
        (Sequence(P, P), "c"),
        (Inverse(Sequence(P, Q)), "b"),
        (Alternative(P, Q), "bc"),
        (Alternative(Sequence(P, P), Q), "cc"),
        (ZeroOrOne(P), "ab"),
        (OneOrMore(P), "abc"),
        (ZeroOrMore(Q), "acd"),
        (OneOrMore(Alternative(P, Q)), "abcd"),
        (Negated((EX.p,)), "c"),
        (Negated(), "bc"),
        (Negated((), (EX.q,)), "c"),
        (Negated((EX.p,), (EX.q,)), "cc"),
        (Sequence(ZeroOrMore(Sequence(P, P)), Q), "cd"),
    ],
)
def test_from_a_node_a_path_reaches(walk: PathExpression, reached: str) -> None:
    expected = sorted(reached)
    if walk == Inverse(Sequence(P, Q)):
        expected = []  # nothing leads to a by p, then q
    assert ends(walk, "a") == expected


@pytest.mark.parametrize("walk", [P, OneOrMore(P), ZeroOrMore(Alternative(P, Inverse(Q)))])
def test_a_path_is_the_same_from_either_end_and_from_none(walk: PathExpression) -> None:
    everywhere = ask(path(X, walk, Y), DATA)
    for name in "abcd":
        forth, back = ask(path(name, walk, Y), DATA), ask(path(X, walk, name), DATA)
        rows = list(everywhere.elements())
        assert len([r for r in rows if r[X] == EX[name]]) == forth.total()  # type: ignore[index]
        assert len([r for r in rows if r[Y] == EX[name]]) == back.total()  # type: ignore[index]


def test_of_zero_length_between_variables_it_relates_nodes_of_the_graph_alone() -> None:
    rows = table(solution(x="a"), solution(x="stranger"))
    joined = Join(rows, path(X, ZeroOrMore(Q), Y))
    assert ask(joined, DATA) == bag(*(solution(x="a", y=y) for y in "acd"))


def test_of_zero_length_from_a_constant_it_starts_anywhere() -> None:
    assert ask(path("stranger", ZeroOrMore(P), Y), DATA) == bag(solution(y="stranger"))
    empty = Path(EX.a, ZeroOrOne(P), EX.a, EmptyGraph())
    assert ask(empty, DATA) == bag(solution())
    assert ask(path("a", ZeroOrOne(Inverse(Q)), "b"), DATA) == bag()


def test_a_path_from_a_node_back_to_itself() -> None:
    assert ask(path(X, OneOrMore(P), X), DATA) == bag(*(solution(x=x) for x in "abc"))


def test_ways_are_counted_where_both_ends_are_known() -> None:
    rows = table(solution(x="a", y="c"), solution(x="b", y="d"))
    ways = Alternative(Sequence(P, P), Q)
    assert ask(Join(rows, path(X, ways, Y)), DATA).total() == 2


def test_a_long_chain_is_walked_once_from_its_end() -> None:
    size = 20_000
    chain = StaticGraph(triple(f"n{i}", "p", f"n{i + 1}") for i in range(size))
    reached = ask(path("n0", OneOrMore(P), Y), chain)
    back: Operator = path(X, ZeroOrMore(P), f"n{size}")
    assert (reached.total(), ask(back, chain).total()) == (size, size + 1)


def test_a_long_sequence_is_no_deep_recursion() -> None:
    steps: PathExpression = P
    for _ in range(149):
        steps = Sequence(steps, P)
    assert ends(steps, "a") == ["a"]

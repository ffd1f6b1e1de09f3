"""Property paths as what they abbreviate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import GraphAccess, Operator, Path, StreamAccess, Union
from askos.algebra.expansion import expanded, steps, without_paths
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
from askos.explaining import explain
from askos.terms import Variable
from tests.build import EX, G1, PREFIXES, S1, X, Y, forever, stream, triple
from tests.strategies import NODES, data, instants, paths

P, Q = Link(EX.p), Link(EX.q)
EDGES: Streams = {
    S1: stream(("a", "p", "b", 0), ("b", "p", "c", 0), ("c", "q", "a", 0), ("b", "p", "c", 1)),
    G1: [triple("a", "r", "b")],
}


def ends() -> st.SearchStrategy[object]:
    """Variables, nodes of the graph, and one that is none."""
    return st.sampled_from([X, Y, X, *NODES, EX.nowhere])


@given(ends(), paths(), ends(), data(), instants())
def test_a_path_means_what_it_abbreviates(
    start: Variable, path: PathExpression, end: Variable, streams: Streams, time: int
) -> None:
    plan = Path(start, path, end, forever())
    assert evaluate(expanded(plan), streams, time) == evaluate(plan, streams, time)


@pytest.mark.parametrize(
    "path",
    [
        Sequence(ZeroOrMore(P), ZeroOrOne(Q)),
        OneOrMore(ZeroOrOne(P)),
        ZeroOrMore(Sequence(P, P)),
        Inverse(OneOrMore(Alternative(P, Inverse(Q)))),
        Negated((EX.p,), (EX.q,)),
        Alternative(P, Alternative(P, Sequence(P, P))),
    ],
    ids=lambda path: str(type(path).__name__),
)
@pytest.mark.parametrize("start", [X, EX.a, EX.nowhere])
@pytest.mark.parametrize("end", [X, Y, EX.c, EX.nowhere])
def test_ends_may_be_anything(path: PathExpression, start: Variable, end: Variable) -> None:
    plan = Path(start, path, end, forever())
    assert evaluate(expanded(plan), EDGES, 5) == evaluate(plan, EDGES, 5)


def test_what_is_left_of_a_path_is_a_closure() -> None:
    plan = Path(X, Sequence(P, ZeroOrMore(Alternative(P, Q))), EX.c, forever())
    left = [node for node in expanded(plan).walk() if isinstance(node, Path)]
    assert [type(path.path) for path in left] == [OneOrMore]
    assert not isinstance(left[0].subject, Variable)
    found, start, end = steps(left[0])
    assert found.variables == {start, end}


def test_many_alternatives_are_one_pattern() -> None:
    links: list[PathExpression] = [Link(EX[f"p{n}"]) for n in range(20)]
    path = links[0]
    for link in [*links[1:], links[3]]:
        path = Alternative(path, link)
    plan = expanded(Path(X, path, Y, forever()))
    assert explain(plan, PREFIXES).count("Pattern") == 2  # one predicate is written twice
    given: Streams = {S1: stream(*((f"s{n}", f"p{n}", "o", 0) for n in range(20)))}
    assert evaluate(plan, given, 0) == evaluate(Path(X, path, Y, forever()), given, 0)


def test_a_path_over_static_data_stays_as_it_is() -> None:
    plan: Operator = Path(X, OneOrMore(P), Y, GraphAccess(G1))
    assert without_paths(plan) is plan
    mixed = Path(X, Inverse(P), Y, Union(StreamAccess(S1), GraphAccess(G1)))
    assert without_paths(mixed) is not mixed

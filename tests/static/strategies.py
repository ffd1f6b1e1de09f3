"""Random plans without streams, and graphs for them."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from hypothesis import strategies as st

from askos.algebra import (
    Construct,
    Describe,
    Distinct,
    EmptyGraph,
    Exists,
    Filter,
    GraphAccess,
    Join,
    LeftJoin,
    Minus,
    Not,
    Operator,
    Path,
    Pattern,
    Project,
    SemiJoin,
    StreamAccess,
    Template,
    Union,
    Window,
)
from askos.terms import BNode, Triple, URIRef
from tests.build import EX, G1, S1, S2, X, Y
from tests.strategies import expressions, leaf_plans, plans, triples

GRAPHS = {S1: EX.graph2, S2: EX.graph3}


def still(plan: Operator) -> Operator:
    """The plan with every window gone and every stream a graph."""
    unwound = plan.transform(lambda node: node.input if isinstance(node, Window) else node)
    return unwound.transform(
        lambda node: GraphAccess(GRAPHS[node.source]) if isinstance(node, StreamAccess) else node
    )


def static_plans(max_leaves: int = 5) -> st.SearchStrategy[Operator]:
    return plans(max_leaves).map(still)


@st.composite
def chains(draw: st.DrawFn) -> Operator:
    """Several joined patterns, paths and tables, and a side that has or only decides."""

    def chain() -> Operator:
        members = draw(st.lists(leaf_plans().map(still), min_size=1, max_size=4))
        return reduce(Join, members)

    left, right = chain(), chain()
    condition = draw(expressions(exists=False))
    match draw(st.integers(0, 6)):
        case 0:
            return LeftJoin(left, Filter(condition, right))
        case 1:
            return LeftJoin(left, LeftJoin(right, chain()), condition)
        case 2:
            return Minus(left, Union(right, chain()))
        case 3:
            return SemiJoin(left, Distinct(Project((X, Y), right)), condition)
        case 4:
            return Join(left, Union(Filter(condition, right), chain()))
        case 5:
            return Join(Join(left, LeftJoin(right, chain())), Minus(chain(), chain()))
    return Filter(Not(Exists(Filter(condition, right))), left)


@st.composite
def triple_plans(draw: st.DrawFn) -> Operator:
    """CONSTRUCT, DESCRIBE, graphs, and merges of them."""
    blank = BNode("fresh")
    template = (Template(X, EX.p, Y), Template(Y, EX.q, blank), Template(blank, EX.p, X))
    graph: Operator = GraphAccess(G1)
    match draw(st.integers(0, 4)):
        case 0:
            graph = Construct(
                draw(st.sampled_from([template, template[:1]])), draw(static_plans(3)), "site"
            )
        case 1:
            graph = Describe((EX.a, X), draw(static_plans(3)), graph)
        case 2:
            graph = EmptyGraph()
    both = Union(graph, GraphAccess(draw(st.sampled_from([G1, EX.graph2]))))
    return draw(st.sampled_from([graph, both, Distinct(both)]))


@st.composite
def layered_plans(draw: st.DrawFn) -> Operator:
    """Plans whose patterns and paths read made graphs."""
    made = draw(triple_plans())
    plan = draw(static_plans(3))

    def rule(node: Operator) -> Operator:
        return replace(node, input=made) if isinstance(node, Pattern | Path) else node

    return plan.transform(rule)


@st.composite
def graphs(draw: st.DrawFn) -> dict[URIRef, list[Triple]]:
    return {iri: draw(st.lists(triples(), max_size=8)) for iri in (G1, EX.graph2, EX.graph3)}

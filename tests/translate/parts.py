"""Random parts of plans that match often: leaves, conditions, groups."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from askos.algebra import (
    Aggregate,
    AggregateClauses,
    Binding,
    Bound,
    Call,
    Clause,
    Constant,
    Count,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Join,
    Keyed,
    LeftJoin,
    Max,
    Min,
    Not,
    Operator,
    Pattern,
    Project,
    Ref,
    Sample,
    StreamAccess,
    Sum,
    Timestamp,
    Union,
)
from askos.algebra.operators.pattern import Position
from askos.terms import BNode, Variable
from tests.build import EX, G1, S1, S2, W, X, Y, Z
from tests.strategies import (
    NUMBERS,
    VARIABLES,
    expressions,
    leaf_plans,
    plans,
    terms,
    windows,
)

Plans = st.SearchStrategy[Operator]
V = Variable("v")


@st.composite
def matching(draw: st.DrawFn, input: Operator) -> Pattern:
    """Patterns that match often, with arrival times now and then."""
    places: list[list[Position]] = [[X, X, Y, EX.a], [EX.p, EX.p, EX.q, Z], [Y, Y, Z, X, EX.b]]
    s, p, o = (draw(st.sampled_from(place)) for place in places)
    plain = Pattern(s, p, o, input)
    stamped = draw(st.integers(0, 5)) == 0
    return replace(plain, stamps=tuple(sorted(plain.variables)) if stamped else ())


@st.composite
def streaming(draw: st.DrawFn) -> Operator:
    access = StreamAccess(draw(st.sampled_from([S1, S1, S2])))
    if draw(st.booleans()):
        return draw(windows(draw(matching(access))))
    return draw(matching(draw(windows(access))))


def static() -> Plans:
    return matching(GraphAccess(G1))


def leaves() -> Plans:
    """What binds all it may bind, mostly."""
    return st.one_of(streaming(), streaming(), static(), static().map(Distinct), leaf_plans())


@st.composite
def parts(draw: st.DrawFn) -> Operator:
    """A leaf, or two of them put together; rarely anything."""
    match draw(st.integers(0, 9)):
        case 0 | 1:
            return Join(draw(leaves()), draw(leaves()))
        case 2:
            return LeftJoin(draw(leaves()), draw(leaves()))
        case 3:
            return Union(draw(leaves()), draw(leaves()))
        case 4:
            return draw(plans(2))
    return draw(leaves())


@st.composite
def conditions(draw: st.DrawFn) -> Expression:
    v, u = draw(st.sampled_from([X, Y, Z])), draw(st.sampled_from([X, Y, Z]))
    match draw(st.integers(0, 9)):
        case 0 | 1:
            return Call(draw(st.sampled_from(["=", "!=", "<"])), (Ref(v), Constant(draw(terms()))))
        case 2 | 3:
            return Call(draw(st.sampled_from(["=", "!=", "<="])), (Ref(v), Ref(u)))
        case 4:
            return Bound(v)
        case 5:
            return Not(Bound(v))
        case 6:
            return Exists(draw(leaves()))
        case 7:
            return Call("<", (Timestamp(v), Constant(draw(st.sampled_from(NUMBERS)))))
        case 8:
            return Call("<", (Keyed("RAND", (), "q/1", (v,)), Constant(draw(terms()))))
    return draw(expressions())


def free(plan: Operator) -> Variable:
    """A variable that the plan does not have."""
    return next((v for v in [*VARIABLES, V] if v not in plan.variables), Variable("fresh"))


@st.composite
def extended(draw: st.DrawFn) -> Operator:
    plan = draw(parts())
    value = draw(expressions() | terms().filter(lambda t: not isinstance(t, BNode)).map(Constant))
    return Extend(free(plan), value, plan)


@st.composite
def projected(draw: st.DrawFn, inner: Plans | None = None) -> Operator:
    plan = draw(parts() if inner is None else inner)
    columns = draw(st.lists(st.sampled_from([X, Y, Z, W]), unique=True, min_size=1, max_size=3))
    return Project(tuple(columns), plan)


def aggregates(*, blind: bool = False) -> st.SearchStrategy[Aggregate]:
    """Of which `blind` ones do not see copies."""
    argument = st.sampled_from([X, Y, Z]).map(Ref) | conditions()
    blinds = [st.builds(kind, argument) for kind in (Min, Max, Sample)]
    counts = [st.just(Count()), st.builds(Count, argument), st.builds(Count, argument)]
    others = [st.just(Count(distinct=True)), st.builds(Sum, argument)]
    distinct = st.builds(Count, argument, distinct=st.just(True))
    return st.one_of(*blinds, distinct, *([] if blind else counts + others))


@st.composite
def grouped(draw: st.DrawFn, inner: Plans | None = None, *, blind: bool = False) -> Operator:
    plan = draw(parts() if inner is None else inner)
    keys = draw(st.lists(st.sampled_from([X, Y, Z]), unique=True, max_size=2))
    names = [W, V][: draw(st.integers(1, 2))]
    made = tuple(Binding(v, draw(aggregates(blind=blind))) for v in names)
    return Group(tuple(Binding(k, Ref(k)) for k in keys), made, plan)


@st.composite
def clauses(draw: st.DrawFn, inner: Plans | None = None) -> Operator:
    plan = draw(parts() if inner is None else inner)
    by = st.lists(st.sampled_from([X, Y]), unique=True).map(tuple)
    return AggregateClauses((Clause(free(plan), draw(aggregates()), draw(by)),), plan)


@st.composite
def over(draw: st.DrawFn, inner: Plans) -> Operator:
    return Filter(draw(conditions()), draw(inner))

"""Random plans with EXISTS, over what sees outer values in every way."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from askos.algebra import (
    AggregateClauses,
    And,
    AntiJoin,
    Binding,
    Clause,
    CopyNumber,
    Count,
    Distinct,
    Exists,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Max,
    Min,
    Minus,
    Not,
    Operator,
    Or,
    OrderBy,
    Path,
    Pattern,
    Project,
    Ref,
    SemiJoin,
    Slice,
    SortKey,
    StreamAccess,
    Sum,
    Timestamp,
    Union,
    Values,
)
from tests.build import EX, G1, S1, W, X, Y, Z
from tests.strategies import (
    expressions,
    paths,
    plans,
    windows,
)
from tests.translate.parts import (
    Plans,
    V,
    clauses,
    conditions,
    free,
    grouped,
    leaves,
    over,
    parts,
    projected,
)


@st.composite
def existing(draw: st.DrawFn) -> Operator:
    inner = draw(
        st.one_of(
            leaves(),
            parts(),
            over(parts()),
            st.builds(Join, over(leaves()), leaves()),
            projected(),
            st.builds(Path, st.just(X), paths(), st.just(Y), st.just(GraphAccess(G1))),
        )
    )
    exists = Exists(inner)
    return Filter(exists if draw(st.booleans()) else Not(exists), draw(parts()))


def without_stamps(plan: Operator) -> Operator:
    """The plan without arrival times, and without expressions that ask for them."""
    plain = plan.rewrite(Timestamp, lambda node: Ref(node.variable))
    assert isinstance(plain, Operator)
    return plain.transform(
        lambda node: replace(node, stamps=()) if isinstance(node, Pattern) else node
    )


@st.composite
def asking(draw: st.DrawFn, inner: Plans, outer: Plans) -> Operator:
    """EXISTS of `inner` anywhere in an expression."""
    exists, part = Exists(draw(inner)), draw(conditions())
    value = draw(st.sampled_from([Or(exists, part), Not(Or(part, exists)), And(exists, part)]))
    plan = draw(outer)
    name = free(plan)
    match draw(st.integers(0, 9)):
        case 0 | 1:
            join = draw(st.sampled_from([LeftJoin, LeftJoin, SemiJoin, AntiJoin]))
            return join(plan, draw(leaves()), draw(st.sampled_from([value, exists, Not(exists)])))
        case 2:
            return MarkJoin(plan, draw(leaves()), value, variable=name)
        case 3:
            return Extend(name, value, plan)
        case 4:
            ranked = OrderBy((SortKey(value, draw(st.booleans())),), plan)
            return Slice(draw(st.integers(0, 1)), 2, ranked)
        case 5:
            made = (Binding(W, draw(st.sampled_from([Count(value), Sum(value), Min(value)]))),)
            return Group((Binding(X, Ref(X)), Binding(V, value)), made, plan)
        case 6:
            return AggregateClauses((Clause(name, Max(value), (X,)),), plan)
        case 7:
            return Filter(draw(st.sampled_from([exists, Not(exists)])), plan)
    return Filter(value, plan)


@st.composite
def deep(draw: st.DrawFn, inner: Plans) -> Operator:
    """What sees outer values in other ways than by joining."""
    plan = draw(inner)
    some, first = st.sampled_from([X, Y, Z]), draw(st.integers(0, 1))
    match draw(st.integers(0, 14)):
        case 0:
            return Minus(draw(leaves()), plan)
        case 1:
            return Minus(plan, draw(leaves()))
        case 2:
            return LeftJoin(draw(leaves()), plan, draw(conditions()))
        case 3:
            return Join(draw(leaves()), LeftJoin(plan, draw(leaves()), draw(conditions())))
        case 4:
            return Extend(free(plan), draw(some.map(Ref) | expressions()), plan)
        case 5:
            return Slice(first, draw(st.integers(1, 2)), plan)
        case 6:
            return Slice(1, 1, OrderBy((SortKey(draw(conditions())),), plan))
        case 7:
            ranked = Project((X, Z), OrderBy((SortKey(Ref(Y)),), plan))
            return Slice(first, 1, Distinct(ranked))
        case 8:
            return CopyNumber(free(plan), plan)
        case 9:
            return Filter(draw(conditions()), plan)
        case 10:
            return draw(grouped(st.just(plan)))
        case 11:
            return draw(clauses(st.just(plan)))
        case 12:
            return draw(projected(st.just(plan)))
        case 13:
            return Path(draw(some), draw(paths()), Y, draw(windows(StreamAccess(S1))))
    return Distinct(Union(plan, Values((X, Y), ((EX.a, None), (None, EX.b)))))


def deeper() -> Plans:
    """One or two of them, or one below another EXISTS."""
    once = deep(leaves())
    nested = asking(once, leaves()), asking(deep(once), parts())
    return st.one_of(once, once, deep(once), plans(3), *nested)

"""Random plans on which a given rule applies often: its left-hand side, of random parts, in a
random place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from askos.algebra import (
    FALSE,
    TRUE,
    UNIT,
    And,
    AntiJoin,
    Ask,
    Binding,
    Bound,
    Call,
    Constant,
    Construct,
    CopyNumber,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Not,
    Operator,
    Or,
    OrderBy,
    Path,
    Payload,
    Project,
    Reduced,
    Ref,
    SemiJoin,
    Slice,
    SlidingWindow,
    SortKey,
    StreamAccess,
    Template,
    Union,
    Values,
)
from askos.terms import BNode
from askos.translate.rules.properties import keeps_stamps
from tests.build import EX, G1, S1, S2, W, X, Y, Z
from tests.strategies import (
    NUMBERS,
    paths,
    sliding,
    stepped,
    terms,
    windows,
)
from tests.translate.existing import asking, deeper, existing, without_stamps
from tests.translate.parts import (
    Plans,
    aggregates,
    clauses,
    conditions,
    extended,
    free,
    grouped,
    leaves,
    matching,
    over,
    parts,
    projected,
    static,
    streaming,
)


def marking(left: Operator, right: Operator, condition: Expression = TRUE) -> Operator:
    return MarkJoin(left, right, condition, variable=free(left))


@st.composite
def over_key(draw: st.DrawFn) -> Operator:
    """A group by ?x, and a condition on ?x alone."""
    plan = Group((Binding(X, Ref(X)),), (Binding(W, draw(aggregates())),), draw(parts()))
    return Filter(draw(st.sampled_from([Bound(X), Call("=", (Ref(X), Constant(EX.a)))])), plan)


@st.composite
def conditional(draw: st.DrawFn, kinds: list[Callable[..., Operator]]) -> Operator:
    both = And(draw(conditions()), draw(conditions()))
    kind: Callable[..., Operator] = draw(st.sampled_from(kinds))
    return kind(draw(parts()), draw(parts()), both)


@st.composite
def failing(draw: st.DrawFn) -> Operator:
    """OPTIONAL that must fail."""
    plan = LeftJoin(draw(parts()), draw(leaves()), draw(conditions()))
    own = sorted(plan.right.bound - plan.left.variables) or [X]
    return Filter(Not(Bound(draw(st.sampled_from(own)))), plan)


@st.composite
def time_window(draw: st.DrawFn) -> Operator:
    raw = draw(matching(StreamAccess(S1)))
    return draw(st.one_of(sliding(raw), stepped(raw), windows(raw)))


@st.composite
def emptied(draw: st.DrawFn) -> Operator:
    empty = draw(
        st.one_of(
            parts().map(lambda plan: Filter(FALSE, plan)),
            st.just(Values((X,), ())),
            st.just(Project((X, Y), Values((X,), ()))),
        )
    )
    plan = draw(parts())
    kinds: list[Callable[..., Operator]] = [Join, Union, LeftJoin, Minus, SemiJoin, AntiJoin]
    kind = draw(st.sampled_from([*kinds, marking]))
    binary = kind(empty, plan) if draw(st.booleans()) else kind(plan, empty)
    unary = draw(
        st.sampled_from([Distinct(empty), Reduced(empty), Extend(free(empty), TRUE, empty)])
    )
    return draw(st.sampled_from([binary, binary, unary, draw(grouped(st.just(empty)))]))


@st.composite
def united(draw: st.DrawFn) -> Operator:
    plan = draw(parts())
    kinds: list[Callable[..., Operator]] = [Join, LeftJoin, SemiJoin, AntiJoin, Minus, marking]
    kind = draw(st.sampled_from(kinds))
    made: list[Operator] = [kind(plan, UNIT), Join(UNIT, plan), Minus(plan, draw(static()))]
    return draw(st.sampled_from(made))


@st.composite
def ordered(draw: st.DrawFn) -> Operator:
    key = SortKey(Ref(draw(st.sampled_from([X, Y]))), draw(st.booleans()))
    plan: Operator = OrderBy((key,), draw(parts()))
    wraps: list[Callable[[Operator], Operator]] = [Distinct, Reduced, _first, _columns]
    for wrap in draw(st.lists(st.sampled_from(wraps), max_size=2)):
        plan = wrap(plan)
    other = draw(leaves())
    return draw(st.sampled_from([Join(plan, other), Union(other, plan), Filter(Ref(X), plan)]))


def _first(plan: Operator) -> Operator:
    return Slice(0, 1, plan)


def _columns(plan: Operator) -> Operator:
    return Project((X, Y), plan)


@st.composite
def doubled(draw: st.DrawFn) -> Operator:
    """Distinct over something that may hold more of them, and those that do not care."""
    inner = draw(st.one_of(parts(), projected(), leaves().map(Distinct), grouped()))
    other = draw(st.one_of(leaves(), leaves().map(Distinct), projected().map(Distinct)))
    plan = draw(
        st.sampled_from([Distinct(inner), Join(Distinct(inner), other), Union(other, inner)])
    )
    plan = draw(st.sampled_from([plan, Filter(draw(conditions()), plan), Project((X, Y), plan)]))
    triples = (Template(EX.a, EX.p, X), Template(EX.a, EX.q, Y))
    wrapped = [
        Distinct(plan),
        Distinct(Union(plan, plan)),
        Ask(plan),
        Construct(triples, plan),
        SemiJoin(draw(leaves()), plan),
        AntiJoin(draw(leaves()), plan, draw(conditions())),
        Minus(draw(leaves()), plan),
        marking(draw(leaves()), plan, draw(conditions())),
        draw(grouped(st.just(plan), blind=True)),
        Filter(Exists(plan), draw(leaves())),
    ]
    return draw(st.sampled_from(wrapped))


@st.composite
def mixed(draw: st.DrawFn) -> Operator:
    """A pattern over a stream and a graph at once."""
    graph: Operator = Union(GraphAccess(G1), draw(windows(StreamAccess(S1))))
    return draw(matching(Distinct(graph) if draw(st.booleans()) else graph))


@st.composite
def repeated(draw: st.DrawFn) -> Operator:
    """Joins in which members come again."""
    some = draw(st.lists(leaves(), min_size=1, max_size=3))
    plan = draw(st.sampled_from(some))
    for member in draw(st.lists(st.sampled_from(some), min_size=1, max_size=3)):
        plan = Join(plan, member) if draw(st.booleans()) else Join(member, plan)
    return plan


@st.composite
def branches(draw: st.DrawFn) -> Operator:
    """Unions of joins with a common member."""
    shared, a, b = draw(leaves()), draw(leaves()), draw(leaves())
    left = draw(st.sampled_from([Join(shared, a), Join(a, shared)]))
    return Union(left, draw(st.sampled_from([Join(shared, b), Join(b, shared)])))


def unstamped() -> Plans:
    return leaves().filter(lambda plan: not keeps_stamps(plan))


@st.composite
def chains(draw: st.DrawFn, members_of: Plans) -> Operator:
    """Joins of three to five members, with filters between them."""
    members = draw(st.lists(members_of, min_size=3, max_size=5))
    plan = members[0]
    for member in members[1:]:
        plan = Join(plan, member) if draw(st.integers(0, 3)) else Join(member, plan)
        if draw(st.integers(0, 3)) == 0:
            plan = Filter(draw(conditions()), plan)
    return plan


@st.composite
def by_graph(draw: st.DrawFn) -> Operator:
    """GRAPH ?z over two sources: the name tells the branches apart."""
    names = draw(st.lists(st.sampled_from([S1, S2]), min_size=2, max_size=2))
    both = [
        Join(draw(matching(SlidingWindow(StreamAccess(source), 9, 3))), Values((Z,), ((name,),)))
        for source, name in zip([S1, S2], names, strict=True)
    ]
    return Union(*both)


@st.composite
def by_source(draw: st.DrawFn) -> Operator:
    one = draw(matching(draw(windows(StreamAccess(S1)))))
    return Union(one, replace(one, input=draw(windows(StreamAccess(S2)))))


@st.composite
def stream_and_graph(draw: st.DrawFn) -> Operator:
    plan = Join(draw(streaming()), draw(st.one_of(static(), static().map(Distinct))))
    return Join(plan, draw(static() | streaming())) if draw(st.booleans()) else plan


@st.composite
def folding(draw: st.DrawFn) -> Operator:
    """Conditions with a known part."""
    known = st.one_of(
        st.sampled_from([TRUE, FALSE, *(Constant(n) for n in NUMBERS)]),
        st.builds(Call, st.sampled_from(["+", "/", "<", "="]), st.tuples(*[_constants()] * 2)),
        st.sampled_from([X, Y]).map(Bound),
        st.just(Exists(Values((), ()))),
        st.just(Exists(UNIT)),
    )
    kind = draw(st.sampled_from([And, Or]))
    pair = kind(*draw(st.permutations([draw(known), draw(conditions())])))
    condition = draw(st.sampled_from([pair, Not(pair), Not(Not(pair)), draw(known)]))
    plan, other = draw(parts()), draw(parts())
    shapes = [
        Filter(condition, plan),
        LeftJoin(plan, other, condition),
        AntiJoin(plan, other, condition),
        Extend(free(plan), condition, plan),
    ]
    return draw(st.sampled_from(shapes))


def _constants() -> st.SearchStrategy[Expression]:
    return terms().filter(lambda term: not isinstance(term, BNode)).map(Constant)


def _joins(kind: type[Join | Union | Minus]) -> Plans:
    return st.builds(kind, parts(), parts())


def _all_columns(plan: Operator) -> Operator:
    return Project(tuple(sorted(plan.variables)), plan)


@st.composite
def merged(draw: st.DrawFn) -> Operator:
    """A pattern or path over several sources, its window below or above."""
    both: Operator = Union(StreamAccess(S1), StreamAccess(S2))
    if draw(st.booleans()):
        return draw(windows(draw(matching(draw(st.sampled_from([both, StreamAccess(S1)]))))))
    windowed = draw(windows(both)) if draw(st.booleans()) else draw(windows(StreamAccess(S1)))
    graph = Union(windowed, GraphAccess(G1)) if draw(st.booleans()) else windowed
    read = Distinct(graph) if draw(st.booleans()) else graph
    return draw(matching(read)) if draw(st.booleans()) else Path(X, draw(paths()), Y, read)


# By the name of the rule, plans on which it has a chance.
SHAPES: dict[str, Plans] = {
    "drop_unmatched_sources": merged(),
    "fold_constants": folding(),
    "drop_empty": emptied(),
    "drop_unit": united(),
    "drop_reduced": parts().map(Reduced),
    "drop_order": ordered(),
    "merge_projects": projected(projected()),
    "drop_unused_extend": st.one_of(
        projected(extended()),
        grouped(extended()),
        extended().map(Ask),
        projected(conditional([marking])),
    ),
    "split_filter": st.builds(Filter, st.builds(And, conditions(), conditions()), parts()),
    "push_filter_into_join": over(_joins(Join)),
    "push_filter_into_left_of_leftjoin": over(conditional([LeftJoin])),
    "push_filter_into_left_of_minus": over(
        conditional([SemiJoin, AntiJoin, marking]) | _joins(Minus)
    ),
    "push_filter_into_union": over(_joins(Union)),
    "push_filter_below_extend": over(
        extended() | parts().map(lambda plan: CopyNumber(free(plan), plan))
    ),
    "push_filter_below_project": over(projected()),
    "push_filter_below_distinct": over(parts().map(Distinct)),
    "push_filter_below_group": over(grouped() | clauses()) | over_key(),
    "push_filter_into_window": over(time_window()),
    "push_filter_below_filter": over(over(_joins(Join) | extended() | projected())),
    "push_condition_into_right": conditional([LeftJoin, SemiJoin, AntiJoin, marking]),
    "unnest_exists": existing(),
    "lift_distinct": mixed(),
    "drop_unnoticed_distinct": doubled(),
    "drop_distinct": st.one_of(doubled(), leaves().map(Distinct)),
    "merge_equal_patterns": repeated(),
    "merge_union_branches": branches(),
    "drop_identity_project": st.builds(Join, parts().map(_all_columns), parts()),
    "push_group_into_union": grouped(by_graph() | by_source()) | clauses(by_graph()),
    "push_group_into_join": grouped(stream_and_graph()),
    "order_joins": chains(leaves()),
    "push_projection": st.one_of(
        projected(chains(unstamped())),
        projected(over(st.builds(LeftJoin, unstamped(), unstamped()))),
        projected(clauses(st.builds(Join, unstamped(), unstamped()))),
        grouped(chains(unstamped())),
    ),
    "lift_exists": asking(parts(), parts()).map(without_stamps),
    "mark_exists": asking(parts(), parts()).map(without_stamps),
    "number_exists": asking(deeper(), parts()).map(without_stamps),
    "prefer_antijoin": failing(),
    "split_pattern": mixed(),
    "merge_filters": over(over(parts())),
    "mark_static": chains(leaves()),
}


@st.composite
def placed(draw: st.DrawFn, inner: Plans) -> Operator:
    """A plan in some place: alone, below others, or inside EXISTS."""
    plan = draw(inner)
    if plan.payload is not Payload.SOLUTION:
        return plan
    match draw(st.integers(0, 9)):
        case 0 | 1:
            exists = Exists(plan)
            return Filter(exists if draw(st.booleans()) else Not(exists), draw(leaves()))
        case 2:
            return Slice(draw(st.integers(0, 1)), 2, plan)
        case 3:
            return draw(st.sampled_from([Join, Union, LeftJoin, Minus]))(plan, draw(leaves()))
        case 4:
            return draw(grouped(st.just(plan)))
        case 5:
            return draw(projected(st.just(plan)))
        case 6:
            return draw(over(st.just(plan)))
    return plan

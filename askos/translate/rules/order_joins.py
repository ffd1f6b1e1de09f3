"""The order of joins."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra import Expression, Filter, Join, Operator
from askos.algebra.chains import WIDE
from askos.algebra.joins import components, joined
from askos.translate.cost import Statistics, cardinality
from askos.translate.exchanges import exchanges
from askos.translate.rules.properties import Variables, reads_streams
from askos.translate.rules.push_filter_into_join import push_filter_into_join


def order_joins(plan: Operator, statistics: Statistics | None = None) -> Operator:
    """A chain of joins in any order is the same: ⋈ is associative and commutative.

    Groppe et al. 2007, section 4.1: first the joins with the most join partners; among those
    the smaller, by statistics where known, else by how many positions are constants.  Partners
    are variables certainly bound on both sides, for only these can be hashed.  Of streams, a key
    that the joins so far share goes before all, and the order as written stays where a new one
    would need more exchanges.  Members without any variable in common are joined last, never in
    between.  Nested groups become one, C-SPARQL's MergeJoinedGPOs; beside streams, what reads
    only graphs and hangs together is one member, to be evaluated once.  A wide chain has no
    order: it is balanced, see `joined`.

    A filter between two joins that uses only variables bound below it goes up and down again.
    """
    if not isinstance(plan, Join):
        return plan
    members, filters = _flattened(plan)
    if len(members) < 3:
        return plan
    weighed = _with_static_parts(_weighed(members, statistics))
    parts = [_ordered(part) for part in _components(weighed)]
    parts.sort(key=lambda part: (part[0].size, part[0].place))
    ordered = joined([joined([member.plan for member in part]) for part in parts])
    for condition in reversed(list(dict.fromkeys(filters))):
        ordered = push_filter_into_join(Filter(condition, ordered))
    if ordered == plan or exchanges(ordered) > exchanges(plan):
        return plan
    return ordered


def inner_joins(plan: Operator) -> set[int]:
    """The joins of a plan, by identity, that are part of a larger chain: to order them on their
    own would be work for nothing."""
    found: set[int] = set()
    for node in plan.walk():
        if isinstance(node, Join):
            for side in (node.left, node.right):
                while isinstance(side, Filter) and _may_rise(side):
                    side = side.input
                found.add(id(side))
    return found


@dataclass(frozen=True, slots=True)
class _Member:
    plan: Operator
    place: int
    size: float
    variables: Variables
    bound: Variables


def _flattened(plan: Operator) -> tuple[list[Operator], list[Expression]]:
    """The members of a chain of joins in textual order, and the filters between them."""
    match plan:
        case Join(left, right):
            members, filters = _flattened(left)
            others, more = _flattened(right)
            return members + others, filters + more
        case Filter(condition, inner) if _may_rise(plan):
            members, filters = _flattened(inner)
            if len(members) > 1:
                return members, [condition, *filters]
    return [plan], []


def _may_rise(plan: Filter) -> bool:
    """Whether a filter has the same value above a join as below it."""
    return not plan.condition.stamps and plan.condition.variables <= plan.input.bound


def _weighed(members: list[Operator], statistics: Statistics | None) -> list[_Member]:
    return [
        _Member(plan, place, cardinality(plan, statistics), plan.variables, plan.bound)
        for place, plan in enumerate(members)
    ]


def _with_static_parts(members: list[_Member]) -> list[_Member]:
    """The members that read streams, and the joins of the others, if there are both."""
    streams = [member for member in members if reads_streams(member.plan)]
    others = [member for member in members if not reads_streams(member.plan)]
    return [*streams, *map(_merged, _components(others))] if streams else members


def _merged(members: list[_Member]) -> _Member:
    if len(members) == 1:
        return members[0]
    return _Member(
        joined([member.plan for member in _ordered(members)]),
        min(member.place for member in members),
        min(member.size for member in members),
        Variables().union(*(member.variables for member in members)),
        Variables().union(*(member.bound for member in members)),
    )


def _components(members: list[_Member]) -> list[list[_Member]]:
    """Members that hang together by variables, each group in textual order."""
    groups = components([sorted(member.variables) for member in members])
    return [[members[place] for place in group] for group in groups]


def _ordered(members: list[_Member]) -> list[_Member]:
    if len(members) > WIDE:
        return members
    first = min(members, key=lambda member: (member.size, member.place))
    order, left = [first], [member for member in members if member is not first]
    variables, bound, keys = first.variables, first.bound, Variables()
    exchanged = any(reads_streams(member.plan) for member in members)

    def rank(member: _Member) -> tuple[bool, bool, int, float, int]:
        partners = bound & member.bound
        stays = exchanged and not (keys & partners)
        apart = member.variables.isdisjoint(variables)
        return stays, apart, -len(partners), member.size, member.place

    while left:
        best = min(left, key=rank)
        left.remove(best)
        keys = (keys & bound & best.bound) or (bound & best.bound)
        variables, bound = variables | best.variables, bound | best.bound
        order.append(best)
    return order

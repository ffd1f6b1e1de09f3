"""Rewrites of logical plans, one rule to a module: a law, its guard, and nothing else.

A rule takes a plan and gives one that means the same at every instant, anywhere in a plan, also
inside EXISTS; or the plan itself, the same object, where it does not apply.  `transform` applies
it to all of a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Final, TypeAlias

from askos.algebra import Operator
from askos.sources import Catalogue
from askos.translate.cost import DeclaredPredicates, Statistics
from askos.translate.rules.drop_distinct import drop_distinct
from askos.translate.rules.drop_empty import drop_empty
from askos.translate.rules.drop_identity_project import drop_identity_project
from askos.translate.rules.drop_order import drop_order
from askos.translate.rules.drop_reduced import drop_reduced
from askos.translate.rules.drop_unit import drop_unit
from askos.translate.rules.drop_unmatched_sources import drop_unmatched_sources
from askos.translate.rules.drop_unnoticed_distinct import drop_unnoticed_distinct
from askos.translate.rules.drop_unused_extend import drop_unused_extend
from askos.translate.rules.fold_constants import fold_constants
from askos.translate.rules.lift_distinct import lift_distinct
from askos.translate.rules.lift_exists import lift_exists
from askos.translate.rules.mark_exists import mark_exists
from askos.translate.rules.mark_static import mark_static
from askos.translate.rules.merge_equal_patterns import merge_equal_patterns
from askos.translate.rules.merge_filters import merge_filters
from askos.translate.rules.merge_projects import merge_projects
from askos.translate.rules.merge_union_branches import merge_union_branches
from askos.translate.rules.number_exists import number_exists
from askos.translate.rules.order_joins import inner_joins, order_joins
from askos.translate.rules.prefer_antijoin import prefer_antijoin
from askos.translate.rules.push_condition_into_right import push_condition_into_right
from askos.translate.rules.push_filter_below_distinct import push_filter_below_distinct
from askos.translate.rules.push_filter_below_extend import push_filter_below_extend
from askos.translate.rules.push_filter_below_filter import push_filter_below_filter
from askos.translate.rules.push_filter_below_group import push_filter_below_group
from askos.translate.rules.push_filter_below_project import push_filter_below_project
from askos.translate.rules.push_filter_into_join import push_filter_into_join
from askos.translate.rules.push_filter_into_left_of_leftjoin import (
    push_filter_into_left_of_leftjoin,
)
from askos.translate.rules.push_filter_into_left_of_minus import push_filter_into_left_of_minus
from askos.translate.rules.push_filter_into_union import push_filter_into_union
from askos.translate.rules.push_filter_into_window import push_filter_into_window
from askos.translate.rules.push_group_into_join import push_group_into_join
from askos.translate.rules.push_group_into_union import push_group_into_union
from askos.translate.rules.push_projection import push_projection
from askos.translate.rules.split_filter import split_filter
from askos.translate.rules.split_pattern import split_pattern
from askos.translate.rules.unnest_exists import unnest_exists

__all__ = ["PHASES", "ROUNDS", "RULES", "WHOLE", "Rule", "Statistics", "optimize"]

Rule: TypeAlias = Callable[[Operator], Operator]

ROUNDS: Final = 40
"""How often a phase goes over a plan at most; where it is not done by then, the plan is as good
as it got, and means the same."""

_SIMPLIFY: Final[tuple[Rule, ...]] = (
    fold_constants,
    drop_empty,
    drop_unit,
    drop_reduced,
    drop_order,
    merge_projects,
    drop_unused_extend,
    split_filter,
    push_filter_into_join,
    push_filter_into_left_of_leftjoin,
    push_filter_into_left_of_minus,
    push_filter_into_union,
    push_filter_below_extend,
    push_filter_below_project,
    push_filter_below_distinct,
    push_filter_below_group,
    push_filter_into_window,
    push_filter_below_filter,
    push_condition_into_right,
    unnest_exists,
    lift_distinct,
    split_pattern,
    drop_unnoticed_distinct,
    drop_distinct,
    merge_equal_patterns,
    merge_union_branches,
    drop_identity_project,
    push_group_into_union,
    push_group_into_join,
)

PHASES: Final[tuple[tuple[Rule, ...], ...]] = (
    (drop_unmatched_sources,),
    _SIMPLIFY,
    (lift_exists,),
    (mark_exists,),
    (number_exists,),
    (prefer_antijoin,),
    _SIMPLIFY,
    (order_joins,),
    (push_projection, merge_projects, drop_unused_extend, drop_identity_project),
    (merge_filters,),
    (mark_static,),
)
"""What belongs together, in this order: what is read, what is left to do, EXISTS and its like made
joins and those looked at again, in which order joins do it, with which columns, and what of it once
and for all."""

WHOLE: Final[tuple[Rule, ...]] = (
    lift_exists,
    mark_exists,
    number_exists,
    prefer_antijoin,
    mark_static,
)
"""Rules that take a plan as a whole, once; the others are for every operator of it."""

RULES: Final[tuple[Rule, ...]] = tuple(dict.fromkeys(chain.from_iterable(PHASES)))
"""Every rule, once."""


def optimize(
    plan: Operator, *, sources: Catalogue | None = None, statistics: Statistics | None = None
) -> Operator:
    """A plan that means the same and does less.

    Every phase goes over the plan until nothing changes, or `ROUNDS` times; sources are dropped,
    joins ordered, and rules for a plan as a whole applied, once.  `sources` says what streams and
    graphs declare to carry: what could not match is not read.  `statistics`, where there are any,
    say how many triples match a pattern, and only guide.

    >>> from askos.algebra import Call, Constant, Filter, Join, Pattern, Ref
    >>> from askos.explaining import explain
    >>> from askos.algebra import SlidingWindow, StreamAccess
    >>> from askos.terms import Literal, URIRef, Variable
    >>> t, p, s = Variable("t"), Variable("p"), Variable("s")
    >>> wind = SlidingWindow(StreamAccess(URIRef("wind")), 10, 1)
    >>> both = Join(Pattern(t, URIRef("power"), p, wind), Pattern(t, URIRef("site"), s, wind))
    >>> strong = Call(">", (Ref(p), Constant(Literal(10))))
    >>> print(explain(optimize(Filter(strong, both))))
    Join
      Filter ?p > 10
        Pattern ?t <power> ?p
          SlidingWindow RANGE 10 MS SLIDE 1 MS
            StreamAccess <wind>
      Pattern ?t <site> ?s
        SlidingWindow RANGE 10 MS SLIDE 1 MS
          StreamAccess <wind>
    """
    declared = None if sources is None else DeclaredPredicates(sources)
    for phase in PHASES:
        if drop_unmatched_sources in phase:
            plan = plan.transform(partial(drop_unmatched_sources, sources=sources))
        elif phase[0] in WHOLE:
            plan = phase[0](plan)
        elif order_joins in phase:
            plan = _ordered(plan, statistics or declared)
        else:
            plan = _settled(plan, phase)
    return plan


def _settled(plan: Operator, rules: Iterable[Rule]) -> Operator:
    def apply(node: Operator) -> Operator:
        for rule in rules:
            node = rule(node)
        return node

    for _ in range(ROUNDS):
        before, plan = plan, plan.transform(apply)
        if plan is before or plan == before:
            break
    return plan


def _ordered(plan: Operator, statistics: Statistics | None) -> Operator:
    inner = inner_joins(plan)
    return plan.transform(lambda node: node if id(node) in inner else order_joins(node, statistics))

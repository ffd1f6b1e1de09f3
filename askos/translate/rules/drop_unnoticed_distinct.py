"""Duplicate elimination where nobody counts."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import (
    Aggregate,
    AntiJoin,
    Ask,
    Construct,
    Describe,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Max,
    Min,
    Minus,
    Node,
    Operator,
    Path,
    Pattern,
    Project,
    Sample,
    SemiJoin,
    Union,
)
from askos.translate.rules.properties import is_ranked, keeps_stamps


def drop_unnoticed_distinct(plan: Operator) -> Operator:
    """δ(E[δ(A)]) = δ(E[A]), for E of joins, unions, filters, patterns and the like; so also
    under ASK, EXISTS, the right side of ⋉ ▷ ∖, templates without blank nodes, and γ with only
    MIN, MAX, SAMPLE and aggregates of DISTINCT values.

    The set of solutions of E follows from the sets it reads; only multiplicities differ, and
    nobody looks at them.  Not below slices, copy numbers and other groups, which count; not if
    arrival times are kept, of which δ picks the latest.
    """
    match plan:
        case Distinct(a):
            return _changed(plan, "input", a)
        case Ask(a) | Describe(input=a):
            return _changed(plan, "input", a)
        case Construct(input=a) if not plan.blanks:
            return _changed(plan, "input", a)
        case SemiJoin(_, b) | AntiJoin(_, b) | MarkJoin(_, b) if not plan.condition.stamps:
            plan = _changed(plan, "right", b)
        case Minus(_, b):
            plan = _changed(plan, "right", b)
        case Group(_, aggregates, a) if all(_is_blind(made.value) for made in aggregates):
            plan = _changed(plan, "input", a)
    return plan.map_children(_in_exists)


def _is_blind(value: Expression | Aggregate) -> bool:
    """Whether copies make no difference to an aggregate."""
    return isinstance(value, Min | Max | Sample) or (
        isinstance(value, Aggregate) and value.distinct
    )


def _changed(plan: Operator, part: str, child: Operator) -> Operator:
    below = loosened(child)
    if below is child or (is_ranked(below) and not is_ranked(child)):
        return plan
    return replace(plan, **{part: below})


def _in_exists(node: Node) -> Node:
    if isinstance(node, Operator):
        return node
    if isinstance(node, Exists):
        pattern = loosened(node.pattern)
        return node if pattern is node.pattern else replace(node, pattern=pattern)
    return node.map_children(_in_exists)


def loosened(plan: Operator) -> Operator:
    """A plan with the same solutions, more or less often."""
    return plan if keeps_stamps(plan) else _loosened(plan)


def _loosened(plan: Operator) -> Operator:
    match plan:
        case Distinct(a):
            return plan if is_ranked(a) else _loosened(a)
        case Join() | LeftJoin():
            return plan.map_children(_partner)
        case Union() | Minus() | SemiJoin() | AntiJoin() | MarkJoin():
            return plan.map_children(_child)
        case Filter() | Extend() | Project() | Pattern() | Path():
            return plan.map_children(_child)
    return plan


def _child(node: Node) -> Node:
    return _loosened(node) if isinstance(node, Operator) else node


def _partner(node: Node) -> Node:
    """SELECT DISTINCT in a join stays: it hides columns, so there may be many copies, and each
    would meet all partners again."""
    return node if isinstance(node, Distinct) and isinstance(node.input, Project) else _child(node)

"""Filters below joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askos.algebra import Expression, Filter, Join, Operator
from askos.algebra.chains import WIDE
from askos.algebra.expressions.logic import conjunction, conjuncts
from askos.algebra.operators.filter import is_timeless
from askos.translate.rules.properties import Variables
from askos.translate.rules.split_filter import filtered


def push_filter_into_join(plan: Operator) -> Operator:
    """σ_F(A ⋈ B) = σ_F(A) ⋈ B, if A binds every variable of F that B may bind.

    *Binds*, not *mentions*: under OPTIONAL, B could supply the value.  A timestamp() that B may
    raise does not move.  Where both sides bind all of F, both are filtered: F sees the same
    values, and each side keeps less.  A wide conjunction, which `split_filter` may leave
    together, moves part by part.
    """
    match plan:
        case Filter(f, Join(a, b)):
            parts = conjuncts(f)
            moved = _moved(parts if len(parts) > WIDE else [f], Side.of(a), Side.of(b))
            return moved or plan
    return plan


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a join, and what many conditions ask of it, asked once."""

    plan: Operator
    variables: Variables
    bound: Variables

    @classmethod
    def of(cls, plan: Operator) -> Side:
        """The side that `plan` is."""
        return cls(plan, plan.variables, plan.bound)


def _moved(parts: Sequence[Expression], a: Side, b: Side) -> Operator | None:
    """The join with what can move below it; None where nothing can."""
    ways = [_ways(part, a, b) for part in parts]
    left = [part for part, (goes, _) in zip(parts, ways, strict=True) if goes]
    right = [part for part, (_, goes) in zip(parts, ways, strict=True) if goes]
    if not left and not right:
        return None
    stay = [part for part, way in zip(parts, ways, strict=True) if not any(way)]
    return filtered(stay[::-1], Join(_into(left, a.plan), _into(right, b.plan)))


def _ways(f: Expression, a: Side, b: Side) -> tuple[bool, bool]:
    """Whether F goes to the left, and to the right."""
    left, right = may_move(f, a, b), may_move(f, b, a)
    if left and right and f.variables and f.variables <= a.bound & b.bound:
        return True, is_timeless(f)  # EXISTS is too dear to be asked twice
    return left, right and not left


def _into(conditions: Sequence[Expression], plan: Operator) -> Operator:
    if len(conditions) > WIDE:
        return push_filter_into_join(Filter(conjunction(conditions), plan))
    for condition in reversed(conditions):
        plan = push_filter_into_join(Filter(condition, plan))
    return plan


def may_move(f: Expression, to: Operator | Side, past: Operator | Side) -> bool:
    """Whether F has the same value on a solution of `to`, merged with one of `past` or not."""
    return f.variables & past.variables <= to.bound and f.stamps.isdisjoint(past.variables)

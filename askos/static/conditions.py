"""Filters: conjunctions apart, and EXISTS as a semi-join where that is the same."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra import (
    Exists,
    Expression,
    Filter,
    Join,
    Keyed,
    Not,
    Operator,
    Pattern,
    Union,
    Values,
)
from askos.algebra.expressions.logic import conjunction


@dataclass(frozen=True, slots=True)
class Partner:
    """A condition that asks for a partner: a compatible solution of `right`, such that
    `condition` holds of the merged pair; or, if it is not `wanted`, that there is none."""

    right: Operator
    condition: Expression
    wanted: bool


def as_partner(condition: Expression) -> Partner | None:
    """EXISTS or NOT EXISTS as a question for a partner, if the pattern sees the outer bindings
    only by joining, and in filters on top of it.

    Not so with paths, which start anywhere from a term put in; nor with operators that look at
    which variables are bound, or hide some.  `Keyed` looks at the inner solution alone.
    """
    match condition:
        case Not(Exists(pattern)):
            wanted = False
        case Exists(pattern):
            wanted = True
        case _:
            return None
    conditions = list[Expression]()
    while isinstance(pattern, Filter):
        conditions.append(pattern.condition)
        pattern = pattern.input
    keyed = any(isinstance(node, Keyed) for c in conditions for node in c.walk())
    if keyed or not _only_joins(pattern):
        return None
    return Partner(pattern, conjunction(conditions), wanted)


def _only_joins(plan: Operator) -> bool:
    todo = [plan]
    while todo:
        node = todo.pop()
        if isinstance(node, Join | Union):
            todo += node.inputs
        elif not isinstance(node, Pattern | Values):
            return False
    return True

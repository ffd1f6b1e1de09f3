"""RAND(), UUID(), STRUUID() and BNODE(): giving their calls the key of a solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar, cast

from askos.algebra import CopyNumber, Expression, Extend, Group, Keyed, LeftJoin, Node, Operator
from askos.terms import Variable, anonymous
from askos.translate import ast
from askos.translate.plan.context import Context, is_keyed, is_stamp_column

Key: TypeAlias = tuple[Variable, ...]
N = TypeVar("N", bound=Node)


def number_copies(
    context: Context, plan: Operator, nodes: Sequence[ast.Node]
) -> tuple[Operator, Key]:
    """`plan` with its copies numbered, and the key of its solutions, for what `nodes` write;
    `plan` as it is, and no key, if none of them needs one."""
    number = _first(context, nodes)
    if number is None:
        return plan, ()
    numbered = _numbered(plan)
    if numbered is None:
        numbered = plan = CopyNumber(anonymous(f"#copy{number}"), plan)
    return plan, _key(numbered)


def keyed_join(context: Context, plan: LeftJoin, nodes: Sequence[ast.Node]) -> LeftJoin:
    """The same for a condition that sees pairs: both sides are numbered."""
    number = _first(context, nodes)
    if number is None:
        return plan
    left = CopyNumber(anonymous(f"#copy{number}.1"), plan.left)
    right = CopyNumber(anonymous(f"#copy{number}.2"), plan.right)
    key = tuple(sorted({*_key(left), *_key(right)}))
    return LeftJoin(left, right, with_key(plan.condition, key))


def with_key(value: N, key: Key) -> N:
    """`value` with `key` in those calls that have none yet; those inside EXISTS have theirs."""

    def rule(part: Expression) -> Expression:
        return replace(part, key=key) if isinstance(part, Keyed) and not part.key else part

    return cast(N, value.rewrite(Expression, rule)) if key else value


def _numbered(plan: Operator) -> CopyNumber | None:
    """The numbering that earlier expressions of the same solution made: BNODE("a") in two of
    them is one node."""
    while isinstance(plan, Extend) or (isinstance(plan, LeftJoin) and _beside(plan)):
        plan = plan.input if isinstance(plan, Extend) else plan.left
    return plan if isinstance(plan, CopyNumber) else None


def _beside(plan: LeftJoin) -> bool:
    """Whether the join only says when triples came: the solutions are those of its left side."""
    return any(is_stamp_column(v) for v in plan.right.variables) and isinstance(plan.right, Group)


def _key(plan: Operator) -> Key:
    """What makes a solution: all it binds, but not when some triple came last."""
    return tuple(sorted(v for v in plan.variables if not is_stamp_column(v)))


def _first(context: Context, nodes: Sequence[ast.Node]) -> int | None:
    """The number of the first call that needs a key, those inside EXISTS not among them."""
    todo = list(reversed(nodes))
    while todo:
        node = todo.pop()
        if is_keyed(node):
            return context.number(node)
        if not isinstance(node, ast.Exists):
            todo.extend(reversed(tuple(node.parts())))
    return None

"""What is known before any data: constants, and conditions they decide."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import (
    FALSE,
    TRUE,
    And,
    AntiJoin,
    Arithmetic,
    Bound,
    Call,
    Coalesce,
    Constant,
    Exists,
    Expression,
    Filter,
    If,
    In,
    LeftJoin,
    MarkJoin,
    Node,
    Not,
    Operator,
    Or,
    SemiJoin,
    Window,
)
from askos.algebra.expressions import ExpressionError, Nature, Scope, truth
from askos.terms import Solution
from askos.translate.rules.properties import Variables, is_empty, is_ranked, is_unit, nothing


def fold_constants(plan: Operator) -> Operator:
    """Pure functions of constants become their value; true conditions vanish, and what a
    condition never lets through becomes the empty relation.

    Errors stay errors: 1/0 is not folded, but as a filter it lets nothing through.  NOW(),
    timestamp() and RAND() are no functions of their arguments; REGEX and REPLACE may take long,
    and wait for the run.  BOUND(?x) is true where ?x is
    certainly bound; where nothing binds it it may still be put in by EXISTS, and stays.
    """
    if isinstance(plan, Window) or all(isinstance(child, Operator) for child in plan.children):
        return plan  # a window's conditions belong to single elements, and are asked once for each
    bound = _bound(plan)
    plan = plan.map_children(lambda child: _folded(child, bound))
    match plan:
        case LeftJoin() | SemiJoin() | AntiJoin() | MarkJoin():
            condition = as_condition(plan.condition)
            return plan if condition == plan.condition else replace(plan, condition=condition)
        case Filter(condition, input):
            return _filtered(plan, as_condition(condition), input)
    return plan


def _bound(plan: Operator) -> Variables:
    """What the expressions of an operator find bound; nothing if none of them asks."""
    own = (child for child in plan.children if not isinstance(child, Operator))
    if not any(isinstance(node, Bound) for child in own for node in child.walk()):
        return Variables()
    return Variables().union(*(child.bound for child in plan.inputs))


def _filtered(plan: Filter, condition: Expression, input: Operator) -> Operator:
    if condition == TRUE and not is_ranked(input):
        return input
    if condition == FALSE or _is_error(condition):
        return nothing(Filter(FALSE, input) if condition != plan.condition else plan)
    return plan if condition == plan.condition else Filter(condition, input)


def _is_error(condition: Expression) -> bool:
    if not all(isinstance(node, _PURE) and _is_pure(node) for node in condition.walk()):
        return False
    return truth(condition, Scope(Solution())) is None


def _folded(node: Node, bound: Variables) -> Node:
    """An expression, or what holds some, folded; not the plans inside EXISTS, nor inputs."""
    if isinstance(node, Operator):
        return node
    node = node.map_children(lambda child: _folded(child, bound))
    return _value(node, bound) if isinstance(node, Expression) else node


def _value(expression: Expression, bound: Variables) -> Expression:
    """The same value in fewer steps; the parts of `expression` are folded already."""
    match expression:
        case Bound(variable) if variable in bound:
            return TRUE
        case Exists(pattern) if is_empty(pattern) or is_unit(pattern):
            return TRUE if is_unit(pattern) else FALSE
        case And(left, right) if False in (_known(left), _known(right)):
            return FALSE
        case Or(left, right) if True in (_known(left), _known(right)):
            return TRUE
        case If(condition, then, otherwise) if _known(condition) is not None:
            return then if _known(condition) else otherwise
        case Coalesce((Constant() as first, *_)):
            return first
    constant = all(isinstance(child, Constant) for child in expression.children)
    if not constant or isinstance(expression, Constant) or not _is_pure(expression):
        return expression
    try:
        return Constant(expression.evaluate(Scope(Solution())))
    except ExpressionError:
        return expression


_PURE = (And, Or, Not, If, Coalesce, In, Call, Arithmetic, Constant)


def _is_pure(node: Node) -> bool:
    if isinstance(node, Call):
        return node.function.nature is Nature.PURE and not node.function.costly
    return isinstance(node, _PURE)


def _known(expression: Expression) -> bool | None:
    """The truth of a constant; None of anything else."""
    return truth(expression, Scope(Solution())) if isinstance(expression, Constant) else None


def as_condition(expression: Expression) -> Expression:
    """An expression that is true, false or an error exactly where `expression` is.

    Less than an equal value: a condition, like the parts of && || and !, is asked for its
    truth only.
    """
    match expression:
        case Constant() if _known(expression) is not None:
            return TRUE if _known(expression) else FALSE
        case And(left, right) | Or(left, right):
            return _connected(expression, as_condition(left), as_condition(right))
        case Not(Not(inner)):
            return as_condition(inner)
        case Not(inner):
            return Not(as_condition(inner))
    return expression


def _connected(whole: And | Or, left: Expression, right: Expression) -> Expression:
    unit, zero = (TRUE, FALSE) if isinstance(whole, And) else (FALSE, TRUE)
    if zero in (left, right):
        return zero
    if left == unit:
        return right
    return left if right == unit else replace(whole, left=left, right=right)

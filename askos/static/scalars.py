"""Expressions over rows: each evaluated once per distinct combination of what it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from askos.algebra import TRUE, Bound, Constant, Exists, Expression, Keyed, Node, Operator, Ref
from askos.algebra.expressions import ExpressionError, Scope, holds
from askos.columns.keys import distinct
from askos.static.interning import UNBOUND
from askos.static.table import Env, Ids, Mask, Table
from askos.terms import Solution, Term, Variable

if TYPE_CHECKING:
    from askos.static.evaluation import Evaluation

_Judge: TypeAlias = Callable[[Expression, Scope], int]


def values(at: Evaluation, expression: Expression, table: Table, env: Env) -> Ids:
    """The ids of the values, row by row; UNBOUND for SPARQL's error."""
    match expression:
        case Constant(term):
            return np.full(table.size, at.terms.intern(term))
        case Ref(variable) if variable in env:
            return np.full(table.size, env[variable])
        case Ref(variable):
            return table.column(variable)
    return _judged(at, expression, table, env, lambda e, scope: _value(at, e, scope))


def test(at: Evaluation, condition: Expression, table: Table, env: Env) -> Mask:
    """Whether a filter keeps each row."""
    if condition == TRUE:
        return np.ones(table.size, np.bool_)
    found = _judged(at, condition, table, env, lambda e, scope: int(holds(e, scope)))
    return found.astype(np.bool_)


def _value(at: Evaluation, expression: Expression, scope: Scope) -> int:
    try:
        return at.terms.intern(expression.evaluate(scope))
    except ExpressionError:
        return UNBOUND


def _judged(at: Evaluation, expression: Expression, table: Table, env: Env, judge: _Judge) -> Ids:
    """`judge` of an expression and each row, asked once per distinct terms the expression sees."""
    seen_by = expression.variables
    names = [c for c in table.columns if c in seen_by]
    outer = {v: number for v, number in env.items() if v in seen_by}
    settled, scope_of = _scopes(at, expression, outer)
    columns = [table.column(c) for c in names]
    codes, examples = distinct(columns, table.size)
    seen = zip(*(column[examples].tolist() for column in columns), strict=True)
    answers = [
        judge(settled, scope_of({v: x for v, x in zip(names, row, strict=True) if x != UNBOUND}))
        for row in (seen if columns else [()] * len(examples))
    ]
    return np.array(answers, np.int64)[codes]


def _scopes(
    at: Evaluation, expression: Expression, outer: Env
) -> tuple[Expression, Callable[[Env], Scope]]:
    """The expression with the outer bindings put in, and what it looks at for a row.

    To see a variable of outside is the same as to have its value put in, but for `Keyed`,
    whose key is what the row itself binds: only then the expression is rewritten.
    """
    if not outer or not any(isinstance(node, Keyed) for node in expression.walk()):
        return expression, lambda mine: at.scope({**mine, **outer}, outer)
    terms = {v: at.terms[number] for v, number in outer.items()}
    return _settled(expression, terms), lambda mine: at.scope(mine, outer)


def _settled(expression: Expression, outer: Mapping[Variable, Term]) -> Expression:
    def settle(node: Node) -> Node:
        match node:
            case Ref(variable) if variable in outer:
                return Constant(outer[variable])
            case Bound(variable) if variable in outer:
                return TRUE
            case Exists():
                return node  # told the outer bindings when it is evaluated
        return node.map_children(settle)

    result = settle(expression)
    assert isinstance(result, Expression)
    return result


def exists_in(at: Evaluation, outer: Env) -> Callable[[Operator, Solution], bool]:
    """EXISTS for an expression that is itself evaluated with the bindings `outer`."""

    def exists(pattern: Operator, solution: Solution) -> bool:
        mine = {v: at.terms.intern(term) for v, term in solution.items()}
        return bool(at.solve(pattern, {**mine, **outer}, enough=1).size)

    return exists

"""From the solutions of WHERE to those of the query (SPARQL 1.1, 18.2.4 and 18.2.5)."""

from __future__ import annotations

from collections.abc import Sequence

from askos.algebra import (
    Distinct,
    Extend,
    Operator,
    OrderBy,
    Project,
    Reduced,
    Ref,
    Slice,
    SortKey,
)
from askos.terms import Variable
from askos.translate import ast
from askos.translate.plan import groups
from askos.translate.plan.context import Context, name
from askos.translate.plan.errors import placed
from askos.translate.plan.expressions import expression
from askos.translate.plan.grouping import grouping, having
from askos.translate.plan.keyed import number_copies, with_key
from askos.translate.plan.triplestamps import with_triple_stamps
from askos.translate.scope import in_scope


def sub_select(context: Context, clause: ast.SubSelect) -> Operator:
    """{ SELECT .. }: evaluated for itself; what it does not project stays inside."""
    plan = groups.group(context, clause.where)
    visible = in_order(clause.where, clause.values)
    return select(context, plan, clause.select, visible, clause.modifiers, clause.values)


def in_order(*clauses: ast.Node | None) -> tuple[Variable, ...]:
    """The variables in scope, in the order of the text: what SELECT * selects."""
    found: dict[Variable, None] = {}
    for clause in filter(None, clauses):
        known = in_scope(clause)
        terms = (part.value for part in clause.walk() if isinstance(part, ast.Term))
        found |= dict.fromkeys(t for t in terms if isinstance(t, Variable) and t in known)
    return tuple(found)


def select(
    context: Context,
    plan: Operator,
    form: ast.Select,
    visible: Sequence[Variable],
    modifiers: ast.Modifiers,
    values: ast.Values | None,
) -> Operator:
    """SELECT; `visible` is what SELECT * selects."""
    plan = ranked(context, plan, form.projections, modifiers, values)
    columns = [name(projection.variable) for projection in form.projections]
    with placed(context.query, form):
        plan = Project(tuple(columns or visible), plan)
    if form.distinct:
        plan = Distinct(plan)
    return sliced(Reduced(plan) if form.reduced else plan, modifiers)


def ranked(
    context: Context,
    plan: Operator,
    projections: Sequence[ast.Projection],
    modifiers: ast.Modifiers,
    values: ast.Values | None,
) -> Operator:
    """Groups, HAVING, VALUES, expressions of SELECT, ORDER BY, in this order."""
    taken = map(name, values.variables) if values else ()
    plan, over = grouping(context, plan, projections, modifiers, taken)
    plan = having(over, plan, modifiers.having, projections)
    if values:
        plan = groups.join(plan, groups.values(values))
    for projection in projections:
        plan = _extended(over, plan, projection)
    return _ordered(over, plan, modifiers.order_by)


def sliced(plan: Operator, modifiers: ast.Modifiers) -> Operator:
    """LIMIT and OFFSET."""
    if modifiers.limit is None and not modifiers.offset:
        return plan
    return Slice(modifiers.offset or 0, modifiers.limit, plan)


def _extended(context: Context, plan: Operator, projection: ast.Projection) -> Operator:
    """(e AS ?x); nothing is left to do where ?x is the aggregate itself."""
    if projection.expression is None:
        return plan
    with placed(context.query, projection.variable):
        variable, value = name(projection.variable), expression(context, projection.expression)
        if value == Ref(variable) and variable in plan.variables:
            return plan
        plan = with_triple_stamps(context, plan, (projection.expression,))
        plan, key = number_copies(context, plan, (projection.expression,))
        return Extend(variable, with_key(value, key), plan)


def _ordered(context: Context, plan: Operator, written: Sequence[ast.SortKey]) -> Operator:
    """ORDER BY."""
    if not written:
        return plan
    nodes = [key.expression for key in written]
    plan = with_triple_stamps(context, plan, nodes)
    plan, key = number_copies(context, plan, nodes)
    keys = (SortKey(expression(context, k.expression), k.descending) for k in written)
    return OrderBy(tuple(with_key(k, key) for k in keys), plan)

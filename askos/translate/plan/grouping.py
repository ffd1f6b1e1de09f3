"""GROUP BY, aggregates and HAVING (SPARQL 1.1, 18.2.4.1 and 18.2.4.2); C-SPARQL's AGGREGATE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from askos.algebra import (
    AggregateClauses,
    Binding,
    Clause,
    Expression,
    Filter,
    Group,
    Operator,
    Ref,
    Sample,
)
from askos.terms import Variable, anonymous
from askos.translate import ast
from askos.translate.plan.context import Context, Grouped, name
from askos.translate.plan.errors import placed
from askos.translate.plan.expressions import aggregate, conjunction, expression
from askos.translate.plan.keyed import number_copies, with_key
from askos.translate.plan.triplestamps import with_triple_stamps


def aggregate_clauses(
    context: Context, plan: Operator, clauses: Sequence[ast.AggregateClause]
) -> Operator:
    """C-SPARQL's AGGREGATE: all clauses over the same solutions, then all their filters."""
    if not clauses:
        return plan
    nodes = [clause.aggregate for clause in clauses]
    plan = with_triple_stamps(context, plan, nodes)
    plan, key = number_copies(context, plan, nodes)
    made = tuple(
        Clause(
            name(clause.variable),
            with_key(aggregate(context, clause.aggregate), key),
            tuple(map(name, clause.by)),
        )
        for clause in clauses
    )
    with placed(context.query, clauses[0]):
        plan = AggregateClauses(made, plan)
    return having(context, plan, tuple(f for clause in clauses for f in clause.filters))


def having(
    context: Context,
    plan: Operator,
    conditions: tuple[ast.Expression, ...],
    projections: Iterable[ast.Projection] = (),
) -> Operator:
    """One filter above everything that was aggregated; a name that SELECT gives stands for its
    expression, as CQELS writes it."""
    if not conditions:
        return plan
    aliases = {name(p.variable): p.expression for p in projections if p.expression is not None}

    def unfold(part: Expression) -> Expression:
        match part:
            case Ref(variable) if variable in aliases and variable not in known:
                return expression(context, aliases[variable])
        return part

    known = plan.variables
    condition = conjunction(context, conditions).transform(unfold)
    plan = with_triple_stamps(context, plan, [*conditions, *aliases.values()])
    plan, key = number_copies(context, plan, conditions)
    return Filter(with_key(condition, key), plan)


def grouping(
    context: Context,
    plan: Operator,
    projections: Sequence[ast.Projection],
    modifiers: ast.Modifiers,
    taken: Iterable[Variable] = (),
) -> tuple[Operator, Context]:
    """γ, where the query groups; and the context of the expressions over the groups.

    An aggregate that SELECT names is known by that name, unless it is `taken`; others, and
    SAMPLEs of variables that are no keys, get names of their own.
    """
    nodes = _over_groups(projections, modifiers)
    found = dict.fromkeys(a for node in nodes for a in _own(node) if isinstance(a, ast.Aggregate))
    if not found and not modifiers.group_by:
        return plan, context
    keys = _keys(context, modifiers.group_by)
    grouped = Grouped(
        _names(found, projections, set(taken)), _samples(nodes, plan.variables - set(keys))
    )
    written = [key.expression for key in modifiers.group_by]
    plan = with_triple_stamps(context, plan, [*written, *found])
    plan, key = number_copies(context, plan, [*written, *found])
    made = [Binding(v, with_key(e, key)) for v, e in keys.items()]
    values = [
        Binding(v, with_key(aggregate(context, a), key)) for a, v in grouped.aggregates.items()
    ]
    values += [Binding(new, Sample(Ref(old))) for old, new in grouped.samples.items()]
    return Group(tuple(made), tuple(values), plan), context.over_groups(grouped)


def _over_groups(
    projections: Sequence[ast.Projection], modifiers: ast.Modifiers
) -> list[ast.Expression]:
    """The expressions that see groups, not solutions."""
    chosen = [p.expression for p in projections if p.expression is not None]
    return [*chosen, *modifiers.having, *(key.expression for key in modifiers.order_by)]


def _own(node: ast.Node) -> Iterator[ast.Node]:
    """The nodes of an expression outside EXISTS, and what is inside aggregates not."""
    yield node
    if not isinstance(node, ast.Exists | ast.Aggregate):
        for part in node.parts():
            yield from _own(part)


def _keys(context: Context, written: Iterable[ast.GroupKey]) -> dict[Variable, Expression]:
    """By variable; an expression without a name gets one."""
    keys: dict[Variable, Expression] = {}
    for number, key in enumerate(written, 1):
        value = expression(context, key.expression)
        if key.variable is not None:
            keys[name(key.variable)] = value
        elif isinstance(value, Ref):
            keys[value.variable] = value
        else:
            keys[anonymous(f"#key{number}")] = value
    return keys


def _names(
    found: Iterable[ast.Aggregate], projections: Iterable[ast.Projection], taken: set[Variable]
) -> dict[ast.Aggregate, Variable]:
    names: dict[ast.Aggregate, Variable] = {}
    for projection in projections:
        own = name(projection.variable)
        if isinstance(projection.expression, ast.Aggregate) and own not in taken:
            names.setdefault(projection.expression, own)
    for number, each in enumerate(found, 1):
        names.setdefault(each, anonymous(f"#agg{number}"))
    return names


def _samples(
    nodes: Iterable[ast.Expression], ungrouped: frozenset[Variable]
) -> dict[Variable, Variable]:
    """18.2.4.1: a variable that is no key, outside aggregates, is SAMPLEd."""
    used = (n.value for node in nodes for n in _own(node) if isinstance(n, ast.Term))
    found = dict.fromkeys(v for v in used if isinstance(v, Variable) and v in ungrouped)
    return {variable: anonymous(f"#sample.{variable}") for variable in found}

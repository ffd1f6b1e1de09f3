"""Algorithm 1 of Streaming SPARQL: groups, and one function for each kind of clause in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from askos.algebra import (
    TRUE,
    UNIT,
    Expression,
    Extend,
    Filter,
    GraphAccess,
    LeftJoin,
    Minus,
    Node,
    Operator,
    StreamAccess,
    Values,
)
from askos.algebra.joins import joined
from askos.translate import ast
from askos.translate.plan import solutions
from askos.translate.plan.access import streams_of, union
from askos.translate.plan.context import Context, constant, name
from askos.translate.plan.errors import fault, not_offered, placed
from askos.translate.plan.expressions import conjunction, expression
from askos.translate.plan.graphs import graph, stream_pattern, window_pattern
from askos.translate.plan.keyed import keyed_join, number_copies, with_key
from askos.translate.plan.patterns import basic_graph_pattern
from askos.translate.plan.triplestamps import optional_with_triple_stamps, with_triple_stamps


def group(context: Context, clause: ast.Group) -> Operator:
    """GroupGraphPattern: its members, and its filters on top of them."""
    plan = _members(context, clause)
    conditions = _filters(clause)
    if conditions:
        inside = context.within(clause)
        condition = conjunction(inside, conditions)
        plan = with_triple_stamps(inside, plan, conditions)
        plan, key = number_copies(inside, plan, conditions)
        plan = Filter(with_key(condition, key), plan)
    _check_window(context, clause, plan)
    return plan


def _members(context: Context, clause: ast.Group) -> Operator:
    """The members left-deep in textual order, from the empty group; without the filters.

    What only joins what is before it waits: a join of many need not be left-deep.
    """
    inside = context.within(clause)
    parts: list[Operator] = []
    for member in _patterns(clause.members):
        with placed(context.query, member):
            part = _partner(inside, member)
            if part is None:
                parts = [_onto(inside, join(*parts), member)]
            else:
                parts.append(part)
    return join(*parts)


def _patterns(members: Iterable[ast.Member]) -> Iterator[ast.Member]:
    """The members without filters: triples separated only by filters are one block."""
    others = (member for member in members if not isinstance(member, ast.Filter))
    for is_block, found in groupby(others, key=lambda member: isinstance(member, ast.Block)):
        if is_block:
            blocks = [block for block in found if isinstance(block, ast.Block)]
            yield ast.Block(tuple(t for b in blocks for t in b.triples), at=blocks[0].at)
        else:
            yield from found


def _filters(clause: ast.Group) -> tuple[ast.Expression, ...]:
    return tuple(m.condition for m in clause.members if isinstance(m, ast.Filter))


def _partner(context: Context, member: ast.Member) -> Operator | None:
    """What a member joins to everything before it; None where it does something else to it."""
    match member:
        case ast.Block(triples):
            return basic_graph_pattern(context, triples)
        case ast.Group():
            return group(context, member)
        case ast.Union(groups):
            return union(group(context, branch) for branch in groups)
        case ast.Values():
            return values(member)
        case ast.Graph():
            return graph(context, member)
        case ast.StreamPattern():
            return stream_pattern(context, member)
        case ast.WindowPattern():
            return window_pattern(context, member)
        case ast.SubSelect():
            return solutions.sub_select(context, member)
    return None


def _onto(context: Context, plan: Operator, member: ast.Member) -> Operator:
    """What the next member makes of everything before it."""
    match member:
        case ast.Optional(inner):
            return _optional(context, plan, inner)
        case ast.Minus(inner):
            return Minus(plan, group(context, inner))
        case ast.Bind():
            return _bind(context, plan, member)
        case ast.Service():
            hint = "load what the endpoint has as a static graph"
            raise not_offered(context.query, member, "SERVICE is not offered", hint)
    raise TypeError(f"{type(member).__name__} is no member of a group")


def join(*plans: Operator) -> Operator:
    """The join of `plans`; the empty group adds nothing (SPARQL 1.1, 18.2.2.8)."""
    kept = [plan for plan in plans if plan != UNIT]
    return joined(kept) if kept else UNIT


def _optional(context: Context, plan: Operator, clause: ast.Group) -> Operator:
    """OPTIONAL: the filters directly inside its braces are the predicate of the left join."""
    inside = context.within(clause)
    conditions = _filters(clause)
    condition: Expression = conjunction(inside, conditions) if conditions else TRUE
    right = _members(context, clause)
    _check_window(context, clause, right, condition)
    joined = optional_with_triple_stamps(inside, LeftJoin(plan, right, condition), conditions)
    return keyed_join(inside, joined, conditions)


def _bind(context: Context, plan: Operator, clause: ast.Bind) -> Operator:
    """BIND extends everything before it."""
    value = expression(context, clause.expression)
    plan = with_triple_stamps(context, plan, (clause.expression,))
    plan, key = number_copies(context, plan, (clause.expression,))
    return Extend(name(clause.variable), with_key(value, key), plan)


def values(clause: ast.Values) -> Operator:
    """VALUES: a table."""
    rows = (tuple(None if cell is None else constant(cell) for cell in row) for row in clause.rows)
    return Values(tuple(map(name, clause.variables)), tuple(rows))


def _check_window(context: Context, clause: ast.Group, *parts: Node) -> None:
    """Refuse a window in a group that reads static graphs alone; under GRAPH ?g it is for those
    of its graphs that are streams."""
    if clause.window is None or (context.branch and _names_streams(context)):
        return
    nodes = [node for part in parts for node in part.walk()]
    graphs = [node.source for node in nodes if isinstance(node, GraphAccess)]
    if graphs and not any(isinstance(node, StreamAccess) for node in nodes):
        message = f"this window holds for no stream: the group reads <{graphs[0]}>"
        hint = "a static graph has no window: leave it out, or read the graph as a stream"
        raise fault(context.query, clause.window, message, hint)


def _names_streams(context: Context) -> bool:
    return any(streams_of(sources) for sources in context.dataset.named.values())

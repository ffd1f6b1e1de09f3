"""Expressions of the syntax tree as expressions of the algebra."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from askos.algebra import (
    Aggregate,
    And,
    Avg,
    Bound,
    Call,
    Coalesce,
    Constant,
    Count,
    Exists,
    Expression,
    GroupConcat,
    If,
    In,
    Keyed,
    Max,
    Min,
    Not,
    Operator,
    Or,
    Ref,
    Sample,
    Sum,
    Timestamp,
)
from askos.algebra.chains import chained
from askos.algebra.expressions import functions
from askos.algebra.expressions.arithmetic import arithmetic
from askos.sources import nearest
from askos.terms import URIRef, Variable
from askos.translate import ast
from askos.translate.plan.context import KEYED, Context
from askos.translate.plan.errors import fault, not_offered, placed

_AGGREGATES: Final[dict[str, type[Aggregate]]] = {
    "COUNT": Count, "SUM": Sum, "AVG": Avg, "MIN": Min, "MAX": Max, "SAMPLE": Sample,
}  # fmt: skip


def expression(context: Context, node: ast.Expression) -> Expression:
    """The expression that `node` writes."""
    with placed(context.query, node):
        match node:
            case ast.Term():
                return _term(context, node)
            case ast.Or(operands):
                return _chain(context, Or, operands)
            case ast.And(operands):
                return _chain(context, And, operands)
            case ast.Unary("!", operand):
                return Not(expression(context, operand))
            case ast.Unary(sign, operand):
                return Call(f"UNARY {sign}", (expression(context, operand),))
            case ast.Compare(sign, left, right):
                return Call(sign, (expression(context, left), expression(context, right)))
            case ast.In(operand, choices, negated):
                among = In(expression(context, operand), _all(context, choices))
                return Not(among) if negated else among
            case ast.Arithmetic(operands, signs):
                return arithmetic(_all(context, operands), signs)
            case ast.Call():
                return _call(context, node)
            case ast.FunctionCall():
                return _function(context, node)
            case ast.Aggregate():
                return _aggregated(context, node)
            case ast.Exists(pattern, negated):
                exists = Exists(_pattern(context, pattern))
                return Not(exists) if negated else exists


def conjunction(context: Context, conditions: tuple[ast.Expression, ...]) -> Expression:
    """All conditions of a group as one."""
    return _chain(context, And, conditions)


def aggregate(context: Context, node: ast.Aggregate) -> Aggregate:
    """The aggregate that `node` writes; its expression is about the solutions of the group."""
    inside = context.over_groups(None)
    with placed(context.query, node):
        inner = None if node.expression is None else expression(inside, node.expression)
        if node.name == "GROUP_CONCAT":
            separator = " " if node.separator is None else node.separator
            return GroupConcat(inner, distinct=node.distinct, separator=separator)
        return _AGGREGATES[node.name](inner, distinct=node.distinct)


def _all(context: Context, nodes: tuple[ast.Expression, ...]) -> tuple[Expression, ...]:
    return tuple(expression(context, node) for node in nodes)


def _chain(
    context: Context,
    join: Callable[[Expression, Expression], Expression],
    operands: tuple[ast.Expression, ...],
) -> Expression:
    return chained(join, _all(context, operands))


def _term(context: Context, node: ast.Term) -> Expression:
    if not isinstance(node.value, Variable):
        return Constant(node.value)
    samples = context.grouped.samples if context.grouped else {}
    return Ref(samples.get(node.value, node.value))


def _call(context: Context, node: ast.Call) -> Expression:
    match node.name, node.arguments:
        case "BOUND", (ast.Term(Variable() as variable),):
            return _bound(context, variable)
        case "TIMESTAMP", (_, _, _):
            # Beside the solutions, where the active graph has streams: see `triplestamps`.
            return Ref(context.triple_stamp(node))
        case "TIMESTAMP", (ast.Term(Variable() as variable), *streams):
            return _timestamp(context, variable, *streams)
        case "IF", (condition, then, otherwise):
            return If(*_all(context, (condition, then, otherwise)))
        case "COALESCE", choices:
            return Coalesce(_all(context, choices))
        case (("IRI" | "URI"), arguments) if context.query.base:
            base = Constant(URIRef(context.query.base))
            return Call(node.name, (*_all(context, arguments), base))
        case name, arguments if name in KEYED:
            # The key is given by where the expression is put: see `keyed`.
            return Keyed(name, _all(context, arguments), context.site(node), ())
    return Call(node.name, _all(context, node.arguments))


def _bound(context: Context, variable: Variable) -> Expression:
    samples = context.grouped.samples if context.grouped else {}
    return Bound(samples.get(variable, variable))


def _timestamp(
    context: Context, variable: Variable, stream: ast.Expression | None = None
) -> Expression:
    match stream:
        case None:
            return Timestamp(variable)
        case ast.Term(URIRef() as iri):
            return Timestamp(variable, iri)
        case ast.Term(Variable() as name) if _names_graphs(context, name):
            return Timestamp(variable, name)
    message = "the second argument names a stream: by its IRI, or by a variable of GRAPH"
    hint = "as in timestamp(?x, <stream>), or GRAPH ?g { .. } FILTER(timestamp(?x, ?g) > 5)"
    raise fault(context.query, stream, message, hint)


def _names_graphs(context: Context, name: Variable) -> bool:
    """Whether some GRAPH binds the variable."""
    graphs = (node for node in context.query.walk() if isinstance(node, ast.Graph))
    return any(graph.name.value == name for graph in graphs)


def _function(context: Context, node: ast.FunctionCall) -> Expression:
    if node.distinct:
        hint = "the aggregates are COUNT SUM AVG MIN MAX SAMPLE GROUP_CONCAT"
        raise not_offered(context.query, node, "aggregates named by an IRI are not offered", hint)
    name = str(node.function.value)
    known = [function.name for function in functions()]
    if name not in known:
        near = nearest(name, known)
        hint = f"did you mean <{near}>?" if near else "register it in askos.algebra.expressions"
        raise not_offered(context.query, node, f"there is no function <{name}>", hint)
    return Call(name, _all(context, node.arguments))


def _aggregated(context: Context, node: ast.Aggregate) -> Expression:
    if context.grouped and node in context.grouped.aggregates:
        return Ref(context.grouped.aggregates[node])
    hint = "aggregates stand in SELECT, HAVING and ORDER BY"
    raise fault(context.query, node, f"{node.name} does not stand here", hint)


def _pattern(context: Context, pattern: ast.Group) -> Operator:
    from askos.translate.plan.groups import group  # EXISTS holds a pattern, patterns hold EXISTS

    return group(context.over_groups(None), pattern)

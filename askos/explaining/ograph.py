"""C-SPARQL's O-Graph: operators as nodes, and the flow of data between them as edges."""

from __future__ import annotations

from askos.algebra.expressions import Aggregate, Expression
from askos.algebra.names import Names
from askos.algebra.operator import Operator, Payload
from askos.algebra.operators import (
    AggregateClauses,
    AntiJoin,
    Ask,
    Clause,
    Construct,
    Describe,
    Distinct,
    EmptyGraph,
    GraphAccess,
    Group,
    LeftJoin,
    MarkJoin,
    Minus,
    OrderBy,
    Path,
    Pattern,
    Project,
    Reduced,
    SemiJoin,
    Slice,
    StreamAccess,
    Union,
    Values,
)
from askos.algebra.windows import Window
from askos.explaining.graph import Edge, Graph
from askos.explaining.plan import carried, occurrences, vertex
from askos.terms import Variable, n3


def operator_graph(plan: Operator, names: Names) -> Graph:
    """The O-Graph of a plan: from streams and graphs, through windows, to the result.

    An Execution Environment for C-SPARQL Queries, section 3.4 and Table 1: a vertex is an
    operator (stream, window, graph pattern, join, filter, aggregation, select result, solution
    modifier), an edge the flow of data.  Equal sub-plans are one vertex, so that the stream and
    the window of a FROM clause stand once, whoever reads them.  What reads no stream is marked
    static: the part the paper's orchestrator evaluates once, ahead (section 4).

    Departures.  Operators the paper does not have keep the name of ours.  A window may also
    stand above a graph pattern, as Streaming SPARQL allows.  EXISTS is an edge of its own sort,
    into the operator that asks.  The paper writes joined patterns as one vertex only after
    MergeJoinedGPOs; that is a rewriting of the plan and not done here.
    """
    seen: dict[Operator, str] = {}
    at = {name: seen.setdefault(node, name) for name, _, _, node in occurrences(plan)}
    nodes = (
        vertex(at[name], node, _title(node), _text(node, names), _notes(node))
        for name, _, _, node in occurrences(plan)
        if at[name] == name
    )
    edges = (
        Edge(at[name], at[reader], line, carried(node, line))
        for name, reader, line, node in occurrences(plan)
        if reader and at[reader] == reader
    )
    return Graph("ograph", "O-Graph", tuple(nodes), tuple(edges))


def is_static(plan: Operator) -> bool:
    """Whether a plan reads no stream, EXISTS included, so that its answer never changes."""
    return not any(isinstance(node, StreamAccess) for node in plan.walk())


def _notes(plan: Operator) -> tuple[str, ...]:
    return ("static",) if plan.inputs and is_static(plan) else ()


def _title(plan: Operator) -> str:
    """The paper's name of an operator, where it has one."""
    match plan:
        case StreamAccess():
            return "Stream"
        case GraphAccess() | EmptyGraph():
            return "Graph"
        case Values():
            return "Inline data"
        case Window():
            return "Window"
        case Pattern() | Path():
            return "Graph pattern"
        case Group() | AggregateClauses():
            return "Aggregation"
        case Project():
            return "Select result"
        case Construct() | Describe() | Ask():
            return f"{type(plan).__name__} result"
        case Union() | Distinct() if plan.payload is Payload.TRIPLE:
            return "Graph merge"
        case Distinct() | Reduced() | OrderBy() | Slice():
            return "Solution modifier"
    return _JOINS.get(type(plan), type(plan).__name__)


_JOINS: dict[type[Operator], str] = {
    LeftJoin: "Left outer join",
    SemiJoin: "Semi-join",
    AntiJoin: "Anti-join",
    MarkJoin: "Mark join",
    Minus: "Difference",
}


def _text(plan: Operator, names: Names) -> str:
    """The parameters, in the paper's notation where it has one."""
    match plan:
        case Group(keys, aggregates):
            group = f"{{{' '.join(key.text(names) for key in keys)}}}"
            if len(aggregates) == 1:
                return _pattern(aggregates[0].variable, aggregates[0].value, group, names)
            patterns = (_pattern(a.variable, a.value, "G", names) for a in aggregates)
            return " ".join((*patterns, f"G = {group}"))
        case AggregateClauses(clauses):
            return " ".join(_clause(clause, names) for clause in clauses)
        case EmptyGraph():
            return "without triples"
        case Union() if plan.payload is Payload.TRIPLE:
            return "of triples"
        case Distinct():
            return "to a set" if plan.payload is Payload.TRIPLE else "DISTINCT"
        case Reduced():
            return "REDUCED"
        case OrderBy():
            return f"ORDER BY {plan.label(names)}"
    return plan.label(names)


def _clause(clause: Clause, names: Names) -> str:
    group = f"{{{' '.join(n3(v) for v in clause.by)}}}"
    return _pattern(clause.variable, clause.aggregate, group, names)


def _pattern(variable: Variable, function: Aggregate | Expression, group: str, names: Names) -> str:
    """A(v, f(p), G): the paper's aggregation pattern, with f and p written as one."""
    return f"A({n3(variable)}, {function.text(names)}, {group})"

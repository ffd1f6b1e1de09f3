"""What rules ask of plans before they touch them."""

from __future__ import annotations

from typing import TypeAlias

from askos.algebra import (
    FALSE,
    UNIT,
    AggregateClauses,
    AntiJoin,
    Construct,
    CopyNumber,
    Describe,
    Distinct,
    EmptyGraph,
    Exists,
    Expression,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Operator,
    OrderBy,
    Path,
    Pattern,
    Payload,
    Project,
    Reduced,
    SemiJoin,
    Slice,
    Static,
    StreamAccess,
    Values,
    Window,
)
from askos.algebra.expressions.exists import mentioned
from askos.algebra.operators.paths import OneOrMore, ZeroOrMore, ZeroOrOne
from askos.terms import BNode, Literal, Variable

Variables: TypeAlias = frozenset[Variable]


def names(plan: Operator) -> Variables:
    """Every variable a plan mentions anywhere: what EXISTS may substitute in it."""
    return frozenset(mentioned(plan))


def reads_streams(plan: Operator) -> bool:
    """Whether some stream is read, EXISTS included."""
    return any(isinstance(node, StreamAccess) for node in plan.walk())


def keeps_stamps(plan: Operator) -> bool:
    """Whether solutions may carry arrival times for timestamp(), so that copies differ."""
    return any(isinstance(node, Pattern) and node.stamps for node in plan.walk())


def has_exists(expression: Expression) -> bool:
    """Whether EXISTS occurs in the expression."""
    return any(isinstance(node, Exists) for node in expression.walk())


def is_ranked(plan: Operator) -> bool:
    """Whether solutions carry a rank of ORDER BY that a slice or report above could use.

    An operator that is not among these forgets ranks: who takes it away must not let one out.
    """
    while isinstance(plan, Project | Distinct | Reduced | Slice | Static):
        plan = plan.input
    return isinstance(plan, OrderBy)


# ---- nothing --------------------------------------------------------------------------------


def is_unit(plan: Operator) -> bool:
    """Whether the plan is one solution that binds nothing, always."""
    return isinstance(plan, Values) and plan.solutions == UNIT.solutions


def is_empty(plan: Operator) -> bool:
    """Whether the plan surely has no solution at any instant, as it stands.

    The empty relation is VALUES without rows; over streams it is FILTER(false) of one of them,
    for progress comes from sources, and a plan without any would report but once.
    """
    while isinstance(plan, Project):
        plan = plan.input
    match plan:
        case Values(rows=()) | Pattern(input=EmptyGraph()) | Slice(limit=0):
            return True
        case Filter(condition):
            return condition == FALSE
        case Pattern(subject, predicate):
            return isinstance(subject, Literal) or isinstance(predicate, BNode)
        case Path(path=path, input=EmptyGraph()):
            return not path.nullable
    return False


def nothing(plan: Operator) -> Operator:
    """The empty relation in the place of `plan`; `plan` itself if it is in that form."""
    match plan:
        case Values(rows=()):
            return plan
        case Filter(condition, (Pattern() | Path() | Window()) as line) if condition == FALSE:
            if reads_streams(line):
                return plan  # also as what arrives at a window
    if plan.raw:  # what a window above takes must stay what arrives
        while isinstance(plan, Filter):
            plan = plan.input
        return Filter(FALSE, plan)
    todo = [plan]
    while todo:
        node = todo.pop()
        leaf = isinstance(node, Pattern | Path | Window) and node.payload is Payload.SOLUTION
        if leaf and not node.raw and reads_streams(node):
            none = Filter(FALSE, node)  # which must not name what `plan` does not
            common = tuple(sorted(node.variables & plan.variables))
            return none if len(common) == len(node.variables) else Project(common, none)
        todo.extend(reversed(node.inputs))
    return Values((), ())


# ---- sets -----------------------------------------------------------------------------------


def is_set(plan: Operator) -> bool:
    """Whether no payload occurs twice at any instant, arrival times aside."""
    match plan:
        case Distinct() | GraphAccess() | EmptyGraph() | Construct() | Describe():
            return True
    return plan.payload is Payload.SOLUTION and differs(plan, plan.variables)


def differs(plan: Operator, columns: Variables) -> bool:
    """Whether no two solutions agree on `columns`, unbound ones included."""
    match plan:
        case Project(kept, input):
            return differs(input, columns & frozenset(kept))
        case Filter(_, input) | Slice(_, _, input) | OrderBy(_, input):
            return differs(input, columns)
        case Reduced(input) | Static(input):
            return differs(input, columns)
        case SemiJoin(left) | AntiJoin(left) | Minus(left):
            return differs(left, columns)
        case Extend(variable, _, input) | MarkJoin(input, variable=variable):
            return differs(input, columns - {variable})
        case AggregateClauses(clauses, input):
            return differs(input, columns - {clause.variable for clause in clauses})
        case Group(keys):
            return columns >= {key.variable for key in keys}
    return columns >= plan.variables and _all_differ(plan)


def _all_differ(plan: Operator) -> bool:
    match plan:
        case Distinct() | CopyNumber():
            return True
        case Values():
            return len(set(plan.solutions)) == len(plan.rows)
        case Pattern(input=input):
            return is_set(input)  # ν is injective
        case Path(path=ZeroOrMore() | OneOrMore() | ZeroOrOne()):
            return True
        case Join(left, right) | LeftJoin(left, right):
            # A merged pair tells both its parts, if both bind all they may bind.
            return all(is_set(side) and side.bound == side.variables for side in (left, right))
    return False

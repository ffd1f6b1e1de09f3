"""Substitution: a pattern as EXISTS evaluates it, with the outer bindings put in.

SPARQL 1.1, 18.6, replaces every occurrence of a variable by its value.  Taken by the letter
this breaks patterns that bind the variable themselves, or look at which variables are bound.
So a leaf is replaced by its restriction to the outer bindings, still binding its variables;
expressions see the values; what a pattern computes for an outer variable must agree with it.
Sub-selects hide what they do not project.  Windows stay as they are: content first, then
substitution, else an outer solution would change what a window counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from askos.algebra.expressions import (
    TRUE,
    Bound,
    Call,
    Coalesce,
    Constant,
    Expression,
    ExpressionError,
    If,
    Latest,
    Not,
    Or,
    Ref,
    Scope,
    Timestamp,
)
from askos.algebra.node import Node
from askos.algebra.operator import Operator
from askos.algebra.operators import (
    AggregateClauses,
    CopyNumber,
    Extend,
    Filter,
    Group,
    Join,
    MarkJoin,
    Path,
    Pattern,
    Project,
    Values,
)
from askos.algebra.operators.pattern import Position
from askos.algebra.windows import Window
from askos.terms import Solution, URIRef, Variable


def substitute(plan: Operator, outer: Solution) -> Operator:
    """`plan` with the bindings of `outer` put in."""
    result = _substitute(plan, outer)
    assert isinstance(result, Operator)
    return result


def _substitute(node: Node, outer: Solution) -> Node:
    match node:
        case Ref(variable) if variable in outer:
            return Constant(outer[variable])
        case Bound(variable) if variable in outer:
            return TRUE
        case Timestamp():
            return _latest(node, outer)
        case Latest(columns):
            return _latest_of(columns, outer)
        case Pattern() | Path() | Window():
            return _leaf(node, outer)
        case Values(columns, rows):
            kept = zip(rows, node.solutions, strict=True)
            return Values(columns, tuple(row for row, s in kept if s.compatible(outer)))
        case Project(columns, input):
            return Project(columns, substitute(input, _restrict(outer, columns)))
        case Group():
            return _group(node, outer)
        case Extend(variable) | CopyNumber(variable) | MarkJoin(variable=variable):
            return _agreeing(_below(node, outer), outer, variable)
        case AggregateClauses(clauses):
            return _agreeing(_below(node, outer), outer, *(c.variable for c in clauses))
    return node.map_children(lambda child: _substitute(child, outer))


def _restrict(outer: Solution, visible: Iterable[Variable]) -> Solution:
    """The outer bindings that a sub-select lets in, with their arrival times."""
    names = set(visible)
    stamps = {stamp: at for stamp, at in outer.stamps.items() if stamp[0] in names}
    return Solution(outer.project(names), stamps)


def _latest(inner: Timestamp, outer: Solution) -> Expression:
    """timestamp(?v), where the triples outside may be later than those inside."""
    if isinstance(inner.stream, Variable) and inner.stream in outer:
        named = outer[inner.stream]
        if not isinstance(named, URIRef):
            return Coalesce(())  # no stream: an error, whatever came
        inner = replace(inner, stream=named)
    try:
        outside = Constant(inner.evaluate(Scope(outer)))
    except ExpressionError:
        return inner
    return _later(inner, outside)


def _latest_of(columns: tuple[Variable, ...], outer: Solution) -> Expression:
    inner = Latest(tuple(v for v in columns if v not in outer))
    try:
        outside = Constant(Latest(columns).evaluate(Scope(outer)))
    except ExpressionError:
        return inner
    return _later(inner, outside)


def _later(one: Expression, other: Expression) -> Expression:
    """The larger of two arrival times, either of which may be missing."""
    return Coalesce((If(Call(">", (one, other)), one, other), one, other))


def _below(node: Operator, outer: Solution) -> Operator:
    return node.map_children(lambda child: _substitute(child, outer))


def _leaf(leaf: Pattern | Path | Window, outer: Solution) -> Operator:
    mine = outer.project(sorted(leaf.variables))
    if not mine:
        return leaf

    restricted: Operator = leaf
    if isinstance(leaf, Path):
        # More than restricting the result: a path of zero length may start anywhere.
        start, end = _known(mine, leaf.subject), _known(mine, leaf.object)
        restricted = replace(leaf, subject=start, object=end)
    return Join(Values(tuple(mine), (tuple(mine.values()),)), restricted)


def _known(outer: Solution, position: Position) -> Position:
    return outer.get(position, position) if isinstance(position, Variable) else position


def _group(plan: Group, outer: Solution) -> Operator:
    """Only keys that are plain variables let bindings through to what is grouped."""
    plain = [key.variable for key in plan.keys if key.value == Ref(key.variable)]
    computed = plan.variables - set(plain)
    return _agreeing(_below(plan, _restrict(outer, plain)), outer, *sorted(computed))


def _agreeing(plan: Operator, outer: Solution, *computed: Variable) -> Operator:
    """`plan` without solutions that compute, for an outer variable, another value."""
    for variable in computed:
        if variable in outer:
            same = Call("SAMETERM", (Ref(variable), Constant(outer[variable])))
            plan = Filter(Or(Not(Bound(variable)), same), plan)
    return plan

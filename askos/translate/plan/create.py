"""The whole query."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from askos.algebra import UNIT, Boundary, Operator
from askos.errors import require, require_whole
from askos.sources import Catalogue
from askos.terms import Variable
from askos.translate import ast
from askos.translate.parser import parse
from askos.translate.plan.context import Context, name
from askos.translate.plan.forms import ask, construct, describe
from askos.translate.plan.grouping import aggregate_clauses
from askos.translate.plan.groups import group
from askos.translate.plan.height import check_height
from askos.translate.plan.solutions import in_order, select

Reasoning: TypeAlias = Literal["rdfs"]
REASONERS: Final[tuple[str, ...]] = get_args(Reasoning)
"""What graphs may entail."""


def create_plan(
    query: ast.Query | str,
    *,
    sources: Catalogue | None = None,
    boundary: Boundary | str | None = None,
    origin: int | None = None,
    reasoning: Reasoning | None = None,
) -> Operator:
    """The canonical plan of a query: Streaming SPARQL, Algorithm 1, for all its dialects.

    `sources` says which streams and graphs there are, and what they carry; without it, sources
    are what the query's own clauses say.  `boundary` is that of all windows that move in steps,
    "(o,c]" or "[o,c)", by default the dialect's own; `origin` is the instant from which all time
    windows count their steps, 0 by default.  With reasoning="rdfs" every graph that the query
    reads entails what the schema says, which is static: see `askos.translate.plan.entail`.

    >>> from askos.explaining import explain
    >>> print(explain(create_plan("SELECT ?s FROM <http://wind.example/park> { ?s a ?type }")))
    Project ?s
      Pattern ?s a ?type
        GraphAccess <http://wind.example/park>
    """
    tree = parse(query) if isinstance(query, str) else query
    check_height(tree)
    if origin is not None:
        require_whole(origin, 0, "origin")
    ok = reasoning in (None, *REASONERS)
    require(ok, f"reasoning {reasoning!r} is not known", f"known: {', '.join(REASONERS)}")
    context = Context.of(tree, sources, _boundary(boundary), origin or 0, reasoning is not None)
    plan = None if tree.where is None else _where(context, tree.where)
    match tree.form:
        case ast.Select() as form:
            visible = _visible(tree)
            where = UNIT if plan is None else plan
            return select(context, where, form, visible, tree.modifiers, tree.values)
        case ast.Construct() as form:
            return construct(context, UNIT if plan is None else plan, form)
        case ast.Describe() as form:
            return describe(context, plan, form)
        case ast.Ask():
            return ask(context, UNIT if plan is None else plan)


def _boundary(given: Boundary | str | None) -> Boundary | None:
    known = {each.value: each for each in Boundary}
    if given is None or isinstance(given, Boundary):
        return given
    ok = isinstance(given, str) and given in known
    require(ok, f"there is no boundary {given!r}", f"one of {' and '.join(known)}")
    return known[given]


def _where(context: Context, clause: ast.Group) -> Operator:
    return aggregate_clauses(context, group(context, clause), context.query.aggregates)


def _visible(query: ast.Query) -> tuple[Variable, ...]:
    """What SELECT * selects; the variables of AGGREGATE too."""
    aggregated = (name(clause.variable) for clause in query.aggregates)
    return (*in_order(query.where, query.values), *aggregated)

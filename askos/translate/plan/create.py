"""The whole query."""

from __future__ import annotations

from askos.algebra import UNIT, Operator
from askos.sources import Catalogue
from askos.terms import Variable
from askos.translate import ast
from askos.translate.parser import parse
from askos.translate.plan.context import Context, name
from askos.translate.plan.forms import ask, construct, describe
from askos.translate.plan.grouping import aggregate_clauses
from askos.translate.plan.groups import group
from askos.translate.plan.solutions import in_order, select


def create_plan(query: ast.Query | str, *, sources: Catalogue | None = None) -> Operator:
    """The canonical plan of a query: Streaming SPARQL, Algorithm 1, for all its dialects.

    `sources` says which streams and graphs there are, and what they carry; without it, sources
    are what the query's own clauses say.

    >>> from askos.explaining import explain
    >>> print(explain(create_plan("SELECT ?s FROM <http://wind.example/park> { ?s a ?type }")))
    Project ?s
      Pattern ?s a ?type
        GraphAccess <http://wind.example/park>
    """
    tree = parse(query) if isinstance(query, str) else query
    context = Context.of(tree, sources)
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


def _where(context: Context, clause: ast.Group) -> Operator:
    return aggregate_clauses(context, group(context, clause), context.query.aggregates)


def _visible(query: ast.Query) -> tuple[Variable, ...]:
    """What SELECT * selects; the variables of AGGREGATE too."""
    aggregated = (name(clause.variable) for clause in query.aggregates)
    return (*in_order(query.where, query.values), *aggregated)

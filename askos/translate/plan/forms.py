"""The forms of a query beside SELECT: CONSTRUCT, DESCRIBE and ASK."""

from __future__ import annotations

from askos.algebra import UNIT, Ask, Construct, Describe, Operator, Template
from askos.terms import BNode, URIRef, Variable
from askos.translate import ast
from askos.translate.plan.access import content
from askos.translate.plan.context import Context, fingerprint
from askos.translate.plan.errors import placed
from askos.translate.plan.solutions import in_order, ranked, sliced
from askos.translate.plan.triples import flatten
from askos.translate.plan.triplestamps import without_triple_stamps


def construct(context: Context, plan: Operator, form: ast.Construct) -> Operator:
    """CONSTRUCT; its short form has the pattern for a template."""
    query = context.query
    plan = _modified(context, plan)
    triples = form.template
    if triples is None:
        blocks = query.where.members if query.where else ()
        triples = tuple(t for b in blocks if isinstance(b, ast.Block) for t in b.triples)
    template = []
    for statement in flatten(context, triples, BNode):
        with placed(query, statement.node):
            assert isinstance(statement.verb, ast.Term)
            template.append(Template(statement.subject, statement.verb.value, statement.object))
    blank = any(isinstance(p, BNode) for triple in template for p in triple.positions)
    return Construct(tuple(template), plan, f"{fingerprint(query)}/template" if blank else "")


def describe(context: Context, plan: Operator | None, form: ast.Describe) -> Operator:
    """DESCRIBE; * is every variable of WHERE."""
    visible = in_order(context.query.where, context.query.values)
    named = [r.value for r in form.resources if isinstance(r.value, URIRef | Variable)]
    resources = tuple(dict.fromkeys(named)) if form.resources else visible
    found = UNIT if plan is None else _modified(context, plan)
    with placed(context.query, form):
        return Describe(resources, found, content(context, context.active))


def ask(context: Context, plan: Operator) -> Operator:
    """ASK."""
    return Ask(_modified(context, plan))


def _modified(context: Context, plan: Operator) -> Operator:
    query = context.query
    plan = ranked(context, plan, (), query.modifiers, query.values)
    return sliced(without_triple_stamps(plan), query.modifiers)

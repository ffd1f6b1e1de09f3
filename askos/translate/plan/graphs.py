"""GRAPH, and the ways of CQELS and RSP-QL to choose what a group reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from askos.algebra import Operator, Values
from askos.terms import URIRef, Variable
from askos.translate import ast
from askos.translate.plan import groups
from askos.translate.plan.access import union
from askos.translate.plan.context import Context
from askos.translate.plan.dataset import Sources
from askos.translate.plan.errors import fault


def graph(context: Context, clause: ast.Graph) -> Operator:
    """GraphGraphPattern: GRAPH <iri> or GRAPH ?g; in a graph that is not there nothing holds, not
    even the empty group."""
    match clause.name.value:
        case Variable() as variable:
            return _each(context, variable, context.dataset.named, clause.group)
        case name:
            assert isinstance(name, URIRef)
            known = context.dataset.named.get(name)
            plan = groups.group(context.reading(known or ()), clause.group)
            return plan if known else groups.join(plan, Values((), ()))


def window_pattern(context: Context, clause: ast.WindowPattern) -> Operator:
    """RSP-QL's WINDOW <w> or WINDOW ?w."""
    windows = context.dataset.windows
    match clause.name.value:
        case Variable() as variable:
            return _each(context, variable, windows, clause.group)
        case name if name in windows:
            assert isinstance(name, URIRef)
            return groups.group(context.reading(windows[name]), clause.group)
        case name:
            near = get_close_matches(str(name), windows, n=1) or list(windows)
            hint = f"there is <{near[0]}>" if near else "declare it by FROM NAMED WINDOW"
            raise fault(context.query, clause.name, f"there is no window <{name}>", hint)


def stream_pattern(context: Context, clause: ast.StreamPattern) -> Operator:
    """CQELS's STREAM <s> [w] or STREAM ?s [w]; without a window, FROM STREAM's."""
    known: dict[URIRef, Sources] = {
        name: (replace(s, window=clause.window or s.window, clause=clause),)
        for name, s in context.dataset.streams.items()
    }
    match clause.name.value:
        case Variable() as variable:
            if not known:
                hint = "declare them in the catalogue, or by FROM STREAM"
                raise fault(context.query, clause.name, "there are no streams to choose from", hint)
            return _each(context, variable, known, clause.group)
        case name:
            assert isinstance(name, URIRef)
            return groups.group(context.reading(known[name]), clause.group)


def _each(
    context: Context, variable: Variable, named: Mapping[URIRef, Sources], clause: ast.Group
) -> Operator:
    """The union over all names of the group in that graph, joined with the name.

    From outside: the variable is bound where the group is empty, and not visible inside it.
    """
    branches = [
        groups.join(
            groups.group(context.reading(sources, name), clause), Values((variable,), ((name,),))
        )
        for name, sources in named.items()
    ]
    return union(branches) if branches else Values((variable,), ())

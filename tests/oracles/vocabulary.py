"""Data for queries that others wrote, in their own vocabulary: triples that their patterns match.

An event is a value for every variable of the query, and the triples that its patterns make of it;
some events share values, and some lack a triple, so that joins and OPTIONAL have both to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

from askos.algebra import (
    Avg,
    Call,
    GraphAccess,
    Operator,
    Path,
    Pattern,
    Stamped,
    StreamAccess,
    Sum,
)
from askos.algebra.operators.paths import Link
from askos.sources import Catalogue
from askos.terms import XSD, BNode, Literal, Term, Triple, URIRef, Variable

EVENTS: Final = 5
STEP: Final = 700
_ORDER: Final = frozenset({"<", ">", "<=", ">=", "+", "-", "*", "/"})
_NUMBERS: Final = ((75, 110, 1), (0, 35, 1), (1, 10, 10))
"""From, to and divided by: large ones, small ones, and parts of one; the seed chooses."""


def world(
    plan: Operator, seed: int
) -> tuple[dict[URIRef, list[Stamped]], dict[URIRef, list[Triple]]]:
    """The arrivals of each stream and the triples of each graph that the plan reads.

    Of every second event all triples come at once.
    """
    rng = Random(seed)
    kind = _NUMBERS[seed % len(_NUMBERS)]
    streams: dict[URIRef, list[Stamped]] = {name: [] for name, _ in _read(plan, StreamAccess)}
    graphs: dict[URIRef, list[Triple]] = {name: [] for name, _ in _read(plan, GraphAccess)}
    numbers = _compared(plan)
    for event in range(EVENTS):
        values = {v: _value(v, kind if v in numbers else None, rng) for v in _variables(plan)}
        at = event * STEP
        for name, pattern in _read(plan, StreamAccess):
            if rng.randrange(10) and (made := _matched(pattern, values)):
                streams[name].append(
                    Stamped(made, at + rng.randrange(40) * (event % 2), len(streams[name]))
                )
        for name, pattern in _read(plan, GraphAccess):
            if made := _matched(pattern, values):
                graphs[name].append(made)
    return streams, graphs


def catalogue(streams: Mapping[URIRef, object], graphs: Mapping[URIRef, list[Triple]]) -> Catalogue:
    known = Catalogue()
    for name in streams:
        known = known.stream(name, lateness_ms=STEP)
    for name, triples in graphs.items():
        known = known.graph(name, triples)
    return known


def _read(plan: Operator, kind: type[Operator]) -> Iterator[tuple[URIRef, Pattern | Path]]:
    """The sources of a kind, each with the patterns that read it."""
    for node in plan.walk():
        if isinstance(node, Pattern | Path):
            for access in node.walk():
                if isinstance(access, StreamAccess | GraphAccess) and isinstance(access, kind):
                    yield access.source, node


def _variables(plan: Operator) -> list[Variable]:
    found = {v for node in plan.walk() if isinstance(node, Pattern | Path) for v in node.variables}
    return sorted(found)


def _compared(plan: Operator) -> set[Variable]:
    """The variables that are compared or calculated with."""
    nodes = list(plan.walk())
    calls = [node for node in nodes if isinstance(node, Call) and node.name in _ORDER]
    sums = [node for node in nodes if isinstance(node, Avg | Sum)]
    return {variable for node in (*calls, *sums) for variable in node.variables}


def _value(variable: Variable, kind: tuple[int, int, int] | None, rng: Random) -> Term:
    if kind is not None:
        least, most, parts = kind
        number = rng.randrange(least, most)
        if parts == 1:
            return Literal(str(number), datatype=XSD.integer)
        return Literal(str(number / parts), datatype=XSD.decimal)
    return URIRef(f"http://data.example/{variable}{rng.randrange(3)}")


def _matched(pattern: Pattern | Path, values: Mapping[Variable, Term]) -> Triple | None:
    """The triple that an event makes of a pattern, if it is one."""
    places: tuple[Term | Variable | None, ...]
    if isinstance(pattern, Path):
        link = next((n for n in pattern.path.walk() if isinstance(n, Link)), None)
        places = (pattern.subject, link.predicate if link else None, pattern.object)
    else:
        places = pattern.positions
    s, p, o = (
        values.get(place, place) if isinstance(place, Variable) else place for place in places
    )
    if not isinstance(s, URIRef | BNode) or not isinstance(p, URIRef) or not isinstance(o, Term):
        return None
    return Triple(s, p, o)

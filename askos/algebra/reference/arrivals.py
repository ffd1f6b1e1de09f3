"""Elements as they arrive, before any window: in the order the data says, not the network."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from askos.algebra.expressions.expression import ExpressionError, Scope
from askos.algebra.expressions.logic import holds
from askos.algebra.operator import Operator
from askos.algebra.operators import Extend, Filter, Pattern, Project, StreamAccess, Union
from askos.algebra.streams import Element, Stamped
from askos.errors import StreamError
from askos.terms import Solution, Triple, URIRef

Streams: TypeAlias = Mapping[URIRef, Collection[Stamped | Element | Triple]]
"""Finite data for every source of a plan: Stamped triples of a stream; Triples, or Elements
with an interval where it was reloaded, of a static graph."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """An element at the instant it arrives, and its place in the one order of elements:
    (time, sequence number, source in the order of the query, text)."""

    item: Triple | Solution
    at: int
    source: URIRef
    order: tuple[int, int, int, str]


def arrivals(plan: Operator, streams: Streams) -> list[Arrival]:
    """What arrives at a window over the raw `plan`, in order."""
    return sorted(_arrivals(plan, streams, _positions(plan)), key=lambda arrival: arrival.order)


def _positions(plan: Operator) -> dict[URIRef, int]:
    return {source: index for index, source in reversed(list(enumerate(plan.sources)))}


def _arrivals(
    plan: Operator, streams: Streams, positions: Mapping[URIRef, int]
) -> Iterator[Arrival]:
    match plan:
        case StreamAccess(source):
            yield from _read(source, streams, positions[source])
        case Union(left, right):
            yield from _arrivals(left, streams, positions)
            yield from _arrivals(right, streams, positions)
        case Pattern() | Filter() | Extend() | Project():
            for arrival in _arrivals(plan.input, streams, positions):
                item = _pass(plan, arrival)
                if item is not None:
                    yield replace(arrival, item=item)
        case _:
            raise TypeError(f"{type(plan).__name__} does not pass elements as they arrive")


def _read(source: URIRef, streams: Streams, position: int) -> Iterator[Arrival]:
    for row in data_of(source, streams):
        if not isinstance(row, Stamped):
            raise StreamError(f"stream <{source}> holds {row!r}, which is not Stamped")
        order = (row.at, row.sequence or 0, position, str(row.triple))
        yield Arrival(row.triple, row.at, source, order)


def data_of(source: URIRef, streams: Streams) -> Collection[Stamped | Element | Triple]:
    """The data of a source; an error where there is none, for silence would look like none."""
    try:
        data = streams[source]
    except KeyError:
        known = ", ".join(f"<{iri}>" for iri in streams) or "none"
        message = f"the plan reads <{source}>, for which there is no data"
        raise StreamError(message, hint=f"sources given: {known}") from None
    if not isinstance(data, Collection):
        hint = "give a list: every operator that reads the source reads it anew"
        raise StreamError(f"the data of <{source}> can be read only once", hint=hint)
    return data


def _pass(plan: Pattern | Filter | Extend | Project, arrival: Arrival) -> Solution | None:
    """What a stateless operator makes of one element."""
    item = arrival.item
    if isinstance(plan, Pattern):
        assert isinstance(item, Triple)
        return match(plan, item, {arrival.source: arrival.at})
    assert isinstance(item, Solution)
    match plan:
        case Filter(condition):
            return item if holds(condition, Scope(item)) else None
        case Project(columns):
            return item.project(columns)
    return extend(plan, Scope(item))


def match(plan: Pattern, triple: Triple, stamps: Mapping[URIRef, int]) -> Solution | None:
    """ν of one triple, with the hidden arrival times the pattern keeps."""
    solution = plan.match(triple)
    if solution is None or not (plan.stamps and stamps):
        return solution
    return Solution(
        solution, {(v, source): at for v in plan.stamps for source, at in stamps.items()}
    )


def extend(plan: Extend, scope: Scope) -> Solution:
    """μ with the new binding; μ as it is where the expression is an error."""
    try:
        term = plan.expression.evaluate(scope)
    except ExpressionError:
        return scope.solution
    return Solution({**scope.solution, plan.variable: term}, scope.solution.stamps)

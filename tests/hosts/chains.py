"""Queries that read what others register: random ones, and what they mean, composed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from hypothesis import strategies as st

from askos.algebra import (
    Construct,
    Intervals,
    Join,
    Kind,
    Operator,
    Periodic,
    StreamAccess,
    Template,
    Union,
)
from askos.algebra.reference import Published, Streams, publish
from askos.local import Engine
from askos.prepared import Prepared
from askos.queries import Queries
from askos.terms import URIRef, Variable
from tests.build import EX, S1, S2, X, Y
from tests.hosts.strategies import Delivery, plans, shapes
from tests.hosts.three import Told, difference, run_reference
from tests.strategies import windows

D1, D2, D3 = EX.derived1, EX.derived2, EX.derived3
Answers: TypeAlias = Mapping[str, Told]
"""By query."""


@st.composite
def periodic(draw: st.DrawFn) -> Periodic:
    every = draw(st.lists(st.integers(2, 9), min_size=1, max_size=2, unique=True))
    kind = draw(st.sampled_from([Kind.RSTREAM, Kind.RSTREAM, Kind.ISTREAM, Kind.DSTREAM]))
    return Periodic(kind, tuple(every), draw(st.integers(0, 5)), draw(st.booleans()))


@st.composite
def readers(draw: st.DrawFn, sources: Sequence[URIRef]) -> Operator:
    """A plan over the last of the `sources`, and perhaps another one."""
    access = StreamAccess(sources[-1])
    plan: Operator = draw(shapes(draw(windows(access))))
    other = StreamAccess(draw(st.sampled_from(list(sources))))
    match draw(st.integers(0, 4)):
        case 0:
            return Join(plan, draw(shapes(draw(windows(other)))))
        case 1:
            return draw(windows(draw(shapes(Union(access, other)))))
    return plan


@st.composite
def published(draw: st.DrawFn, plan: Operator, stream: URIRef) -> Prepared:
    """A query that registers a stream."""
    ends: list[URIRef | Variable] = [*sorted(plan.variables), X, Y, EX.b]
    subject = draw(st.sampled_from([X, X, *sorted(plan.variables)]))
    predicate = draw(st.sampled_from([EX.p, EX.p, EX.q]))
    template = Template(subject, predicate, draw(st.sampled_from(ends)))
    made = Construct((template,), plan, "q/1")
    return Prepared(made, made, draw(periodic()), publishes=stream, name=str(stream))


@st.composite
def chains(draw: st.DrawFn) -> Queries:
    """Three registered streams, each of the one before and perhaps others, and a reader."""
    first = draw(published(draw(plans(2)), D1))
    second = draw(published(draw(readers([S1, D1])), D2))
    third = draw(published(draw(readers([S2, D1, D2])), D3))
    last, how = draw(readers([D3])), draw(st.just(Intervals()) | periodic())
    reader = Prepared(last, last, how, name="reader")
    return Queries.of(draw(st.permutations([first, second, third, reader])))


def composed(queries: Queries, delivery: Delivery) -> Answers:
    """What each query means, its publishers' reports given to it as `publish` has them."""
    streams: dict[URIRef, Any] = dict(delivery.data)
    answers: dict[str, Told] = {}
    for query in queries.queries:
        answers[query.name or ""] = run_reference(query, _Given(streams))  # type: ignore[arg-type]
        if query.publishes is not None:
            assert isinstance(query.report, Periodic)
            streams[query.publishes] = publish(query.canonical, streams, query.report)
            assert isinstance(streams[query.publishes], Published)
    return answers


class _Given:
    """Data as a delivery has it."""

    def __init__(self, data: Streams) -> None:
        self.data = data


def local(
    queries: Queries, delivery: Delivery, buckets: int, order: Sequence[int] | None = None
) -> Answers:
    """On one engine; `order` is that of their registration."""
    engine = Engine(sources=delivery.sources, buckets=buckets)
    places = range(len(queries.queries)) if order is None else order
    made = [engine.register(queries.queries[place]) for place in places]
    for source, rows in delivery.batches:
        if source in queries.given:
            engine.push(source, rows)
    engine.close()
    assert not engine.refused
    assert not any(query.late for query in made)
    return {query.name: query.take() for query in made}


def differences(want: Answers, got: Answers) -> dict[str, str]:
    """Where answers differ, by query."""
    assert want.keys() == got.keys()
    found = {name: difference(want[name], got[name]) for name in want}
    return {name: what for name, what in found.items() if what is not None}

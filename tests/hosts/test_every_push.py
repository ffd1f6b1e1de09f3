"""After every push: what is decided has been told, and stays as it was told."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Element, Operator, first_difference
from askos.interval import FOREVER, Interval
from askos.local import Engine
from askos.terms import URIRef
from tests.hosts.strategies import LATENESS, Delivery, deliveries, queries
from tests.hosts.three import run_local, run_reference

BUCKETS = st.sampled_from([1, 2, 5])


@given(queries(), deliveries(8), BUCKETS)
def test_local_equals_the_reference_on_every_operator(
    plan: Operator, delivery: Delivery, buckets: int
) -> None:
    want = run_reference(plan, delivery)
    assert first_difference(want, run_local(plan, delivery, buckets)) is None


def below(elements: Iterable[Element], time: int) -> list[Element]:
    """The elements, as far as they are valid before `time`."""
    return [
        Element(e.item, Interval(e.interval.start, min(e.interval.end, time)))
        for e in elements
        if e.interval.start < time
    ]


@given(queries(), deliveries(8), BUCKETS)
def test_what_is_decided_is_told_at_once_and_never_contradicted(
    plan: Operator, delivery: Delivery, buckets: int
) -> None:
    want = run_reference(plan, delivery)
    engine = Engine(sources=delivery.sources, buckets=buckets)
    query = engine.register(plan)
    marks = dict.fromkeys(query.plan.sources, 0)
    told: list[Element] = []
    for source, rows in delivery.batches:
        if source in query.prepared.streams:
            engine.push(source, rows)
        if source in marks:
            marks[source] = max(marks[source], *(row.at - LATENESS for row in rows))
        before, new = query.progress, query.take()
        told += new
        # Nothing decided is held back: all that the watermark decides has been told.
        cut = query.plan.cut(min(marks.values(), default=0))
        assert query.progress >= cut
        assert first_difference(below(want, cut), below(told, cut)) is None
        assert first_difference(below(want, before), below(told, before)) is None
    engine.close()
    assert query.progress == FOREVER
    last = query.take()
    assert first_difference(want, told + last) is None


@given(queries(), deliveries(8), BUCKETS)
def test_progress_is_a_function_of_the_watermark_and_the_plan(
    plan: Operator, delivery: Delivery, buckets: int
) -> None:
    """Never of the data: an engine that sees none of it, but hears the same promises, says the
    same."""
    engine = Engine(sources=delivery.sources, buckets=buckets)
    silent = Engine(sources=delivery.sources, buckets=1)
    query, other = engine.register(plan), silent.register(plan)
    latest: dict[URIRef, int] = {}
    for source, rows in delivery.batches:
        if source in query.plan.sources:
            engine.push(source, rows)
            latest[source] = max(latest.get(source, 0), *(row.at for row in rows))
            silent.advance(source, max(latest[source] - LATENESS, 0))
            assert query.progress == other.progress

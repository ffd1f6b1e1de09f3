"""State survives a restart between any two batches, and what is stored never changes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Binding,
    Count,
    Element,
    Group,
    Join,
    LeftJoin,
    Operator,
    Ref,
    SlidingWindow,
    StreamAccess,
    first_difference,
)
from askos.columns import Coder
from askos.interval import FOREVER
from askos.local import Engine, Query
from askos.physical import build
from askos.physical.bucket import Bucket
from askos.physical.marks import END, IDLE, Mark, Marks
from askos.prepared import prepare
from askos.sources import Catalogue
from askos.terms import URIRef
from tests.build import S1, S2, X, Y, Z, call, pattern, solution
from tests.columns.batches import CODER, batch, rows
from tests.hosts.strategies import LATENESS, Delivery, deliveries, plans
from tests.physical.runs import Store
from tests.physical.test_operators import A, B


class Restarted:
    """A query whose buckets are all stored, thrown away and made anew."""

    def __init__(self, query: Query, coder: Coder) -> None:
        self._query, self._coder = query, coder
        self._stores: dict[tuple[int, int], Store] = {}

    def restart(self) -> None:
        for stage, _, buckets in self._query._machine._stages:
            for place, bucket in enumerate(buckets):
                store = self._stores.setdefault((stage.number, place), Store())
                store.save(bucket)
                buckets[place] = Bucket(self._query.plan, stage, self._coder)
                store.load(buckets[place])


def run(
    plan: Operator,
    delivery: Delivery,
    buckets: int,
    restarts: Iterator[bool] | None,
) -> list[Element]:
    engine = Engine(lateness=LATENESS, buckets=buckets, coder=CODER)
    query = engine.register(prepare(plan, sources=Catalogue(delivery.sources.streams)))
    restarted = Restarted(query, CODER)
    for source, pushed in delivery.batches:
        if source in query.plan.sources:
            engine.push(source, pushed)
        if restarts is not None and next(restarts, True):
            restarted.restart()
    engine.close()
    assert not query.late
    return query.take()


@given(
    plans(2),
    deliveries(5),
    st.sampled_from([1, 2]),
    st.lists(st.booleans(), max_size=5),
)
def test_a_restart_between_any_two_batches_changes_nothing(
    plan: Operator, delivery: Delivery, buckets: int, restarts: list[bool]
) -> None:
    want = run(plan, delivery, buckets, None)
    got = run(plan, delivery, buckets, iter(restarts))
    assert first_difference(want, got) is None


# ---- one bucket, by hand ---------------------------------------------------------------------


def over(p: str, o: object, source: URIRef = S1) -> Operator:
    return pattern(X, p, o, SlidingWindow(StreamAccess(source), 100, 10))


def bucket(plan: Operator, rows: int | None = None) -> Bucket:
    made = build(plan, rows=rows)
    return Bucket(made, made.stages[0], CODER)


OPTIONAL = LeftJoin(over("p", Y), over("q", Z, S2), call("<", Y, Z))
LEFT, RIGHT = solution(x="a", y=1), solution(x="a", z=5)


def test_marks_of_a_left_join_are_worked_out_again() -> None:
    """The left element is covered by its partner until 70; nobody stored that."""
    first, again = bucket(OPTIONAL), bucket(OPTIONAL)
    marks = [Mark(str(S1), 30), Mark(str(S2), 30)]
    out = first.step({0: [batch((LEFT, 0, 100))], 1: [batch((RIGHT, 20, 70))]}, marks)
    assert rows(out.batch) == [(LEFT, 0, 20), (LEFT | RIGHT, 20, 70)]
    store = Store()
    store.save(first)
    store.load(again)
    for one in (first, again):
        out = one.step({}, [Mark(str(S1), 95), Mark(str(S2), 95)])
        assert rows(out.batch) == [(LEFT, 70, 90)]
        assert out.progress == 90


def test_partners_that_fail_the_condition_do_not_move_the_marks() -> None:
    first, again = bucket(OPTIONAL), bucket(OPTIONAL)
    few = solution(x="a", z=0)
    marks = [Mark(str(S1), 30), Mark(str(S2), 30)]
    first.step({0: [batch((LEFT, 0, 100))], 1: [batch((few, 20, 70))]}, marks)
    store = Store()
    store.save(first)
    store.load(again)
    out = again.step({}, [Mark(str(S1), 60), Mark(str(S2), 60)])
    assert rows(out.batch) == [(LEFT, 30, 60)]


def test_a_group_holds_after_a_restart_what_it_held_before() -> None:
    plan = Group((Binding(X, Ref(X)),), (Binding(Z, Count()),), over("p", Y))
    first, again = bucket(plan), bucket(plan)
    first.step({0: [batch((LEFT, 0, 100), (LEFT, 5, 25), (LEFT, 35, 60))]}, [Mark(str(S1), 30)])
    store = Store()
    store.save(first)
    store.load(again)
    wanted = [(solution(x="a", z=1), 30, 35), (solution(x="a", z=2), 35, 50)]
    for one in (first, again):
        assert rows(one.step({}, [Mark(str(S1), 50)]).batch) == wanted


def test_a_restart_forgets_no_promise() -> None:
    first, again = bucket(Join(over("p", Y), over("q", Z, S2))), bucket(Join(A, B))
    first.step({}, [Mark(str(S1), 30), Mark(str(S2), IDLE)])
    saved = first.snapshot()
    again = bucket(Join(over("p", Y), over("q", Z, S2)))
    again.restore(json.loads(json.dumps(saved.manifest)), saved.runs.__getitem__)
    out = again.step({0: [batch((LEFT, 29, 50), (LEFT, 30, 50))]}, [])
    assert out.progress == 30
    assert [rows(late) for late in out.late] == [[(LEFT, 29, 50)]]


def test_a_manifest_does_not_change_with_what_happens_later() -> None:
    one = bucket(OPTIONAL)
    one.step({0: [batch((LEFT, 0, 100))]}, [Mark(str(S1), 30)])
    saved = one.snapshot()
    before = json.dumps(saved.manifest)
    one.step({}, [Mark(END, FOREVER)])
    assert json.dumps(saved.manifest) == before
    assert one.ended


@pytest.mark.parametrize("expected", [None, 1])
def test_what_has_not_changed_is_not_stored_again(expected: int | None) -> None:
    one = bucket(Join(over("p", Y), over("q", Z)), expected)
    one.step({0: [batch(*[(LEFT, 0, 100)] * 8)]}, [Mark(str(S1), 1)])
    (name,) = one.snapshot().runs
    one.step({0: [batch((LEFT, 2, 100))]}, [Mark(str(S1), 2)])
    assert name in one.snapshot().runs
    assert len(one.snapshot().runs) == 2
    one.step({}, [Mark(str(S1), 100)])
    assert not one.snapshot().runs


# ---- promises --------------------------------------------------------------------------------


def test_the_watermark_is_the_least_promise_and_never_falls() -> None:
    marks = Marks(["a", "b"])
    for channel, time, wanted in (
        ("a", 5, 0),
        ("b", 3, 3),
        ("b", 2, 3),
        ("b", 9, 5),
        ("a", IDLE, 9),
        ("a", 7, 9),
        ("b", 12, 9),
        ("b", IDLE, 9),
        ("a", 20, 20),
        ("a", IDLE, 20),
        ("b", FOREVER, FOREVER),
    ):
        marks.note(Mark(channel, time))
        assert marks.advance() == wanted

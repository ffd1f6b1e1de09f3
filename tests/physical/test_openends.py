"""Open ends: the operators that take elements before their ends are known, and the plans."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    TRUE,
    Aggregate,
    AntiJoin,
    Binding,
    Count,
    Distinct,
    Expression,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Ref,
    SemiJoin,
    Sum,
)
from askos.algebra import Operator as Plan
from askos.algebra.joins import joined
from askos.columns import Batch, signs
from askos.columns.signs import negated, settled
from askos.interval import FOREVER
from askos.physical import Cut, Operator
from askos.physical.antijoin import AntiJoinOperator
from askos.physical.distinct import DistinctOperator
from askos.physical.ends import takes_open
from askos.physical.group import GroupOperator
from askos.physical.join import JoinOperator
from askos.physical.leftjoin import LeftJoinOperator
from askos.physical.markjoin import MarkJoinOperator
from askos.physical.minus import MinusOperator
from askos.physical.openarea import OpenArea
from askos.physical.operator import Progress, combine
from askos.physical.pieces import PiecesOperator
from askos.physical.products import ProductsOperator
from askos.physical.semijoin import SemiJoinOperator
from askos.sweeparea import Fetch, ReleaseHeap, Saved
from askos.terms import Variable
from tests.build import W, X, Y, Z, solution, table
from tests.columns.batches import CODER, Row, batch, rows
from tests.hosts.strategies import conditions
from tests.physical.runs import (
    EACH,
    Delivery,
    Store,
    cuts,
    deliveries,
    elements,
    few,
    keeps_the_law,
    law,
    step,
    two_sides,
)
from tests.physical.test_products import A, B, C, group, products, stars

SIDES = ("left", "right", "third")


class Opening(Operator):
    """Gives an operator some elements of some inputs before their ends are known, and makes pieces
    of what it gives."""

    def __init__(self, made: Operator, ports: Collection[int], cut: Cut) -> None:
        self._made, self._ports = made, ports
        self._pieces = PiecesOperator(cut)
        self._known: list[Batch] = []
        self._ends = [ReleaseHeap[Batch](lambda rows: rows.ts) for _ in SIDES]
        for port in ports:
            made.open_on(port)

    def process(self, port: int, batch: Batch) -> Batch:
        opened = (batch.ts + batch.te) % 3 > 0 if port in self._ports else batch.te < 0
        last = np.where(batch.te % 2 > 0, FOREVER, np.minimum(batch.te, FOREVER - 5) + 5)
        ending = replace(batch, ts=batch.te, te=last).where(opened & (batch.te < last))
        self._ends[port].insert(ending)
        given = replace(batch, te=np.where(opened, np.maximum(last, batch.te), batch.te))
        parts = [given.where(~opened), signs.opened(given.where(opened))]
        self._give(self._made.process(port, Batch.concat(parts)))
        return Batch.empty()

    def _give(self, batch: Batch) -> None:
        self._known.append(self._pieces.process(0, batch))

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        for port, heap in enumerate(self._ends):
            for ending in heap.extract(watermark):
                self._give(self._made.process(port, signs.opened(negated(ending))))
        batch, progress = self._made.advance(watermark)
        self._give(batch)
        pieces, progress = self._pieces.advance(progress)
        told, self._known = Batch.concat([*self._known, pieces]), []
        return told, progress

    def snapshot(self) -> Saved[Batch]:
        parts = {"made": self._made.snapshot(), "pieces": self._pieces.snapshot()}
        ends = zip(SIDES, self._ends, strict=True)
        return combine(parts | {side: heap.snapshot() for side, heap in ends})

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._made.restore(manifest["made"], fetch)
        self._pieces.restore(manifest["pieces"], fetch)
        for heap, side in zip(self._ends, SIDES, strict=True):
            heap.restore(manifest[side], fetch)


LEFT_ROW, RIGHT_ROW = solution(x="a", y=1), solution(x="a", z=2)
BOTH = LEFT_ROW | RIGHT_ROW


def ended(made: Operator, port: int, row: Row) -> Batch:
    """A negative element comes."""
    return made.process(port, negated(batch(row)))


def test_a_pair_ends_with_the_first_of_both() -> None:
    """Though two negative elements meet as well: they are a positive one."""
    made = JoinOperator(Join(table(LEFT_ROW), table(RIGHT_ROW)))
    told = [made.process(0, batch((LEFT_ROW, 0, FOREVER)))]
    told.append(made.process(1, batch((RIGHT_ROW, 2, FOREVER))))
    told += [ended(made, 0, (LEFT_ROW, 5, FOREVER)), ended(made, 1, (RIGHT_ROW, 7, FOREVER))]
    assert len(Batch.concat(told)) == 4
    assert rows(settled(Batch.concat(told))) == [(BOTH, 2, 5)]


def test_a_left_element_looks_up_who_is_there_up_to_every_cut() -> None:
    made = LeftJoinOperator(LeftJoin(table(LEFT_ROW), table(RIGHT_ROW)), EACH)
    made.open_on(1)
    assert step(made, 4, [(LEFT_ROW, 0, 20)], [(RIGHT_ROW, 2, FOREVER)]) == [
        (LEFT_ROW, 0, 2),
        (BOTH, 2, 4),
    ]
    ended(made, 1, (RIGHT_ROW, 6, FOREVER))
    assert step(made, 9) == [(BOTH, 4, 6), (LEFT_ROW, 6, 9)]
    assert step(made, FOREVER) == [(LEFT_ROW, 9, 20)]
    assert not made.snapshot().runs


PORTS = st.sampled_from([(), (0,), (1,), (0, 1)])


@given(two_sides(), PORTS, cuts())
def test_a_join_takes_open_ends(delivery: Delivery, ports: tuple[int, ...], cut: Cut) -> None:
    plan = Join(delivery.table(0), delivery.table(1))
    keeps_the_law(lambda: Opening(JoinOperator(plan), ports, cut), delivery, law(Join), cut)


PARTNERS: dict[str, tuple[Callable[..., Plan], Callable[[Any, Cut], Operator]]] = {
    "left join": (LeftJoin, LeftJoinOperator),
    "semi-join": (SemiJoin, SemiJoinOperator),
    "anti-join": (AntiJoin, AntiJoinOperator),
    "mark join": (partial(MarkJoin, variable=W), MarkJoinOperator),
    "minus": (lambda left, right, condition: Minus(left, right), MinusOperator),
}


@pytest.mark.parametrize("kind", PARTNERS)
@given(two_sides(), st.just(TRUE) | conditions(), cuts())
def test_who_looks_for_partners_takes_those_with_open_ends(
    kind: str, delivery: Delivery, condition: Expression, cut: Cut
) -> None:
    plan, make = PARTNERS[kind]
    whole = plan(delivery.table(0), delivery.table(1), condition)
    meaning = law(lambda left, right: plan(left, right, condition))
    keeps_the_law(lambda: Opening(make(whole, cut), (1,), cut), delivery, meaning, cut)


COUNTED = (Binding(W, Count(None)), Binding(Z, Sum(Ref(Y))))


@given(deliveries(elements(few((X,), (X, Y)))), st.sampled_from([(), (X,)]), cuts())
def test_what_adds_up_takes_open_ends(
    delivery: Delivery, by: tuple[Variable, ...], cut: Cut
) -> None:
    keys = tuple(Binding(v, Ref(v)) for v in by)
    plan = Group(keys, COUNTED, delivery.table(0))
    meaning = law(lambda rows: Group(keys, COUNTED, rows))
    made = partial(GroupOperator, plan, CODER, cut)
    keeps_the_law(lambda: Opening(made(), (0,), cut), delivery, meaning, cut)


@given(stars(), cuts())
def test_products_take_open_ends_of_sides_that_add_up(
    drawn: tuple[Delivery, list[Aggregate], tuple[Variable, ...]], cut: Cut
) -> None:
    delivery, aggregates, by = drawn

    def plan(*sides: Plan) -> Plan:
        return group(*aggregates, over=joined(list(sides)), by=by)

    given = products(plan(*(A, B, C)[: len(delivery.steps[0].ports)]))
    ports = [port for port, taken in enumerate(takes_open(given)) if taken]
    made = partial(ProductsOperator, given, CODER, cut)
    keeps_the_law(lambda: Opening(made(), ports, cut), delivery, law(plan), cut)


def test_nobody_else_takes_open_ends() -> None:
    with pytest.raises(TypeError, match="wants to know all ends"):
        DistinctOperator(Distinct(table(MU))).open_on(0)
    with pytest.raises(TypeError, match="wants to know all ends"):
        SemiJoinOperator(SemiJoin(table(MU), table(MU)), EACH).open_on(0)


# ---- pieces ----------------------------------------------------------------------------------

MU = solution(x="a")


def test_what_has_an_open_end_is_told_up_to_the_cut() -> None:
    made = PiecesOperator(Cut((10,)))
    made.process(0, signs.opened(batch((MU, 5, FOREVER))))
    assert step(made, 9) == []
    assert step(made, 25) == [(MU, 5, 20)]
    made.process(0, signs.opened(negated(batch((MU, 27, FOREVER)))))
    assert step(made, 49) == [(MU, 20, 27)]
    assert step(made, FOREVER) == []


def test_what_has_a_known_end_passes_as_it_is() -> None:
    made = PiecesOperator(Cut((10,)))
    row = (MU, 5, 30)
    mixed = Batch.concat([batch(row), signs.opened(batch((MU, 7, FOREVER)))])
    assert rows(made.process(0, mixed)) == [row]
    assert step(made, 25) == [(MU, 7, 20)]


def test_what_is_over_is_forgotten() -> None:
    made, store = PiecesOperator(EACH), Store()
    for time in range(0, 200, 2):
        given = batch((solution(x=time), time, FOREVER))
        taken = negated(batch((solution(x=time), time + 1, FOREVER)))
        made.process(0, signs.opened(Batch.concat([given, taken])))
        made.advance(time + 2)
        store.save(made)
    assert not store.runs


# ---- state -----------------------------------------------------------------------------------


@pytest.mark.parametrize("behind", [0, 50])
def test_an_area_keeps_little_more_than_what_is_live(behind: int) -> None:
    """However long it runs, and though the watermark may not have come so far."""
    area, live = OpenArea(lambda rows: []), 20
    for time in range(400):
        area.insert(batch((solution(x=time), time, FOREVER)))
        if time >= live:
            area.insert(negated(batch((solution(x=time - live), time, FOREVER))))
        area.purge(time - behind)
    kept = live + 2 * behind
    assert live <= len(area) <= 2 * kept

"""Operators run by hand, step by step, and held against the reference at every instant."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeAlias

from hypothesis import strategies as st

from askos.algebra import Element, Values, first_difference
from askos.algebra import Operator as Plan
from askos.algebra.reference import evaluate
from askos.algebra.streams import Item
from askos.algebra.windows.predicate import OBJECT, PREDICATE, SUBJECT
from askos.columns import Batch
from askos.interval import FOREVER, Interval
from askos.physical import Cut, Operator
from askos.physical.join import LEFT, RIGHT
from askos.sweeparea import Fetch, Saved
from askos.terms import Solution, Triple, Variable
from tests.build import X, Y, Z, solution, table, term
from tests.columns.batches import Row, as_elements, batch, rows

EACH = Cut((1,))
EPOCH = 1_700_000_000_000


def ordered(given: Batch) -> list[Row]:
    return sorted(rows(given), key=lambda row: (row[1], row[2], str(row[0])))


def step(
    made: Operator, watermark: int, left: Sequence[Row] = (), right: Sequence[Row] = ()
) -> list[Row]:
    """Elements in on both sides, time forward, elements out."""
    parts = [made.process(LEFT, batch(*left))]
    if right:
        parts.append(made.process(RIGHT, batch(*right)))
    last, _ = made.advance(watermark)
    return ordered(Batch.concat([*parts, last]))


# ---- state -----------------------------------------------------------------------------------


class Stateful(Protocol):
    """An operator, a fragment or a bucket."""

    def snapshot(self) -> Saved[Batch]: ...

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None: ...


class Store:
    """Where one of them keeps its state: a manifest as JSON, and runs as bytes."""

    def __init__(self) -> None:
        self.manifest = ""
        self.runs: dict[int, bytes] = {}

    def save(self, made: Stateful) -> None:
        saved = made.snapshot()
        self.manifest = json.dumps(saved.manifest)
        runs = {name: run.to_bytes() for name, run in saved.runs.items()}
        for name in self.runs.keys() & runs.keys():
            assert runs[name] == self.runs[name], "a stored run has changed"
        self.runs = runs

    def load(self, made: Stateful) -> None:
        made.restore(json.loads(self.manifest), lambda name: Batch.from_bytes(self.runs[name]))


# ---- deliveries ------------------------------------------------------------------------------


Payloads: TypeAlias = st.SearchStrategy[Solution]


class Step(NamedTuple):
    """What comes at each port, the watermark after it, and whether a restart follows."""

    ports: tuple[list[Row], ...]
    watermark: int
    restart: bool


class Delivery(NamedTuple):
    """Elements in any order that their watermarks allow; the last watermark is FOREVER."""

    steps: list[Step]

    def port(self, number: int) -> list[Row]:
        return [row for step in self.steps for row in step.ports[number]]

    def table(self, number: int) -> Values:
        """All solutions that ever come at a port: what is bound here is bound always."""
        return table(*(mu for mu, _, _ in self.port(number)))


def few(certain: Collection[Variable] = (), others: Sequence[Variable] = (X, Y, Z)) -> Payloads:
    """Solutions that are often equal or compatible; some variables are bound in all of them."""
    terms = st.sampled_from([term(value) for value in ("a", "b", 1)])
    bound = st.fixed_dictionaries(dict.fromkeys(certain, terms))
    maybe = st.dictionaries(st.sampled_from(others), terms)
    return st.builds(lambda one, other: Solution({**one, **other}), maybe, bound)


@st.composite
def elements(
    draw: st.DrawFn, payloads: Payloads, most: int = 8, least: int = 0, base: int = 0
) -> list[tuple[Row, int]]:
    """Elements, and when each comes."""
    lengths = st.integers(1, 12) | st.just(FOREVER)
    row = st.tuples(payloads, st.integers(base, base + 20), lengths, st.integers(0, 6))
    return [
        ((mu, start, min(start + length, FOREVER)), start + late)
        for mu, start, length, late in draw(st.lists(row, min_size=least, max_size=most))
    ]


@st.composite
def deliveries(draw: st.DrawFn, *ports: st.SearchStrategy[list[tuple[Row, int]]]) -> Delivery:
    drawn = [(due, port, row) for port, rows in enumerate(ports) for row, due in draw(rows)]
    drawn.sort(key=lambda one: one[0])
    steps: list[Step] = []
    watermark, pauses = 0, draw(st.integers(0, 3))  # in which nothing comes and time goes on
    while drawn or pauses:
        pause = not drawn or (pauses > 0 and draw(st.booleans()))
        pauses -= pause
        taken = 0 if pause else draw(st.integers(1, len(drawn)))
        now, drawn = drawn[:taken], drawn[taken:]
        first = min((start for _, _, (_, start, _) in drawn), default=watermark + 5)
        watermark = max(watermark, first - draw(st.integers(0, 4)))
        parts = tuple([row for _, port, row in now if port == i] for i in range(len(ports)))
        steps.append(Step(parts, watermark, draw(st.booleans())))
    return Delivery([*steps, Step(tuple([] for _ in ports), FOREVER, False)])


@st.composite
def two_sides(draw: st.DrawFn) -> Delivery:
    """Left and right elements whose variables are certainly, maybe or never bound on both."""
    certain = draw(st.sampled_from([(), (X,), (X, Y)]))
    left, right = draw(st.sampled_from([((X, Y), (X, Z)), ((X, Y), (Y, X)), ((X, Y), (Z,))]))
    base = draw(st.sampled_from([0, EPOCH]))
    ports = (elements(few(certain, side), least=1, base=base) for side in (left, right))
    return draw(deliveries(*ports))


def cuts() -> st.SearchStrategy[Cut]:
    return st.sampled_from([EACH, Cut((3,)), Cut((10,)), Cut((4, 6), origin=1)])


# ---- the law ---------------------------------------------------------------------------------


def law(plan: Callable[..., Plan]) -> Callable[..., Iterable[Item]]:
    """What the reference makes of snapshots of the inputs."""
    return lambda *sides: evaluate(plan(*(table(*side) for side in sides)), {}, 0).elements()


def meant(meaning: Callable[..., Iterable[Item]], delivery: Delivery) -> list[Element]:
    """snapshot(OP(S1..Sn), t) = op(snapshot(S1, t), .., snapshot(Sn, t)), at every t."""
    ports = [delivery.port(i) for i in range(len(delivery.steps[0].ports))]
    times = {0, FOREVER} | {time for rows in ports for row in rows for time in row[1:]}
    found = []
    for start, end in pairwise(sorted(times)):
        now = ([mu for mu, first, last in rows if first <= start < last] for rows in ports)
        found += [Element(_as_solution(item), Interval(start, end)) for item in meaning(*now)]
    return found


def _as_solution(item: Item) -> Solution:
    """An item as batches hold it."""
    match item:
        case bool():
            return solution(answer=item)
        case Triple():
            return Solution(zip((SUBJECT, PREDICATE, OBJECT), item, strict=True))
    return item


def keeps_the_law(
    make: Callable[[], Operator],
    delivery: Delivery,
    meaning: Callable[..., Iterable[Item]],
    promise: Callable[[int], int],
) -> None:
    """After every step what lies before progress is complete, and later steps add nothing to it;
    progress is a function of the watermark; nothing depends on restarts."""
    made, store, told = make(), Store(), 0
    want, got = meant(meaning, delivery), list[Row]()
    for ports, watermark, restart in delivery.steps:
        parts = [made.process(port, batch(*rows)) for port, rows in enumerate(ports)]
        last, progress = made.advance(watermark)
        new = rows(Batch.concat([*parts, last]))
        assert progress == promise(watermark)
        assert all(told <= start < end for _, start, end in new)
        got, told = got + new, progress
        assert first_difference(_before(want, told), _before(as_elements(got), told)) is None
        if restart:
            store.save(made)
            made = make()
            store.load(made)


def _before(given: Iterable[Element], time: int) -> list[Element]:
    return [
        Element(element.item, Interval(element.interval.start, min(element.interval.end, time)))
        for element in given
        if element.interval.start < time
    ]

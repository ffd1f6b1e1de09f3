"""Reports from elements with intervals, step by step, against their definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Answer, Kind, OnChange, OrderBy, Payload, Periodic, Ref, Slice, SortKey
from askos.algebra.expressions.order import item_key
from askos.algebra.reference import sequence
from askos.columns import Batch
from askos.columns.hidden import hidden
from askos.interval import FOREVER
from askos.local.rows import answers
from askos.physical import Cut, Operator
from askos.physical.nodes import Reporting
from askos.physical.offers import OFFERS
from askos.physical.timing import Timing
from askos.static.given import Given
from askos.terms import Solution
from tests.build import X, Y, solution, table
from tests.columns.batches import CODER, Row, batch
from tests.physical.runs import EPOCH, Delivery, Store, deliveries, elements, few

Told = Periodic | OnChange
R, I, D = Kind.RSTREAM, Kind.ISTREAM, Kind.DSTREAM  # noqa: E741
A, B = solution(x="a", y=1), solution(x="b", y=2)
EVERY = Periodic(R, (10,))
# What gives rows an order: by ?y, the largest first; the first two of them.
KEYS = (SortKey(Ref(Y), True),)
RANKED = Slice(0, 2, OrderBy(KEYS, Given(0, (X, Y), (X, Y), False)))


def operator(report: Told, timing: Timing, *, ordered: bool = False) -> Operator:
    plan = Reporting(report, (X, Y), (table(A, B),), RANKED if ordered else None)
    return OFFERS[Reporting].make(plan, CODER, timing)  # type: ignore[misc]


def timing(report: Told, place: int = 0) -> Timing:
    if isinstance(report, OnChange):
        return Timing(Cut((1,)), place=place)
    return Timing(Cut(report.every, report.origin, grid=True), report, place)


def told(batch: Batch) -> list[Answer]:
    return answers(batch.project([X, Y, *hidden(batch)]), Payload.SOLUTION)


class Run:
    """A report, fed by hand."""

    def __init__(self, report: Told, *, ordered: bool = False, place: int = 0) -> None:
        self.report, self.ordered = report, ordered
        self.timing = timing(report, place)
        self.made = operator(report, self.timing, ordered=ordered)
        self.store = Store()

    def step(self, watermark: int, *rows: Row) -> list[Answer]:
        self.made.process(0, batch(*rows))
        self.timing.until = watermark
        out, progress = self.made.advance(watermark)
        assert progress == watermark
        return told(out)

    def restart(self) -> None:
        self.store.save(self.made)
        self.made = operator(self.report, self.timing, ordered=self.ordered)
        self.store.load(self.made)


# ---- by hand ---------------------------------------------------------------------------------


def test_a_row_for_each_instant_once_progress_has_passed_it() -> None:
    run = Run(EVERY)
    run.timing.first = 10
    assert run.step(10, (A, 0, 25)) == []
    assert run.step(11) == [Answer(10, (A,))]
    assert run.step(31, (B, 15, 20)) == [Answer(20, (A,)), Answer(30, ())]


def test_nothing_is_told_before_anything_has_arrived() -> None:
    run = Run(EVERY)
    assert run.step(100, (A, 0, FOREVER)) == []
    run.timing.first = 110
    assert run.step(111) == [Answer(110, (A,))]


def test_no_report_follows_the_last_one_though_windows_let_it_be_known() -> None:
    run = Run(EVERY)
    run.timing.first, run.timing.until = 10, 21
    run.made.process(0, batch((A, 0, FOREVER)))
    out, _ = run.made.advance(50)
    assert [answer.at for answer in told(out)] == [10, 20]


@pytest.mark.parametrize("ordered", [False, True])
def test_pieces_of_one_validity_are_no_difference(ordered: bool) -> None:
    run = Run(OnChange(I), ordered=ordered)
    assert run.step(6, (A, 3, 6)) == [Answer(3, (A,))]
    assert run.step(20, (A, 6, 9)) == []
    assert run.step(FOREVER, (A, 30, FOREVER)) == [Answer(30, (A,))]


def test_what_comes_and_goes_between_two_instants_is_never_told() -> None:
    run = Run(Periodic(I, (10,)))
    run.timing.first = 10
    assert run.step(31, (A, 11, 19), (B, 5, 30)) == [
        Answer(10, (B,)),
        Answer(20, ()),
        Answer(30, ()),
    ]


def test_several_periods_and_an_origin() -> None:
    run = Run(Periodic(R, (4, 6), 1))
    run.timing.first = 5
    assert [answer.at for answer in run.step(14)] == [5, 7, 9, 13]


def test_one_bucket_tells_the_headers() -> None:
    run = Run(EVERY, place=1)
    run.timing.first = 10
    assert run.step(31, (A, 15, 25)) == [Answer(20, (A,))]


@pytest.mark.parametrize("kind", Kind)
def test_on_change_only_the_whole_snapshot_has_headers(kind: Kind) -> None:
    run = Run(OnChange(kind))
    want = {R: [Answer(3, (A,)), Answer(9, ())], I: [Answer(3, (A,))], D: [Answer(9, (A,))]}
    assert run.step(FOREVER, (A, 3, 9)) == want[kind]
    run = Run(OnChange(kind, nonempty=True))
    assert run.step(FOREVER, (A, 3, 9)) == want[kind][:1]


# ---- the model -------------------------------------------------------------------------------


def reports() -> st.SearchStrategy[Told]:
    kinds, empty = st.sampled_from(Kind), st.booleans()
    periods = st.sampled_from([(3,), (10,), (4, 6)])
    return st.one_of(
        st.builds(Periodic, kinds, periods, st.sampled_from([0, 1]), empty),
        st.builds(OnChange, kinds, empty),
    )


def snapshot(rows: Sequence[Row], time: int, *, ordered: bool) -> list[Solution]:
    """What is valid at an instant, in the order in which it is told."""
    valid = [mu for mu, start, end in rows if start <= time < end]
    if not ordered:
        return sorted(valid, key=lambda mu: item_key(mu, (X, Y)))
    found = sequence(replace(RANKED, input=OrderBy(KEYS, table(*valid))), {}, 0)
    return [mu for mu in found if isinstance(mu, Solution)]


def less(rows: Sequence[Solution], others: Sequence[Solution]) -> list[Solution]:
    """The bag difference, in the order of `rows`."""
    kept, remaining = [], Counter(others)
    for row in rows:
        if remaining[row]:
            remaining[row] -= 1
        else:
            kept.append(row)
    return kept


def by_definition(
    rows: Sequence[Row], report: Told, instants: Sequence[int], *, ordered: bool
) -> Iterator[Answer]:
    """Semantics, section 6, literally."""
    before: list[Solution] = []
    for time in instants:
        now = snapshot(rows, time, ordered=ordered)
        part = {R: now, I: less(now, before), D: less(before, now)}[report.kind]
        due = isinstance(report, Periodic) or Counter(now) != Counter(before)
        silent = report.nonempty or (isinstance(report, OnChange) and report.kind is not R)
        if due and (part or not silent):
            yield Answer(time, tuple(part))
        before = now


@st.composite
def given_elements(draw: st.DrawFn) -> Delivery:
    base = draw(st.sampled_from([0, EPOCH]))
    return draw(deliveries(elements(few((X, Y), (X,)), least=1, base=base)))


@given(reports(), given_elements(), st.booleans())
def test_a_report_is_what_its_definition_says(
    report: Told, delivery: Delivery, ordered: bool
) -> None:
    """Whatever comes when, and however often it is stopped."""
    rows = delivery.port(0)
    starts = [start for _, start, _ in rows]
    last = max(starts) + 30
    if isinstance(report, Periodic):
        instants = list(report.instants(min(starts), last + 1))
    else:
        instants = sorted({time for _, *ends in rows for time in ends} - {FOREVER})
    run, found = Run(report, ordered=ordered), list[Answer]()
    for (new,), watermark, restart in delivery.steps:
        if isinstance(report, Periodic):
            run.timing.first = instants[0]
            watermark = min(watermark, last + 1)
        found += run.step(watermark, *new)
        if restart:
            run.restart()
    assert found == list(by_definition(rows, report, instants, ordered=ordered))

"""Panes: elements that come and go together are one row, and groups mean the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Aggregate,
    Avg,
    Binding,
    Count,
    Distinct,
    Group,
    Intervals,
    Join,
    Kind,
    Max,
    Periodic,
    Ref,
    Report,
    SlidingWindow,
    SteppedWindow,
    StreamAccess,
    Sum,
)
from askos.algebra import Operator as Plan
from askos.columns import Batch
from askos.columns.hidden import ELEMENTS, values
from askos.interval import FOREVER
from askos.local import Engine
from askos.physical import Cut, Operator, build
from askos.physical.nodes import GroupOfPanes, Panes
from askos.physical.operator import Progress
from askos.physical.panes import GroupOfPanesOperator, PanesOperator
from askos.sweeparea import Fetch, Saved
from askos.terms import XSD, Literal, Solution, Variable
from tests.build import EX, S1, X, Y, call, pattern, solution, stream, term
from tests.columns.batches import CODER, batch
from tests.physical.runs import EPOCH, Delivery, cuts, deliveries, elements, keeps_the_law, law

A = pattern(X, "p", Y)
ACCESS = StreamAccess(S1)
EVERY = Periodic(Kind.RSTREAM, (10,))
NUMBERS = [
    *(term(value) for value in (1, 2, 1.5, "a")),
    *(Literal(text, datatype=XSD.decimal) for text in ("0.1", "2.50", "1125899906842623")),
    Literal("1e300", datatype=XSD.double),
]


def group(*made: Aggregate, over: Plan = A, by: tuple[Variable, ...] = (X,)) -> Group:
    bindings = (Binding(Variable(f"n{i}"), one) for i, one in enumerate(made))
    return Group(tuple(Binding(v, Ref(v)) for v in by), tuple(bindings), over)


def panes(plan: Group) -> Panes:
    return Panes(tuple(key.variable for key in plan.keys), plan.aggregates, plan.input)


class Paned(Operator):
    """Both halves, as one operator."""

    def __init__(self, plan: Group, cut: Cut) -> None:
        made = panes(plan)
        whole = GroupOfPanes(made.keys, made.aggregates, (), (made,))
        self._panes, self._group = (
            PanesOperator(made, CODER),
            GroupOfPanesOperator(whole, CODER, cut),
        )

    def process(self, port: int, batch: Batch) -> Batch:
        return self._group.process(0, self._panes.process(0, batch))

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        return self._group.advance(watermark)

    def snapshot(self) -> Saved[Batch]:
        return self._group.snapshot()

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._group.restore(manifest, fetch)


@st.composite
def arrivals(draw: st.DrawFn) -> Delivery:
    """Often of one interval, so that there are panes."""
    found = st.sampled_from([{}, *({Y: value} for value in NUMBERS)])
    keys = st.sampled_from([{}, {X: EX.a}, {X: EX.a}, {X: EX.b}])
    mu = st.builds(lambda x, y: Solution({**x, **y}), keys, found)
    base = draw(st.sampled_from([0, EPOCH]))
    drawn = draw(elements(mu, least=1, most=14, base=base))
    coarse = [
        ((solution, start - start % 5, end - end % 5 + 5 if end < FOREVER else end), due)
        for (solution, start, end), due in drawn
    ]
    return draw(deliveries(st.just(coarse)))


def aggregates() -> st.SearchStrategy[list[Aggregate]]:
    values = st.sampled_from([Ref(Y), Ref(Y), call("+", Y, 1), Ref(X)])
    one = st.builds(lambda kind, value: kind(value), st.sampled_from([Avg, Count, Sum]), values)
    return st.lists(one | st.just(Count()), min_size=1, max_size=4)


@given(arrivals(), aggregates(), st.sampled_from([(), (X,), (X,), (X, Y)]), cuts())
def test_groups_of_panes_keep_the_law(
    delivery: Delivery, made: list[Aggregate], by: tuple[Variable, ...], cut: Cut
) -> None:
    def plan(input: Plan) -> Plan:
        return group(*made, over=input, by=by)

    keeps_the_law(lambda: Paned(group(*made, by=by), cut), delivery, law(plan), cut)


# ---- by hand ---------------------------------------------------------------------------------


def paned(*rows: tuple[Solution, int, int]) -> tuple[Batch, list[int]]:
    found = PanesOperator(panes(group(Avg(Ref(Y)))), CODER).process(0, batch(*rows))
    return found, values(found.column(ELEMENTS)).tolist()


def test_elements_of_one_group_and_interval_are_one_row() -> None:
    rows = [(solution(x=x, y=n), 0, 5) for x in "ab" for n in range(4)]
    found, elements = paned(*rows)
    assert elements == [4, 4]
    assert (found.ts.tolist(), found.te.tolist()) == ([0, 0], [5, 5])


def test_where_few_share_a_pane_all_stay_by_themselves() -> None:
    rows = [(solution(x="a", y=n), n // 2, 5) for n in range(3)]
    assert paned(*rows)[1] == [1, 1, 1]


def test_what_has_no_exact_sum_stays_by_itself() -> None:
    rows = [(solution(x="a", y=n), 0, 5) for n in (1, 2, 3, 1.5, "no number")]
    assert sorted(paned(*rows)[1]) == [1, 1, 3]


# ---- where they are taken --------------------------------------------------------------------


def taken(plan: Plan, report: Report) -> bool:
    feeds = [feed for stage in build(plan, report).stages for feed in stage.feeds]
    return any(isinstance(node, Panes) for feed in feeds for node in feed.line)


def stepped(p: str = "p") -> Plan:
    return pattern(X, p, Y, SteppedWindow(ACCESS, 20, 10))


@pytest.mark.parametrize(
    ("plan", "report", "wanted"),
    [
        (group(Avg(Ref(Y)), Count()), EVERY, True),
        (group(Avg(Ref(Y)), by=()), EVERY, True),
        (group(Avg(Ref(Y))), Intervals(), False),  # every element has a start of its own
        (group(Avg(Ref(Y)), over=stepped()), Intervals(), True),
        (group(Max(Ref(Y))), EVERY, False),
        (group(Sum(Ref(Y), distinct=True)), EVERY, False),
        (group(Count(), over=Distinct(A)), EVERY, False),
        (group(Count(), over=Join(A, pattern(Y, "q", X))), EVERY, False),
    ],
)
def test_panes_are_for_what_needs_no_state_and_is_aligned(
    plan: Plan, report: Report, wanted: bool
) -> None:
    assert taken(plan, report) is wanted


def test_a_late_pane_is_told_with_its_keys_and_how_many_elements_it_has() -> None:
    engine = Engine()
    window = SlidingWindow(ACCESS, 20, 10)
    query = engine.register(group(Count(), over=pattern(X, "p", Y, window)), report=EVERY)
    engine.push(S1, stream(("a", "p", 1, 55)))
    engine.push(S1, stream(*(("a", "p", number, 3) for number in range(4))))
    assert [element.item for element in query.late] == [solution(x="a", elements=4)]

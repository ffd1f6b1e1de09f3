"""ORDER BY, LIMIT, OFFSET and copy numbers (semantics, sections 3 and 5)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import CopyNumber, Distinct, OrderBy, Project, Ref, Slice, SortKey
from askos.algebra import Operator as Plan
from askos.interval import FOREVER
from askos.physical import Cut
from askos.physical.copynumber import CopyNumberOperator
from askos.physical.made import top
from askos.physical.nodes import Top
from askos.physical.slice import SliceOperator
from askos.terms import Variable
from tests.build import X, Y, Z, call, pattern, solution
from tests.columns.batches import CODER
from tests.physical.runs import (
    EACH,
    Delivery,
    cuts,
    deliveries,
    elements,
    few,
    keeps_the_law,
    law,
    step,
)
from tests.physical.test_aggregates import solutions

A = pattern(X, "p", Y)
C = Variable("c")


@st.composite
def slices(draw: st.DrawFn) -> Slice:
    """Over a stand-in for the input, which is put in later."""
    plan: Plan = A
    keys = st.sampled_from([Ref(X), Ref(Y), call("+", Y, 1)])
    made = draw(st.lists(st.builds(SortKey, keys, st.booleans()), max_size=2))
    if made:
        plan = OrderBy(tuple(made), plan)
    if draw(st.booleans()):
        plan = Project(draw(st.sampled_from([(X,), (X, Y), ()])), plan)
    if draw(st.booleans()):
        plan = Distinct(plan)
    limit = draw(st.none() | st.integers(0, 4))
    by = tuple(draw(st.sampled_from([(), (), (X,)])))
    return Slice(draw(st.integers(0, 2)), limit, plan, by if {*by} <= plan.variables else ())


def over(plan: Plan, input: Plan) -> Plan:
    """The plan with its input in the place of the stand-in."""
    return plan.transform(lambda node: input if node == A else node)


@given(slices(), deliveries(elements(solutions(), least=1, most=12)), cuts())
def test_slices_keep_the_law(plan: Slice, delivery: Delivery, cut: Cut) -> None:
    given = over(plan, delivery.table(0))
    assert isinstance(given, Slice)
    made = top(given, [delivery.table(0)])
    ranked = any(isinstance(node, OrderBy) for node in plan.walk())
    if made is None or (not ranked and given.input is not delivery.table(0)):
        return  # a chain that ranks by nothing stays below
    whole = made.whole
    keeps_the_law(
        lambda: SliceOperator(made, CODER, cut),
        delivery,
        law(lambda rows: over(plan, rows)),
        (lambda watermark: watermark) if whole else cut,
    )


def sliced(offset: int, limit: int | None, *, cut: Cut = EACH, distinct: bool = False) -> Top:
    plan: Plan = Project((X,), OrderBy((SortKey(Ref(Y), True),), A))
    found = top(Slice(offset, limit, Distinct(plan) if distinct else plan), [A])
    assert found is not None
    return found


def test_the_first_gives_way_and_comes_back() -> None:
    made = SliceOperator(sliced(0, 1), CODER, EACH)
    given = [(solution(x="a", y=1), 0, 9), (solution(x="b", y=2), 3, 6)]
    a, b = solution(x="a"), solution(x="b")
    assert step(made, FOREVER, given) == [(a, 0, 3), (b, 3, 6), (a, 6, 9)]


def test_an_offset_tells_who_comes_after() -> None:
    made = SliceOperator(sliced(1, 1), CODER, EACH)
    given = [(solution(x="a", y=1), 0, 9), (solution(x="b", y=2), 3, 6)]
    assert step(made, FOREVER, given) == [(solution(x="a"), 3, 6)]


def test_a_row_is_told_once_at_its_first_rank() -> None:
    given = [
        (solution(x="a", y=1), 0, 9),
        (solution(x="a", y=3), 4, 6),
        (solution(x="b", y=2), 0, 9),
    ]
    made = SliceOperator(sliced(0, 1, distinct=True), CODER, EACH)
    a, b = solution(x="a"), solution(x="b")
    assert step(made, FOREVER, given) == [(b, 0, 4), (a, 4, 6), (b, 6, 9)]


def test_what_can_never_come_first_is_forgotten() -> None:
    made = SliceOperator(sliced(0, 2), CODER, Cut((10,)))
    step(made, 10, [(solution(x=f"t{n:03}", y=n), 0, 100) for n in range(200)])
    (held,) = made.snapshot().runs.values()
    assert len(held) == 2


def test_slices_of_slices_and_arrival_times_have_no_kernel() -> None:
    ordered = OrderBy((SortKey(Ref(Y)),), A)
    assert top(Slice(0, 1, Slice(0, 2, ordered)), [A]) is None
    assert top(Slice(0, 1, ordered, times=(Z,)), [A]) is None


# ---- copies ----------------------------------------------------------------------------------


@given(deliveries(elements(few(), least=1, most=12)))
def test_copy_numbers_keep_the_law(delivery: Delivery) -> None:
    def plan(input: Plan) -> Plan:
        return CopyNumber(C, input)

    given = plan(delivery.table(0))
    assert isinstance(given, CopyNumber)
    keeps_the_law(lambda: CopyNumberOperator(given), delivery, law(plan), lambda time: time)


def test_a_copy_gets_the_first_number_that_is_free_all_the_while() -> None:
    made = CopyNumberOperator(CopyNumber(C, A))
    mu = solution(x="a", y=1)
    assert step(made, 0, [(mu, 0, 5)]) == [(solution(x="a", y=1, c=0), 0, 5)]
    assert step(made, 0, [(mu, 3, 9)]) == [
        (solution(x="a", y=1, c=1), 3, 5),
        (solution(x="a", y=1, c=0), 5, 9),
    ]

"""Joins of several inputs in an order that adapts: the law, the flows, and CQELS's example."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Join, Values
from askos.algebra import Operator as Plan
from askos.algebra.joins import joined
from askos.columns import Batch
from askos.errors import StreamError
from askos.interval import FOREVER
from askos.local import Engine
from askos.physical import build
from askos.physical.adaptivejoin import AdaptiveJoinOperator
from askos.physical.nodes import AdaptiveJoin
from askos.physical.summary import summary
from askos.sources import Catalogue
from askos.terms import Solution, Variable
from tests.build import EX, W, X, Y, Z, pattern, table
from tests.columns.batches import TINY, batch, colliding, rows
from tests.physical.runs import (
    EPOCH,
    Delivery,
    deliveries,
    elements,
    few,
    keeps_the_law,
    law,
)
from tests.physical.test_stages import P, Q, R, over

A, B, C = pattern(X, "p", Y), pattern(X, "q", Z), pattern(X, "r", W)
STAR = joined([P, Q, R])


# ---- the law ---------------------------------------------------------------------------------


@st.composite
def several(draw: st.DrawFn) -> Delivery:
    """Elements of three or four inputs, whose variables are certainly, maybe or never shared."""
    certain = draw(st.sampled_from([(), (X,), (X, Y)]))
    names = st.sampled_from([(X, Y), (X, Z), (Y, Z), (X,), (W, X)])
    sides = draw(st.lists(names, min_size=3, max_size=4))
    base = draw(st.sampled_from([0, EPOCH]))
    ports = (elements(few(certain, side), least=1, most=5, base=base) for side in sides)
    return draw(deliveries(*ports))


@given(several())
def test_an_adaptive_join_keeps_the_law(delivery: Delivery) -> None:
    inputs = tuple(delivery.table(n) for n in range(len(delivery.steps[0].ports)))

    def plan(*sides: Plan) -> Plan:
        return joined(list(sides))

    given = AdaptiveJoin(inputs)
    keeps_the_law(lambda: AdaptiveJoinOperator(given), delivery, law(plan), lambda w: w)


# ---- which way it goes -----------------------------------------------------------------------


def star(values: Variable, *subjects: str) -> Batch:
    return batch(*((Solution({X: EX[s], values: EX.v}), 0, 9) for s in subjects))


def test_it_goes_where_fewest_are_found_and_counts_when_that_changes() -> None:
    made = AdaptiveJoinOperator(AdaptiveJoin((A, B, C)))
    made.process(1, star(Z, "a"))
    made.process(2, star(W, "a", "a"))
    assert len(made.process(0, star(Y, "a"))) == 2
    assert made.take_switches() == 0
    made.process(1, star(Z, "a", "a"))
    assert len(made.process(0, star(Y, "a"))) == 6
    assert made.take_switches() == 1
    assert made.take_switches() == 0, "it was asked already"


def test_what_has_many_elements_and_no_partners_comes_first() -> None:
    made = AdaptiveJoinOperator(AdaptiveJoin((A, B, C)))
    made.process(1, star(Z, "a"))
    made.process(2, star(W, *"bcdefg"))
    assert not len(made.process(0, star(Y, "a")))
    assert made._flows[0] == (0, 2), "the rest is not looked at"


def test_nothing_is_kept_but_the_elements_of_the_inputs() -> None:
    made = AdaptiveJoinOperator(AdaptiveJoin((A, B, C)))
    for place, values in enumerate((Y, Z, W)):
        made.process(place, star(values, "a", "a"))
    assert sum(map(len, made.snapshot().runs.values())) == 6
    assert made.advance(9)[1] == 9
    assert not made.snapshot().runs


def test_ids_that_collide_stop_it() -> None:
    one, other = colliding()
    made = AdaptiveJoinOperator(AdaptiveJoin((A, B, C)))
    made.process(1, batch((Solution({X: other, Z: EX.v}), 0, 9), coder=TINY))
    made.process(2, batch((Solution({X: other, W: EX.v}), 0, 9), coder=TINY))
    with pytest.raises(StreamError, match="have the same hash"):
        made.process(0, batch((Solution({X: one, Y: EX.v}), 0, 9), coder=TINY))


# ---- CQELS, Example 1 ------------------------------------------------------------------------

P1, L1, P2, L2 = (Variable(name) for name in ("p1", "l1", "p2", "l2"))


def at(person: Variable, place: Variable, who: str, where: str) -> Solution:
    return Solution({person: EX[who], place: EX[where]})


def test_cqels_example_1() -> None:
    """Who is detected now, who was within two ticks, and which rooms are connected: at 0 the flow
    D1 is taken, which joins F1 with F2, at 1 it is D2, which joins F1 with F4.  Sizes of
    intermediate results and answers are those of the paper."""
    rooms = [("r1", "r2"), ("r1", "r3"), ("r2", "r1"), ("r3", "r1")]
    connected = [(Solution({L1: EX[a], L2: EX[b]}), 0, FOREVER) for a, b in rooms]
    inputs = (_bound(P1, L1), _bound(P2, L2), _bound(L1, L2))
    made = AdaptiveJoinOperator(AdaptiveJoin(inputs))
    made.process(2, batch(*connected))

    made.process(1, batch((at(P2, L2, "m0", "r1"), 0, 2)))
    assert not len(made.process(0, batch((at(P1, L1, "m0", "r1"), 0, 1))))
    assert made._flows[0] == (0, 1, 2), "|F3(0)| = 1 < |F5(0)| = 2: D1"

    made.process(1, batch((at(P2, L2, "m1", "r2"), 1, 3)))
    told = made.process(0, batch((at(P1, L1, "m1", "r2"), 1, 2)))
    assert made._flows[0] == (0, 2, 1), "|F5(1)| = 1 < |F3(1)| = 2: D2"
    reached = at(P1, L1, "m1", "r2") | at(P2, L2, "m0", "r1")
    assert rows(told) == [(reached, 1, 2)]
    assert made.take_switches() == 1


def _bound(*variables: Variable) -> Values:
    return table(Solution(dict.fromkeys(variables, EX.any)))


# ---- where it stands -------------------------------------------------------------------------


def adaptive(plan: Plan, rows: int) -> bool:
    return "adaptive" in build(plan, rows=rows).ways


def test_large_batches_of_a_star_are_joined_in_an_order_that_adapts() -> None:
    assert adaptive(STAR, 100_000)
    assert not adaptive(STAR, 1_000), "few rows are worth no samples"
    assert not adaptive(Join(P, Q), 100_000), "two inputs have one order"
    assert not adaptive(joined([P, Q, over(Y, "r", W)]), 100_000), "other keys: an exchange"


def test_the_flows_are_told() -> None:
    shown = summary(build(STAR, chosen="adaptive"))
    assert "  runs AdaptiveJoin\n" in shown
    assert (
        "  takes the flow that finds fewest, batch by batch: 1 ⋈ 2 ⋈ 3, 1 ⋈ 3 ⋈ 2, 2 ⋈ 1 ⋈ 3,"
        " 2 ⋈ 3 ⋈ 1, 3 ⋈ 1 ⋈ 2, 3 ⋈ 2 ⋈ 1\n" in shown
    )
    many = joined([over(X, "p", Variable(f"v{n}")) for n in range(5)])
    assert ", …" in summary(build(many, chosen="adaptive"))


TEXT = "SELECT * FROM STREAM <s> WINDOW RANGE 10 S SLIDE { ?s <p> ?p . ?s <q> ?q . ?s <r> ?r }"


def test_the_profile_counts_switches() -> None:
    engine = Engine(sources=Catalogue().stream("s"))
    query = engine.register(TEXT, plan="adaptive")
    for time, names in enumerate(["qr", "r", "p", "qqq", "p"]):
        engine.push("s", [("<a>", f"<{name}>", f'"{n}"', time) for n, name in enumerate(names)])
    assert not engine.refused
    joins = [made for made in query.profile() if made.name == "AdaptiveJoin"]
    assert [made.switches for made in joins] == [1]

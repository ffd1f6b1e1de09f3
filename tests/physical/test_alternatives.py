"""Physical plans to choose from: which there are, what they cost, and that they mean the same."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Distinct,
    Group,
    Intervals,
    Join,
    Kind,
    LeftJoin,
    Operator,
    Periodic,
    Report,
    node_from_json,
    to_json,
)
from askos.algebra.joins import joined
from askos.errors import QueryError
from askos.physical import alternatives, build
from askos.physical.choices import KINDS, Choices, Way
from askos.physical.estimates import FEW
from askos.planning import considered
from askos.prepared import Prepared
from tests.build import W, X, Y
from tests.hosts.moments import judge, moments, on_harness, on_local, with_truths
from tests.hosts.strategies import Delivery, deliveries, leaves, plans, queries
from tests.hosts.texts import reports
from tests.hosts.three import difference
from tests.physical.test_stages import COUNTED, P, Q, R, by, over
from tests.strategies import windows

STAR = Group(by(X), COUNTED, Join(P, Q))
THREE = joined([P, Q, over(X, "p", W)])
EVERY = Periodic(Kind.RSTREAM, (5,))
BUCKETS = st.sampled_from([1, 2, 5])


def names(plan: Operator, rows: int | None = None) -> list[str]:
    return [one.name for one in alternatives(plan, rows=rows)]


# ---- the law ---------------------------------------------------------------------------------


@st.composite
def stars(draw: st.DrawFn) -> Operator:
    """Joins of several inputs that mostly have a subject in common, and perhaps a group of it."""
    star = joined(draw(st.lists(leaves(windows), min_size=3, max_size=4)))
    keys = tuple(sorted(star.bound & {X}))
    return draw(st.sampled_from([star, Group(by(*keys), COUNTED, star), Distinct(star)]))


@given(
    plans() | queries() | stars(),
    reports(),
    deliveries(8),
    BUCKETS,
    st.randoms(use_true_random=False),
)
def test_every_alternative_means_the_same_on_both_hosts(
    plan: Operator, report: Report, delivery: Delivery, buckets: int, choices: Random
) -> None:
    judged(Prepared(plan, plan, report, sources=delivery.sources), delivery, buckets, choices)


def judged(query: Prepared, delivery: Delivery, buckets: int, choices: Random) -> list[str]:
    """The names of all plans of a query, each of which has given what the reference gives."""
    told = with_truths(moments(delivery), query.streams, choices)
    want, found = judge(query, told), [one.name for one in considered(query)]
    for name in found:
        forced = replace(query, chosen=name)
        assert difference(want, on_local(forced, told, buckets)) is None, name
        got = on_harness(forced, told, buckets, choices.random(), faults=True)
        assert difference(want, got) is None, name
    return found


@pytest.mark.parametrize(
    ("plan", "report", "ways"),
    [
        (STAR, Intervals(), {"simple", "hash", "columnar", "scan", "ordered", "products", "plain"}),
        (Group(by(X), COUNTED, P), EVERY, {"panes", "plain"}),
        (THREE, EVERY, {"simple", "hash", "columnar", "scan", "ordered", "adaptive"}),
    ],
    ids=["pairs", "elements", "star"],
)
def test_all_ways_mean_the_same(plan: Operator, report: Report, ways: set[str]) -> None:
    @given(deliveries(8), BUCKETS, st.randoms(use_true_random=False))
    def check(delivery: Delivery, buckets: int, choices: Random) -> None:
        query = Prepared(plan, plan, report, sources=delivery.sources)
        found = judged(query, delivery, buckets, choices)
        assert {way for name in found for way in name.split("+")} == ways

    check()


@given(plans() | queries() | stars(), st.sampled_from([None, 1, FEW + 1, 10**6]))
def test_the_cheapest_is_built(plan: Operator, rows: int | None) -> None:
    found = alternatives(plan, rows=rows)
    assert found[0].plan == build(plan, rows=rows)
    assert [one.cost for one in found] == sorted(one.cost for one in found)
    assert len({one.name for one in found}) == len(found) == len({one.plan for one in found})


@given(plans() | queries() | stars(), st.sampled_from([None, 1]))
def test_a_plan_is_forced_by_name_and_number(plan: Operator, rows: int | None) -> None:
    for number, one in enumerate(alternatives(plan, rows=rows), 1):
        assert build(plan, rows=rows, chosen=number) == one.plan
        assert build(plan, rows=rows, chosen=one.name) == one.plan
        assert node_from_json(to_json(one.plan)) == one.plan


# ---- by hand ---------------------------------------------------------------------------------


def test_ways_of_one_kind_are_told_from_each_other() -> None:
    assert sorted(way for ways in KINDS.values() for way in ways) == sorted(Way)


def test_a_join_runs_by_columns_by_scan_or_one_by_one() -> None:
    found = names(LeftJoin(Join(P, Q), R))
    assert found[0] == "simple+columnar"
    assert {name.split("+")[1] for name in found} == {"columnar", "ordered", "scan"}
    assert names(LeftJoin(Join(P, Q), R), rows=FEW)[0] == "simple+ordered"


def test_a_join_without_a_key_has_no_scan() -> None:
    assert not [name for name in names(Join(over(X, "p", 1), over(Y, "p", 2))) if "scan" in name]


def test_a_group_of_joins_runs_with_or_without_pairs() -> None:
    assert names(STAR)[0] == "simple+products"
    assert "simple+columnar+plain" in names(STAR)


def test_what_has_no_choice_is_one_plan() -> None:
    assert names(P) == ["cheapest"]
    assert build(P).ways == ()


def test_words_that_are_to_be_true_of_a_plan_leave_the_rest_to_its_cost() -> None:
    assert build(STAR, chosen="plain").ways == ("simple", "columnar", "plain")
    assert build(STAR, chosen="plain", rows=1).ways == ("simple", "ordered", "plain")
    assert build(STAR, chosen="hash+products").ways == ("hash", "products")


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (0, "there is no plan 0"),
        (99, "there is no plan 99"),
        ("", "there is no way ''"),
        ("fast", "there is no way 'fast'"),
        ("panes", "nothing in it can be panes"),
        ("scan+ordered", "scan and ordered are two ways of the same joins"),
    ],
)
def test_a_plan_that_is_none_is_refused(chosen: int | str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        build(LeftJoin(Join(P, Q), over(Y, "r", W)), chosen=chosen)


def test_costs_and_reasons_are_told() -> None:
    best = alternatives(STAR)[0]
    assert best.choices == Choices((Way.SIMPLE, Way.PRODUCTS))
    assert best.reasons[0] == (
        "Group: products, 1,470 µs: each input is grouped by itself: no pairs are made;"
        " plain 1,840 µs"
    )

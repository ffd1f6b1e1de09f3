"""Queries that begin together run once what they have in common; each is told what it would be
told alone."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Distinct,
    Filter,
    Intervals,
    Join,
    LeftJoin,
    Operator,
    Report,
    Union,
)
from askos.local import Engine, Query
from askos.prepared import Prepared
from askos.terms import URIRef
from tests.hosts.kinds import together_on_harness, together_on_local
from tests.hosts.moments import judge, moments, with_truths
from tests.hosts.strategies import (
    Delivery,
    conditions,
    deliveries,
    every_plan,
    groups,
    leaves,
    plans,
)
from tests.hosts.texts import reports
from tests.hosts.three import difference

BUCKETS = st.sampled_from([1, 2, 5])
WIND = URIRef("wind")


@st.composite
def tops(draw: st.DrawFn, plan: Operator) -> Operator:
    """A query over a plan that others are over as well; or over none of it."""
    match draw(st.integers(0, 7)):
        case 0:
            return plan
        case 1:
            return Distinct(plan)
        case 2:
            return draw(groups(plan))
        case 3:
            return Filter(draw(conditions()), plan)
        case 4:
            return Join(plan, draw(leaves()))
        case 5:
            return LeftJoin(draw(leaves()), plan, draw(conditions()))
        case 6:
            return Union(plan, draw(leaves()))
    return draw(plans())


@st.composite
def several(draw: st.DrawFn) -> list[tuple[Operator, Report]]:
    plan = draw(plans() | every_plan())
    when = st.sampled_from([draw(reports() | st.just(Intervals())), Intervals()])
    return draw(st.lists(st.tuples(tops(plan), when), min_size=2, max_size=4))


@given(several(), deliveries(8), BUCKETS, st.randoms(use_true_random=False))
def test_each_is_told_what_it_would_be_told_alone(
    drawn: list[tuple[Operator, Report]], delivery: Delivery, buckets: int, choices: Random
) -> None:
    queries = [
        Prepared(plan, plan, report, sources=delivery.sources, name=f"query {number}")
        for number, (plan, report) in enumerate(drawn)
    ]
    streams = sorted({stream for query in queries for stream in query.streams})
    told = with_truths(moments(delivery), streams, choices)
    local = together_on_local(queries, told, buckets)
    spark = together_on_harness(queries, told, buckets, choices.random())
    for query in queries:
        want, name = judge(query, told), query.name or ""
        assert difference(want, local[name]) is None
        assert difference(want, spark[name]) is None


# ---- by hand ---------------------------------------------------------------------------------

PAIRS = "SELECT * FROM STREAM <wind> WINDOW RANGE 10 S FIXED { ?t <p> ?v . ?t <q> ?w }"
TOPS = {"pairs": PAIRS, "unequal": PAIRS.replace("?w }", "?w FILTER (?v != ?w) }")}
ROWS = [("<T1>", "<p>", '"1"', 1), ("<T1>", "<q>", '"1"', 2), ("<T1>", "<q>", '"2"', 3)]


def counts(engine: Engine) -> dict[str, int]:
    return {name: len(query.take()) for name, query in engine.queries.items()}


def joined(query: Query) -> int:
    """How many elements its join has taken."""
    return sum(each.rows_in for each in query.profile() if "Join" in each.name)


def test_a_query_that_stops_does_not_stop_those_that_share_with_it() -> None:
    for stopped in TOPS:
        engine = Engine()
        engine.register_all(TOPS)
        engine.push(WIND, ROWS[:2])
        assert counts(engine) == {"pairs": 1, "unequal": 0}
        engine.stop(stopped)
        engine.push(WIND, ROWS[2:])
        (left,) = engine.queries.values()
        assert len(left.take()) == 1
        assert joined(left) == 3


def test_a_query_that_is_registered_later_starts_its_own() -> None:
    engine = Engine()
    engine.register_all(TOPS)
    engine.push(WIND, ROWS[:2])
    later = engine.register(PAIRS, name="later")
    engine.push(WIND, ROWS[2:])
    assert counts(engine) == {"pairs": 2, "unequal": 1, "later": 0}
    assert joined(later) == 1


def test_late_elements_are_told_to_all_who_share() -> None:
    engine = Engine()
    engine.register_all(TOPS)
    engine.push(WIND, [("<T1>", "<p>", '"1"', 20_000)])
    engine.push(WIND, ROWS[:1])
    assert [len(query.late) for query in engine.queries.values()] == [1, 1]

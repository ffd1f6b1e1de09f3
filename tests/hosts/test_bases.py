"""Static data beside streams: probed, told of, and never state."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    AntiJoin,
    Construct,
    Distinct,
    Expression,
    Extend,
    Filter,
    GraphAccess,
    Intervals,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Operator,
    Periodic,
    Project,
    Report,
    SemiJoin,
    Template,
    Union,
    first_difference,
)
from askos.interval import FOREVER
from askos.local import Engine
from askos.physical import build
from askos.physical.plan import Based, Table, TableFeed
from askos.prepared import Prepared
from askos.sources import Catalogue
from askos.terms import Variable
from tests.build import EX, G1, S1, W, X, Y, Z, call, pattern, stream, triple
from tests.hosts.cases import sliding
from tests.hosts.harness import Harness
from tests.hosts.moments import judge, moments, on_harness, on_local, with_truths
from tests.hosts.strategies import Delivery, conditions, deliveries, leaves, shapes
from tests.hosts.strategies import plans as streaming
from tests.hosts.texts import reports
from tests.hosts.three import as_it_is, difference, run_reference

STATIC = pattern(X, "r", W, GraphAccess(G1))
COMING = pattern(X, "p", Y, sliding())


@st.composite
def sides(draw: st.DrawFn) -> Operator:
    """A stream, a static graph, or both merged, as bags or as a set."""
    static, coming = draw(shapes(GraphAccess(G1))), draw(leaves())
    match draw(st.integers(0, 4)):
        case 0:
            return coming
        case 1:
            return static
        case 2:
            return Union(coming, static)
        case 3:
            return Distinct(Union(coming, static))
    return draw(streaming(2))


@st.composite
def _larger(draw: st.DrawFn, inner: st.SearchStrategy[Operator]) -> Operator:
    left, right = draw(inner), draw(inner)
    condition: Expression = draw(conditions())
    columns = sorted(left.variables)
    match draw(st.integers(0, 9)):
        case 0 | 1:
            return Join(left, right)
        case 2:
            return LeftJoin(left, right, condition)
        case 3:
            return SemiJoin(left, right, condition)
        case 4:
            return AntiJoin(left, right, condition)
        case 5:
            return MarkJoin(left, right, condition, variable=Variable("m"))
        case 6:
            return Minus(left, right)
        case 7:
            return Distinct(Union(left, right))
        case 8 if columns:
            return Project(tuple(draw(st.lists(st.sampled_from(columns), unique=True))), left)
    return Filter(condition, left)


@st.composite
def plans(draw: st.DrawFn) -> Operator:
    plan = draw(st.recursive(sides(), _larger, max_leaves=4))
    if X in plan.variables and draw(st.integers(0, 5)) == 0:
        return Construct((Template(X, EX.q, X),), plan, "q/1")
    return plan


@given(
    plans(),
    st.one_of(st.just(Intervals()), reports()),
    deliveries(8),
    st.sampled_from([1, 2, 5]),
    st.randoms(use_true_random=False),
)
def test_hosts_say_what_the_reference_does(
    plan: Operator, report: Report, delivery: Delivery, buckets: int, choices: Random
) -> None:
    query = Prepared(plan, plan, report, sources=delivery.sources)
    told = with_truths(moments(delivery), query.streams, choices)
    want = judge(query, told)
    assert difference(want, on_local(query, told, buckets)) is None
    seed = choices.random()
    assert difference(want, on_harness(query, told, buckets, seed, faults=True)) is None


NOW = call("*", 1000, call("SECONDS", call("NOW")))
BY_TIME = {"left": LeftJoin, "semi": SemiJoin, "anti": AntiJoin, "minus": Minus, "union": Union}


@given(
    sides(),
    shapes(GraphAccess(G1)),
    st.sampled_from([*BY_TIME.values(), Join]),
    st.booleans(),
    reports().filter(lambda report: isinstance(report, Periodic)),
    deliveries(8),
    st.sampled_from([1, 2, 5]),
)
def test_static_data_that_is_asked_for_the_time_is_not_static(
    side: Operator,
    pattern: Operator,
    kind: Callable[[Operator, Operator], Operator],
    swapped: bool,
    report: Report,
    delivery: Delivery,
    buckets: int,
) -> None:
    """FILTER(?until > NOW()) over a graph says another thing at every report."""
    asked = Extend(Variable("now"), NOW, Filter(call("<", NOW, 14), pattern))
    plan = kind(asked, side) if swapped else kind(side, asked)
    query = Prepared(plan, plan, report, sources=delivery.sources)
    told = moments(delivery)
    want = judge(query, told)
    assert difference(want, on_local(query, told, buckets)) is None
    assert difference(want, on_harness(query, told, buckets, faults=True)) is None


# ---- no state --------------------------------------------------------------------------------

MANY = [triple(f"t{number}", "r", number) for number in range(1_000)]
PROBED = {
    "join": Join(COMING, STATIC),
    "left join": LeftJoin(COMING, STATIC),
    "semi-join": SemiJoin(COMING, STATIC),
    "anti-join": AntiJoin(COMING, STATIC),
    "mark join": MarkJoin(COMING, STATIC, variable=Z),
    "minus": Minus(COMING, STATIC),
    "an engine graph": Distinct(pattern(X, "r", W, Union(sliding(), GraphAccess(G1)))),
    "a join with an engine graph": Join(
        COMING, Distinct(pattern(X, "r", W, Union(sliding(), GraphAccess(G1))))
    ),
    "who is silent": AntiJoin(STATIC, COMING),
}


@pytest.mark.parametrize("plan", PROBED.values(), ids=PROBED)
def test_a_bucket_stores_what_came_and_nothing_static(plan: Operator) -> None:
    known = Catalogue().stream(S1).graph(G1, MANY)
    rows = stream(("t1", "p", 1, 3), ("t7", "p", 2, 4), ("t7", "r", 7, 5), ("u", "r", 7, 5))
    run = Harness(as_it_is(plan, known), Random(1), buckets=2, lateness=0)
    for row in rows:
        run.push({S1: [row]})
        run.restart()
    assert sum(len(batch) for batch in run.stored) <= len(rows)
    run.end()
    delivery = Delivery(((S1, tuple(rows)),), tuple(MANY))
    assert first_difference(run_reference(plan, delivery), run.answers) is None


def test_a_join_with_a_table_needs_no_exchange() -> None:
    plan = build(Join(Join(COMING, STATIC), pattern(Y, "q", Z, sliding())))
    assert [stage.key for stage in plan.stages] == [(Y,)]
    assert plan.tables == (Table(STATIC, (X,)),)
    assert not plan.stages[0].tables


def test_what_two_sides_have_always_is_evaluated_once() -> None:
    """(S ∪ G) ⋈ (S′ ∪ G′): the part G ⋈ G′ is a table of its own."""
    left = Union(COMING, pattern(X, "p", Y, GraphAccess(G1)))
    right = Union(pattern(X, "q", Z, sliding()), pattern(X, "q", Z, GraphAccess(G1)))
    plan = build(Join(left, right))
    assert [table.key for table in plan.tables] == [(X,), (X,), ()]
    (entering,) = plan.stages[0].tables
    assert isinstance(plan.tables[entering.table].plan, Join)


def test_the_preserved_side_is_told_of_by_shares() -> None:
    (stage,) = build(AntiJoin(STATIC, COMING)).stages
    (base,) = (node for node in stage.plan.walk() if isinstance(node, Based))
    assert base.share
    assert stage.key == (X,)


def test_an_operator_that_cannot_probe_takes_the_rows_as_elements() -> None:
    plan = build(Distinct(Union(COMING, pattern(X, "p", Y, GraphAccess(G1)))))
    assert [feed.table for feed in plan.stages[0].tables] == [1]
    assert isinstance(plan.stages[0].tables[0], TableFeed)


def test_static_answers_hold_for_ever() -> None:
    engine = Engine(sources=Catalogue().stream(S1).graph(G1, MANY[:2]))
    query = engine.register(Union(STATIC, COMING))
    engine.close()
    assert {(e.interval.start, e.interval.end) for e in query.take()} == {(0, FOREVER)}

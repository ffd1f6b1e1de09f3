"""Rules change plans, never what they mean."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from askos.algebra import (
    Bound,
    Call,
    Clock,
    Constant,
    Join,
    Kind,
    Node,
    OnChange,
    Operator,
    Pattern,
    Periodic,
    Project,
    Stamped,
    first_difference,
    from_json,
    to_json,
)
from askos.algebra.reference import Streams, reports, sequence
from askos.explaining import explain
from askos.physical import build
from askos.sources import Catalogue
from askos.terms import XSD, Literal, Term, URIRef
from askos.translate import create_plan, optimize
from askos.translate.exchanges import exchanges
from askos.translate.rules import RULES, WHOLE, Rule
from askos.translate.rules.drop_unmatched_sources import drop_unmatched_sources
from tests.build import EX, G1, S1, S2, X, Y, Z, pattern
from tests.hosts.strategies import Delivery, deliveries, time_windows
from tests.hosts.strategies import plans as hosted_plans
from tests.hosts.three import run_local, run_reference
from tests.plans import PLANS
from tests.strategies import data, instants, plans
from tests.translate.shapes import SHAPES, placed

# S1 carries one predicate, and the data of tests that use it is cut to that.
DECLARED = Catalogue().stream(S1, [EX.p]).stream(S2).graph(G1, predicates=[EX.q, EX.r])

EXAMPLES = settings.default.max_examples  # type: ignore[union-attr]


def applied(rule: Rule, plan: Operator) -> Operator:
    """`plan` after `rule`, everywhere."""
    if rule is drop_unmatched_sources:
        return plan.transform(partial(drop_unmatched_sources, sources=DECLARED))
    return rule(plan) if rule in WHOLE else plan.transform(rule)


def as_declared(streams: Streams) -> Streams:
    """What of the data keeps the promises of DECLARED."""

    def kept(source: URIRef, row: Any) -> bool:
        known = DECLARED.get(source)
        triple = row.triple if isinstance(row, Stamped) else row
        return known is None or known.predicates is None or triple.predicate in known.predicates

    return {source: [row for row in rows if kept(source, row)] for source, rows in streams.items()}


def name(rule: Rule) -> str:
    return rule.__name__


def check_meaning(old: Operator, new: Operator, streams: Streams, t: int) -> None:
    """The same solutions as often, and in the same order where there is one."""
    assert sequence(new, streams, t) == sequence(old, streams, t), (
        f"{explain(old)}\nbecame\n{explain(new)}"
    )


def hows() -> st.SearchStrategy[Periodic | OnChange]:
    """Reports with few instants."""
    periods = st.lists(st.integers(9, 19), min_size=1, max_size=2).map(tuple)
    periodic = st.builds(Periodic, st.sampled_from(Kind), periods, st.integers(0, 3))
    return st.one_of(periodic, periodic, st.builds(OnChange, st.sampled_from(Kind)))


def timed(plan: Operator) -> Operator:
    """The plan with NOW() where it asks whether something is bound."""
    moment = Constant(Literal("1970-01-01T00:00:00.015Z", datatype=XSD.dateTime))
    later = Call("<", (moment, Call("NOW", ())))
    new = plan.rewrite(Node, lambda node: later if isinstance(node, Bound) else node)
    assert isinstance(new, Operator)
    return new


def check_reports(old: Operator, new: Operator, streams: Streams, how: Periodic | OnChange) -> None:
    """The same reports, at the same instants: the clock is that of the plan before."""
    assert reports(new, streams, how, clock=Clock.of(old)) == reports(old, streams, how), (
        f"{explain(old)}\nbecame\n{explain(new)}"
    )


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_a_rule_changes_plans_and_not_their_meaning(rule: Rule) -> None:
    fired = 0

    # Plans on which the rule does not fire say nothing of its law: they are drawn again.
    @given(placed(SHAPES[name(rule)]), data(), instants(), hows())
    @settings(suppress_health_check=list(HealthCheck))
    def check(plan: Operator, streams: Streams, t: int, how: Periodic | OnChange) -> None:
        nonlocal fired
        plan = timed(plan) if isinstance(how, Periodic) else plan
        new = applied(rule, plan)
        assume(new is not plan)
        fired += 1
        given = as_declared(streams) if rule is drop_unmatched_sources else streams
        check_meaning(plan, new, given, t)
        check_reports(plan, new, given, how)

    check()
    # A law that is never put to the test is not tested.
    assert fired >= EXAMPLES / 2, f"{name(rule)} fired on {fired} plans only"


@given(
    st.sampled_from(sorted(SHAPES)).flatmap(lambda rule: placed(SHAPES[rule])),
    data(),
    instants(),
    hows(),
)
@settings(max_examples=3 * EXAMPLES)
def test_optimize_keeps_the_meaning(
    plan: Operator, streams: Streams, t: int, how: Periodic | OnChange
) -> None:
    plan = timed(plan) if isinstance(how, Periodic) else plan
    best = optimize(plan)
    check_meaning(plan, best, streams, t)
    check_reports(plan, best, streams, how)


@given(plans(), data(), instants(), hows())
def test_optimize_keeps_the_meaning_of_any_plan(
    plan: Operator, streams: Streams, t: int, how: Periodic | OnChange
) -> None:
    best = optimize(plan)
    check_meaning(plan, best, streams, t)
    check_reports(plan, best, streams, how)


@given(plans(), data(), instants(), hows())
def test_what_sources_declare_keeps_the_meaning(
    plan: Operator, streams: Streams, t: int, how: Periodic | OnChange
) -> None:
    best = optimize(plan, sources=DECLARED)
    check_meaning(plan, best, as_declared(streams), t)
    check_reports(plan, best, as_declared(streams), how)
    assert optimize(best, sources=DECLARED) == best


@given(plans())
def test_optimised_plans_are_plans(plan: Operator) -> None:
    best = optimize(plan)
    assert from_json(to_json(best)) == best
    assert best.payload is plan.payload
    assert best.variables <= plan.variables


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_every_kind_of_plan_can_be_optimised(plan: Operator) -> None:
    assert optimize(optimize(plan)) == optimize(plan)


# ---- hosts ----------------------------------------------------------------------------------


# A window that counts has one bucket, in whatever order joins are: no rule looks at its exchange.


@given(hosted_plans(5, time_windows))
def test_an_optimised_plan_is_no_harder_to_build(plan: Operator) -> None:
    best = optimize(plan)
    before, after = build(plan), build(best)
    assert len(after.stages) <= len(before.stages), explain(best)
    if isinstance(plan, Project):
        assert after.columns == before.columns


@given(hosted_plans(5, time_windows))
def test_exchanges_are_counted_as_they_are_built(plan: Operator) -> None:
    assert exchanges(plan) == len(build(plan).stages) - 1


@given(hosted_plans(), deliveries(), st.sampled_from([1, 3]))
def test_the_local_driver_gives_the_answers_of_the_canonical_plan(
    plan: Operator, delivery: Delivery, buckets: int
) -> None:
    want = run_reference(plan, delivery)
    assert first_difference(want, run_local(optimize(plan), delivery, buckets)) is None


# ---- statistics -----------------------------------------------------------------------------


class Counted:
    """Statistics that know one predicate."""

    def __init__(self, rare: URIRef) -> None:
        self.rare = rare

    def count(
        self, source: URIRef, subject: Term | None, predicate: Term | None, object: Term | None
    ) -> float | None:
        return 1 if predicate == self.rare else None


def order(plan: Operator) -> list[str]:
    nodes = (node for node in plan.walk() if isinstance(node, Pattern))
    return [str(node.predicate).removeprefix(str(EX)) for node in nodes]


THREE = Join(Join(pattern(X, "p", Y), pattern(X, "q", Z)), pattern(X, "r", "a"))


def test_joins_start_with_what_has_the_most_constants() -> None:
    assert order(optimize(THREE)) == ["r", "p", "q"]


def test_statistics_go_before_guesses() -> None:
    assert order(optimize(THREE, statistics=Counted(EX.q))) == ["q", "r", "p"]


# ---- limits ---------------------------------------------------------------------------------


def test_thirty_patterns_are_done_at_once() -> None:
    triples = " . ".join(f"?v{i} <http://e/p{i}> ?v{i + 1}" for i in range(30))
    filters = "FILTER(?v1 > 3 && ?v2 < ?v9 && ?v29 = 5) FILTER EXISTS { ?v0 <http://e/q> ?z }"
    stream = "FROM STREAM <http://e/s> WINDOW RANGE 9 SLIDE"
    done = optimize(create_plan(f"SELECT ?v0 {stream} {{ {triples} {filters} }}"))
    assert optimize(done) == done

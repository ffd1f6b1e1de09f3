"""With reasoning, a query answers as it would over the closure of every snapshot."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askos.algebra import Clock
from askos.algebra.reference import change_instants, entailed, evaluate
from askos.prepared import Prepared, prepare
from askos.static import StaticGraph, rdfs
from askos.terms import Triple
from askos.translate import create_plan
from tests.hosts.harness import run_harness
from tests.hosts.strategies import Delivery
from tests.hosts.three import difference, run_local, run_reference
from tests.reasoning.closing import fixpoint, over_closure
from tests.reasoning.strategies import deliveries, known, schemas, texts, triples

BUCKETS = st.sampled_from([1, 2, 5])
EXAMPLES = settings.default.max_examples  # type: ignore[union-attr]
COPIES = st.dictionaries(triples(), st.integers(1, 3), max_size=5).map(Counter)


@given(COPIES, schemas())
def test_the_closure_of_a_snapshot_obeys_the_rules(
    bag: Counter[Triple], schema: list[Triple]
) -> None:
    closed = entailed(bag, schema)
    assert closed.keys() == fixpoint(bag, schema)
    assert all(closed[triple] >= copies for triple, copies in bag.items())


@given(st.lists(triples()), schemas())
def test_a_graph_with_its_own_schema_entails_what_select_says(
    facts: list[Triple], schema: list[Triple]
) -> None:
    graph = {*facts, *schema}
    assert entailed(Counter(graph), graph).keys() == {*rdfs(StaticGraph(graph))}


@given(texts(), deliveries(odd=True))
def test_a_query_sees_the_closure_of_every_snapshot(text: str, delivery: Delivery) -> None:
    plain = create_plan(text, sources=known(delivery))
    plan = create_plan(text, sources=known(delivery), reasoning="rdfs")
    assert Clock.of(plan) == Clock.of(plain)
    for at in change_instants(plain, delivery.data):
        want = over_closure(plain, delivery.data, delivery.graph, at)
        assert evaluate(plan, delivery.data, at) == want


def asked(text: str, delivery: Delivery) -> Prepared:
    return prepare(text, sources=known(delivery), reasoning="rdfs", report="intervals")


@given(texts(), deliveries(most=4), BUCKETS)
def test_the_local_host_answers_as_the_reference_does(
    text: str, delivery: Delivery, buckets: int
) -> None:
    query = asked(text, delivery)
    want = run_reference(query, delivery)
    assert difference(want, run_local(query, delivery, buckets)) is None


@pytest.mark.thorough
@given(texts(), deliveries(most=4), BUCKETS, st.randoms(use_true_random=False))
@settings(max_examples=max(EXAMPLES // 3, 1))
def test_the_harness_answers_as_the_reference_does(
    text: str, delivery: Delivery, buckets: int, choices: Random
) -> None:
    query = asked(text, delivery)
    want = run_reference(query, delivery)
    assert difference(want, run_harness(query, delivery, buckets, choices)) is None

"""The law: the fast evaluation is the reference evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askos.algebra import Ask, Distinct, Exists, Filter, Not, Operator, OrderBy, Project, SortKey
from askos.algebra.reference import evaluate as meaning
from askos.algebra.reference.evaluate import sequence
from askos.columns import keys
from askos.static import Outcome, StaticGraph, Terms, evaluate, joins, leaves
from askos.terms import Triple, URIRef
from tests.build import X, Y, Z
from tests.static.strategies import chains, graphs, layered_plans, static_plans, still, triple_plans
from tests.strategies import expressions

MORE = settings(max_examples=4 * settings().max_examples)
Data = Mapping[URIRef, Sequence[Triple]]


def indexed(data: Data, *, shared: bool = True) -> dict[URIRef, StaticGraph]:
    terms = Terms() if shared else None
    return {iri: StaticGraph(triples, terms) for iri, triples in data.items()}


def check(plan: Operator, data: Data, *, shared: bool = True) -> None:
    answer = evaluate(plan, indexed(data, shared=shared))
    assert counted(answer) == meaning(plan, data, 0)


def counted(answer: Outcome) -> Counter[object]:
    return Counter([answer] if isinstance(answer, bool) else answer)


@MORE
@given(static_plans(), graphs())
def test_solutions_are_those_of_the_reference(plan: Operator, data: Data) -> None:
    check(plan, data)


@MORE
@given(chains(), graphs())
def test_long_joins_in_any_order_are_those_of_the_reference(plan: Operator, data: Data) -> None:
    check(plan, data)


@MORE
@given(static_plans(3), static_plans(4), graphs())
def test_exists_sees_the_bindings_outside(plan: Operator, inner: Operator, data: Data) -> None:
    check(Filter(Exists(inner), plan), data)


@given(static_plans(2), static_plans(2), static_plans(2), graphs())
def test_exists_in_exists(a: Operator, b: Operator, c: Operator, data: Data) -> None:
    check(Filter(Exists(Filter(Not(Exists(c)), b)), a), data)


@given(static_plans(), graphs())
def test_graphs_with_dictionaries_of_their_own_are_joined(plan: Operator, data: Data) -> None:
    check(plan, data, shared=False)


@given(chains(), graphs())
def test_rows_that_do_not_fit_into_a_number_are_joined(plan: Operator, data: Data) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "BITS", 1)
        check(plan, data)


@given(static_plans(), graphs(), st.integers(1, 2))
def test_where_one_solution_is_enough_blocks_of_any_size_find_it(
    plan: Operator, data: Data, size: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module in (leaves, joins):
            patch.setattr(module, "BLOCK", size)
        check(Ask(plan), data)
        check(Filter(Exists(plan), plan), data)


@given(triple_plans(), graphs())
def test_triples_are_those_of_the_reference(plan: Operator, data: Data) -> None:
    check(plan, data)


@given(layered_plans(), graphs())
def test_patterns_and_paths_read_any_triples(plan: Operator, data: Data) -> None:
    check(plan, data)


@given(static_plans(), graphs())
def test_ask_says_whether_there_is_a_solution(plan: Operator, data: Data) -> None:
    check(Ask(plan), data)


@given(static_plans(4), expressions(), st.booleans(), st.booleans(), graphs())
def test_ordered_solutions_come_in_the_order_of_the_reference(
    plan: Operator, key: object, descending: bool, once: bool, data: Data
) -> None:
    ranked = OrderBy((SortKey(key, descending),), plan)  # type: ignore[arg-type]
    chosen = Project((X, Y, Z), still(ranked))
    ordered = Distinct(chosen) if once else chosen
    assert evaluate(ordered, indexed(data)) == list(sequence(ordered, data, 0))

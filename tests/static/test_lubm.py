"""LUBM(1, 0): 100,543 triples, 14 queries, and answers that nobody here computed."""

from __future__ import annotations

from functools import cache

import pytest

from askos.static import StaticGraph, Terms, evaluate, merge, rdfs
from askos.terms import Solution, Variable
from tests.static import lubm
from tests.suites import suite

PLAIN = ["q01", "q02", "q03", "q14"]
BY_RDFS = [*PLAIN, "q04", "q05"]
BEYOND_RDFS = {
    "q06": "a GraduateStudent takes a course, so is a Student: intersectionOf, someValuesFrom",
    "q07": "asks for Student, as q06",
    "q08": "asks for Student, as q06",
    "q09": "asks for Student, as q06",
    "q10": "asks for Student, as q06",
    "q11": "subOrganizationOf is a TransitiveProperty",
    "q12": "the head of a Department is a Chair: intersectionOf, someValuesFrom",
    "q13": "hasAlumnus is inverseOf degreeFrom",
}


@cache
def raw() -> StaticGraph:
    return lubm.data(suite("lubm"), Terms())


@cache
def entailed() -> StaticGraph:
    terms = raw().terms
    assert isinstance(terms, Terms)
    return rdfs(merge(raw(), lubm.ontology(suite("lubm"), terms)))


@cache
def materialised() -> StaticGraph:
    terms = raw().terms
    assert isinstance(terms, Terms)
    return merge(raw(), lubm.inferred(suite("lubm"), terms))


def found(query: str, graph: StaticGraph) -> list[tuple[str, ...]]:
    columns = [Variable(name) for name in lubm.QUERIES[query][0].split()]
    solutions = evaluate(lubm.plan(query), {lubm.GRAPH: graph})
    assert isinstance(solutions, list)
    return sorted(
        tuple(str(solution[column]) for column in columns)
        for solution in solutions
        if isinstance(solution, Solution)
    )


def test_the_data_are_complete() -> None:
    assert len(raw()) == 100_543


@pytest.mark.parametrize("query", PLAIN)
def test_queries_without_inference_equal_the_reference_answers(query: str) -> None:
    assert found(query, raw()) == lubm.answers(suite("lubm"), query)


@pytest.mark.parametrize("query", BY_RDFS)
def test_queries_that_rdfs_suffices_for_equal_the_reference_answers(query: str) -> None:
    assert found(query, entailed()) == lubm.answers(suite("lubm"), query)


@pytest.mark.parametrize("query", BEYOND_RDFS)
def test_the_other_queries_miss_answers_but_invent_none(query: str) -> None:
    assert set(found(query, entailed())) < set(lubm.answers(suite("lubm"), query))


@pytest.mark.parametrize("query", lubm.QUERIES)
def test_over_materialised_data_every_query_equals_the_reference_answers(query: str) -> None:
    assert found(query, materialised()) == lubm.answers(suite("lubm"), query)

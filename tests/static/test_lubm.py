"""LUBM(1, 0): 100,543 triples, 14 queries, and answers that nobody here computed."""

from __future__ import annotations

from functools import cache

import pytest

from askos.static import Solutions, StaticGraph, Terms, merge, rdfs, select
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


def found(query: str, graph: StaticGraph) -> tuple[list[str], list[tuple[str, ...]]]:
    answers = select(lubm.text(suite("lubm"), query), graph=graph)
    assert isinstance(answers, Solutions)
    rows = sorted(tuple(str(row[v]) for v in answers.variables) for row in answers)
    return [str(v) for v in answers.variables], rows


def test_the_data_are_complete() -> None:
    assert len(raw()) == 100_543


@pytest.mark.parametrize("query", PLAIN)
def test_queries_without_inference_equal_the_reference_answers(query: str) -> None:
    columns, rows = found(query, raw())
    assert rows == lubm.answers(suite("lubm"), query, columns)


@pytest.mark.parametrize("query", BY_RDFS)
def test_queries_that_rdfs_suffices_for_equal_the_reference_answers(query: str) -> None:
    columns, rows = found(query, entailed())
    assert rows == lubm.answers(suite("lubm"), query, columns)


@pytest.mark.parametrize("query", BEYOND_RDFS)
def test_the_other_queries_miss_answers_but_invent_none(query: str) -> None:
    columns, rows = found(query, entailed())
    assert set(rows) < set(lubm.answers(suite("lubm"), query, columns))


@pytest.mark.parametrize("query", lubm.QUERIES)
def test_over_materialised_data_every_query_equals_the_reference_answers(query: str) -> None:
    columns, rows = found(query, materialised())
    assert rows == lubm.answers(suite("lubm"), query, columns)


def test_reasoning_on_request_is_the_closure_of_the_merged_graphs() -> None:
    folder = suite("lubm")
    parts = [raw(), lubm.ontology(folder, Terms())]
    answers = select(lubm.text(folder, "q05"), graph=parts, reasoning="rdfs")
    assert isinstance(answers, Solutions)
    assert len(answers) == len(lubm.answers(folder, "q05", ["X"]))

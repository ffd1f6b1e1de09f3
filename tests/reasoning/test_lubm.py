"""LUBM as a stream: the queries that need its ontology, against the answers of the suite."""

from __future__ import annotations

from functools import cache

import pytest

from askos import local
from askos.algebra import Answer, Stamped
from askos.sources import Catalogue
from askos.static import StaticGraph, Terms
from askos.terms import Solution, URIRef
from tests.static import lubm
from tests.suites import suite

STREAM = URIRef("http://example.org/lubm")
DEPARTMENT = "http://www.Department0.University0.edu"


@cache
def department() -> tuple[list[Stamped], StaticGraph]:
    """What the data says of one department, and the ontology."""
    folder, terms = suite("lubm"), Terms()
    about = [t for t in lubm.data(folder, terms) if str(t.subject).startswith(DEPARTMENT)]
    rows = [Stamped(triple, at) for at, triple in enumerate(about)]
    return rows, lubm.ontology(folder, terms)


@pytest.mark.parametrize("query", ["q04", "q05"])
def test_a_stream_of_lubm_with_its_ontology_gives_the_answers_of_the_suite(query: str) -> None:
    """Both ask for one department alone: of professors, of whom nothing says so, and of persons
    that are members by what they work for."""
    rows, ontology = department()
    known = Catalogue().stream(STREAM).graph(f"{STREAM}/ontology", ontology, schema=True)
    folder = suite("lubm")
    where = f"FROM STREAM <{STREAM}> [RANGE 1h STEP 1h] WHERE"
    text = lubm.text(folder, query).replace("WHERE", where, 1)
    (answer,) = local.run(
        text, {STREAM: rows}, sources=known, buckets=2, reasoning="rdfs", nonempty=True
    )
    assert isinstance(answer, Answer)
    solutions = [row for row in answer.rows if isinstance(row, Solution)]
    columns = sorted({str(v) for row in solutions for v in row})
    found = sorted(tuple(str(row[v]) for v in sorted(row)) for row in solutions)
    assert found == lubm.answers(folder, query, columns)

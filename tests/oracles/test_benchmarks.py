"""LSBench and SRBench: their queries over triples of their vocabulary, on every host."""

from __future__ import annotations

from typing import Any

import pytest

from askos.algebra import Answer, Stamped
from askos.prepared import Prepared, prepare
from askos.terms import URIRef
from askos.translate import create_plan, parse
from tests.hosts.three import difference
from tests.oracles.hosts import Answers, Deliveries, harness, local, reference
from tests.oracles.vocabulary import catalogue, world
from tests.sampling import every
from tests.translate.test_corpora import EXCEPTIONS, identity, streams
from tests.translate.test_plan_corpora import REFUSED

BASE = "http://data.example/"
ROWS = [
    row
    for row in streams()
    if row["suite"] in ("lsbench", "srbench") and row["id"] not in {*EXCEPTIONS, *REFUSED}
]
SILENT = {"lsbench/sparql/sib-query2"}  # compares casts to dates


SEEDS = 6


def asked(row: dict[str, Any], seed: int) -> tuple[Prepared, Deliveries]:
    """The query, and the data that its patterns make."""
    text = row["path"].read_text(encoding="utf-8")
    arrivals, graphs = world(create_plan(parse(text, base=BASE)), seed)
    given: list[tuple[URIRef, list[Stamped]]] = []
    for name, rows in arrivals.items():
        ordered = sorted(rows, key=lambda one: one.at)
        half = len(ordered) // 2
        given += [(name, part) for part in (ordered[:half], ordered[half:]) if part]
    return prepare(text, sources=catalogue(arrivals, graphs), base=BASE), given


def says_something(answers: Answers) -> bool:
    return any(a.rows if isinstance(a, Answer) else True for a in answers)


@pytest.mark.parametrize("row", every(4, ROWS), ids=identity)
def test_hosts_say_what_the_reference_says(row: dict[str, Any]) -> None:
    """Over the first of some worlds in which there is something to say."""
    for seed in range(SEEDS):
        query, given = asked(row, seed)
        want = reference(query, given)
        if says_something(want):
            break
    assert says_something(want) is (row["id"] not in SILENT)
    assert difference(want, local(query, given, 2)) is None
    assert difference(want, harness(query, given, 2, None)) is None

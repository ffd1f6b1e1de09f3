"""Canonical plans, golden: one file per subject, and one per paper.

A change of what `create_plan` makes shows here as a difference of plans.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from askos.algebra.serialize import from_json, to_json
from askos.errors import AskosError, QueryError, UnsupportedError
from askos.explaining import explain
from askos.sources import Catalogue
from askos.translate import create_plan, parse
from tests.build import EX
from tests.golden import Case, golden, update

QUERIES = Path(__file__).parent.parent / "queries"
PREFIX = f"PREFIX : <{EX}>\n"

KNOWN = (
    Catalogue()
    .stream(EX.s1, [EX.p])
    .stream(EX.s2, [EX.q, EX.p2])
    .stream(EX.scada)
    .graph(EX.g1, predicates=[EX.r, EX.t])
    .graph(EX.g2)
)

CITY, TRAFFIC = "http://linkedurbandata.org/city#", "http://linkedurbandata.org/traffic#"
STATIC = ["placedIn", "contains", "hasCapacity", "placedAt", "crossing", "monitors"]
BROKERS = "http://brokerscentral.org/accounts#"
# The paper spells its namespace in two ways.
EXCHANGE = [
    f"http://{host}/exchanges#{name}"
    for host in ("stockexchange.org", "stockexchanges.org")
    for name in ("does", "with", "seller")
]
CATALOGUES = {
    "streaming-sparql": None,
    "csparql-2009": None,
    # Section 2 has cameras and tollgates in streams, and the city in a graph.
    "csparql-2010": Catalogue()
    .stream("http://streams.org/citytollgates.trdf", [TRAFFIC + "registers"])
    .stream("http://streams.org/citycameras.trdf", [TRAFFIC + "registers"])
    .stream("http://stockexchange.org/market.trdf", EXCHANGE)
    .graph("http://brokerscentral.org/brokers.rdf", predicates=[BROKERS + "is_from"])
    .graph("http://linkedurbandata.org/city.rdf", predicates=[CITY + name for name in STATIC]),
    # Section 4.1: RFID readings, the plan of a floor, and DBLP.
    "cqels": Catalogue()
    .stream("http://deri.org/streams/rfid")
    .graph("http://deri.org/floorplan/")
    .graph("http://dblp.l3s.de/"),
    "groppe": None,
}
SUBJECTS = ["patterns", "solutions", "streams"]


def check(name: str, case: Case, text: str, config: pytest.Config) -> None:
    if config.getoption("--update-golden"):
        update(name, case, text)
        return
    assert text == case.plan


def plan_text(text: str, sources: Catalogue | None) -> str:
    query = parse(PREFIX + text)
    plan = create_plan(query, sources=sources)
    assert from_json(to_json(plan)) == plan
    return explain(plan, query.prefixes)


CASES = [(f"canonical/{s}", case) for s in SUBJECTS for case in golden(f"canonical/{s}")]


@pytest.mark.parametrize(("name", "case"), CASES, ids=str)
def test_a_query_has_its_canonical_plan(name: str, case: Case, pytestconfig: pytest.Config) -> None:
    check(name, case, plan_text(case.input, None), pytestconfig)


@pytest.mark.parametrize("case", golden("canonical/catalogue"), ids=str)
def test_a_catalogue_says_what_is_read(case: Case, pytestconfig: pytest.Config) -> None:
    check("canonical/catalogue", case, plan_text(case.input, KNOWN), pytestconfig)


@pytest.mark.parametrize("case", golden("canonical/errors"), ids=str)
def test_a_contradiction_is_told_with_its_position(case: Case, pytestconfig: pytest.Config) -> None:
    with pytest.raises((QueryError, UnsupportedError)) as caught:
        create_plan(PREFIX + case.input, sources=KNOWN)
    error: AskosError = caught.value
    assert error.line == 2
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    check("canonical/errors", case, str(error), pytestconfig)


PAPERS = [(f"canonical/{p}", c) for p in CATALOGUES for c in golden(f"canonical/{p}")]


@pytest.mark.parametrize(("name", "case"), PAPERS, ids=str)
def test_the_queries_of_the_papers(name: str, case: Case, pytestconfig: pytest.Config) -> None:
    paper = name.removeprefix("canonical/")
    text = (QUERIES / paper / case.input).read_text(encoding="utf-8")
    query = parse(text)
    plan = create_plan(query, sources=CATALOGUES[paper])
    check(name, case, explain(plan, query.prefixes), pytestconfig)


def test_every_query_of_the_papers_has_a_golden_plan() -> None:
    files = {f"canonical/{f.parent.name}/{f.name}" for f in QUERIES.glob("*/*.rq")}
    assert {f"{name}/{case.input}" for name, case in PAPERS} == files

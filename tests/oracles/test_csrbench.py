"""CSRBench: from the text of its C-SPARQL queries to the windows its oracle computed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import rdflib

from askos.algebra import Boundary, Kind, Operator, Pattern, Periodic, Stamped, SteppedWindow
from askos.algebra.reference import evaluate
from askos.prepared import prepare
from askos.sources import Catalogue
from askos.terms import Literal, Solution, Term, Triple, URIRef, Variable
from askos.translate import create_plan, default_report, parse
from tests.oracles.hosts import Host, local
from tests.suites import suite

STREAM = URIRef("http://ex.org/streams/test")


@cache
def elements() -> tuple[Stamped, ...]:
    """data_NN.ttl arrives at NN seconds."""
    found = []
    for file in sorted((suite("rsp") / "csrbench" / "data").glob("*.ttl")):
        at = int(file.stem.removeprefix("data_")) * 1000
        graph = rdflib.Graph().parse(file, format="turtle")
        triples = sorted((Triple(*t) for t in graph), key=str)  # type: ignore[arg-type]
        found += [Stamped(triple, at, i) for i, triple in enumerate(triples)]
    return tuple(found)


def closed_open(plan: Operator) -> Operator:
    """The oracle's windows are [open, close); C-SPARQL's are not, unless one asks for it."""
    if isinstance(plan, SteppedWindow):
        return replace(plan, boundary=Boundary.CLOSED_OPEN)
    return plan


def term(cell: dict[str, Any]) -> Term:
    if cell["type"] == "uri":
        return URIRef(cell["value"])
    return Literal(cell["value"], datatype=cell.get("datatype"))


def windows(name: str) -> dict[str, Any]:
    """What the suite says of a query."""
    file = suite("rsp") / "csrbench" / "expected" / f"{name}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def expected(name: str, every: int = 1) -> dict[int, Counter[Solution]]:
    """The rows of its windows, or of some of them, by when they close."""
    return {
        window["close"]: Counter(
            Solution({Variable(key): term(cell) for key, cell in row.items()})
            for row in window["rows"]
        )
        for window in windows(name)["windows"][every - 1 :: every]
    }


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", ["Q1", "Q2", "Q5"])
def test_the_reports_are_the_windows_of_the_oracle(name: str, every: int) -> None:
    want = expected(name, every)
    query = parse(text_of("csparql", name))
    plan = create_plan(query).transform(closed_open)
    size, slide = (windows(name)["window"][part] for part in ("size", "slide"))
    assert default_report(query) == Periodic(Kind.RSTREAM, (slide,))
    assert every > 1 or any(want.values())
    assert {at: evaluate(plan, {STREAM: around(at, size, plan)}, at) for at in want} == want


RSPQL = """
PREFIX om-owl: <http://knoesis.wright.edu/ssw/ont/sensor-observation.owl#>
PREFIX weather: <http://knoesis.wright.edu/ssw/ont/weather.owl#>
REGISTER RSTREAM <http://ex.org/out> AS
SELECT ?sensor ?obs
FROM NAMED WINDOW <http://ex.org/w> ON <http://ex.org/streams/test> [RANGE {} STEP {}]
WHERE {{
  WINDOW <http://ex.org/w> {{
    ?obs om-owl:observedProperty weather:_AirTemperature ;
         om-owl:procedure ?sensor ; om-owl:result ?res .
    ?res om-owl:floatValue ?value .
  }}
  FILTER (?value > 80)
}}
"""
SIZES = {"Q1": ("PT10S", "PT10S"), "Q2": ("PT1S", "PT1S"), "Q5": ("PT5S", "PT1S")}
DIALECTS = ("csparql", "cqels", "rspql")


def text_of(dialect: str, name: str) -> str:
    if dialect == "rspql":
        return RSPQL.format(*SIZES[name])
    return (suite("rsp") / "csrbench" / dialect / f"{name}.rq").read_text(encoding="utf-8")


def check_host(dialect: str, name: str, host: Host, buckets: int) -> None:
    """The suite's windows at the instants it lists, and row-less reports elsewhere."""
    known = Catalogue().stream(STREAM)
    query = prepare(
        text_of(dialect, name), sources=known, boundary="[o,c)", report="rstream", nonempty=False
    )
    assert query.report == Periodic(Kind.RSTREAM, (windows(name)["window"]["slide"],))
    rows = elements()
    size = len(rows) // 4
    deliveries = [(STREAM, rows[at : at + size]) for at in range(0, len(rows), size)]
    told = {answer.at: Counter(answer.rows) for answer in host(query, deliveries, buckets, None)}
    want = expected(name)
    assert want.keys() <= told.keys()
    assert told == {at: want.get(at, Counter()) for at in told}


@pytest.mark.parametrize("buckets", [5, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_local_host_reports_the_windows_of_the_oracle(
    dialect: str, name: str, buckets: int
) -> None:
    check_host(dialect, name, local, buckets)


def around(at: int, size: int, plan: Operator) -> list[Stamped]:
    """What may matter at an instant, and a bit more; the whole stream would take minutes."""
    patterns = [node for node in plan.walk() if isinstance(node, Pattern)]
    return [
        element
        for element in elements()
        if abs(element.at - at) <= size + 1000
        and any(pattern.match(element.triple) is not None for pattern in patterns)
    ]

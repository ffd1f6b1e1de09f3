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
from askos.terms import Literal, Solution, Term, Triple, URIRef, Variable
from askos.translate import create_plan, default_report, parse
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


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", ["Q1", "Q2", "Q5"])
def test_the_reports_are_the_windows_of_the_oracle(name: str, every: int) -> None:
    folder = suite("rsp") / "csrbench"
    expected = json.loads((folder / "expected" / f"{name}.json").read_text(encoding="utf-8"))
    want = {
        window["close"]: Counter(
            Solution({Variable(key): term(cell) for key, cell in row.items()})
            for row in window["rows"]
        )
        for window in expected["windows"][every - 1 :: every]
    }
    query = parse((folder / "csparql" / f"{name}.rq").read_text(encoding="utf-8"))
    plan = create_plan(query).transform(closed_open)
    size, slide = expected["window"]["size"], expected["window"]["slide"]
    assert default_report(query) == Periodic(Kind.RSTREAM, (slide,))
    assert every > 1 or any(want.values())
    assert {at: evaluate(plan, {STREAM: around(at, size, plan)}, at) for at in want} == want


def around(at: int, size: int, plan: Operator) -> list[Stamped]:
    """What may matter at an instant, and a bit more; the whole stream would take minutes."""
    patterns = [node for node in plan.walk() if isinstance(node, Pattern)]
    return [
        element
        for element in elements()
        if abs(element.at - at) <= size + 1000
        and any(pattern.match(element.triple) is not None for pattern in patterns)
    ]

"""The queries of docs/cookbook.md, on data whose answers were worked out by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from askos import Catalogue, local
from askos.algebra import Answer
from askos.interval import FOREVER, Interval
from askos.io.results import settled
from askos.prepared import Options, Prepared, prepare
from askos.queries import prepare_all
from askos.terms import XSD, Literal, Solution, Term, URIRef
from tests.pages import DOCS, ROOT

FOLDER = ROOT / "examples" / "cookbook"
WIND = "http://wind.example/"
MINUTE = 60_000
EVENTS = {"alarm", "stops", "starts", "state"}
SOURCES = (
    Catalogue()
    .stream(f"{WIND}scada")
    .stream(f"{WIND}events")
    .graph(f"{WIND}park", FOLDER / "park.ttl")
)


@dataclass(frozen=True)
class Case:
    """Rows as `minute turbine predicate value`; answers as values, and from when to when, or at
    which report: reports without rows are not listed."""

    rows: str
    answers: list[tuple[Any, ...]]
    options: Options = field(default_factory=lambda: Options())
    also: tuple[str, ...] = ()


EVERY_TEN = Options(report="rstream", every="10m")
EVERY_FIVE = Options(report="rstream", every="5m")
CASES = {
    "no-data": Case(
        "0 T1 power 5; 0 T2 power 5; 0 T3 power 5; 8 T1 power 6; 16 T1 power 7; 9 T3 power 5;"
        "20 T2 power 5; 20 T3 power 5",
        [("T2", 10, 20), ("T3", 19, 20), ("T1", 26, None), ("T2", 30, None), ("T3", 30, None)],
    ),
    "above-limit": Case("0 T1 oil 70; 5 T1 oil 85; 7 T2 oil 60", [("T1", "85", 5, 10)]),
    "static-thresholds": Case(
        "0 T1 oil 75; 0 T3 oil 75; 4 T1 oil 81",
        [("T3", "75", "70", 0, 5), ("T1", "81", "80", 4, 9)],
    ),
    "lasting": Case(
        "0 T1 oil 81; 3 T1 oil 82; 6 T1 oil 83; 20 T1 oil 70; 0 T2 oil 90", [("T1", 6, 10)]
    ),
    "mean": Case(
        "1 T1 power 100; 2 T1 power 100; 3 T1 power 400; 12 T1 power 50",
        [("T1", "200.0", 10), ("T1", "50.0", 20)],
        EVERY_TEN,
    ),
    "yesterday": Case(
        "30 T1 power 100; 30 T2 power 100; 1470 T1 power 40; 1470 T2 power 90",
        [("T1", "40.0", "100.0", 1500)],
        also=("hourly",),
    ),
    "neighbours": Case(
        "0 T1 power 10; 0 T2 power 100; 0 T3 power 50", [("T1", "10", "75.0", 0, 5)]
    ),
    "many-starts": Case(
        "0 T1 starts 11; 10 T1 starts 12; 20 T1 starts 13; 20 T1 starts 13; 0 T2 starts 5;"
        "1 T2 starts 5; 2 T2 starts 6",
        [("T1", 20, 60)],
    ),
    "jump": Case("0 T1 oil 50; 4 T1 oil 75; 20 T1 oil 76", [("T1", "25", 4, 10)]),
    "stuck": Case(
        "0 T1 oil 50; 4 T1 oil 50; 8 T1 oil 50; 8 T2 oil 50; 12 T1 oil 51", [("T1", 8, 10)]
    ),
    "both": Case(
        "0 T1 alarm 7; 3 T1 stops 12; 0 T2 alarm 7; 6 T2 stops 4", [("T1", "7", "12", 3, 5)]
    ),
    "followed-by": Case(
        "2 T1 alarm 7; 3 T1 stops 12; 2 T2 stops 4; 3 T2 alarm 7",
        [("T1", "7", "12", minute) for minute in (3, 4, 5, 6)],
    ),
    "alarm-without-stop": Case(
        "0 T1 alarm 7; 4 T1 stops 12; 0 T2 alarm 9", [("T1", "7", 0, 4), ("T2", "9", 0, 10)]
    ),
    "top-2": Case(
        "1 T1 power 10; 2 T2 power 30; 3 T3 power 20", [("T2", "30", 5), ("T3", "20", 5)]
    ),
    "availability": Case(
        "0 T1 state Running; 20 T1 state Stopped; 40 T1 state Running; 50 T1 state Running",
        [
            ("T1", "1", "1", 0, 20),
            ("T1", "1", "2", 20, 40),
            ("T1", "2", "3", 40, 50),
            ("T1", "3", "4", 50, 60),
            ("T1", "2", "3", 60, 80),
            ("T1", "2", "2", 80, 100),
            ("T1", "1", "1", 100, 110),
        ],
    ),
    "units": Case("0 T1 oil 60.5; 1 T2 oilK 340.15", [("T1", "60.5", 0, 5), ("T2", "67.0", 1, 6)]),
    "per-feeder": Case(
        "1 T1 power 10; 2 T1 power 20; 2 T2 power 30; 3 T3 power 20",
        [("F1", "45.0", 5), ("F2", "20.0", 5)],
        EVERY_FIVE,
    ),
    "region": Case(
        "0 T1 power 10; 2 T2 power 30; 2 T2 power 31",
        [("North", "1", 0, 2), ("North", "2", 2, 5), ("North", "1", 5, 7)],
    ),
    "either": Case(
        "0 T1 oil 90; 2 T2 power -5; 2 T3 power 5",
        [("T1", "hot", 0, 5), ("T2", "draws power", 2, 7)],
    ),
    "only-new": Case(
        "0.5 T1 alarm 7; 1.5 T1 alarm 8; 1.5 T1 alarm 8", [("T1", "7", 1), ("T1", "8", 2)]
    ),
}


def _term(text: str) -> Term:
    if re.fullmatch(r"-?\d+", text):
        return Literal(text, datatype=XSD.integer)
    return Literal(text, datatype=XSD.decimal) if text[0].isdigit() else URIRef(WIND + text)


def _streams(text: str) -> dict[URIRef, list[tuple[Any, ...]]]:
    found: dict[URIRef, list[tuple[Any, ...]]] = {
        URIRef(WIND + "scada"): [],
        URIRef(WIND + "events"): [],
    }
    for row in text.split(";"):
        minute, turbine, predicate, value = row.split()
        stream = URIRef(WIND + ("events" if predicate in EVENTS else "scada"))
        names = URIRef(WIND + turbine), URIRef(WIND + predicate)
        found[stream].append((*names, _term(value), round(float(minute) * MINUTE)))
    return {stream: sorted(rows, key=lambda row: row[3]) for stream, rows in found.items()}


def _query(name: str, options: Options) -> Prepared:
    text = (FOLDER / f"{name}.rq").read_text(encoding="utf-8")
    return prepare(text, sources=SOURCES.stream(f"{WIND}hourly"), **options)


def _values(query: Prepared, row: Any) -> tuple[str, ...]:
    assert isinstance(row, Solution)
    return tuple(str(row[column]).removeprefix(WIND) for column in query.columns)


def _told(name: str, case: Case) -> list[tuple[Any, ...]]:
    chosen: Mapping[str, Prepared] = {
        each: _query(each, case.options if each == name else Options())
        for each in (name, *case.also)
    }
    queries = prepare_all(chosen)
    given = {s: rows for s, rows in _streams(case.rows).items() if s in queries.given}
    answers = [a for own, a in local.run(list(queries.queries), given) if own == name]
    reports = [a for a in answers if isinstance(a, Answer)]
    rows = settled((a.item, a.interval) for a in answers if not isinstance(a, Answer))
    held = [
        (*_values(chosen[name], row), time.start // MINUTE, _minute(time.end))
        for row, time in rows
        if isinstance(time, Interval)
    ]
    return held + [
        (*_values(chosen[name], row), answer.at // MINUTE)
        for answer in reports
        for row in answer.rows
    ]


def _minute(end: int) -> int | None:
    return None if end == FOREVER else end // MINUTE


@pytest.mark.parametrize("name", CASES)
def test_a_query_of_the_cookbook_answers_its_question(name: str) -> None:
    assert sorted(_told(name, CASES[name]), key=str) == sorted(CASES[name].answers, key=str)


def test_the_cookbook_has_twenty_questions_and_every_query_is_in_it() -> None:
    page = (DOCS / "cookbook.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^## ", page, re.MULTILINE)) == len(CASES) == 20
    files = {file.stem for file in FOLDER.glob("*.rq")}
    assert files == {*re.findall(r"^`examples/cookbook/([\w-]+)\.rq`:$", page, re.MULTILINE)}
    assert files == {*CASES, "hourly"}

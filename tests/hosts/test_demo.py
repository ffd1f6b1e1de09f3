"""docs/questions.md shows what script/questions prints, and the README a part of that."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from askos.algebra import Intervals, Stamped
from askos.generate.windpark import WindPark, streams
from askos.local import run
from askos.prepared import Prepared
from askos.spark import elements, reports
from askos.terms import URIRef, parse_term
from examples import questions as example
from tests.build import triple
from tests.hosts.three import difference
from tests.oracles.hosts import reference
from tests.pages import DEMO, DOCS, README, blocks

PAGE = DOCS / "questions.md"
SHOWN = re.compile(rf"^```console\n\$ {DEMO}\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.thorough
def test_the_page_shows_what_the_demo_prints(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert example.main([], spark) == 0
    printed = capsys.readouterr().out
    text = PAGE.read_text(encoding="utf-8")
    if request.config.getoption("update_golden"):
        text = SHOWN.sub(lambda _: f"```console\n$ {DEMO}\n{printed}```", text)
        PAGE.write_text(text, encoding="utf-8")
    shown = SHOWN.search(text)
    assert shown
    assert shown[1] == printed
    for question in example.QUESTIONS:
        query, folder = question.query, tmp_path / "demo-output" / question.name / "answers"
        read = elements if isinstance(query.report, Intervals) else reports
        told = list(read(spark, folder, query))
        assert difference(list(run(query, read_by(query, DATA), batch=100)), told) is None


def tables(park: WindPark, region: WindPark) -> dict[URIRef, pa.Table]:
    own = streams(park)
    return {
        example.SCADA: own["scada"],
        example.EVENTS: own["events"],
        example.REGION: streams(region)["events"],
    }


def read_by(query: Prepared, given: dict[URIRef, pa.Table]) -> dict[URIRef, pa.Table]:
    return {source: given[source] for source in query.streams}


DATA = tables(example.PARK, example.TURBINES)


@pytest.mark.parametrize("question", example.QUESTIONS, ids=lambda question: question.name)
def test_the_reference_says_the_same_of_a_smaller_park(question: example.Question) -> None:
    query = question.query
    small = WindPark(turbines=3, minutes=45, interval=180, seed=3)
    parts = tables(small, small)
    rows = [
        (
            source,
            [
                Stamped(triple(*(parse_term(row[place]) for place in "spo")), row["ts"])
                for row in table.to_pylist()
            ],
        )
        for source, table in parts.items()
    ]
    want = reference(query, rows)
    assert want
    assert difference(want, list(run(query, read_by(query, parts), batch=7))) is None


def test_the_readme_shows_the_beginning_of_the_demo() -> None:
    (shown,) = (block.text for block in blocks(README) if block.commands == [DEMO])
    (whole,) = (block.text for block in blocks(PAGE))
    beginning, ellipsis, rest = shown.rpartition("…\n")
    assert ellipsis
    assert not rest
    assert whole.startswith(beginning)


def test_the_page_shows_every_query() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for question in example.QUESTIONS:
        assert f"../examples/{question.name}.rq" in page
        assert question.asked in page

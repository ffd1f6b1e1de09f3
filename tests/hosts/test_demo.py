"""What the README shows is what script/demo prints, and docs/spark.md runs."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from askos.algebra import Stamped, first_difference
from askos.algebra.reference import intervals
from askos.generate.windpark import WindPark, streams
from askos.local import run
from askos.physical import build
from askos.terms import URIRef, parse_term
from examples import windpark as example
from tests import test_docs
from tests.build import triple
from tests.hosts.three import elements

ROOT = Path(__file__).parents[2]
SHOWN = re.compile(r"^```console\n\$ script/demo\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_readme_shows_what_the_demo_prints(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert example.main([], spark) == 0
    printed = capsys.readouterr().out
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    if request.config.getoption("update_golden"):
        text = SHOWN.sub(lambda _: f"```console\n$ script/demo\n{printed}```", text)
        readme.write_text(text, encoding="utf-8")
    shown = SHOWN.search(text)
    assert shown
    assert shown[1] == printed
    for name in example.QUERIES:
        rows = spark.read.parquet(str(tmp_path / "demo-output" / name / "answers")).collect()
        assert {row["output"] for row in rows} == {"result"}
        query = example.query(name)
        physical = build(query.plan, query.report, query.columns)
        got = elements([row.asDict() for row in rows], physical)
        assert first_difference(run(query, park(WindPark())), got) is None


def park(parameters: WindPark) -> dict[URIRef, pa.Table]:
    tables = streams(parameters)
    return {example.SCADA: tables["scada"], example.EVENTS: tables["events"]}


@pytest.mark.parametrize("name", example.QUERIES)
def test_the_reference_says_the_same_of_a_smaller_park(name: str) -> None:
    query = example.query(name)
    tables = park(WindPark(turbines=3, minutes=45, interval=180, seed=3))
    rows = {
        source: [
            Stamped(triple(*(parse_term(row[place]) for place in "spo")), row["ts"])
            for row in table.to_pylist()
        ]
        for source, table in tables.items()
    }
    want = intervals(query.canonical, rows)
    assert want
    assert first_difference(want, run(query, tables, batch=7)) is None


def test_the_examples_of_the_spark_page_run(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    test_docs.run(test_docs.ON_SPARK)

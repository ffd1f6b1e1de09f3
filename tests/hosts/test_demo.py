"""What the README shows is what script/demo prints, and docs/spark.md runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from examples import windpark as example
from tests import test_docs

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


def test_the_examples_of_the_spark_page_run(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    test_docs.run(test_docs.ON_SPARK)

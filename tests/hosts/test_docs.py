"""The commands of README.md and docs/run.md print what the pages show, on Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests import doctests, test_docs
from tests.pages import DOCS, README, ROOT, Shell, replayed


def _check(page: Path, shell: Shell, request: pytest.FixtureRequest) -> None:
    now = replayed(page, shell)
    if request.config.getoption("update_golden"):
        page.write_text(now, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == now


@pytest.mark.thorough
@pytest.mark.parametrize("page", ["run.md", "scenarios.md"])
def test_the_commands_of_a_page_print_what_it_shows(
    page: str,
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    _check(DOCS / page, Shell(capsys), request)


def test_your_own_file_answers_as_the_readme_shows(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    _check(README, Shell(capsys), request)


PAGES = [test_docs.SPARK, *sorted(test_docs.PARTLY)]


@pytest.mark.thorough
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(
    page: Path,
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    doctests.run(page, update=request.config.getoption("update_golden"))

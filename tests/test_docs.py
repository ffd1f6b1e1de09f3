"""Every `>>>` in README.md and docs/ runs and prints what it says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ON_SPARK = ROOT / "docs" / "spark.md"  # runs in tests/hosts, where there is a session
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def examples(page: Path) -> doctest.DocTest:
    """The fenced examples of a page, sharing their names, each at its own line."""
    text = page.read_text(encoding="utf-8")
    blank = re.sub(r"[^\n]", "", text)
    for found in FENCE.finditer(text):
        start, end = found.span(1)
        blank = _overlay(blank, text, start, end)
    return doctest.DocTestParser().get_doctest(blank, {}, page.name, str(page), 0)


def _overlay(blank: str, text: str, start: int, end: int) -> str:
    """`blank` with one example put back at its line, so that failures name the right line."""
    before = text[:start].count("\n")
    lines = blank.split("\n")
    block = text[start:end].split("\n")[:-1]
    lines[before : before + len(block)] = block
    return "\n".join(lines)


@pytest.mark.parametrize("page", sorted({*PAGES} - {ON_SPARK}), ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page: Path) -> None:
    run(page)


def run(page: Path) -> None:
    test = examples(page)
    runner = doctest.DocTestRunner()
    report: list[str] = []
    runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)


@pytest.mark.parametrize(
    "page", ["README.md", "docs/semantics.md", "docs/language.md", "docs/translation.md"]
)
def test_a_page_that_should_have_examples_has_them(page: str) -> None:
    assert len(examples(ROOT / page).examples) >= 5


def test_the_readme_shows_the_query_that_it_explains() -> None:
    file = (ROOT / "examples" / "starts-and-stops.rq").read_text(encoding="utf-8")
    query = "".join(line for line in file.splitlines(keepends=True) if not line.startswith("#"))
    assert f"```sparql\n{query}```" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"

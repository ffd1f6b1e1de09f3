"""The queries of the papers are catalogued: each file is in the table and says where it is from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "queries"
FILES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.rq"))


def test_the_table_of_the_papers_queries_lists_exactly_the_files() -> None:
    rows = re.findall(r"^\| `([^`]+)`", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert sorted(rows) == FILES


@pytest.mark.parametrize("name", FILES)
def test_a_query_names_its_paper_and_section_in_its_first_lines(name: str) -> None:
    lines = (FOLDER / name).read_text().splitlines()
    comment = " ".join(line for line in lines[:3] if line.startswith("#"))
    assert re.search(r"\(.*20\d\d\), section \d", comment.replace(" # ", " "))


@pytest.mark.parametrize("name", [name for name in FILES if "/refused/" in name])
def test_a_refused_query_says_why_and_has_its_corrected_twin(name: str) -> None:
    assert "# Refused" in (FOLDER / name).read_text()
    assert name.replace("refused/", "") in FILES

"""The pictures of README.md and docs/ show what askos answers today."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from examples.pictures import pictures, steps
from tests.pages import DOCS, PAGES


def test_the_pictures_are_drawn_from_what_askos_answers(request: pytest.FixtureRequest) -> None:
    for name, drawn in pictures().items():
        file = DOCS / name
        if request.config.getoption("update_golden"):
            file.write_text(drawn, encoding="utf-8")
        assert file.read_text(encoding="utf-8") == drawn


@pytest.mark.parametrize("file", sorted(DOCS.glob("*.svg")), ids=lambda file: file.name)
def test_a_picture_is_shown_and_fetches_nothing(file: object) -> None:
    text = DOCS.joinpath(str(file)).read_text(encoding="utf-8")
    links = [v for node in ElementTree.fromstring(text).iter() for v in node.attrib.values()]
    assert not [value for value in links if "://" in value or "url(" in value]
    name = DOCS.joinpath(str(file)).name
    assert any(f"({name})" in text or f"(docs/{name})" in text for text in _texts())


def test_the_photograph_of_the_report_is_shown_and_small() -> None:
    file = DOCS / "report.png"
    assert file.read_bytes().startswith(b"\x89PNG")
    assert file.stat().st_size < 200_000
    assert any(f"(docs/{file.name})" in text for text in _texts())


def _texts() -> list[str]:
    return [page.read_text(encoding="utf-8") for page in PAGES]


def test_the_drawing_of_time_has_a_late_row_and_two_reports() -> None:
    taken = list(steps())
    assert [step.second for step in taken if step.late] == [8]
    assert [report for step in taken for report in step.reports] == [(10, 4), (20, 3)]

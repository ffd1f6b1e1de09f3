"""Every page of README.md and docs/ is reachable, and every block of it is run by a test."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests import doctests
from tests.pages import DEMO, DOCS, FILE_KINDS, PAGES, README, ROOT, Block, Shell, blocks, replayed

SPARK = DOCS / "spark.md"  # runs in tests/hosts, where there is a session
PARTLY = {DOCS / "queries.md", DOCS / "reload.md"}  # and so do their blocks that need one
HERE = [
    DOCS / "select.md",
    DOCS / "backtest.md",
    DOCS / "csv.md",
    DOCS / "tutorial.md",
    DOCS / "windpark.md",
]  # sessions that need none
SESSIONS = {*HERE, DOCS / "run.md", README, DOCS / "questions.md", DOCS / "scenarios.md"}  # there
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@pytest.mark.parametrize("page", sorted({*PAGES} - {SPARK}), ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page: Path, request: pytest.FixtureRequest) -> None:
    update = request.config.getoption("update_golden")
    doctests.run(page, without="spark" if page in PARTLY else None, update=update)


@pytest.mark.parametrize(
    "page", ["README.md", "docs/semantics.md", "docs/language.md", "docs/translation.md"]
)
def test_a_page_that_should_have_examples_has_them(page: str) -> None:
    assert len(doctests.examples(ROOT / page).examples) >= 5


@pytest.mark.parametrize("page", HERE, ids=lambda page: page.name)
def test_the_commands_of_a_page_print_what_it_shows(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    now = replayed(page, Shell(capsys))
    if request.config.getoption("update_golden"):
        page.write_text(now, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == now


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_is_run_by_a_test(page: Path) -> None:
    for block in blocks(page):
        assert _is_run(block), f"{block} is a block that no test runs"


def _is_run(block: Block) -> bool:
    match block.kind:
        case "python":  # as a doctest, or as part of a program that a test runs
            return ">>>" in block.text or any(block.text in text for text in _programs())
        case "console":  # as a session
            known = all(c == DEMO or c.split()[0] in ("askos", "echo") for c in block.commands)
            return block.page in SESSIONS and known and bool(block.commands)
        case "sh":
            return all(_is_there(line) for line in block.text.splitlines())
        case "text":  # a drawing, or a tree
            return not re.search(r"^\s*(\$|>>>) ", block.text, re.MULTILINE)
    return block.kind in FILE_KINDS and _is_used(block)


def _programs() -> list[str]:
    return [file.read_text(encoding="utf-8") for file in (ROOT / "examples").glob("*.py")]


def _is_there(line: str) -> bool:
    command = shlex.split(line, comments=True)
    return not command or (ROOT / command[0]).is_file() or command == [".", ".venv/bin/activate"]


def _is_used(block: Block) -> bool:
    """A file of the project as it is, or one that a command of the page reads."""
    if block.file is None:
        return False
    own = ROOT / block.file
    if own.exists():
        text = own.read_text(encoding="utf-8")
        return block.text == "".join(line for line in text.splitlines(True) if line[0] != "#")
    page = (command for other in blocks(block.page) for command in other.commands)
    return any(block.file in command for command in page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, place in LINK.findall(page.read_text(encoding="utf-8")):
        file = page.parent / target if target else page
        assert file.exists(), f"{page.name} links to {target}"
        if place:
            assert place in places(file), f"{page.name} links to {target}#{place}"


def places(page: Path) -> set[str]:
    """The anchors of its headings."""
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    return {
        re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


def test_every_page_is_reachable_from_the_index() -> None:
    index, seen = DOCS / "index.md", set[Path]()
    todo = [index]
    while todo:
        page = todo.pop()
        if page in seen:
            continue
        seen.add(page)
        targets = (target for target, _ in LINK.findall(page.read_text(encoding="utf-8")))
        todo += [(page.parent / t).resolve() for t in targets if t.endswith(".md")]
    assert set(PAGES) <= seen
    linked = {target for target, _ in LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page.name for page in DOCS.glob("*.md")} - {"index.md"} <= linked
    assert "docs/index.md" in README.read_text(encoding="utf-8")

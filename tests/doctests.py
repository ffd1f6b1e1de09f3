"""The examples of a page: run, and rewritten by --update-golden."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page: Path, without: str | None = None) -> doctest.DocTest:
    """The fenced examples of a page, sharing their names, each at its own line; all blocks but
    those `without` which it must go."""
    text = page.read_text(encoding="utf-8")
    blank = re.sub(r"[^\n]", "", text)
    for found in FENCE.finditer(text):
        if without is None or without not in found[1]:
            blank = _overlay(blank, text, *found.span(1))
    return doctest.DocTestParser().get_doctest(blank, {}, page.name, str(page), 0)


def _overlay(blank: str, text: str, start: int, end: int) -> str:
    """`blank` with one example put back at its line, so that failures name the right line."""
    before = text[:start].count("\n")
    lines = blank.split("\n")
    block = text[start:end].split("\n")[:-1]
    lines[before : before + len(block)] = block
    return "\n".join(lines)


def run(page: Path, without: str | None = None, *, update: bool = False) -> None:
    """Run the examples of a page; those that print something else are wrong, or rewritten."""
    runner = _Runner()
    report: list[str] = []
    runner.run(examples(page, without), out=report.append)
    if update and runner.got:
        page.write_text(_rewritten(page, runner.got), encoding="utf-8")
    else:
        assert not runner.failures, "".join(report)


class _Runner(doctest.DocTestRunner):
    """Keeps what examples print that should print something else."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[tuple[doctest.Example, str]] = []

    def report_failure(
        self, out: object, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        self.got.append((example, got))
        super().report_failure(out, test, example, got)  # type: ignore[arg-type]


def _rewritten(page: Path, got: list[tuple[doctest.Example, str]]) -> str:
    lines = page.read_text(encoding="utf-8").split("\n")
    for example, printed in sorted(got, key=lambda pair: -pair[0].lineno):
        start = example.lineno + example.source.count("\n")
        lines[start : start + example.want.count("\n")] = printed.splitlines()
    return "\n".join(lines)

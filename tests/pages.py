"""README.md and docs/ as tests see them: blocks, the files they show, the commands they run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from askos.cli import main

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = [README, *sorted(DOCS.glob("*.md"))]

FILE_KINDS = {"sparql", "nquads", "ntriples", "trig", "turtle", "csv", "toml"}
DEMO = "script/questions"

_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"`([\w./-]+\.(?:rq|nq|nt|trig|ttl|csv|toml))`")
_COMMAND = re.compile(r"^\$ (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """What stands between two fences: its kind, its text, and the file that it shows, if any."""

    page: Path
    line: int
    kind: str
    text: str
    file: str | None

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """What a console block runs."""
        return _COMMAND.findall(self.text)


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page.  The file of one is the last that the words before it name."""
    text, end = page.read_text(encoding="utf-8"), 0
    for found in _BLOCK.finditer(text):
        names = _NAME.findall(text[end : found.start()])
        file = names[-1] if names and found[2] in FILE_KINDS else None
        yield Block(page, text[: found.start()].count("\n") + 1, found[2], found[3], file)
        end = found.end()


class Shell:
    """Runs `askos` and `echo $?`, in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys, self._code = capsys, 0

    def __call__(self, command: str) -> str:
        """What a command prints: stdout, then stderr."""
        if command == "echo $?":
            return f"{self._code}\n"
        name, *arguments = shlex.split(command)
        assert name == "askos"
        self._code = main(arguments)
        return "".join(self._capsys.readouterr()).replace("\r", "")  # CSV has them


def replayed(page: Path, shell: Shell) -> str:
    """The page as its commands print it, in a folder that has the files it shows."""
    for block in blocks(page):
        if block.file is not None and not (ROOT / block.file).exists():
            Path(block.file).write_text(block.text, encoding="utf-8")

    def session(found: re.Match[str]) -> str:
        commands = _COMMAND.findall(found[3])
        if found[2] != "console" or commands == [DEMO]:
            return found[0]
        return "```console\n" + "".join(f"$ {c}\n{shell(c)}" for c in commands) + "```"

    return _BLOCK.sub(session, page.read_text(encoding="utf-8"))

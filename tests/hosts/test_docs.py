"""The commands of docs/run.md print what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from askos.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "run.md"
BLOCK = re.compile(r"^```(console|sparql|nquads)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = ("starts.rq", "seen.rq", "posts.nq", "recent.rq")


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


@pytest.mark.thorough
def test_the_commands_of_the_page_print_what_it_shows(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    page, shell = PAGE.read_text(encoding="utf-8"), Shell(capsys)
    shown = [found for found in BLOCK.finditer(page) if found[1] != "console"]
    for name, found in zip(FILES, shown, strict=True):
        Path(name).write_text(found[2], encoding="utf-8")

    def session(found: re.Match[str]) -> str:
        commands = re.findall(r"^\$ (.*)$", found[2], re.MULTILINE)
        if found[1] != "console":
            return found[0]
        printed = "".join(f"$ {command}\n{shell(command)}" for command in commands)
        return f"```console\n{printed}```"

    now = BLOCK.sub(session, page)
    if request.config.getoption("update_golden"):
        PAGE.write_text(now, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == now

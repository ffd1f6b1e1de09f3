"""The commands of docs/select.md print what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.hosts.test_docs import Shell

PAGE = Path(__file__).parents[1] / "docs" / "select.md"
BLOCK = re.compile(r"^```(console|sparql|ntriples|trig)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {"sparql": "power.rq", "ntriples": "park.nt", "trig": "data.trig"}


def test_the_commands_of_the_page_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page, shell = PAGE.read_text(encoding="utf-8"), Shell(capsys)

    def session(found: re.Match[str]) -> str:
        kind, text = found.groups()
        if kind in FILES:
            Path(FILES[kind]).write_text(text, encoding="utf-8")
            return found[0]
        commands = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
        printed = "".join(f"$ {command}\n{shell(command)}" for command in commands)
        return f"```console\n{printed}```"

    assert BLOCK.sub(session, page) == page

"""docs/errors.md quotes messages that askos has, in the order of the alphabet."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from askos import errors
from askos.cli.common import INTERRUPTED, UNREAD
from tests.golden import golden
from tests.pages import DOCS, ROOT

PAGE = (DOCS / "errors.md").read_text(encoding="utf-8")
TABLE = re.compile(r"^\| (?:message|reason) \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", re.MULTILINE)
ROW = re.compile(r"^\| `(.*?)` \|", re.MULTILINE)
TABLES = [ROW.findall(table) for table in TABLE.findall(PAGE)]
QUOTED = [message for table in TABLES for message in table]


@cache
def messages() -> list[str]:
    """All texts in the code, with … for what is put in, and those that golden queries provoke."""
    trees = (ast.parse(file.read_text("utf-8")) for file in (ROOT / "askos").rglob("*.py"))
    provoked = [case.plan.partition(": ")[2] for case in golden("errors")]
    return [*provoked, *(text for tree in trees for node in ast.walk(tree) for text in _text(node))]


def _text(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "…" for p in parts)


def _is_in_the_code(quoted: str) -> bool:
    """Whether a text has the parts that are quoted, one after the other, from its beginning."""
    parts = map(re.escape, re.split("…", quoted))
    pattern = re.compile(".*".join(parts), re.DOTALL)
    return any(pattern.match(text) for text in messages() if len(text) > 1)


def test_the_page_quotes_many_messages() -> None:
    assert len(TABLES) == 5
    assert len(QUOTED) > 60


@pytest.mark.parametrize("quoted", QUOTED)
def test_a_message_on_the_page_is_one_of_the_code(quoted: str) -> None:
    assert re.search(r"\w{3}", quoted)
    assert _is_in_the_code(quoted)


def test_a_message_that_nobody_tells_would_be_noticed() -> None:
    assert not _is_in_the_code("rows came after the end of output")


@pytest.mark.parametrize("table", TABLES, ids=len)
def test_messages_are_in_the_order_of_the_alphabet(table: list[str]) -> None:
    """What is put in comes first; signs do not count."""
    order = [[message[0] != "…", re.sub(r"[^\w ]", "", message).lower()] for message in table]
    assert order == sorted(order)


def test_the_classes_and_their_exit_codes_are_as_the_page_says() -> None:
    said = dict(re.findall(r"^\| `(\w+Error)` \| (\d) \|", PAGE, re.MULTILINE))
    found = (kind for kind in vars(errors).values() if isinstance(kind, type))
    kinds = [kind for kind in found if issubclass(kind, errors.AskosError)]
    assert said == {kind.__name__: str(kind.exit_code) for kind in kinds}
    assert f"ends the command with {errors.SetupError.exit_code}" in PAGE
    assert f"Ctrl-C with {INTERRUPTED}" in PAGE
    assert f"a reader that has had enough with {UNREAD}" in PAGE

"""The W3C query tests: through `askos.select` and the reference evaluation, optimised or not.

ASKOS_W3C names further folders of the same form, separated by colons.
"""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.oracles import w3c_adapter
from tests.suites import FOLDER, program, suite

FOLDERS = [FOLDER / "w3c", *map(Path, filter(None, os.environ.get("ASKOS_W3C", "").split(":")))]
FAILING: dict[str, str] = {}  # by id, with the reason


def manifest(folder: Path) -> list[dict[str, Any]]:
    path = folder / "manifest.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


CASES = [(folder, test) for folder in FOLDERS for test in manifest(folder)]


def test_the_suite_is_there() -> None:
    assert len(manifest(suite("w3c"))) == 574


@pytest.mark.parametrize("way", w3c_adapter.WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(("folder", "test"), CASES, ids=[test["id"] for _, test in CASES])
def test_a_query_answers_as_w3c_says(
    folder: Path, test: dict[str, Any], way: w3c_adapter.Way
) -> None:
    adapter = SimpleNamespace(
        parse=w3c_adapter.parse, evaluate=partial(w3c_adapter.evaluate, way=way)
    )
    # Without the checker's time limit, which is a signal: tests may run in threads.
    status, reason = program("w3c_check.py").run_test(test, str(folder), adapter, timeout=None)
    assert (status in ("pass", "value")) is (test["id"] not in FAILING), reason

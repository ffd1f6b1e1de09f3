"""How much a micro-batch read, by Spark's report of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from askos.spark.progress import ROWS, rows_read, sources_of

FILES = {"description": "FileStreamSource[file:/data]", "numInputRows": 2}
TOPIC = {"description": "KafkaV2[Subscribe[wind]]", "numInputRows": 5}


def test_files_that_are_opened_by_path_are_counted_by_their_rows() -> None:
    observed: dict[str, Any] = {ROWS: {"rows": 30}}
    assert rows_read({"sources": [FILES], "observedMetrics": observed}) == 30
    assert rows_read({"sources": [FILES, TOPIC], "observedMetrics": observed}) == 35
    assert rows_read({"sources": [FILES, TOPIC]}) == 7
    assert rows_read({"sources": [FILES], "observedMetrics": {"mine": {"rows": 9}}}) == 2


def test_where_none_of_them_came_nothing_was_read() -> None:
    observed: dict[str, Any] = {ROWS: {"rows": None}}
    assert rows_read({"sources": [FILES], "observedMetrics": observed}) == 0
    assert rows_read({"sources": [FILES, TOPIC], "observedMetrics": observed}) == 5


@pytest.mark.parametrize("as_text", [False, True])
def test_folders_that_are_one_source_are_told_one_by_one(*, as_text: bool) -> None:
    """PySpark leaves offsets as texts."""
    names = '"FileStreamSource[file:/a \\"b\\"]", "FileStreamSource[file:/c]"'

    def report(start: list[int] | None, end: list[int]) -> dict[str, Any]:
        offsets: dict[str, Any] = {"startOffset": start, "endOffset": end}
        if as_text:
            offsets = {name: json.dumps(value) for name, value in offsets.items()}
        source = {"description": f"Folders[{names}]", "numInputRows": 9, **offsets}
        return {"sources": [TOPIC, source], "observedMetrics": {ROWS: {"rows": 30}}}

    described = ['FileStreamSource[file:/a "b"]', "FileStreamSource[file:/c]"]
    for start, end, counts in ((None, [0, -1], [1, 0]), ([0, 3], [2, 3], [2, 0])):
        topic, *folders = sources_of(report(start, end))
        assert topic == TOPIC
        assert [folder["description"] for folder in folders] == described
        assert [folder["numInputRows"] for folder in folders] == counts
        assert rows_read(report(start, end)) == 35

"""How much a micro-batch read, by Spark's report of it."""

from __future__ import annotations

from typing import Any

from askos.spark.progress import ROWS, rows_read

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

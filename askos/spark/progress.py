"""A micro-batch, by what Spark reports of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from askos.spark.records import Record

ROWS: Final = "askos rows"
"""The observed metric that says how many rows were read by path, of a query that reads so."""

_FILES: Final = "FileStreamSource["


def rows_read(progress: Mapping[str, Any]) -> int:
    """How many rows a micro-batch read: a file that is opened by path is one row to Spark, and an
    observed metric says how many it had."""
    said, sources = (progress.get("observedMetrics") or {}).get(ROWS), progress["sources"]
    others = (s for s in sources if said is None or not s["description"].startswith(_FILES))
    read = 0 if said is None else said["rows"] or 0
    return int(read) + sum(int(source["numInputRows"]) for source in others)


def reported(report: Mapping[str, Any]) -> Record:
    """What of Spark's report of a micro-batch is kept."""
    commits = (state["commitTimeMs"] for state in report["stateOperators"])
    return {
        "batch": report["batchId"],
        "at": report["timestamp"],
        "rows": rows_read(report),
        "ms": report["durationMs"],
        "commit": max(commits, default=0),
    }

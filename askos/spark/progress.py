"""A micro-batch, by what Spark reports of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from askos.spark.records import Record

ROWS: Final = "askos rows"
"""How the names of observed metrics begin that say how many rows were read by path."""

_FILES: Final = "FileStreamSource["


def rows_read(progress: Mapping[str, Any]) -> int:
    """How many rows a micro-batch read: a file that is opened by path is one row to Spark, and an
    observed metric says how many it had."""
    observed = progress.get("observedMetrics") or {}
    read = [said["rows"] or 0 for name, said in observed.items() if name.startswith(ROWS)]
    sources = progress["sources"]
    others = (s for s in sources if not (read and s["description"].startswith(_FILES)))
    return sum(map(int, read)) + sum(int(source["numInputRows"]) for source in others)


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

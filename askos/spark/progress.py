"""A micro-batch, by what Spark reports of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, Final

from askos.spark.records import Record

ROWS: Final = "askos rows"
"""The observed metric that says how many rows were read by path, of a query that reads so."""

_FILES: Final = "FileStreamSource["
_FOLDERS: Final = "Folders"


def rows_read(progress: Mapping[str, Any]) -> int:
    """How many rows a micro-batch read: a file that is opened by path is one row to Spark, and an
    observed metric says how many it had."""
    said = (progress.get("observedMetrics") or {}).get(ROWS)
    sources = sources_of(progress)
    others = (s for s in sources if said is None or not s["description"].startswith(_FILES))
    read = 0 if said is None else said["rows"] or 0
    return int(read) + sum(int(source["numInputRows"]) for source in others)


def sources_of(progress: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The sources of a micro-batch, as Spark reports them; of folders that are one source, each,
    with how many times its log has grown."""
    for source in progress["sources"]:
        if source["description"].startswith(_FOLDERS):
            yield from _folders(source)
        else:
            yield source


def _folders(source: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    names = json.loads(source["description"].removeprefix(_FOLDERS))
    before, until = _offsets(source["startOffset"]), _offsets(source["endOffset"])
    for name, start, end in zip_longest(names, before, until, fillvalue=-1):
        yield {"description": name, "numInputRows": end - start}


def _offsets(told: Any) -> list[int]:
    """As Spark reports them, or PySpark, which leaves them as a text; none before the first."""
    return (json.loads(told) if isinstance(told, str) else told) or []


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

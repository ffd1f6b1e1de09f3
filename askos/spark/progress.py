"""How much a micro-batch read, by what Spark reports of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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

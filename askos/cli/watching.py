"""What Spark has done so far, told while a query runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from askos.cli.profiling import in_a_line
from askos.cli.telling import Live

if TYPE_CHECKING:
    from askos.terms import URIRef

ANSWERS: Final = "answers"
"""Where a checkpoint keeps them."""


class Watch:
    """Says of each micro-batch what has been read and answered so far, and what is waited for: a
    stream that has had no rows yet, or the end of input, where rows may be in any order.  At last,
    how long the last micro-batch took, and what for."""

    def __init__(
        self,
        live: Live,
        folder: Path,
        streams: Mapping[URIRef, list[str]] | None = None,
    ) -> None:
        from askos.spark.newfiles import NewFiles
        from askos.spark.profiles import Recent

        self.live, self._recent = live, Recent(folder)
        self._folder, self._new = folder / ANSWERS, NewFiles(folder / ANSWERS)
        self._batches = 0
        self._rows = Counter[str]()  # by what Spark calls a source
        self._read = 0
        self._answers = 0
        self._streams = streams

    def __call__(self, progress: Mapping[str, Any]) -> None:
        from askos.spark.progress import rows_read, sources_of

        control = "/control/*.json]"
        data = [s for s in sources_of(progress) if not s["description"].endswith(control)]
        for source in data:
            self._rows[source["description"]] += source["numInputRows"]
        self._read += rows_read({**progress, "sources": data})
        self._batches += 1
        self._answers += sum(map(self._count, self._new.take()))
        counts = f"rows: {self._read:,}  micro-batches: {self._batches}  answers: {self._answers:,}"
        spent = f"  {in_a_line(self._recent.batch(progress))}" if self.live.shown else ""
        self.live.say(f"{counts}{self._waiting()}{spent}")

    def _waiting(self) -> str:
        if self._streams is None:
            return "" if self._answers else "  waiting for the end of input"
        silent = [iri for iri, places in self._streams.items() if self._silent(places)]
        return f"  waiting for <{silent[0]}>" if silent else ""

    def _silent(self, places: list[str]) -> bool:
        ends = tuple(f"{place}]" for place in places)
        counts = [count for name, count in self._rows.items() if name.endswith(ends)]
        return bool(counts) and not any(counts)

    def _count(self, file: str) -> int:
        """The answers in a file; what is told beside them is no answer, nor is what was removed."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if Path(file).parent.name == "output=result":
            with suppress(pa.ArrowException, OSError):
                return int(pq.read_metadata(self._folder / file).num_rows)
        return 0

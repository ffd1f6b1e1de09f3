"""Jumps of a stream's time: one row stamped in the far future makes all that follows late.

Nothing here refuses anything; somebody is to be told while it can still be mended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.interval import moment

if TYPE_CHECKING:
    from askos.physical.ingest import Ingested

DAY: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class Latest:
    """The row of a batch with the latest time."""

    stream: str
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Jump:
    """A row of a stream that is stamped more than a day after all rows of the batches before."""

    before: int
    row: Latest

    def __str__(self) -> str:
        stream, times = self.row.stream, (moment(self.before), moment(self.row.at))
        return (
            f"the time of <{stream}> jumps from {times[0]} to {times[1]} with {self.row.text}:"
            " if that is wrong, what follows is taken for late; declare"
            " not_after or ahead_ms of the stream"
        )


class Jumps:
    """Finds jumps; knows the latest time of each stream, so that each is told once."""

    def __init__(self) -> None:
        self._largest: dict[str, int] = {}

    def is_news(self, stream: str, at: int) -> bool:
        """Whether a row of that time may be a jump, and is to be noted; if not, it is noted."""
        known = self._largest.get(stream)
        if known is None or at - known > DAY:
            return True
        self._largest[stream] = max(known, at)
        return False

    def note(self, latest: Iterable[Latest]) -> list[Jump]:
        """The jumps of a batch, given the latest rows of its parts; its first is no jump."""
        found = latest_of(latest)
        known = [row for row in found if row.stream in self._largest]
        jumps = [Jump(self._largest[row.stream], row) for row in known]
        for row in found:
            self._largest[row.stream] = max(row.at, self._largest.get(row.stream, 0))
        return [jump for jump in jumps if jump.row.at - jump.before > DAY]

    def snapshot(self) -> Any:
        """As plain data."""
        return dict(self._largest)

    def restore(self, manifest: Any) -> None:
        """Continue from a snapshot."""
        self._largest = dict(manifest)


def latest_of(rows: Iterable[Latest]) -> list[Latest]:
    """Of each stream the latest; of several at once the one with the least text, so that it does
    not depend on how a batch was split."""
    best: dict[str, Latest] = {}
    for row in rows:
        best[row.stream] = min(row, best.get(row.stream, row), key=lambda r: (-r.at, r.text))
    return [best[stream] for stream in sorted(best)]


def latest_row(stream: str, columns: Mapping[str, Any], got: Ingested) -> Latest:
    """The latest row that was taken, of some; only that one is spelled.

    Subjects and predicates have no characters below the space, so the least text is the one with
    the least s, then p, then o.
    """
    taken = np.delete(np.arange(len(columns["ts"])), got.refused)
    at = int(got.batch.ts.max())
    chosen, least = pa.array(taken[got.batch.ts == at]), list[str]()
    for name in "spo":
        texts = pc.cast(columns[name].take(chosen), pa.string())
        least.append(pc.min(texts).as_py())
        chosen = chosen.filter(pc.equal(texts, least[-1]))
    return Latest(stream, at, " ".join(least))

"""Static data that may be reloaded, as elements of an open end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from askos.columns.batch import Batch
from askos.columns.signs import cancelled, negated, opened
from askos.interval import FOREVER
from askos.physical.operator import Operator, Progress
from askos.physical.tables import FIRST
from askos.physical.timing import Timing
from askos.physical.window import on_grid
from askos.sweeparea import Fetch, Saved

Content = Callable[[str], Batch]
"""The rows of a version of a table that belong into a bucket, by the version's name."""


class ReloadableOperator(Operator):
    """The rows of a table that may be reloaded, each valid from the version that brought it to the
    one that drops it.

    No paper has it; semantics, section 3: no end is known before a reload tells it.  So rows are
    emitted in pieces up to the cut; or, with `open_ends`, once and for ever, and a version that
    drops some gives negative ones from then on.  A version counts from the instant that `reload`
    gives it, which is never below what was emitted.

    State: the names of the versions in force, and up to when they were emitted; their rows are in
    the table.  Cost: the rows, at every cut; with `open_ends`, with every version.
    """

    rests = False

    def __init__(self, content: Content, timing: Timing, *, open_ends: bool = False) -> None:
        self._content, self._cut, self._grid = content, timing.cut, timing.grid
        self._open_ends = open_ends
        self._versions: list[tuple[int, str]] = [(0, FIRST)]
        self._until = 0
        self._rows: dict[str, Batch] = {}

    def reload(self, following: Sequence[tuple[int, str]]) -> None:
        """Other versions, each from its instant on: they take the place of all that were to come
        at or after the first of them."""
        first, _ = following[0]
        self._versions = [version for version in self._versions if version[0] < first]
        self._versions += following

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        cut = self._cut(watermark)
        if cut <= self._until:
            return Batch.empty(), self._until
        told = Batch.concat([*(self._changes(cut) if self._open_ends else self._pieces(cut))])
        self._until = cut
        self._forget()
        return on_grid(told, self._grid), cut

    def _pieces(self, cut: int) -> Iterator[Batch]:
        """The rows of every version, as long as it is in force before the cut."""
        for (start, name), (end, _) in pairwise([*self._versions, (FOREVER, FIRST)]):
            begin, stop = max(start, self._until), min(end, cut)
            if begin < stop:
                yield _valid(self._of(name), begin, stop)

    def _changes(self, cut: int) -> Iterator[Batch]:
        """What every version that begins before the cut has not in common with the one before."""
        before = Batch.empty()
        for start, name in self._versions:
            rows = self._of(name)
            if self._until <= start < cut:
                both = Batch.concat([rows, negated(before)])
                yield opened(cancelled(_valid(both, start, FOREVER), start))
            before = rows

    def _of(self, name: str) -> Batch:
        if name not in self._rows:
            self._rows[name] = self._content(name)
        return self._rows[name]

    def _forget(self) -> None:
        """Versions that another one has followed before the cut."""
        ends = [start for start, _ in self._versions[1:]]
        over = sum(end < self._until for end in ends)
        self._versions = self._versions[over:]
        kept = {name for _, name in self._versions}
        self._rows = {name: rows for name, rows in self._rows.items() if name in kept}

    def snapshot(self) -> Saved[Batch]:
        return Saved({"versions": [list(v) for v in self._versions], "until": self._until})

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._versions = [(start, name) for start, name in manifest["versions"]]
        self._until = manifest["until"]


def _valid(rows: Batch, start: int, end: int) -> Batch:
    size = len(rows)
    return rows.with_interval(np.full(size, start), np.full(size, end))

"""The plainest rows a SweepArea can keep: intervals, key columns, and a name for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from askos.interval import FOREVER
from askos.sweeparea.rows import Ints

Row = tuple[tuple[int, ...], int, int]
"""Key, start and end."""


@dataclass(frozen=True, eq=False)
class Table:
    keys: tuple[Ints, ...]
    ts: Ints
    te: Ints
    names: Ints

    @classmethod
    def of(cls, rows: Sequence[Row], width: int = 1, first: int = 0) -> Table:
        """Rows named first, first + 1, ..; each with `width` key columns."""
        count = len(rows)
        keys = [np.array([row[0][i] for row in rows], np.int64) for i in range(width)]
        starts, ends = (np.array([row[i] for row in rows], np.int64) for i in (1, 2))
        return cls(tuple(keys), starts, ends, np.arange(first, first + count))

    def __len__(self) -> int:
        return len(self.ts)

    def take(self, rows: Ints) -> Table:
        keys = tuple(key[rows] for key in self.keys)
        return Table(keys, self.ts[rows], self.te[rows], self.names[rows])

    def take_on(self, rows: Ints, ts: Ints, te: Ints) -> Table:
        return Table(self.take(rows).keys, ts, te, self.names[rows])

    def compact(self) -> Table:
        return self

    def slice(self, start: int, stop: int) -> Table:
        return self.take(np.arange(start, stop))

    def meet(self, other: Table) -> None:
        pass

    @classmethod
    def concat(cls, batches: Sequence[Table]) -> Table:
        keys = zip(*(batch.keys for batch in batches), strict=True)
        return cls(
            tuple(np.concatenate(key) for key in keys),
            np.concatenate([batch.ts for batch in batches]),
            np.concatenate([batch.te for batch in batches]),
            np.concatenate([batch.names for batch in batches]),
        )


def key_columns(table: Table) -> Sequence[Ints]:
    return table.keys


@st.composite
def rows(draw: st.DrawFn, width: int = 1, least: int = 0) -> list[Row]:
    """Most keys are 0, starts are a little after `least`; some rows never end."""
    key = st.tuples(*[st.sampled_from([0, 0, 0, 1, 2, -1, 2**62])] * width)
    lengths = st.integers(1, 9) | st.just(FOREVER)
    times = st.tuples(st.integers(least, least + 9), lengths)
    found = draw(st.lists(st.tuples(key, times), max_size=9))
    return [(key, start, min(start + length, FOREVER)) for key, (start, length) in found]

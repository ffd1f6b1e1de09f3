"""Rows of a table one by one, and how they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

from askos.sweeparea import Entry, Log, OrderedArea, OrderedHeap
from tests.sweeparea.table import Table

Named: TypeAlias = tuple[int, tuple[int, ...]]
"""The name of a row, and its key."""


class TableForm:
    """Entries as rows of a table with `width` key columns."""

    def __init__(self, width: int) -> None:
        self._width = width

    def rows(self, entries: Sequence[Entry[Named]]) -> Table:
        found = Table.of([(e.payload[1], e.ts, e.te) for e in entries], self._width)
        found.names[:] = [e.payload[0] for e in entries]
        return found

    def entries(self, rows: Table) -> list[Entry[Named]]:
        return [
            Entry((int(name), key := tuple(int(k[i]) for k in rows.keys)), int(ts), int(te), key)
            for i, (name, ts, te) in enumerate(zip(rows.names, rows.ts, rows.te, strict=True))
        ]


_Kept = TypeVar("_Kept", OrderedArea[Named], OrderedHeap[Named])


class Singles:
    """The rows of one area, and its log."""

    def __init__(self, width: int = 1) -> None:
        self.form = TableForm(width)
        self.log = Log(self.form)

    def restored(self, old: _Kept, new: _Kept) -> _Kept:
        """`new` with what was stored of `old`; what was stored before has not changed."""
        before = self.log.saved(old)
        saved = self.log.saved(old)
        assert saved.manifest == before.manifest
        self.log = Log(self.form)
        for one in self.log.restored(saved.manifest, saved.runs.__getitem__):
            new.insert(one)
        return new

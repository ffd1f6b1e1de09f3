"""Windows that see elements in order: what count and predicate windows have in common."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from askos.algebra.placement import TRIPLE
from askos.columns.batch import Batch
from askos.columns.hidden import (
    ARRIVED,
    NEGATIVE,
    OPEN,
    SEQUENCE,
    SOURCE,
    hidden,
    is_arrival,
    numbers,
    sequence_columns,
    values,
)
from askos.columns.ids import Ids
from askos.columns.signs import negated, opened
from askos.physical.operator import Operator, Progress, combine
from askos.physical.timing import Timing
from askos.physical.window import on_grid
from askos.sweeparea import Fetch, ReleaseHeap, Saved
from askos.terms import Variable

POSITION: Final = Variable(" position")


def marked(triples: Batch, source: int) -> Batch:
    """Arrivals with their place among those of their instant: the source's in the query, the
    source's own number, and the triple itself, whatever becomes of it below the window."""
    columns = {**triples.columns, SOURCE: np.full(len(triples), int(numbers(source)))}
    columns |= {kept: triples.column(name) for kept, name in zip(ARRIVED, TRIPLE, strict=True)}
    if SEQUENCE[0] not in columns:
        columns |= sequence_columns(np.zeros(len(triples), np.int64))
    return triples.with_columns(columns)


def in_order(batch: Batch) -> Batch:
    """By (time, sequence number, source, text), never by arrival.

    Cost: a sort; texts are looked at only where all else is equal.
    """
    keys = [values(batch.column(name)) for name in (SOURCE, *reversed(SEQUENCE))]
    order = np.lexsort((*keys, batch.ts))
    ordered = batch.take(order)
    keys = [key[order] for key in (*keys, batch.ts)]
    new = np.any([key[1:] != key[:-1] for key in keys], axis=0) if len(batch) > 1 else np.empty(0)
    if len(batch) < 2 or new.all():
        return ordered
    groups = np.append(0, np.cumsum(new))
    return ordered.take(np.lexsort((*reversed(_texts(ordered, groups)), groups)))


def _texts(batch: Batch, groups: Ids) -> list[Ids]:
    """Numbers in the order of the texts of s, p and o; 0 for elements alone in their group."""
    tied = np.flatnonzero(np.bincount(groups)[groups] > 1)
    ranks = []
    for name in ARRIVED:
        texts = batch.dictionary.texts(batch.column(name)[tied]).to_numpy(zero_copy_only=False)
        rank = np.zeros(len(batch), np.int64)
        rank[tied] = np.unique(texts.astype(object), return_inverse=True)[1]
        ranks.append(rank)
    return ranks


class OrderedWindow(Operator):
    """Holds arrivals until the watermark has passed them, and says when they are valid, in the one
    order of elements.

    An element's end may be undecided: it is emitted in pieces up to the cut, all that is inside at
    every step; or, with `open_ends`, once and up to its last possible end, and a negative element
    follows when it leaves before: a step then costs what enters and what leaves.  Elements leave
    in the order in which they came.  State: arrivals that wait, and the elements that have not
    left.
    """

    rests = False

    def __init__(self, timing: Timing, *, open_ends: bool = False) -> None:
        self._cut, self._grid = timing.cut, timing.grid
        self._open_ends = open_ends
        self._waiting = ReleaseHeap[Batch](lambda batch: batch.ts)
        self._entering = ReleaseHeap[Batch](position)  # ends are open, and starts undecided
        self._inside = ReleaseHeap[Batch](position)
        self._count = 0
        self._until = 0

    def _see(self, new: Batch) -> Batch:
        """Take in the next elements in order; those that are or will be in the window.  What
        follows is asked of these and of the ones before, after it."""
        raise TypeError(f"{type(self).__name__} is no window")

    @property
    def _entered(self) -> int:
        """The first position whose element's start is not decided."""
        raise TypeError(f"{type(self).__name__} is no window")

    @property
    def _left(self) -> int:
        """The first position whose element's end is not decided."""
        raise TypeError(f"{type(self).__name__} is no window")

    def _starts(self, rows: Batch) -> Ids:
        """When validity begins; FOREVER where that is undecided, anything where it has begun."""
        raise TypeError(f"{type(self).__name__} is no window")

    def _ends(self, rows: Batch) -> Ids:
        """When it ends; where that is undecided, FOREVER or the last possible end."""
        raise TypeError(f"{type(self).__name__} is no window")

    def process(self, port: int, batch: Batch) -> Batch:
        self._waiting.insert(batch)
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        cut = self._cut(watermark)
        if cut <= self._until:
            return Batch.empty(), self._until
        new = self._numbered(in_order(Batch.concat(self._waiting.extract(min(cut, watermark)))))
        members = self._see(new)
        told = self._changes(members) if self._open_ends else self._pieces(members, cut)
        self._until = cut
        return on_grid(_visible(told), self._grid), cut

    def _numbered(self, ordered: Batch) -> Batch:
        positions = np.arange(self._count, self._count + len(ordered))
        self._count += len(ordered)
        return ordered.with_columns({**ordered.columns, POSITION: numbers(positions)})

    def _pieces(self, members: Batch, cut: int) -> Batch:
        """Everything inside, up to the cut."""
        held = Batch.concat(list(self._inside))
        rows = Batch.concat([held.take(np.argsort(position(held))), members])
        start, end = self._starts(rows), self._ends(rows)
        self._inside.insert(members)
        staying = np.flatnonzero(end > cut)
        self._inside.extract(int(position(rows)[staying[0]]) if len(staying) else self._count)
        return rows.with_interval(np.maximum(start, self._until), np.minimum(end, cut))

    def _changes(self, members: Batch) -> Batch:
        """What enters, and, negative, what leaves: from its end to the one that it was given."""
        self._entering.insert(members)
        entering = Batch.concat(self._entering.extract(self._entered))
        entering = entering.with_interval(self._starts(entering), self._ends(entering))
        # Not with the texts of all that came with them: they would be looked through again.
        leaving = Batch.concat([rows.compact() for rows in self._inside.extract(self._left)])
        leaving = leaving.with_interval(self._ends(leaving), leaving.te)
        staying = position(entering) >= self._left
        self._inside.insert(entering.where(staying))
        changing = Batch.concat([entering.where(staying), negated(leaving)])
        return Batch.concat([entering.where(~staying), opened(changing)])

    def snapshot(self) -> Saved[Batch]:
        parts = {"waiting": self._waiting.snapshot(), "inside": self._inside.snapshot()}
        if self._open_ends:
            parts["entering"] = self._entering.snapshot()
        return combine(parts, count=self._count, until=self._until)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._waiting.restore(manifest["waiting"], fetch)
        self._inside.restore(manifest["inside"], fetch)
        if self._open_ends:
            self._entering.restore(manifest["entering"], fetch)
        self._count, self._until = manifest["count"], manifest["until"]


def position(batch: Batch) -> Ids:
    """How many elements came before each of these."""
    return values(batch.column(POSITION))


def _visible(batch: Batch) -> Batch:
    """Order has served its purpose; when a triple came may still be asked for."""
    gone = {v for v in hidden(batch) if not is_arrival(v) and v not in (NEGATIVE, OPEN)}
    return batch.project([v for v in batch.columns if v not in gone])

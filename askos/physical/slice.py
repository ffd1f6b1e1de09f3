"""LIMIT and OFFSET, with the ORDER BY that they rank by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.expressions import compile_value
from askos.columns.factorize import factorize
from askos.columns.hidden import sort_key
from askos.columns.ids import Ids
from askos.columns.least import can_be_least, least
from askos.columns.ranks import places, sizes
from askos.columns.segments import changes
from askos.columns.slots import slots
from askos.columns.top import Pieces, bound, can_be_first, in_and_out, top
from askos.physical.cut import Cut
from askos.physical.nodes import Top
from askos.physical.operator import Operator, Progress, combine
from askos.sweeparea import Fetch, ReleaseHeap, Saved
from askos.sweeparea.rows import new_id


class SliceOperator(Operator):
    """At every instant the rows from `offset` on, at most `limit`, in the order of their sort keys;
    snapshot-equivalent to `algebra.Slice` over `algebra.OrderBy`.

    Streaming SPARQL, section 6, lists both as stateful and says no more.  Ranks are worked out anew
    in each step, from the rows that matter in it: they hold for no other.  With `distinct`, the
    rank of a row is the least of its copies, which changes with time.

    State: elements that start at or after the cut; of the others those that may still come among
    the first offset + limit, about (offset + limit) · ln n of n.  Without a limit all are kept; of
    rows that are told once, those that may still give them their rank.
    """

    def __init__(self, plan: Top, coder: Coder, cut: Cut) -> None:
        self._plan, self._cut = plan, cut
        self._values = [compile_value(key.expression, coder) for key in plan.keys]
        self._keys = tuple(sort_key(number) for number in range(len(plan.keys)))
        self._until = 0
        self._starts = ReleaseHeap[Batch](lambda batch: batch.ts)
        self._held, self._name = Batch.empty(), new_id()

    def process(self, port: int, batch: Batch) -> Batch:
        rows = self._keyed(batch)
        if self._plan.whole:
            return self._shown(rows)
        self._starts.insert(rows)
        return Batch.empty()

    def _keyed(self, batch: Batch) -> Batch:
        """What is left of rows, with the values of their sort keys."""
        columns, dictionary = dict(batch.project(self._plan.columns).columns), batch.dictionary
        for name, value in zip(self._keys, self._values, strict=True):
            columns[name], texts = value(batch)
            dictionary |= texts
        return replace(batch, columns=columns, dictionary=dictionary)

    def _shown(self, rows: Batch) -> Batch:
        return rows if self._plan.keyed else rows.project(self._plan.columns)

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        if self._plan.whole:
            return Batch.empty(), watermark
        cut = self._cut(watermark)
        if cut <= self._until:
            return Batch.empty(), self._until
        started = Batch.concat(self._starts.extract(cut))
        self._held.meet(started)
        rows = self._few(Batch.concat([self._held, started]), self._until, cut)
        rank = self._places(rows)
        found = self._first(rows, rank, self._until, cut)
        self._hold(rows, rank, cut)
        self._until = cut
        return self._shown(found).sorted(), cut

    # ---- from one cut to the next ----------------------------------------------------------------

    def _few(self, rows: Batch, until: int, cut: int) -> Batch:
        """Without what is worse, by the first sort key alone, than as many as are told of those
        valid all the step, and of those that end last: neither now nor later is it told."""
        if not self._many or not self._keys or self._plan.distinct or len(rows) <= self._many:
            return rows
        group = self._group(rows)
        size = sizes(rows.column(self._keys[0]), rows.dictionary, by_value=True)
        size = size.max() - size if self._plan.keys[0].descending else size
        valid = replace(rows, ts=np.maximum(rows.ts, until), te=np.minimum(rows.te, cut))
        groups, last = int(group.max()) + 1, (rows.te == rows.te.max()).nonzero()[0]
        limit = np.maximum(
            *(bound(group[some], size[some], self._many, groups) for some in (_steady(valid), last))
        )
        return rows.where(size <= limit[group])

    def _first(self, rows: Batch, rank: Ids, until: int, cut: int) -> Batch:
        """The rows that are told, in pieces between the two cuts."""
        rows = replace(rows, ts=np.maximum(rows.ts, until), te=np.minimum(rows.te, cut))
        if self._plan.distinct:
            rows, rank = self._once(rows, rank, cut)
        group, offset, many = self._group(rows), self._plan.offset, self._many
        moves = [_moves(_everything(rows) if many is None else _top(group, rows, rank, many), 1)]
        if offset:
            moves.append(_moves(_top(group, rows, rank, offset), -1))
        row, times, signs = (np.concatenate(part) for part in zip(*moves, strict=True))
        row, ts, te = in_and_out(row, times, signs)
        return replace(rows.take(row), ts=ts, te=te)

    @property
    def _many(self) -> int | None:
        """How many of the first rows decide what is told; None: all."""
        return None if self._plan.limit is None else self._plan.offset + self._plan.limit

    def _once(self, rows: Batch, rank: Ids, cut: int) -> tuple[Batch, Ids]:
        """Every row once, in pieces on which its rank stays; and the rank."""
        codes, ended = self._codes(rows), (rows.te < cut).nonzero()[0]
        made = slots(
            np.concatenate([codes, codes[ended]]), np.concatenate([rows.ts, rows.te[ended]]), cut
        )
        left, right = made.at(codes, rows.ts), made.at(codes, rows.te)
        found = least(left, right, rank, len(made), len(rows))
        new = np.flatnonzero(changes(made.group) | changes(found))
        end = np.append(new, len(found))[1:] - 1
        kept = np.flatnonzero(found[new] < len(rows))
        first, last = new[kept], end[kept]
        pieces = rows.take(np.argsort(rank)[found[first]])
        return replace(pieces, ts=made.ts[first], te=made.te[last]), found[first]

    def _hold(self, rows: Batch, rank: Ids, cut: int) -> None:
        """Keep what may still be told."""
        live = (rows.te > cut).nonzero()[0]
        rows, rank = rows.take(live), rank[live]
        if self._plan.distinct:
            rows = rows.where(can_be_least(self._codes(rows), rows.te, rank))
        elif self._many is not None:
            rows = rows.where(can_be_first(self._group(rows), rows.te, rank, max(self._many, 1)))
        self._held, self._name = rows.compact(), new_id()

    def _group(self, rows: Batch) -> Ids:
        return factorize([rows.column(v) for v in self._plan.by], len(rows))[0]

    def _codes(self, rows: Batch) -> Ids:
        return factorize([rows.column(v) for v in self._plan.columns], len(rows))[0]

    def _places(self, rows: Batch) -> Ids:
        down = (key.descending for key in self._plan.keys)
        keys = [(rows.column(name), d) for name, d in zip(self._keys, down, strict=True)]
        columns = [rows.column(v) for v in sorted(self._plan.columns)]
        return places(keys, columns, len(rows), rows.dictionary)

    # ---- state -----------------------------------------------------------------------------------

    def snapshot(self) -> Saved[Batch]:
        held = {self._name: self._held} if len(self._held) else {}
        parts = {"starts": self._starts.snapshot(), "held": Saved(list(held), held)}
        return combine(parts, until=self._until)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._starts.restore(manifest["starts"], fetch)
        self._until = manifest["until"]
        self._held = Batch.empty()
        for name in manifest["held"]:
            self._held, self._name = fetch(name), name


def _everything(rows: Batch) -> Pieces:
    return Pieces(np.arange(len(rows)), rows.ts, rows.te)


def _moves(pieces: Pieces, sign: int) -> tuple[Ids, Ids, Ids]:
    """In and out, or with -1 the other way round."""
    row, ts, te = pieces
    signs = np.repeat([sign, -sign], len(row))
    return np.concatenate([row, row]), np.concatenate([ts, te]), signs


def _top(group: Ids, rows: Batch, rank: Ids, many: int) -> Pieces:
    """The first `many` of each group.  What is valid all the time bounds what can be: only rows
    that are no worse than the last of these are looked at."""
    if not many or not len(rows):
        return Pieces(*(np.empty(0, np.int64) for _ in range(3)))
    steady = _steady(rows)
    limit = bound(group[steady], rank[steady], many, int(group.max()) + 1)
    few = (rank <= limit[group]).nonzero()[0]
    if len(steady) == len(rows):  # nothing changes in the step
        return Pieces(few, rows.ts[few], rows.te[few])
    order = np.empty(len(few), np.int64)
    order[np.argsort(rank[few])] = np.arange(len(few))
    row, ts, te = top(group[few], rows.ts[few], rows.te[few], order, many)
    return Pieces(few[row], ts, te)


def _steady(rows: Batch) -> Ids:
    """The rows that are valid whenever any is."""
    return np.flatnonzero((rows.ts == rows.ts.min()) & (rows.te == rows.te.max()))

"""Who is compatible with whom: an index over what both sides bind.

Only variables that both solutions bind decide.  So both sides are split by which of the shared
variables they bind; between two such parts the key is the same for every pair, and one index
finds all partners.  Nothing is left to check, and nothing is compared in vain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from askos.columns.keys import Index
from askos.columns.segments import numbered
from askos.static.interning import UNBOUND
from askos.static.table import Bound, Ids, Mask, Table, together
from askos.terms import Variable

_PAIRS: Final = 1 << 18
"""Pairs looked at together: a condition may leave few of many."""


class _Found(NamedTuple):
    """The partners of some rows of the left: places `first` to `last` of an index of the right."""

    left: Ids
    right: Ids
    among: Index
    first: Ids
    last: Ids


class Partners:
    """The pairs of compatible rows of two tables.

    Cost: an index per pair of parts, which the right table keeps; then two binary searches per row
    of the left and part of the right.
    """

    def __init__(
        self, left: Table, right: Table, *, sharing: bool = False, by: Sequence[Variable] = ()
    ) -> None:
        """With `sharing`, only partners that bind some variable in common, `by` not counted."""
        shared = [c for c in right.columns if left.place(c) is not None]
        self._left, self._right = left, right
        self._mine = [left.columns.index(c) for c in shared]
        self._theirs = [right.columns.index(c) for c in shared]
        self._unsure = [i for i, c in enumerate(shared) if {c} & (left.optional | right.optional)]
        self._sharing = sharing
        self._by = {i for i, c in enumerate(shared) if c in by}

    def exist(self) -> Mask:
        """For each row of the left, whether it has a partner."""
        found = np.zeros(self._left.size, np.bool_)
        for left, _, _, first, last in self._parts():
            found[left[first < last]] = True
        return found

    def pairs(self) -> Iterator[tuple[Ids, Ids]]:
        """The rows of the left and of the right that are partners, some at a time."""
        for left, right, among, first, last in self._parts():
            for some in _blocks(last - first):
                rows, offset = numbered((last - first)[some])
                yield left[some][rows], right[among.rows[first[some][rows] + offset]]

    def _parts(self) -> Iterator[_Found]:
        unsure_left = [self._mine[i] for i in self._unsure]
        unsure_right = [self._theirs[i] for i in self._unsure]
        for mine, left in self._left.parts(unsure_left).items():
            for theirs, right in self._right.parts(unsure_right).items():
                keys = self._keys(mine, theirs)
                if self._sharing and self._by.issuperset(keys):
                    continue
                index = self._right.index(unsure_right, theirs, [self._theirs[i] for i in keys])
                ends = index.find([self._left.ids[self._mine[i]][left] for i in keys])
                first, last = (np.broadcast_to(end, len(left)) for end in ends)
                yield _Found(left, right, index, first, last)

    def _keys(self, mine: Bound, theirs: Bound) -> list[int]:
        """The shared variables that the rows of both parts bind."""
        both = zip(self._unsure, mine, theirs, strict=True)
        unbound = {i for i, here, there in both if not (here and there)}
        return [i for i in range(len(self._mine)) if i not in unbound]


def _blocks(counts: Ids) -> Iterator[slice]:
    """Rows next to each other that have some pairs together."""
    total, start = np.cumsum(counts), 0
    while start < len(counts):
        before = total[start] - counts[start]
        stop = max(start + 1, int(np.searchsorted(total, before + _PAIRS, "right")))
        yield slice(start, stop)
        start = stop


class Merger:
    """merge(μ, ν) of compatible rows: the columns of the left, then what the right adds."""

    def __init__(self, left: Table, right: Table) -> None:
        self._left, self._right = left, right
        self.added = tuple(c for c in right.columns if left.place(c) is None)

    @property
    def optional(self) -> frozenset[Variable]:
        """The columns that a merged row may leave unbound."""
        left, right = self._left, self._right
        mine = (c for c in left.optional if not right.binds(c))
        return frozenset(mine).union(c for c in right.optional if not left.binds(c))

    def __call__(self, mine: Ids, theirs: Ids) -> Table:
        """The pairs of these rows of the left and of the right."""
        left, right = self._left, self._right
        ids = [column[mine] for column in left.ids]
        for column in left.optional:
            place, other = left.place(column), right.place(column)
            if place is not None and other is not None:
                filled = right.ids[other][theirs]
                ids[place] = np.where(ids[place] == UNBOUND, filled, ids[place])
        ids += [right.column(column)[theirs] for column in self.added]
        return left.widened(self.added, ids, len(mine), self.optional)

    def alone(self, rows: Ids) -> Table:
        """Rows of the left without a partner."""
        left = self._left.without_ranks().take(rows)
        nothing = [np.zeros(len(rows), np.int64)] * len(self.added)
        optional = left.optional.union(self.added)
        return left.widened(self.added, [*left.ids, *nothing], len(rows), optional)


def index_join(left: Table, right: Table) -> Table:
    """left ⋈ right: every compatible pair, merged."""
    merge = Merger(left, right)
    parts = [merge(mine, theirs) for mine, theirs in Partners(left, right).pairs()]
    return together(parts) if parts else merge(_NONE, _NONE)


_NONE: Final = np.zeros(0, np.int64)

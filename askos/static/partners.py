"""Who is compatible with whom: hashing over what both sides bind.

Only variables that both solutions bind decide.  So both sides are split by which of the shared
variables they bind; between two such parts the key is the same for every pair, and one hash
table finds all partners.  Nothing is left to check, and nothing is compared in vain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from askos.static.interning import UNBOUND
from askos.static.table import Mask, Row, Table, picker
from askos.terms import Variable

_Hashed = tuple[Callable[[Row], Row], dict[Row, list[Row]]]


class Partners:
    """The rows of `right` that are compatible with a row of `left`.

    Cost: a hash table per pair of parts, built when first asked for; then a look-up per row and
    part of the right side.
    """

    def __init__(
        self, left: Table, right: Table, *, sharing: bool = False, by: Sequence[Variable] = ()
    ) -> None:
        """With `sharing`, only partners that bind some variable in common, `by` not counted."""
        places = [(c, left.place(c), at) for at, c in enumerate(right.columns)]
        shared = [c for c, place, _ in places if place is not None]
        self._left = [place for _, place, _ in places if place is not None]
        self._right = [at for _, place, at in places if place is not None]
        self._unsure = [
            i for i, c in enumerate(shared) if c in left.optional or c in right.optional
        ]
        self._unsure_left = [self._left[i] for i in self._unsure]
        self._unsure_right = [self._right[i] for i in self._unsure]
        self._table = right
        self._sharing = sharing
        self._by = {i for i, c in enumerate(shared) if c in by}
        self._hashed: dict[Mask, list[_Hashed]] = {}

    def __call__(self, row: Row) -> Iterator[Row]:
        mask = tuple([row[i] != UNBOUND for i in self._unsure_left])
        hashed = self._hashed.get(mask)
        if hashed is None:
            hashed = self._hashed[mask] = list(self._tables(mask))
        for key, table in hashed:
            yield from table.get(key(row), ())

    def _tables(self, mask: Mask) -> Iterator[_Hashed]:
        """For a row that binds what `mask` says, the key and the table of each right part."""
        for other in self._table.parts(self._unsure_right):
            both = [a and b for a, b in zip(mask, other, strict=True)]
            unbound = {self._unsure[i] for i, is_bound in enumerate(both) if not is_bound}
            keys = [i for i in range(len(self._left)) if i not in unbound]
            if not self._sharing or not self._by.issuperset(keys):
                mine, theirs = [self._left[i] for i in keys], [self._right[i] for i in keys]
                yield picker(mine), self._table.hashed(self._unsure_right, other, theirs)


class Merger:
    """merge(μ, ν) of compatible rows: the columns of the left, then what the right adds."""

    def __init__(self, left: Table, right: Table) -> None:
        places = [(c, left.place(c), at) for at, c in enumerate(right.columns)]
        self.added = tuple(c for c, place, _ in places if place is None)
        self._added = picker([at for _, place, at in places if place is None])
        self._filled = {
            place: at for c, place, at in places if place is not None and c in left.optional
        }
        self._left, self._right = left, right

    @property
    def columns(self) -> tuple[Variable, ...]:
        """The columns of a merged row."""
        return self._left.columns + self.added

    def table(self, rows: Sequence[Row]) -> Table:
        """Merged rows."""
        return self._left.widened(self.added, rows, self.optional)

    @property
    def optional(self) -> frozenset[Variable]:
        """The columns that a merged row may leave unbound."""
        left, right = self._left, self._right
        mine = (c for c in left.optional if not right.binds(c))
        return frozenset(mine).union(c for c in right.optional if not left.binds(c))

    def __call__(self, mine: Row, other: Row) -> Row:
        if self._filled:
            fill = self._filled
            mine = tuple([x or (other[fill[i]] if i in fill else x) for i, x in enumerate(mine)])
        return mine + self._added(other)


def hash_join(left: Table, right: Table) -> Table:
    """left ⋈ right: every compatible pair, merged."""
    partners, merge = Partners(left, right), Merger(left, right)
    rows = [merge(row, other) for row in left.rows for other in partners(row)]
    return merge.table(rows)

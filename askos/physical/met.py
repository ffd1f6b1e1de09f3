"""When left elements have partners, told by row or by key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from askos.columns.batch import Batch
from askos.columns.cover import Cover, cover
from askos.columns.factorize import factorize
from askos.columns.hidden import NEGATIVE
from askos.columns.ids import Ids
from askos.columns.signs import positive, settled
from askos.physical.merge import Pairs

_NONE: Final = np.empty(0, np.int64)


class Met(NamedTuple):
    """The group of every left row, and when a group has partners."""

    group: Ids
    covered: Cover


@dataclass(frozen=True, eq=False)
class Keyed:
    """Right elements by key, looked at when they are asked for."""

    right: Batch
    keys: Sequence[Ids]

    @cached_property
    def codes(self) -> Ids:
        """The number of each one's key."""
        return factorize(self.keys, len(self.right))[0]

    @cached_property
    def covered(self) -> Cover:
        """When there is any of a key.  Cost: a sort."""
        return cover(self.codes, self.right.ts, self.right.te)

    def met(self, count: int, pairs: Sequence[Pairs]) -> Met:
        """For `count` left rows, where every pair with an equal key counts."""
        group = np.full(count, len(self.codes))  # of whom nobody is a partner
        for pair in pairs:
            group[pair.rows] = self.codes[pair.partners]
        return Met(group, self.covered)


def met_by_key(keys: Sequence[Ids], count: int, pairs: Sequence[Pairs]) -> Met:
    """For `count` left rows with these keys, where every pair with an equal key counts: rows with
    one key have the same partners, as far as they overlap.

    Cost: a sort of the partners, and not of the pairs.
    """
    codes, _ = factorize(keys, count)
    found = []
    taken_back = may_lose(pairs) and any(_signs(p.right, p.partners).any() for p in pairs)
    for pair in pairs:
        right, group, rows = pair.right, codes[pair.rows], pair.partners
        if taken_back or len(right) < len(rows):  # each of them once: then they are counted
            group, rows = _once(rows, group, len(right))
        found.append((group, right.ts[rows], right.te[rows], _signs(right, rows)))
    return Met(codes, _covered(found))


def _once(rows: Ids, group: Ids, count: int) -> tuple[Ids, Ids]:
    """Each of at most `count` rows once, and a group of it; all its groups are one."""
    if len(rows) < count:
        rows, first = np.unique(rows, return_index=True)
        return group[first], rows
    groups = np.full(count, -1)
    groups[rows] = group
    rows = np.flatnonzero(groups >= 0)
    return groups[rows], rows


def met_by_row(count: int, pairs: Sequence[Pairs]) -> Met:
    """For `count` left rows, each with partners of its own.  Cost: a sort of the pairs."""
    found = [(pair.rows, pair.ts, pair.te, _signs(pair.right, pair.partners)) for pair in pairs]
    return Met(np.arange(count), _covered(found))


def still_joined(count: int, pairs: Sequence[Pairs]) -> Iterator[Batch | Pairs]:
    """The joined pieces of `count` left rows, less those that were taken back; equal ids are equal
    terms.  Cost: a hash of all pieces of rows of which any was."""
    if not may_lose(pairs):
        yield from (pair if pair.plain else settled(pair.joined) for pair in pairs)
        return
    touched = np.zeros(count, np.bool_)
    for pair in pairs:
        touched[pair.rows[_signs(pair.right, pair.partners) != 0]] = True
    yield from (settled(pair.joined.where(~touched[pair.rows])) for pair in pairs)
    if not touched.any():
        return
    mixed = Batch.concat([pair.joined.where(touched[pair.rows]) for pair in pairs])
    mixed.meet(mixed)
    yield settled(mixed)


def may_lose(pairs: Sequence[Pairs]) -> bool:
    """Whether partners may have been taken back."""
    return any(NEGATIVE in pair.right.columns for pair in pairs)


def _signs(batch: Batch, rows: Ids) -> Ids:
    signs = batch.columns.get(NEGATIVE)
    return np.zeros(len(rows), np.int64) if signs is None else signs[rows]


def _covered(found: Sequence[tuple[Ids, Ids, Ids, Ids]]) -> Cover:
    """When a group has partners, given those of groups, their intervals and signs: some may have
    been taken back."""
    columns = zip(*found, strict=True) if found else [()] * 4
    group, ts, te, signs = (np.concatenate([_NONE, *parts]) for parts in columns)
    minus = signs != 0
    return positive(group, ts, te, minus) if minus.any() else cover(group, ts, te)

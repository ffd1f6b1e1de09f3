"""When left elements have partners, told by row or by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from askos.columns.batch import Batch
from askos.columns.cover import Cover, cover
from askos.columns.factorize import factorize
from askos.columns.hidden import NEGATIVE
from askos.columns.ids import Ids
from askos.columns.signs import positive


class Pairs(NamedTuple):
    """Joined pieces, the left row of each, and its right row among those of a batch."""

    joined: Batch
    rows: Ids
    right: Batch
    partners: Ids


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
    found = [np.empty((3, 0), np.int64)]
    for pair in pairs:
        right, group, rows = pair.right, codes[pair.rows], pair.partners
        if len(right) < len(rows):  # each of them once
            group, rows = _once(rows, group, len(right))
        found.append(np.stack([group, right.ts[rows], right.te[rows]]))
    return Met(codes, cover(*np.concatenate(found, axis=1)))


def _once(rows: Ids, group: Ids, count: int) -> tuple[Ids, Ids]:
    """Each of at most `count` rows once, and a group of it; all its groups are one."""
    groups = np.full(count, -1)
    groups[rows] = group
    rows = np.flatnonzero(groups >= 0)
    return groups[rows], rows


def met_by_sign(count: int, pairs: Sequence[Pairs]) -> Met:
    """For `count` left rows whose partners may be taken back.  Cost: a sort of the pairs."""
    found = [np.empty((4, 0), np.int64)]
    for pair in pairs:
        sign = pair.right.column(NEGATIVE)[pair.partners]
        found.append(np.stack([pair.rows, pair.joined.ts, pair.joined.te, sign]))
    rows, ts, te, sign = np.concatenate(found, axis=1)
    return Met(np.arange(count), positive(rows, ts, te, sign != 0))


def met_by_row(count: int, pairs: Sequence[Pairs]) -> Met:
    """For `count` left rows, each with partners of its own.  Cost: a sort of the pairs."""
    found = [np.empty((3, 0), np.int64)]
    found += [np.stack([pair.rows, pair.joined.ts, pair.joined.te]) for pair in pairs]
    return Met(np.arange(count), cover(*np.concatenate(found, axis=1)))

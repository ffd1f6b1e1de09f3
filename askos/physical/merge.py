"""Pairs of elements: compatibility, merging and intersection, for all joins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askos.algebra import Operator
from askos.columns.batch import Batch
from askos.columns.ids import Ids
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class Pairing:
    """How the solutions of two inputs meet.

    `key` are the variables certainly bound on both sides: only these can be hashed.  The other
    shared variables, `maybe`, are compared pair by pair, and agree where one side has none.
    """

    key: tuple[Variable, ...]
    maybe: tuple[Variable, ...]

    @classmethod
    def of(cls, left: Operator, right: Operator) -> Pairing:
        """For two inputs of a join."""
        shared = left.variables & right.variables
        key = shared & left.bound & right.bound
        return cls(tuple(sorted(key)), tuple(sorted(shared - key)))

    def keys(self, batch: Batch) -> list[Ids]:
        """The key columns of a batch."""
        return [batch.column(variable) for variable in self.key]

    def join(self, left: Batch, mine: Ids, right: Batch, theirs: Ids) -> tuple[Batch, Ids]:
        """merge(μ1, μ2) on the intersection of intervals, for the compatible ones of the pairs
        (left row, right row); and which pairs those are."""
        columns = {v: ids[mine] for v, ids in left.columns.items()}
        good = np.ones(len(mine), np.bool_)
        for variable, ids in right.columns.items():
            other = ids[theirs]
            if variable in self.maybe:
                own = left.column(variable)[mine]
                good &= (own == other) | (own == 0) | (other == 0)
                other = np.where(own == 0, other, own)
            columns[variable] = other
        merged = Batch(
            columns,
            np.maximum(left.ts[mine], right.ts[theirs]),
            np.minimum(left.te[mine], right.te[theirs]),
            left.dictionary | right.dictionary,
        )
        pairs = np.flatnonzero(good)
        return (merged, pairs) if len(pairs) == len(mine) else (merged.take(pairs), pairs)

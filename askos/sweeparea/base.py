"""Bases: rows that hold always, found by key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

import numpy as np

from askos.sweeparea.rows import HASH_BITS, Ints, R, argsort, key_hash
from askos.sweeparea.runs import Keys, Match
from askos.sweeparea.spans import spans


@dataclass(frozen=True, slots=True, eq=False)
class Base(Generic[R]):
    """Static rows beside the elements of a SweepArea: probed alike, and no state.

    The rows are sorted by the hash of their key; entry c of the directory says where those begin
    whose hash begins with the bits of c, and there are about as many entries as rows.  So both may
    be views of a file that all processes of a machine map, and what is never asked for is never
    read.
    """

    rows: R
    keys: Keys[R]
    directory: Ints

    @classmethod
    def of(cls, rows: R, keys: Keys[R]) -> Base[R]:
        """Sort `rows`, and make the directory."""
        hashes = key_hash(keys(rows), len(rows))
        order = argsort(hashes, HASH_BITS)
        bits = max(len(rows).bit_length() - 1, 0)
        cells = np.arange((1 << bits) + 1) << HASH_BITS - bits
        return cls(rows.take(order), keys, np.searchsorted(hashes[order], cells))

    def query(self, rows: R) -> Iterator[Match[R]]:
        """The pairs of `rows` and rows of the base with equal keys.

        Cost: two looks into the directory per row, and the candidates of its cell: on average
        no more than two beside the matches, however large the base is.
        """
        if not len(rows) or not len(self.rows):
            return
        self.rows.meet(rows)
        keys, stored_keys = self.keys(rows), self.keys(self.rows)
        bits = (len(self.directory) - 1).bit_length() - 1
        cells = key_hash(keys, len(rows)) >> HASH_BITS - bits
        low = self.directory[cells]
        for probe, stored in spans(low, self.directory[cells + 1] - low, np.arange(len(rows))):
            found = np.ones(len(probe), np.bool_)
            for mine, theirs in zip(keys, stored_keys, strict=True):
                found &= mine[probe] == theirs[stored]
            kept = np.flatnonzero(found)
            if len(kept):
                used, places = np.unique(stored[kept], return_inverse=True)
                # Only these rows leave the file, with their texts.
                yield Match(self.rows.take(used).compact(), probe[kept], places)

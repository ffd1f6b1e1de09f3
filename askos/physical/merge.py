"""Pairs of elements: compatibility, merging and intersection, for all joins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from askos.algebra import Operator
from askos.columns.batch import Batch
from askos.columns.dictionary import Dictionary
from askos.columns.gather import gathered
from askos.columns.hidden import NEGATIVE, OPEN
from askos.columns.ids import Ids, Mask
from askos.terms import Variable

_MANY: Final = 32  # texts for one that is mentioned
Both: TypeAlias = tuple[Ids, Ids] | None
"""On which intervals both of a pair are, if that is known."""
Matched: TypeAlias = tuple[Batch, Ids, Batch, Ids, Both]
"""Pairs of rows: of a left batch and of a right one."""
Side: TypeAlias = tuple[Sequence[Batch], Sequence[Ids]]
"""Batches, and rows of each."""


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

    @property
    def unkeyed(self) -> Pairing:
        """The same pairs, all of them compared."""
        return Pairing((), tuple(sorted({*self.key, *self.maybe})))

    def keys(self, batch: Batch) -> list[Ids]:
        """The key columns of a batch."""
        return [batch.column(variable) for variable in self.key]

    def joined(self, matched: Sequence[Matched]) -> Batch:
        """merge(μ1, μ2) on the intersection of intervals, for the compatible ones of all pairs."""
        if self.maybe or len(matched) < 2:
            return Batch.concat([self.join(*pairs[:4])[0] for pairs in matched])
        lefts = _side([(left, mine) for left, mine, *_ in matched])
        rights = _side([(right, theirs) for _, _, right, theirs, _ in matched])
        columns, dictionary = dict[Variable, Ids](), Dictionary()
        near = min(lefts, rights, key=lambda side: len(side[0]))  # whose rows are side by side
        for batches, rows in (rights, lefts):
            for variable in dict.fromkeys(v for batch in batches for v in batch.columns):
                if variable in self.key:  # equal on both sides
                    if variable not in columns:
                        columns[variable] = _column(near, variable)
                    continue
                columns[variable] = _product(columns, variable, _column((batches, rows), variable))
            for batch, some in zip(batches, rows, strict=True):
                if batch.dictionary.parts:
                    dictionary |= _texts(batch, some)
        both = [pairs[4] for pairs in matched if pairs[4] is not None]
        times = _concat(both) if len(both) == len(matched) else _intersections(lefts, rights)
        return Batch(columns, *times, dictionary)

    def join(self, left: Batch, mine: Ids, right: Batch, theirs: Ids) -> tuple[Batch, Ids]:
        """merge(μ1, μ2) on the intersection of intervals, for the compatible ones of the pairs
        (left row, right row); and which pairs those are."""
        columns = {v: ids.take(mine) for v, ids in left.columns.items()}
        good = np.ones(len(mine), np.bool_)
        for variable, ids in right.columns.items():
            if variable in self.key:  # equal on both sides
                continue
            other = ids.take(theirs)
            if variable in self.maybe:
                own = left.column(variable).take(mine)
                good &= (own == other) | (own == 0) | (other == 0)
                other = np.where(own == 0, other, own)
            columns[variable] = _product(columns, variable, other)
        merged = Batch(
            columns,
            np.maximum(left.ts.take(mine), right.ts.take(theirs)),
            np.minimum(left.te.take(mine), right.te.take(theirs)),
            _texts(left, mine) | _texts(right, theirs),
        )
        pairs = np.flatnonzero(good)
        return (merged, pairs) if len(pairs) == len(mine) else (merged.take(pairs), pairs)

    def compatible(self, pairs: Pairs) -> Pairs:
        """Those of pairs with an equal key whose other shared variables agree too."""
        if not self.maybe:
            return pairs
        good = np.ones(len(pairs), np.bool_)
        for variable in self.maybe:
            own, other = (side.columns.get(variable) for side in (pairs.left, pairs.right))
            if own is not None and other is not None:
                mine, theirs = own.take(pairs.rows), other.take(pairs.partners)
                good &= (mine == theirs) | (mine == 0) | (theirs == 0)
        return pairs.where(good)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Compatible rows of a left batch and of a right one that overlap, by their numbers: what they
    are together is written when it is asked for."""

    left: Batch
    rows: Ids
    right: Batch
    partners: Ids
    pairing: Pairing = Pairing((), ())

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, kept: Mask) -> Pairs:
        """The pairs for which `kept` is true."""
        chosen = kept.nonzero()[0]
        if len(chosen) == len(kept):
            return self
        return replace(self, rows=self.rows.take(chosen), partners=self.partners.take(chosen))

    @cached_property
    def ts(self) -> Ids:
        """When each one begins."""
        return np.maximum(self.left.ts.take(self.rows), self.right.ts.take(self.partners))

    @cached_property
    def te(self) -> Ids:
        """When each one ends."""
        return np.minimum(self.left.te.take(self.rows), self.right.te.take(self.partners))

    @cached_property
    def joined(self) -> Batch:
        """merge(μ1, μ2) on the intersection of intervals."""
        return self.pairing.join(self.left, self.rows, self.right, self.partners)[0]

    @property
    def plain(self) -> bool:
        """Whether each of its columns comes from one side, or from the other where it has none."""
        return not any(
            v in side.columns for v in (NEGATIVE, OPEN) for side in (self.left, self.right)
        )

    @property
    def variables(self) -> Iterable[Variable]:
        """The columns, in the order of `joined`."""
        return dict.fromkeys([*self.left.columns, *self.right.columns])

    def sources(self, variable: Variable) -> tuple[Ids | None, Ids | None]:
        """The columns of both sides that a column of plain pairs comes from: the left one first."""
        left, right = self.left.columns.get(variable), self.right.columns.get(variable)
        if right is None or variable in self.pairing.key:  # equal on both sides
            return left, None
        return (left if variable in self.pairing.maybe else None), right

    @property
    def dictionary(self) -> Dictionary:
        """The texts."""
        return _texts(self.left, self.rows) | _texts(self.right, self.partners)


def _product(columns: Mapping[Variable, Ids], variable: Variable, ids: Ids) -> Ids:
    """What becomes of a column that both sides may have: a pair of negative elements is a positive
    one, and the end of a pair is open if either one's is."""
    other = columns.get(variable) if variable in (NEGATIVE, OPEN) else None
    if other is None:
        return ids
    return other ^ ids if variable == NEGATIVE else other | ids


def _texts(batch: Batch, rows: Ids) -> Dictionary:
    """The texts of some rows, and no more than a few others for each of them: who keeps the pairs
    should not keep, nor look through, those of all elements that had no partner."""
    texts, mentions = batch.dictionary, len(rows) * len(batch.columns)
    if len(texts) <= _MANY * (mentions + _MANY):
        return texts
    return texts.restrict([ids.take(rows) for ids in batch.columns.values()])


def _side(parts: Sequence[tuple[Batch, Ids]]) -> Side:
    """Batches and their rows; what came in is the same one in all pairs."""
    batches, rows = zip(*parts, strict=True)
    if all(batch is batches[0] for batch in batches):
        return batches[:1], [np.concatenate(rows)]
    return batches, rows


def _column(side: Side, variable: Variable) -> Ids:
    batches, rows = side
    return gathered([batch.column(variable) for batch in batches], rows)


def _concat(both: Sequence[tuple[Ids, Ids]]) -> tuple[Ids, Ids]:
    starts, ends = zip(*both, strict=True)
    return np.concatenate(starts), np.concatenate(ends)


def _intersections(*sides: Side) -> tuple[Ids, Ids]:
    starts = [gathered([batch.ts for batch in batches], rows) for batches, rows in sides]
    ends = [gathered([batch.te for batch in batches], rows) for batches, rows in sides]
    return np.maximum(*starts), np.minimum(*ends)

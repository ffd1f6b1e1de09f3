"""Grouping of joins without their pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from askos.algebra import Ref
from askos.columns.batch import Batch
from askos.columns.coalesce import coalesce
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.expressions import compile_value
from askos.columns.hidden import numbers, values
from askos.columns.ids import Ids
from askos.columns.sums import Sums, times, totals
from askos.physical.cut import Cut
from askos.physical.folds import Adding, Column, Fold, adding, compile_fold
from askos.physical.folds.adding import AddingFold, each
from askos.physical.grouping import GroupingOperator
from askos.physical.groups import Groups
from askos.physical.merge import Pairing
from askos.physical.nodes import Products, side_of
from askos.physical.operator import Operator, Progress, combine
from askos.sweeparea import Fetch, Saved, SweepArea
from askos.terms import Variable

_SIZE: Final = " size "


class ProductsOperator(Operator):
    """γ(A ⋈ B ⋈ …) from partial groups: those of each input by its own keys, joined as step
    functions; snapshot-equivalent to `algebra.Group` over `algebra.Join`.

    Not in the papers.  A group of pairs is every member of a group of A with every member of one
    of B: COUNT is |A|·|B|, SUM over A is ΣA·|B|, and what does not count copies is that of A.  All
    of it in exact integers, rounded once at the end, so results are those of the pairs to the bit.

    State: the elements of all inputs that end at or after the cut; no pairs.  Cost: what starts and
    ends, and the groups that this changes.
    """

    def __init__(self, plan: Products, coder: Coder, cut: Cut) -> None:
        self._pairing = Pairing(plan.shared, ())
        self._plan, self._coder = plan, coder
        self._sides = [_Side(plan, side, coder, cut) for side in range(len(plan.below))]
        self._added = {
            variable: side_of(aggregate, plan.below)
            for variable, aggregate in plan.made.items()
            if adding(aggregate, coder) is not None
        }

    def open_on(self, port: int) -> None:
        self._sides[port].open_on(0)

    def process(self, port: int, batch: Batch) -> Batch:
        return self._sides[port].process(0, batch)

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        told = [side.advance(watermark) for side in self._sides]
        found = told[0][0]
        for pieces, _ in told[1:]:
            found = self._met(found, pieces)
        return (self._finished(found) if len(found) else Batch.empty()), told[0][1]

    def _met(self, left: Batch, right: Batch) -> Batch:
        """Pieces of groups of the same key, on the intersection of their intervals."""
        area = SweepArea[Batch](self._pairing.keys)
        area.insert(right)
        met = [
            self._pairing.join(left, match.probe, match.rows, match.stored)[0]
            for match in area.query(left)
        ]
        return Batch.concat(met)

    def _finished(self, pieces: Batch) -> Batch:
        """Aggregates of the pairs, from those of the sides and how many members these have."""
        sizes = [values(pieces.column(size_of(side))) for side in range(len(self._sides))]
        columns = {variable: pieces.column(variable) for variable in self._plan.keys}
        dictionary = pieces.dictionary
        for variable in self._plan.made:
            columns[variable], texts = self._value(variable, pieces, sizes)
            dictionary |= texts
        return coalesce(Batch(columns, pieces.ts, pieces.te, dictionary))

    def _value(
        self, variable: Variable, pieces: Batch, sizes: Sequence[Ids]
    ) -> tuple[Ids, Dictionary]:
        if variable not in self._added:
            return pieces.column(variable), Dictionary()  # copies do not count
        side = self._added[variable]
        if side is None:  # COUNT(*)
            return totals(times(_counts(sizes[0]), _product(sizes[1:])), self._coder)
        others = _product([size for n, size in enumerate(sizes) if n != side])
        return self._sides[side].finished(variable, values(pieces.column(variable)), others)

    def snapshot(self) -> Saved[Batch]:
        return combine({f"side {n}": side.snapshot() for n, side in enumerate(self._sides)})

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        for number, side in enumerate(self._sides):
            side.restore(manifest[f"side {number}"], fetch)


class _Side(GroupingOperator):
    """The partial groups of one input: their sizes, and aggregates that are not finished.

    The column of such an aggregate holds the place of its sum among those of the step.
    """

    def __init__(self, plan: Products, side: int, coder: Coder, cut: Cut) -> None:
        super().__init__(cut)
        below = plan.below[side]
        self._keys = [v for v in plan.keys if v in below.variables]
        self._size, self._coder = size_of(side), coder
        self._aggregates = {
            variable: aggregate
            for variable, aggregate in plan.made.items()
            if side_of(aggregate, plan.below) == side
        }
        self._adding: dict[Variable, Adding] = {}
        self._sums: dict[Variable, Column] = {}

    def make(self) -> Groups:
        keys = {variable: compile_value(Ref(variable), self._coder) for variable in self._keys}
        return Groups(keys, {self._size: AddingFold(_ones, _plain), **self._folds()})

    def _folds(self) -> Mapping[Variable, Fold]:
        folds: dict[Variable, Fold] = {}
        for variable, aggregate in self._aggregates.items():
            added = adding(aggregate, self._coder)
            if added is None:
                folds[variable] = compile_fold(aggregate, self._coder)
            else:
                self._adding[variable] = added
                folds[variable] = AddingFold(added.summands, self._keeping(variable))
        return folds

    def _keeping(self, variable: Variable) -> Any:
        def kept(sums: Column) -> tuple[Ids, Dictionary]:
            self._sums[variable] = sums
            return numbers(np.arange(len(sums))), Dictionary()

        return kept

    def finished(
        self, variable: Variable, places: Ids, copies: npt.NDArray[Any]
    ) -> tuple[Ids, Dictionary]:
        """What an aggregate is worth, if every member counts `copies` times."""
        sums = each(self._sums[variable], lambda column: column[places])
        if not isinstance(sums, Sums):  # a COUNT
            return totals(times(_counts(sums), copies), self._coder)
        return self._adding[variable].result(times(sums, copies))


def size_of(side: int) -> Variable:
    """The column of how many members the groups of a side have."""
    return Variable(f"{_SIZE}{side}")


def _ones(batch: Batch) -> Ids:
    return np.ones(len(batch), np.int64)


def _plain(counts: Column) -> tuple[Ids, Dictionary]:
    assert not isinstance(counts, Sums)
    return numbers(counts), Dictionary()


def _counts(counts: Ids) -> Sums:
    """Counts, as sums of ones."""
    return Sums({"values": counts}, counts)


def _product(factors: Sequence[Ids]) -> npt.NDArray[Any]:
    """Of sizes; as Python's integers where they are too many for 64 bits."""
    most = sum(int(sizes.max(initial=1)).bit_length() for sizes in factors)
    wide = factors if most < 62 else [sizes.astype(object) for sizes in factors]
    return np.asarray(np.multiply.reduce(np.stack(wide)))

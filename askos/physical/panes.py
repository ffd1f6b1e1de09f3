"""Panes: elements of a group that come and go together, as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from askos.algebra import Aggregate, Count, Ref
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.expressions import compile_value
from askos.columns.factorize import factorize
from askos.columns.hidden import ELEMENTS, numbers, values
from askos.columns.ids import DECIMAL, INTEGER, Ids, Mask, unpack
from askos.columns.sums import Sums, standing_for, summands, totals
from askos.physical.cut import Cut
from askos.physical.folds import Fold, adding
from askos.physical.folds.adding import AddingFold
from askos.physical.grouping import GroupingOperator
from askos.physical.groups import Groups
from askos.physical.nodes import GroupOfPanes, Panes
from askos.physical.operator import Operator
from askos.terms import Variable

_WORTH: Final = 2  # elements a pane from which on merging pays
Values: TypeAlias = Callable[[Batch], tuple[Ids, Dictionary]]


class PanesOperator(Operator):
    """Rows of one group with equal intervals become one row of exact partial sums, before they are
    sent and stored; `GroupOfPanesOperator` takes it from there.

    Not in the papers; Li et al. call it panes.  A row says for how many elements it stands; for
    COUNT(e) how many values there were, for SUM and AVG what they add up to, as a term.  What is no
    integer or decimal stays by itself: its sum has no term that is exact.  Where few elements share
    a pane, all of them stay by themselves, since then it costs more than it saves.

    State: none.  Cost: a hash of each row.
    """

    def __init__(self, plan: Panes, coder: Coder) -> None:
        self._keys, self._coder = plan.keys, coder
        self._counts: dict[Variable, Values] = {}
        self._sums: dict[Variable, Values] = {}
        for name, aggregate in plan.made.items():
            if aggregate.expression is not None:
                kind = self._counts if isinstance(aggregate, Count) else self._sums
                kind[_part(name)] = compile_value(aggregate.expression, coder)

    def process(self, port: int, batch: Batch) -> Batch:
        alone = self._alone(batch)
        columns = [alone.column(v) for v in self._keys]
        codes, example = factorize([*columns, batch.ts, batch.te], len(batch))
        if len(example) * _WORTH > len(batch):
            return alone
        exact = self._exact(alone)
        if exact.all():
            return self._merged(alone, codes, example)
        some = np.flatnonzero(exact)
        codes, example = factorize([codes[some]], len(some))
        merged = self._merged(alone.take(some), codes, example)
        return Batch.concat([merged, alone.take(np.flatnonzero(~exact))])

    def _alone(self, batch: Batch) -> Batch:
        """Every element as a pane of its own."""
        columns = {v: batch.column(v) for v in self._keys}
        columns[ELEMENTS] = numbers(np.ones(len(batch), np.int64))
        dictionaries = [batch.dictionary]
        for name, value in self._counts.items():
            columns[name] = numbers((value(batch)[0] != 0).astype(np.int64))
        for name, value in self._sums.items():
            columns[name], texts = value(batch)
            dictionaries.append(texts)
        return Batch(columns, batch.ts, batch.te, Dictionary.union(dictionaries))

    def _exact(self, alone: Batch) -> Mask:
        """Which rows can be added up without loss."""
        exact = np.ones(len(alone), np.bool_)
        for name in self._sums:
            kind = unpack(alone.column(name))[0]
            exact &= (kind == INTEGER) | (kind == DECIMAL)
        return exact

    def _merged(self, alone: Batch, codes: Ids, example: Ids) -> Batch:
        def added(column: Any) -> Any:
            total = np.zeros(len(example), column.dtype)
            np.add.at(total, codes, column)
            return total

        panes = alone.take(example)
        columns, dictionaries = dict(panes.columns), [panes.dictionary]
        for name in (ELEMENTS, *self._counts):
            columns[name] = numbers(added(values(alone.column(name))))
        for name in self._sums:
            # Once more through concat, which makes room for all of them.
            sums = Sums.concat([summands(alone.column(name), alone.dictionary)]).each(added)
            columns[name], texts = totals(sums, self._coder)
            dictionaries.append(texts)
        return Batch(columns, panes.ts, panes.te, Dictionary.union(dictionaries))


class GroupOfPanesOperator(GroupingOperator):
    """γ of rows that stand for several elements; over `PanesOperator` snapshot-equivalent to
    `algebra.Group`.

    State: the panes that end at or after the cut, not their elements.
    """

    def __init__(self, plan: GroupOfPanes, coder: Coder, cut: Cut) -> None:
        super().__init__(cut)
        self._plan, self._coder = plan, coder

    def make(self) -> Groups:
        keys = {v: compile_value(Ref(v), self._coder) for v in self._plan.keys}
        return Groups(keys, self._folds())

    def _folds(self) -> Mapping[Variable, Fold]:
        folds: dict[Variable, Fold] = {}
        for name, aggregate in self._plan.made.items():
            added = adding(aggregate, self._coder)
            assert added is not None
            folds[name] = AddingFold(_summands(name, aggregate), added.result)
        return folds


def _summands(name: Variable, aggregate: Aggregate) -> Callable[[Batch], Ids | Sums]:
    """What a pane adds to an aggregate."""
    if aggregate.expression is None:
        return lambda batch: values(batch.column(ELEMENTS))
    part = _part(name)
    if isinstance(aggregate, Count):
        return lambda batch: values(batch.column(part))
    return lambda batch: standing_for(
        summands(batch.column(part), batch.dictionary), values(batch.column(ELEMENTS))
    )


def _part(name: Variable) -> Variable:
    """The column of what a pane brings to an aggregate."""
    return Variable(f" part {name}")

"""The groups of elements, from one cut to the next."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from askos.columns.batch import Batch
from askos.columns.coalesce import joined
from askos.columns.dictionary import Dictionary
from askos.columns.expressions import Value
from askos.columns.factorize import factorize
from askos.columns.ids import Ids
from askos.columns.slots import slots
from askos.physical.folds import Fold, Step
from askos.terms import Variable


class Groups:
    """Groups by the values of `keys`, and their aggregates, on the stretches between two changes.

    Elements add when they start and are gone when they end.  `always`: there is one group at every
    instant, empty or not; so it is without keys, unless said otherwise.

    In memory: the groups that are there at the cut, and what their folds keep.
    """

    def __init__(
        self,
        keys: Mapping[Variable, Value],
        folds: Mapping[Variable, Fold],
        *,
        always: bool | None = None,
    ) -> None:
        self._keys, self._folds = keys, folds
        self._always = not keys if always is None else always
        nobody = np.zeros(1 if self._always else 0, np.int64)
        self._known = Batch(dict.fromkeys(keys, nobody), nobody, nobody, Dictionary())
        self._size = nobody

    def step(
        self, started: Batch, ended: Batch, until: int, cut: int, *, sorted: bool = False
    ) -> Batch:
        """What holds from `until` to `cut`, in the order of group and time, or `sorted` by start.

        `started` are elements that start in between, before the first step also those that did
        before; `ended` those that end.
        """
        moved, begun = Batch.concat([started, ended]), len(started)
        before, count = len(self._known), len(self._known) + len(moved)
        times = np.full(count, until)
        np.maximum(started.ts, until, out=times[before : before + begun])
        times[before + begun :] = ended.te
        rows = self._keyed(moved, times)
        rows.meet(rows)  # from here on equal ids are equal terms
        codes, example = factorize([*rows.columns.values()], count)
        made = slots(codes, times, cut)
        if not len(made):
            return Batch.empty([*self._keys, *self._folds])
        group, slot = codes[before:], made.event[before:]
        signs = np.ones(len(moved), np.int64)
        signs[begun:] = -1
        size = made.summed(slot, signs, self._size)
        step = Step(until, cut, made, moved, begun, group, slot, signs, size)
        told = np.arange(len(size)) if self._always else (size > 0).nonzero()[0]
        groups = rows.take_on(example, example, example)
        pieces = self._pieces(step, groups, told)
        self._keep(groups, size[made.last])
        return joined(pieces, sorted=sorted)

    def _keyed(self, moved: Batch, times: Ids) -> Batch:
        """The keys of the groups that are there, and of elements; their intervals mean nothing."""
        columns, dictionary = {}, self._known.dictionary
        for variable, value in self._keys.items():
            ids, texts = value(moved)
            columns[variable] = np.concatenate([self._known.column(variable), ids])
            dictionary |= texts
        return Batch(columns, times, times, dictionary)

    def _pieces(self, step: Step, groups: Batch, told: Ids) -> Batch:
        """Keys and aggregates in the slots `told`."""
        ts, te, of = (column[told] for column in (step.slots.ts, step.slots.te, step.slots.group))
        keys = groups.take_on(of, ts, te)
        columns, dictionary = dict(keys.columns), groups.dictionary
        for variable, fold in self._folds.items():
            columns[variable], texts = fold.step(step, told)
            dictionary |= texts
        return Batch(columns, ts, te, dictionary)

    def _keep(self, groups: Batch, size: Ids) -> None:
        """Empty groups are gone, unless there is one always."""
        kept = np.arange(len(size)) if self._always else (size > 0).nonzero()[0]
        number = kept
        if len(kept) < len(size):
            number = np.full(len(size), -1)
            number[kept] = np.arange(len(kept))
            groups, size = groups.take(kept), size[kept]
        self._known, self._size = groups.compact(), size
        for fold in self._folds.values():
            fold.keep(kept, number)

"""GROUP_CONCAT."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.columns.coder import Coder, decode
from askos.columns.cover import cover
from askos.columns.dictionary import Dictionary
from askos.columns.factorize import factorize
from askos.columns.ids import Ids
from askos.columns.ranks import ranks
from askos.columns.segments import in_order, numbered
from askos.physical.folds.fold import Fold, Step
from askos.physical.folds.members import VALUE, Members, Valued
from askos.terms import BNode, Literal


class ConcatFold(Fold):
    """The texts of a group's values in term order, with a separator between.

    In memory: all elements of the group.  Cost: the answers, which say each value in every slot in
    which it is valid.
    """

    def __init__(self, values: Valued, separator: str, coder: Coder, *, distinct: bool) -> None:
        self._members = Members(values)
        self._separator, self._coder, self._distinct = separator, coder, distinct

    def step(self, step: Step, told: Ids) -> tuple[Ids, Dictionary]:
        self._members.take(step)
        if self._distinct:
            self._once(step.until)
        rows, group, slots = self._members.rows, self._members.group, step.slots
        left = slots.at(group, np.maximum(rows.ts, step.until))
        right = slots.at(group, np.minimum(rows.te, step.cut))
        member, place = numbered(np.maximum(right - left, 0))
        slot = left[member] + place
        ids = rows.column(VALUE)
        order = in_order(slot, ranks(ids, rows.dictionary)[member])
        found = self._texts(slot[order], member[order], ids, rows.dictionary, len(slots))
        live = np.flatnonzero(rows.te > step.cut)
        self._members.leave(live, rows.te[live])
        return self._coded(found.take(pa.array(told)))

    def _once(self, until: int) -> None:
        """Every value of a group once, in maximal pieces."""
        rows, group = self._members.rows, self._members.group
        codes, _ = factorize([group, rows.column(VALUE)], len(rows))
        _, ts, te, row = cover(codes, np.maximum(rows.ts, until), rows.te)
        self._members.group = group[row]
        # Some may be empty: what ends at the cut comes once more after a restart.
        self._members.rows = replace(rows.take(row), ts=ts, te=te)

    def _texts(
        self, slot: Ids, member: Ids, ids: Ids, dictionary: Dictionary, slots: int
    ) -> pa.Array:
        """What is joined in every slot; null where a value has no text."""
        distinct, places = np.unique(ids, return_inverse=True)
        texts = [_text(term) for term in decode(distinct, dictionary)]
        values = pa.array(texts, pa.string()).take(pa.array(places[member]))
        borders = np.searchsorted(slot, np.arange(slots + 1))
        lists = pa.ListArray.from_arrays(pa.array(borders, pa.int32()), values)
        return pc.binary_join(lists, self._separator)

    def _coded(self, texts: pa.Array) -> tuple[Ids, Dictionary]:
        coded = texts.dictionary_encode()
        literals = [Literal(text) for text in coded.dictionary.to_pylist()]
        ids, dictionary = self._coder.terms(literals)
        found = np.zeros(len(texts), np.int64)
        valid = np.flatnonzero(coded.is_valid().to_numpy(zero_copy_only=False))
        found[valid] = ids[coded.indices.drop_null().to_numpy()]
        return found, dictionary

    def keep(self, groups: Ids, number: Ids) -> None:
        self._members.renumber(number)


def _text(term: object) -> str | None:
    return None if term is None or isinstance(term, BNode) else str(term)

"""Batches taken apart into single elements, and put together again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa

from askos.columns.batch import Batch
from askos.columns.dictionary import Dictionary, Part
from askos.columns.ids import Ids, is_hashed
from askos.sweeparea import Entry
from askos.terms import Variable

Mu: TypeAlias = dict[Variable, int]
"""A solution: ids by variable, 0 or nothing where unbound."""

_SPARE: Final = 1_000  # texts that are not worth a search for those nobody mentions


class Texts:
    """The texts behind the hashed ids of entries, as a `Dictionary` holds those of a batch.

    One text an id: another one for an id that is known stops the query.
    """

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._last: tuple[Part, ...] = ()
        self._most = _SPARE

    def __len__(self) -> int:
        return len(self._texts)

    def learn(self, dictionary: Dictionary) -> None:
        """Take in the texts of a batch.  Cost: a look at each, unless the last batch had them."""
        last, self._last = self._last, dictionary.parts
        for part in dictionary.parts:
            if not any(part[0] is known[0] for known in last):
                self._take(part)

    def _take(self, part: Part) -> None:
        for name, text in zip(part[0].tolist(), part[1].to_pylist(), strict=True):
            known = self._texts.setdefault(name, text)
            if known != text:
                Dictionary.of(np.array([name, name]), pa.array([known, text]))  # refuses them

    def dictionary(self, columns: Sequence[Ids]) -> Dictionary:
        """The texts that `columns` mention."""
        if not self._texts or not columns:
            return Dictionary()
        ids = np.unique(np.concatenate([column[is_hashed(column)] for column in columns]))
        return Dictionary.of(ids, pa.array([self._texts[name] for name in ids.tolist()]))

    def forget(self, mentioning: Iterable[Iterable[Entry[Mu]]]) -> None:
        """Keep what some entries mention, once there is twice as much as there was then."""
        if len(self._texts) <= self._most:
            return
        ids = {name for kept in mentioning for e in kept for name in e.payload.values()}
        self._texts = {name: text for name, text in self._texts.items() if name in ids}
        self._most = 2 * len(self._texts) + _SPARE
        self._last = ()


class Entries:
    """How the elements of a batch become entries with these variables for a key, and entries a
    batch."""

    def __init__(self, key: Sequence[Variable]) -> None:
        self._key = key
        self.texts = Texts()

    def entries(self, rows: Batch) -> list[Entry[Mu]]:
        """The elements of a batch, in its order."""
        rows = rows.compact()
        self.texts.learn(rows.dictionary)
        columns = [ids.tolist() for ids in rows.columns.values()]
        solutions = zip(*columns, strict=True) if columns else [()] * len(rows)
        keys = [rows.column(variable).tolist() for variable in self._key]
        return [
            Entry(dict(zip(rows.columns, solution, strict=True)), ts, te, key)
            for solution, ts, te, key in zip(
                solutions,
                rows.ts.tolist(),
                rows.te.tolist(),
                zip(*keys, strict=True) if keys else [()] * len(rows),
                strict=True,
            )
        ]

    def rows(self, entries: Sequence[Entry[Mu]]) -> Batch:
        """A batch of entries; a variable that one has, all have."""
        solutions = [entry.payload for entry in entries]
        variables = dict.fromkeys(variable for mu in solutions for variable in mu)
        columns = {v: np.array([mu.get(v, 0) for mu in solutions], np.int64) for v in variables}
        return Batch(
            columns,
            np.array([entry.ts for entry in entries], np.int64),
            np.array([entry.te for entry in entries], np.int64),
            self.texts.dictionary(list(columns.values())),
        )

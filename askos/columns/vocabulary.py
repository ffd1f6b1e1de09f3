"""Texts that come again and again: their ids, without reading and hashing them anew."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.columns import compiled
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary, Part, collision
from askos.columns.ids import Ids, Texts

_MOST: Final = 1 << 16  # texts
_FEW: Final = 1 << 14  # of one batch
_NEWS: Final = 8  # a table is made anew when so much of it, or more, was not in it
_SMALL: Final = 1 << 10  # texts of a table that is made anew in no time


@dataclass(slots=True, eq=False)
class _Table:
    """Texts as they were written, in no order, and their ids; and how many texts were not found
    since it was made."""

    written: Texts
    ids: Ids
    missed: int = 0


class Vocabulary:
    """The texts that a process has met lately, by kind, and their ids.

    The subjects and predicates of a stream come again with every batch: here they are found by one
    look-up of the whole column, and all batches share one dictionary.  All its parts are of one
    family: an id that has two texts is refused when the second is learnt.

    It forgets everything when there is too much of it.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._family = object()
        self._texts: dict[int, str] = {}
        self._tables: dict[str, _Table] = {}
        self._dictionary = Dictionary()
        self._missed = 0  # texts that it did not know when it was made

    def encode(self, texts: Texts, kinds: str, coder: Coder) -> tuple[Ids, Dictionary]:
        """The ids of texts that are terms of one of the `kinds` at sight, 0 for the others; and a
        dictionary of these.  Only where that is compiled.

        Cost: a pass over the characters, and a binary search for each hashed text.
        """
        known = self._dictionary
        found = compiled.encode(texts, kinds, coder.key, coder.mask, known.merged)
        if found.clash >= 0:
            one = known.texts(found.ids[found.clash : found.clash + 1])[0]
            raise collision(str(one), str(texts[found.clash]))
        if not found.fresh:
            return found.ids, known
        rows = found.new.nonzero()[0]
        new = Dictionary.of(found.ids[rows], texts.take(pa.array(rows)))
        return found.ids, known | self.hear(new)

    def hear(self, new: Dictionary) -> Dictionary:
        """Remember texts, if they are not too many, and enough of them for all to be sorted anew.
        Gives the dictionary to go on with."""
        count = len(new)
        if not 0 < count <= _FEW:
            return new  # so many hardly come again
        if len(self._texts) + count > _MOST:
            self._begin()
        new = self.adopt(new)
        self._missed += count
        if len(self._dictionary) > max(self._missed * _NEWS, _SMALL):
            return new
        self._dictionary, self._missed = Dictionary(((self._dictionary | new).merged,)), 0
        return self._dictionary

    def find(self, texts: Texts, kind: str) -> tuple[Ids, Dictionary]:
        """The ids of texts of a kind, 0 where they are not known; and a dictionary of these.

        Cost: a hash table of what is known, and a look for each text.
        """
        table = self._tables.get(kind)
        if table is None:
            return np.zeros(len(texts), np.int64), Dictionary()
        places = pc.index_in(texts, table.written)
        if not places.null_count:
            return table.ids[places.to_numpy()], self._dictionary
        found = pc.fill_null(places, -1).to_numpy()
        return np.where(found < 0, 0, table.ids[found]), self._dictionary

    def learn(self, kind: str, written: Texts, ids: Ids, dictionary: Dictionary) -> Dictionary:
        """Hear of texts that were not found, each once: they are remembered if enough were not.
        Gives the dictionary to go on with."""
        if len(written) > _FEW:
            return dictionary  # such texts hardly come again
        if len(self._texts) + len(written) > _MOST:
            self._begin()
        new, table = self.adopt(dictionary), self._tables.get(kind)
        if table is not None:
            table.missed += len(written)
            if len(table.written) > max(table.missed * _NEWS, _SMALL):
                return new
            written = pa.concat_arrays([table.written, written])
            ids = np.concatenate([table.ids, ids])
        both = self._dictionary | new
        self._dictionary = Dictionary((both.merged,)) if both.parts else both
        self._tables[kind] = _Table(written, ids)
        return self._dictionary

    def adopt(self, dictionary: Dictionary) -> Dictionary:
        """The same texts, of this family; StreamError if they are none of it."""
        ids, texts, _ = dictionary.merged
        for name, text in zip(ids.tolist(), texts.to_pylist(), strict=True):
            if self._texts.setdefault(name, text) != text:
                raise collision(self._texts[name], text)
        return Dictionary((Part(ids, texts, self._family),)) if len(ids) else dictionary


@lru_cache(maxsize=16)
def vocabulary(coder: Coder) -> Vocabulary:
    """The vocabulary of this process, for the ids of a coder."""
    return Vocabulary()

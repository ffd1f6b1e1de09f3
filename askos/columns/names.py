"""Terms that are equal to themselves alone, found by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.columns.dictionary import Dictionary, Part
from askos.columns.ids import Ids, Mask
from askos.columns.lexical import as_mask
from askos.terms import Term, n3

_NONE: Final = np.empty(0, np.int64)


class Names:
    """IRIs, blank nodes and strings of a query, and the ids that dictionaries give them.

    Cost: a look through a part of a dictionary, when it is first seen.
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        self._texts = pa.array([n3(term) for term in terms], pa.string())
        self._known: dict[int, tuple[Part, Ids]] = {}
        self._last: tuple[tuple[Part, ...], Ids] = (), _NONE

    def among(self, ids: Ids, dictionary: Dictionary) -> Mask:
        """Which ids are those of the terms."""
        if dictionary.parts is not self._last[0]:
            self._last = dictionary.parts, self._ids(dictionary)
        wanted = self._last[1]
        if len(wanted) == 1:
            return np.asarray(ids == wanted[0])
        return np.isin(ids, wanted) if len(wanted) else np.zeros(len(ids), np.bool_)

    def _ids(self, dictionary: Dictionary) -> Ids:
        # The part is kept with its ids, so that no other one gets its address.
        self._known = {
            id(part.ids): self._known.get(id(part.ids)) or (part, self._found(part))
            for part in dictionary.parts
        }
        found = [ids for _, ids in self._known.values()]
        return distinct(np.concatenate([*found, _NONE]), dictionary)

    def _found(self, part: Part) -> Ids:
        return part.ids[as_mask(pc.is_in(part.texts, value_set=self._texts))]


def distinct(ids: Ids, dictionary: Dictionary) -> Ids:
    """Each id once; the dictionary is asked for them, and refuses one that has two texts."""
    found = np.unique(ids)
    if len(dictionary.parts) > 1:
        dictionary.texts(found)
    return found


def same(a: Ids, b: Ids, dictionary: Dictionary) -> Mask:
    """Which rows hold one and the same term, or are unbound both."""
    equal = a == b
    if len(dictionary.parts) > 1:
        distinct(a[equal], dictionary)
    return np.asarray(equal)

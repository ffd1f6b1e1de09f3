"""Terms that are equal to themselves alone, found by their ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.columns.cases import Ternary
from askos.columns.dictionary import Dictionary, Part
from askos.columns.ids import Ids, Mask
from askos.columns.lexical import as_mask
from askos.terms import Term, n3

_ASKED: Final = 3  # parts of a dictionary that are not merged
_REMEMBERED: Final = 8  # parts
_NOT_YET: Final = 127
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


class Entries:
    """What a law says of the entries of dictionaries; it is asked once for each.

    A law takes ids that are hashes, all different, and their dictionary.

    Cost: a search for each id, in a part that is known.  In memory: a byte for each entry of the
    last parts.
    """

    def __init__(self, law: Callable[[Ids, Dictionary], Ternary]) -> None:
        self._law = law
        self._known: dict[int, tuple[Part, Ternary]] = {}

    def of(self, ids: Ids, dictionary: Dictionary) -> Ternary:
        """What it says of each of `ids`."""
        parts = dictionary.parts if len(dictionary.parts) <= _ASKED else (dictionary.merged,)
        found = np.full(len(ids), _NOT_YET, np.int8)
        for part in parts:
            at = np.minimum(np.searchsorted(part.ids, ids), len(part.ids) - 1)
            here = part.ids[at] == ids
            again = here & (found != _NOT_YET)
            if again.any():
                distinct(ids[again], dictionary)
            found[here] = self._said(part, at[here], dictionary)
        assert (found != _NOT_YET).all(), "an id without a text"
        return found

    def _said(self, part: Part, places: Ids, dictionary: Dictionary) -> Ternary:
        answers = self._answers(part)
        said = answers[places]
        new = said == _NOT_YET
        if new.any():
            asked = np.unique(places[new])
            answers[asked] = self._law(part.ids[asked], dictionary)
            said = answers[places]
        return said

    def _answers(self, part: Part) -> Ternary:
        known = self._known.get(id(part.ids))
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            # The part is kept with them, so that no other one gets its address.
            known = part, np.full(len(part.ids), _NOT_YET, np.int8)
            self._known[id(part.ids)] = known
        return known[1]


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

"""The texts behind hashed ids, which travel with every batch and every stored run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.columns.ids import Ids, Texts, is_hashed, texts_of
from askos.errors import StreamError

Part: TypeAlias = tuple[Ids, Texts]

_FEW: Final = 32  # mentions to be sorted are fewer than entries to be ticked off by this


@dataclass(frozen=True, eq=False)
class Dictionary:
    """id → N-Triples text, for ids that are hashes.

    Kept in parts, which are merged when a text is asked for: a join makes the dictionary of its
    output from those of its inputs in no time.  Where the ids of two dictionaries are compared,
    `meet` compares the texts too, so a collision of hashes stops the query and never answers it.
    """

    parts: tuple[Part, ...] = ()

    @classmethod
    def of(cls, ids: Ids, texts: Texts) -> Dictionary:
        """From ids, in any order and repeated, and their texts."""
        return cls((_part(ids, texts),)) if len(ids) else cls()

    def __len__(self) -> int:
        """How many texts are held; one that several parts hold counts for each."""
        return sum(len(ids) for ids, _ in self.parts)

    @cached_property
    def merged(self) -> Part:
        """All ids, ascending, and their texts."""
        if len(self.parts) == 1:
            return self.parts[0]
        if not self.parts:
            return np.empty(0, np.int64), pa.array([], pa.string())
        ids = np.concatenate([ids for ids, _ in self.parts])
        return _part(ids, pa.concat_arrays([texts for _, texts in self.parts]))

    def __or__(self, other: Dictionary) -> Dictionary:
        new = _without(other.parts, self.parts)
        return Dictionary(self.parts + new) if new else self

    def meet(self, other: Dictionary) -> None:
        """Raise StreamError if the two give one id different texts."""
        unknown = Dictionary(_without(other.parts, self.parts))
        # Merged even where nothing is unknown: our own parts may not have met yet.
        (ids, texts), (others, wanted) = self.merged, unknown.merged
        if not len(ids) or not len(others):
            return
        places = np.minimum(np.searchsorted(ids, others), len(ids) - 1)
        common = np.flatnonzero(ids[places] == others)
        mine = texts.take(pa.array(places[common]))
        _compare(mine, wanted.take(pa.array(common)))

    def restrict(self, columns: Iterable[Ids]) -> Dictionary:
        """Only what `columns` mention.

        Cost: where that is little, it does not grow with what the dictionary holds.
        """
        ids, texts = self.merged
        if not len(ids):
            return self
        places = [np.searchsorted(ids, np.sort(c[is_hashed(c)])) for c in columns]
        if sum(map(len, places)) * _FEW < len(ids):
            kept = np.unique(np.concatenate(places)) if places else np.empty(0, np.int64)
        else:
            mentioned = np.zeros(len(ids), np.bool_)
            for place in places:
                mentioned[place] = True
            kept = np.flatnonzero(mentioned)
        if len(kept) == len(ids):
            return self if len(self.parts) == 1 else Dictionary((self.merged,))
        return Dictionary(((ids[kept], texts.take(pa.array(kept))),)) if len(kept) else Dictionary()

    def texts(self, ids: Ids) -> Texts:
        """The N-Triples texts of `ids`; null where unbound."""
        coded = pa.array(ids).dictionary_encode()
        distinct = coded.dictionary.to_numpy()
        result = texts_of(distinct)
        hashed = is_hashed(distinct)
        if hashed.any():
            known, texts = self.merged
            at = _places(known, distinct[hashed])
            assert np.array_equal(known[at], distinct[hashed]), "an id without a text"
            result = pc.replace_with_mask(result, pa.array(hashed), texts.take(pa.array(at)))
        return result.take(coded.indices)


def _without(parts: tuple[Part, ...], known: tuple[Part, ...]) -> tuple[Part, ...]:
    """Those of `parts` that are not the very arrays of `known`."""
    arrays = {id(ids) for ids, _ in known}
    return tuple(part for part in parts if id(part[0]) not in arrays)


def _part(ids: Ids, texts: Texts) -> Part:
    """Sorted, each id once."""
    order = np.argsort(ids)
    ids = ids[order]
    repeated = ids[1:] == ids[:-1]
    if repeated.any():
        again = np.flatnonzero(repeated)
        _compare(texts.take(pa.array(order[again])), texts.take(pa.array(order[again + 1])))
        first = np.append(True, ~repeated)
        ids, order = ids[first], order[first]
    return ids, texts.take(pa.array(order))


def _places(ids: Ids, wanted: Ids) -> Ids:
    """Where `wanted` are in ascending `ids`.

    Sorting them first is several times faster: neighbours are searched for in the same place.
    """
    order = np.argsort(wanted)
    places = np.empty(len(wanted), np.int64)
    places[order] = np.searchsorted(ids, wanted[order])
    return places


def _compare(left: Texts, right: Texts) -> None:
    if left.equals(right):
        return
    where = pc.index(pc.equal(left, right), False).as_py()
    raise StreamError(
        f"{left[where]} and {right[where]} have the same hash, so they cannot be told apart",
        hint="start anew with another checkpoint: it draws another hash key",
    )

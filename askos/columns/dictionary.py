"""The texts behind hashed ids, which travel with every batch and every stored run."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.columns import compiled
from askos.columns.ids import Ids, Texts, is_hashed, texts_of
from askos.errors import StreamError


class Part(NamedTuple):
    """Ids, ascending, and their texts.

    Parts of one `family` were compared when they were made (see `Vocabulary`): none of them gives
    an id another text than any other does.
    """

    ids: Ids
    texts: Texts
    family: object = None


_LOOKED_UP: Final = 256  # ids of which it matters little that some are equal
_ASKED: Final = 3  # parts that are asked and compared one by one; more are merged
_MET: Final = 8  # parts that are remembered to agree
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
        return sum([len(part.ids) for part in self.parts])

    @cached_property
    def merged(self) -> Part:
        """All ids, ascending, and their texts."""
        if len(self.parts) == 1:
            return self.parts[0]
        if not self.parts:
            return Part(np.empty(0, np.int64), pa.array([], pa.string()))
        ids = np.concatenate([part.ids for part in self.parts])
        texts = pa.concat_arrays([part.texts for part in self.parts])
        return _part(ids, texts, self.family)

    @cached_property
    def family(self) -> object:
        """That of all parts, if they have one."""
        first = self.parts[0].family if self.parts else None
        return first if all(part.family is first for part in self.parts) else None

    def __or__(self, other: Dictionary) -> Dictionary:
        if not self.parts:
            return other
        new = _without(other.parts, self.parts)
        return Dictionary(self.parts + new) if new else self

    @classmethod
    def union(cls, dictionaries: Sequence[Dictionary]) -> Dictionary:
        """All of them together; one of them, if it has all."""
        parts = {id(part.ids): part for each in dictionaries for part in each.parts}
        for each in dictionaries:
            if len(each.parts) == len(parts):
                return each
        return cls(tuple(parts.values()))

    def meet(self, other: Dictionary) -> None:
        """Raise StreamError if the two give one id different texts.

        Cost: of dictionaries of one family none, nor of parts that were met lately: a run of a
        SweepArea meets the same ones with every batch.
        """
        if not self.parts:
            return
        if self.family is not None and (not other.parts or self.family is other.family):
            return
        own = self._agreed  # even where nothing is unknown: our own parts may not have met yet
        for part in _without(other.parts, self.parts):
            if not any(part.ids is met for met in self._met):
                for mine in own:
                    _agree(mine, part)
                self._met.append(part.ids)

    @cached_property
    def _agreed(self) -> tuple[Part, ...]:
        """All parts, which have met: a few of them one by one, more by merging them."""
        if len(self.parts) > _ASKED:
            return (self.merged,)
        for one, other in combinations(self.parts, 2):
            _agree(one, other)
        return self.parts

    @cached_property
    def _met(self) -> deque[Ids]:
        return deque(maxlen=_MET)

    def lean(self) -> Dictionary:
        """Without parts of which the largest, of the same family, has everything."""
        if len(self.parts) < 2 or self.family is None:
            return self
        largest = max(self.parts, key=lambda part: len(part.ids))
        others = [part for part in self.parts if not _within(part.ids, largest.ids)]
        return Dictionary((largest, *others)) if len(others) + 1 < len(self.parts) else self

    def restrict(self, columns: Iterable[Ids]) -> Dictionary:
        """Only what `columns` mention.

        Cost: where that is little, it does not grow with what the dictionary holds.
        """
        ids, texts, family = self.merged
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
        if not len(kept):
            return Dictionary()
        return Dictionary((Part(ids[kept], texts.take(pa.array(kept)), family),))

    def texts(self, ids: Ids) -> Texts:
        """The N-Triples texts of `ids`; null where unbound.

        Cost: a look-up for each id; for each distinct one, where many are equal.
        """
        if compiled.AVAILABLE:
            found = compiled.decode(ids, self._asked(compiled.MOST_PARTS))
            if found is not None:  # else whoever looks closer says what is wrong
                return found
        if len(ids) <= _LOOKED_UP or len(set(ids[:_LOOKED_UP].tolist())) > _LOOKED_UP // 2:
            return self._texts(ids)
        coded = pa.array(ids).dictionary_encode()
        return self._texts(coded.dictionary.to_numpy()).take(coded.indices)

    def _asked(self, most: int) -> tuple[Part, ...]:
        """The parts, if there are few; else what they are together."""
        return self.parts if len(self.parts) <= most else (self.merged,)

    def _texts(self, ids: Ids) -> Texts:
        hashed = is_hashed(ids)
        if hashed.all() and len(ids):
            return self._found(ids)
        result = texts_of(ids)
        if not hashed.any():
            return result
        return pc.replace_with_mask(result, pa.array(hashed), self._found(ids[hashed]))

    def _found(self, wanted: Ids) -> Texts:
        """The texts of hashed ids; each of a few parts is asked by itself."""
        result, known = pa.nulls(len(wanted), pa.string()), np.zeros(len(wanted), np.bool_)
        for ids, texts, _ in self._asked(_ASKED):
            at = _places(ids, wanted)
            here = ids.take(at, mode="clip") == wanted
            if not here.any():
                continue
            again = (here & known).nonzero()[0]
            if len(again):
                _compare(result.take(pa.array(again)), texts.take(pa.array(at[again])))
            mine = texts.take(pa.array(at[here]))
            result = mine if here.all() else pc.replace_with_mask(result, pa.array(here), mine)
            known |= here
        assert known.all(), "an id without a text"
        return result


def _without(parts: tuple[Part, ...], known: tuple[Part, ...]) -> tuple[Part, ...]:
    """Those of `parts` that are not the very arrays of `known`."""
    arrays = {id(part.ids) for part in known}
    return tuple(part for part in parts if id(part.ids) not in arrays)


def _within(some: Ids, ids: Ids) -> bool:
    """Whether ascending `ids` have all of `some`."""
    places = np.searchsorted(ids, some)
    return bool((ids.take(places, mode="clip") == some).all())


def _part(ids: Ids, texts: Texts, family: object = None) -> Part:
    """Sorted, each id once."""
    if compiled.AVAILABLE and len(ids):
        found = compiled.part(ids, texts)
        if found is not None:  # else whoever looks closer says what is wrong
            return Part(*found, family)
    order = np.argsort(ids)
    ids = ids[order]
    repeated = ids[1:] == ids[:-1]
    if repeated.any():
        again = np.flatnonzero(repeated)
        _compare(texts.take(pa.array(order[again])), texts.take(pa.array(order[again + 1])))
        first = np.append(True, ~repeated)
        ids, order = ids[first], order[first]
    return Part(ids, texts.take(pa.array(order)), family)


def _places(ids: Ids, wanted: Ids) -> Ids:
    """Where `wanted` are in ascending `ids`.

    Sorting them first is several times faster: neighbours are searched for in the same place.
    """
    order = wanted.argsort()
    places = np.empty(len(wanted), np.int64)
    places[order] = ids.searchsorted(wanted.take(order))
    return places


def _agree(one: Part, other: Part) -> None:
    """Raise StreamError if two parts give one id different texts."""
    few, many = sorted((one, other), key=lambda part: len(part.ids))
    places = many.ids.searchsorted(few.ids)
    common = (many.ids.take(places, mode="clip") == few.ids).nonzero()[0]
    if len(common):
        theirs = many.texts.take(pa.array(places[common]))
        _compare(few.texts.take(pa.array(common)), theirs)


def _compare(left: Texts, right: Texts) -> None:
    if left.equals(right):
        return
    where = pc.index(pc.equal(left, right), False).as_py()
    raise collision(str(left[where]), str(right[where]))


def collision(left: str, right: str) -> StreamError:
    """Two texts with one id."""
    return StreamError(
        f"{left} and {right} have the same hash, so they cannot be told apart",
        hint="start anew with another checkpoint: it draws another hash key",
    )

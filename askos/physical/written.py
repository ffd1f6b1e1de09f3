"""Pairs written as columns, in the order of time: each value once, and where it belongs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np

from askos.columns.batch import Batch
from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids, Mask
from askos.columns.segments import by_time
from askos.native import flat, native
from askos.physical.merge import Pairs

Piece: TypeAlias = Batch | Pairs
"""What is told: elements, or pairs that have not been written as elements yet."""

_native: Final = native("askos.physical._written")
_COLUMNS: Final = 64
_INSTANTS: Final = 1 << 16  # that are counted, however few pairs there are
_SPARSE: Final = 2  # instants for a pair: to count more takes longer, and more room, than to sort


def as_batch(pieces: Iterable[Piece]) -> Batch:
    """All pieces, one after the other."""
    return Batch.concat([_elements(piece) for piece in pieces])


def in_order(pieces: Iterable[Piece]) -> Batch:
    """All pieces in the order of ts; those of one instant in the order in which they come.

    Pairs are put in order first and become columns then.  Cost: what is written, and a count of
    starts; a sort of them where these are far apart.
    """
    given = list(pieces)
    if _native is None or not any(isinstance(p, Pairs) and p.plain and len(p) for p in given):
        return as_batch(given).sorted()
    pairs = [_as_pairs(piece) for piece in given if len(piece)]
    variables = [*dict.fromkeys(v for each in pairs for v in each.variables)]
    if len(variables) > _COLUMNS:
        return as_batch(given).sorted()
    count = sum(map(len, pairs))
    starts, times, first, places = _places(pairs, count)
    ts, te, *columns = (np.empty(count, np.int64) for _ in range(len(variables) + 2))
    begin = 0
    for each in pairs:
        end = begin + len(each)
        lefts, rights = zip(*map(each.sources, variables), strict=True) if variables else ((), ())
        when = (starts[begin:end], times[begin:end], first, places)
        _native.write(_given(each), *when, _flat(lefts), _flat(rights), ts, te, columns)
        begin = end
    texts = Dictionary.union([each.dictionary for each in pairs])
    return Batch(dict(zip(variables, columns, strict=True)), ts, te, texts)


def _places(pairs: Sequence[Pairs], count: int) -> tuple[Ids, Ids, int, Ids]:
    """When pairs begin, numbers that order as that does, the least of these, and the first place of
    each number from there on."""
    starts, begin, borders = np.empty(count, np.int64), 0, list[int]()
    for each in pairs:
        end = begin + len(each)
        borders += _native.starts(_given(each), starts[begin:end])
        begin = end
    first, instants = min(borders), max(borders) - min(borders) + 1
    if instants <= max(_INSTANTS, _SPARSE * count):
        counts = np.zeros(instants + 1, np.int64)
        _native.count(starts, first, counts[1:])
        return starts, starts, first, counts.cumsum()
    order, ranks = by_time(starts), np.arange(count)
    if order is not None:
        ranks[order] = np.arange(count)
    return starts, ranks, 0, np.arange(count)


def reached(marks: Ids, decided: Ids, pairs: Sequence[Pairs]) -> tuple[Ids, Mask]:
    """Up to when each left row has been told with these pairs: to the last end of any, to its mark
    and to what is decided; and for which rows one of the pairs lasts from the one to the other."""
    until, whole = np.maximum(marks, decided), np.zeros(len(marks), np.bool_)
    for each in pairs:
        if _native is not None:
            _native.reached(_given(each), *flat([marks, decided]), until, whole)
            continue
        np.maximum.at(until, each.rows, each.te)
        lasting = (each.ts <= marks[each.rows]) & (each.te >= decided[each.rows])
        whole[each.rows[lasting]] = True
    return until, whole


def _elements(piece: Piece) -> Batch:
    return piece.joined if isinstance(piece, Pairs) else piece


def _as_pairs(piece: Piece) -> Pairs:
    """A piece that is written like pairs: an element is one with itself."""
    if isinstance(piece, Pairs) and piece.plain:
        return piece
    batch = _elements(piece)
    rows = np.arange(len(batch))
    return Pairs(batch, rows, batch.with_columns({}), rows)


def _given(pairs: Pairs) -> tuple[Ids, ...]:
    """Both sides of pairs, as what is compiled takes them."""
    left, right = pairs.left, pairs.right
    return flat([pairs.rows, left.ts, left.te, pairs.partners, right.ts, right.te])


def _flat(columns: Iterable[Ids | None]) -> list[Ids | None]:
    return [None if column is None else np.ascontiguousarray(column) for column in columns]

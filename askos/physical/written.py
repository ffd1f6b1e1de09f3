"""Pairs written as columns, in the order of time: each value once, and where it belongs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

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
_SPARSE: Final = 8  # instants for a pair: to count them takes longer than to sort


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
    places = _places(pairs, count)
    ts, te, *columns = (np.empty(count, np.int64) for _ in range(len(variables) + 2))
    begin = 0
    for each in pairs:
        end = begin + len(each)
        sources = [_source(source) for v in variables for source in each.sources(v)]
        _native.write(_given(each), sources, places[begin:end], (ts, te, *columns))
        begin = end
    texts = Dictionary.union([each.dictionary for each in pairs])
    return Batch(dict(zip(variables, columns, strict=True)), ts, te, texts)


def _places(pairs: Sequence[Pairs], count: int) -> Ids:
    """Where each pair belongs."""
    places, begin = np.empty(count, np.int64), 0
    spans = []
    for each in pairs:
        end = begin + len(each)
        spans.append(_native.starts(_given(each), places[begin:end]))
        begin = end
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    if last - first < max(_INSTANTS, _SPARSE * count):
        _native.places(places, first, np.zeros(last - first + 2, np.int64))
        return places
    order = by_time(places)
    if order is None:
        return np.arange(count)
    places[order] = np.arange(count)
    return places


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
    return flat([left.ts, left.te, pairs.rows, right.ts, right.te, pairs.partners])


def _source(column: Ids | None) -> Any:
    return None if column is None else np.ascontiguousarray(column)

"""The order of terms, as numbers: what ORDER BY, MIN and MAX compare.

Ranks are of one call: they say nothing beside those of another, so nobody stores or sends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow.compute as pc

from askos.algebra.expressions.order import Key, term_key, value_key
from askos.columns.coder import decode
from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids, Mask, doubles, in_order_of_size, is_hashed
from askos.columns.segments import changes, in_order

_CLOSE: Final = 1 << 20  # numbers so small leave room for a group and a row beside them
_LITERALS: Final[Key] = (3,)  # unbound, blank nodes and IRIs are before
_NUMBERS: Final[Key] = (3, 0)


def ranks(ids: Ids, dictionary: Dictionary, *, by_value: bool = False) -> Ids:
    """A number from 0 for each id, in the total order of terms; `by_value`: in that of ORDER BY,
    where terms of equal value have equal numbers.

    >>> from askos.columns.ids import DECIMAL, INTEGER, pack
    >>> ids = np.concatenate([pack(INTEGER, 0, [7, 5]), pack(DECIMAL, 1, [70])])
    >>> ranks(ids, Dictionary()).tolist(), ranks(ids, Dictionary(), by_value=True).tolist()
    ([2, 0, 1], [1, 0, 1])

    Cost: a sort of the distinct ids; Python's work only for those that are neither inlined numbers
    nor IRIs, and for numbers of equal value.
    """
    distinct, places = np.unique(ids, return_inverse=True)
    if len(ids) and in_order_of_size(int(distinct[0]), int(distinct[-1])):
        return np.asarray(places)
    order, new = _in_order(distinct, dictionary, by_value)
    found = np.empty(len(distinct), np.int64)
    found[order] = np.cumsum(new) - 1
    return np.asarray(found[places])


def sizes(ids: Ids, dictionary: Dictionary, *, by_value: bool = False) -> Ids:
    """Numbers from 0 that order as `ranks` do, maybe with gaps: of numbers of one kind that are
    close together, how far they are from the least, and nothing is sorted.

    >>> from askos.columns.ids import INTEGER, pack
    >>> sizes(pack(INTEGER, 0, [7, 5, 9]), Dictionary())
    array([2, 0, 4])
    """
    found = span(ids)
    if found is not None and found[1] - found[0] < _CLOSE:
        return np.asarray(ids - found[0])
    return ranks(ids, dictionary, by_value=by_value)


def span(ids: Ids) -> tuple[int, int] | None:
    """The least and the greatest of ids that order as their numbers do; None of others."""
    if not len(ids):
        return None
    least, greatest = int(ids.min()), int(ids.max())
    return (least, greatest) if in_order_of_size(least, greatest) else None


def _in_order(ids: Ids, dictionary: Dictionary, by_value: bool) -> tuple[Ids, Mask]:
    """The order of distinct ids, and where in it another value begins."""
    numbers = doubles(ids)[1]
    if numbers.all():
        return _by_size(np.arange(len(ids)), ids, dictionary, by_value)
    names = _iris(ids, dictionary)
    others = np.flatnonzero(~numbers & ~names)
    keys = [term_key(term) for term in decode(ids[others], dictionary)] if len(others) else []
    if any(key[:2] == _NUMBERS for key in keys):  # among the inlined ones, one by one
        return _by_keys(np.arange(len(ids)), ids, dictionary, by_value)
    early = np.array([key < _LITERALS for key in keys], np.bool_)
    parts = [
        _by_keys(others[early], ids, dictionary, by_value),
        _by_text(names.nonzero()[0], ids, dictionary),
        _by_size(numbers.nonzero()[0], ids, dictionary, by_value),
        _by_keys(others[~early], ids, dictionary, by_value),
    ]
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([new for _, new in parts])


def _iris(ids: Ids, dictionary: Dictionary) -> Mask:
    found = is_hashed(ids)
    rows = found.nonzero()[0]
    if len(rows):
        texts = dictionary.texts(ids[rows])
        found[rows] = pc.starts_with(texts, "<").to_numpy(zero_copy_only=False)
    return found


def _by_text(rows: Ids, ids: Ids, dictionary: Dictionary) -> tuple[Ids, Mask]:
    """IRIs: UTF-8 orders as characters do."""
    if not len(rows):
        return rows, np.empty(0, np.bool_)
    texts = pc.utf8_slice_codeunits(dictionary.texts(ids[rows]), 1, -1)
    return rows[pc.sort_indices(texts).to_numpy()], np.ones(len(rows), np.bool_)


def _by_size(rows: Ids, ids: Ids, dictionary: Dictionary, by_value: bool) -> tuple[Ids, Mask]:
    """Inlined numbers: their doubles order them, up to what rounds to the same double."""
    sizes = doubles(ids[rows])[0]
    order = np.argsort(sizes, kind="stable")
    rows, sizes = rows[order], sizes[order]
    same = sizes[1:] == sizes[:-1]
    new = np.ones(len(rows), np.bool_)
    tied = np.append(same, False)[: len(rows)]
    tied[1:] |= same
    places = tied.nonzero()[0]
    if len(places):  # their keys differ from all others', so they stay where they are
        rows[places], new[places] = _by_keys(rows[places], ids, dictionary, by_value)
    return rows, new


def _by_keys(rows: Ids, ids: Ids, dictionary: Dictionary, by_value: bool) -> tuple[Ids, Mask]:
    """By the algebra's own keys, one by one."""
    if not len(rows):
        return rows, np.empty(0, np.bool_)
    terms = decode(ids[rows], dictionary)
    order = sorted(range(len(rows)), key=lambda place: term_key(terms[place]))
    values = [value_key(terms[place]) for place in order] if by_value else order
    new = [place == 0 or values[place] != values[place - 1] for place in range(len(values))]
    return rows[np.array(order, np.int64)], np.array(new, np.bool_)


def places(
    keys: Sequence[tuple[Ids, bool]], columns: Sequence[Ids], count: int, dictionary: Dictionary
) -> Ids:
    """Different numbers from 0 for `count` rows: by sort keys, each with whether it descends, then
    by the total order of the columns.  Equal rows are numbered in any order.

    Cost: the ranks of the first key; those of every further one for rows with equal keys only.
    """
    order, new = np.arange(count), np.arange(count) == 0
    ranked = [(ids, down, True) for ids, down in keys] + [(ids, False, False) for ids in columns]
    for ids, down, by_value in ranked:
        tied = ~new
        tied[:-1] |= ~new[1:]
        some = tied.nonzero()[0]
        if not len(some):
            break
        rows, segment = order[some], np.cumsum(new, dtype=np.int64)[some]
        size = sizes(ids[rows], dictionary, by_value=by_value)
        if down:
            size = size.max() - size
        again = in_order(segment, size)
        order[some] = rows[again]
        new[some] |= changes(size[again])
    found = np.empty(count, np.int64)
    found[order] = np.arange(count)
    return found

"""The passes over characters that are compiled, where they are: see `terms.h`.

Whoever calls these functions can do without them: each says what it stands for, and `AVAILABLE`
whether it is there (see `askos.native`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from askos.native import native

if TYPE_CHECKING:
    from askos.columns.dictionary import Part
    from askos.columns.ids import Ids, Mask, Texts

_reading: Final = native("askos.columns._reading")
_writing: Final = native("askos.columns._writing")
_parts: Final = native("askos.columns._parts")
AVAILABLE: Final = None not in (_reading, _writing, _parts)
MOST_PARTS: Final = 4  # of a dictionary, that texts are looked for in one by one


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Ids of texts, 0 for those that want a closer look; which hashed ids are new; and the first
    row whose id is known with another text, or -1."""

    ids: Ids
    new: Mask
    unread: int
    fresh: int
    clash: int


def encode(texts: Texts, kinds: str, key: str, mask: int, known: Part) -> Encoded:
    """The ids of texts that are canonical at sight and begin with one of `kinds`: inlined as
    `ids.inline` does, else hashed as `Coder.hashed` does, and looked for in what is known."""
    ids, new = np.empty(len(texts), np.int64), np.empty(len(texts), np.bool_)
    given = (_buffers(texts), kinds, key.encode(), mask, _part(known), ids, new)
    return Encoded(ids, new, *_reading.encode(*given))


def hashes(texts: Texts, key: str, mask: int) -> Ids:
    """The keyed hashes of texts: those of `pandas.util.hash_array`, of as many bits."""
    ids = np.empty(len(texts), np.int64)
    _reading.hashes(_buffers(texts), key.encode(), mask, ids)
    return ids


def decode(ids: Ids, parts: Sequence[Part]) -> Texts | None:
    """The texts of ids, null where they are unbound: what `Dictionary.texts` gives.  None where an
    id has no text, or two."""
    ids = np.ascontiguousarray(ids)
    offsets, bound = np.empty(len(ids) + 1, np.int32), np.empty(len(ids), np.bool_)
    found, nulls, wrong = _writing.decode(ids, [*map(_part, parts)], offsets, bound)
    if wrong:
        return None
    valid = pa.py_buffer(np.packbits(bound, bitorder="little")) if nulls else None
    return _strings(offsets, found, valid, nulls)


def part(ids: Ids, texts: Texts) -> tuple[Ids, Texts] | None:
    """Ids in order, each once, and their texts: what `dictionary._part` gives.  None where one id
    has two texts.  There is one id at least."""
    ids = np.ascontiguousarray(ids)
    ascending, offsets = np.empty(len(ids), np.int64), np.empty(len(ids) + 1, np.int32)
    found = _parts.part(ids, _buffers(texts), ascending, offsets)
    if found is None:
        return None
    data, count = found
    return ascending[:count], _strings(offsets[: count + 1], data)


def quotients(whole: Ids, fraction: Ids) -> Texts:
    """Decimals of 18 fraction digits as literals: what `Quotient.literals` gives."""
    whole, fraction = np.ascontiguousarray(whole), np.ascontiguousarray(fraction)
    offsets = np.empty(len(whole) + 1, np.int32)
    return _strings(offsets, _writing.quotients(whole, fraction, offsets))


def divide(values: Ids, divisors: Ids, unit: int, key: str, mask: int) -> tuple[Ids, Texts]:
    """values / unit / divisors, rounded once to 18 fraction digits, half to even: their ids, those
    of canonical decimals, and the texts of the ids that are hashed, in their order.  What
    `quotients.ids_of` gives of what `numerals.quotient` does; unit times divisor must fit into 63
    bits."""
    values, divisors = np.ascontiguousarray(values), np.ascontiguousarray(divisors)
    ids, offsets = np.empty(len(values), np.int64), np.empty(len(values) + 1, np.int32)
    given = (values, divisors, unit, key.encode(), mask, ids, offsets)
    data, count = _writing.divide(*given)
    return ids, _strings(offsets[: count + 1], data)


def _buffers(texts: Texts) -> tuple[Any, Any, int, int]:
    _, offsets, data = texts.buffers()
    if not len(texts):  # which may have no buffers at all
        return bytes(4), b"", 0, 0
    return offsets, data or b"", texts.offset, len(texts)


def _part(part: Part) -> tuple[Ids, tuple[Any, Any, int, int]]:
    return part.ids, _buffers(part.texts)


def _strings(offsets: Any, data: bytes, valid: Any = None, nulls: int = 0) -> Texts:
    buffers = pa.py_buffer(offsets), pa.py_buffer(data)
    return pa.StringArray.from_buffers(len(offsets) - 1, *buffers, valid, nulls)

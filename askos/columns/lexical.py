"""Terms taken apart, whole arrays at once: kind, text, and language tag or datatype."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from askos.columns.cases import ERROR
from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids, Mask, Texts, unpack
from askos.terms import XSD, Term, n3

Kinds: TypeAlias = npt.NDArray[np.int8]
Bytes: TypeAlias = npt.NDArray[np.uint8]

UNKNOWN: Final = 0
IRI, BLANK, SIMPLE, TAGGED, TYPED = range(1, 6)

_QUOTE, _AT, _LESS, _MORE, _LINE, _BACKSLASH = (ord(character) for character in '"@<>_\\')
_ESCAPES: Final = {"\\": "\\", '"': '"', "n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_MEANT: Final = np.arange(256, dtype=np.uint8)
for _letter, _character in _ESCAPES.items():
    _MEANT[ord(_letter)] = ord(_character)
_TO_ESCAPE: Final = "[" + "".join(rf"\x{ord(c):02x}" for c in _ESCAPES.values()) + "]"
# How a term of each kind begins, what follows its text, and its end after tag or datatype.
_OPEN: Final = pa.array(["", "<", "_:", '"', '"', '"'])
_AFTER: Final = pa.array(["", ">", "", '"', '"@', '"^^<'])
_END: Final = pa.array(["", "", "", "", "", ">"])
# In the order of the kinds of inlined ids; the first is none.
_DATATYPES: Final = pa.array(
    [
        "",
        *(str(kind) for kind in (XSD.integer, XSD.decimal, XSD.double, XSD.float, XSD.boolean)),
        *[str(XSD.dateTime)] * 2,
    ]
)
# rdflib collapses the white space of the first two; none is no datatype.
_ODD: Final = pa.array([str(XSD.token), str(XSD.normalizedString), ""])


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A term in every row: IRI, BLANK, SIMPLE, TAGGED, TYPED, ERROR or UNKNOWN; its `text`, without
    escapes; as `mark` the tag of a TAGGED literal and the datatype of a TYPED one."""

    kind: Kinds
    text: Texts
    mark: Texts

    def __len__(self) -> int:
        return len(self.kind)

    def among(self, *kinds: int) -> Mask:
        """Which are of one of the kinds."""
        found = self.kind == kinds[0]
        for kind in kinds[1:]:
            found = found | (self.kind == kind)
        return np.asarray(found)


def as_mask(values: Any) -> Mask:
    """Arrow's booleans, of which none is null."""
    return np.asarray(values.to_numpy(zero_copy_only=False))


# ---- from ids --------------------------------------------------------------------------------


def read(ids: Ids, dictionary: Dictionary) -> Parts:
    """The terms of ids; unbound is an error."""
    return take_apart(pc.fill_null(dictionary.texts(ids), ""))


def kinds(ids: Ids, dictionary: Dictionary) -> Kinds:
    """Only the kinds of terms whose ids are hashes; literals are not looked at any further."""
    data, borders = _buffer(dictionary.texts(ids))
    first, last = data[borders[:-1]], data[borders[1:] - 1]
    literal = np.where(last == _QUOTE, SIMPLE, np.where(last == _MORE, TYPED, TAGGED))
    name = np.where(first == _LESS, IRI, BLANK)
    return np.where(first == _QUOTE, literal, name).astype(np.int8)


def datatypes(ids: Ids) -> Parts:
    """The IRIs of the datatypes of ids that are inlined."""
    names = _DATATYPES.take(pa.array(unpack(ids)[0]))
    return Parts(np.full(len(ids), IRI, np.int8), names, pa.repeat("", len(ids)))


def constant(term: Term, count: int) -> Parts:
    """The same term in every row."""
    one = take_apart(pa.array([n3(term)], pa.string()))
    text, mark = (pa.repeat(column[0], count) for column in (one.text, one.mark))
    return Parts(np.repeat(one.kind, count), text, mark)


def take_apart(texts: Texts) -> Parts:
    """From canonical N-Triples; "" is an error.

    >>> parts = take_apart(pa.array(['<a>', '_:b', '"c"', '"\\\\n"@en', '"5"^^<x>']))
    >>> parts.kind.tolist(), parts.text.to_pylist(), parts.mark.to_pylist()
    ([1, 2, 3, 4, 5], ['a', 'b', 'c', '\\n', '5'], ['', '', '', 'en', 'x'])
    """
    data, borders = _buffer(texts)
    starts, ends = borders[:-1], borders[1:]
    first = np.where(ends > starts, data.take(starts, mode="clip"), 0)
    literal = first == _QUOTE
    quotes = np.concatenate([[0], np.flatnonzero(data == _QUOTE)])
    last = np.where(literal, quotes[np.searchsorted(quotes, ends) - 1], starts)
    simple, tagged = last + 1 == ends, data.take(last + 1, mode="clip") == _AT
    of_literals = np.where(simple, SIMPLE, np.where(tagged, TAGGED, TYPED))
    others = np.where(first == _LESS, IRI, np.where(first == _LINE, BLANK, ERROR))
    kind = np.where(literal, of_literals, others).astype(np.int8)
    text = _cut(data, starts + _SKIPPED[kind], np.where(literal, last, ends - (kind == IRI)))
    marked = kind >= TAGGED
    mark = _cut(data, np.where(marked, last + _APART[kind], ends), ends - (kind == TYPED))
    odd = (kind == TYPED) & as_mask(pc.is_in(mark, value_set=_ODD))
    return Parts(np.where(odd, UNKNOWN, kind).astype(np.int8), unescaped(text), mark)


_SKIPPED: Final = np.array([0, 1, 2, 1, 1, 1, 0])  # before the text; the last for ERROR
_APART: Final = np.array([0, 0, 0, 0, 2, 4, 0])  # from the last quote to the mark


def _buffer(texts: Texts) -> tuple[Bytes, Ids]:
    """The bytes of texts, one at least, and where each begins and ends."""
    _, offsets, data = texts.buffers()
    count, begin = len(texts), texts.offset
    if not count:
        return np.zeros(1, np.uint8), np.zeros(1, np.int64)
    borders = np.frombuffer(offsets, np.int32, count + begin + 1)[begin:].astype(np.int64)
    return np.frombuffer(b"\0" if data is None or not data.size else data, np.uint8), borders


def _cut(data: Bytes, starts: Ids, ends: Ids) -> Texts:
    """Texts of the bytes from `starts` up to `ends`."""
    lengths = np.maximum(ends - starts, 0)
    borders = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(borders[-1]) + np.repeat(starts - borders[:-1], lengths)
    return _texts(data[places], borders)


def _texts(data: Bytes, borders: Ids) -> Texts:
    offsets = pa.py_buffer(borders.astype(np.int32))
    return pa.StringArray.from_buffers(len(borders) - 1, offsets, pa.py_buffer(data.copy()))


# ---- escapes ---------------------------------------------------------------------------------


def unescaped(texts: Texts) -> Texts:
    """What canonical N-Triples escapes, as it is."""
    data, borders = _buffer(texts)
    backslash = data == _BACKSLASH
    if not backslash.any():
        return texts
    places = np.arange(len(data))
    before = np.maximum.accumulate(np.where(backslash, -1, places))  # the last that is none
    begins = backslash & ((places - before) % 2 == 1)  # every other one escapes the next
    meant = data.copy()
    escaped = np.flatnonzero(begins) + 1
    meant[escaped] = _MEANT[data[escaped]]
    dropped = np.concatenate([[0], np.cumsum(begins)])
    return _texts(meant[~begins], borders - dropped[borders])


def escaped(texts: Texts) -> Texts:
    """As canonical N-Triples writes them between quotes."""
    if not pc.any(pc.match_substring_regex(texts, _TO_ESCAPE)).as_py():
        return texts
    for letter, character in _ESCAPES.items():  # the backslash first
        texts = pc.replace_substring(texts, character, "\\" + letter)
    return texts


def written(parts: Parts) -> Texts:
    """As N-Triples; "" where there is no term."""
    kind = pa.array(np.maximum(parts.kind, 0))
    opened, after, end = (words.take(kind) for words in (_OPEN, _AFTER, _END))
    return pc.binary_join_element_wise(opened, escaped(parts.text), after, parts.mark, end, "")

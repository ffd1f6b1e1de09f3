"""Term ids: one int64 for every RDF term, the same in every process, partition and restart.

    bit 62 = 1   inlined: 4 bits kind, 4 bits fraction digits, 54 bits value + 2^50
    bit 62 = 0   a keyed 62-bit hash of the N-Triples text, never 0
    0            unbound

Numbers, dateTimes and booleans are inlined where that gives back their exact text: "12.50" is,
"+5", "-0" and "1E3" are not, and get a hash as IRIs and strings do.  An inlined magnitude stays
below 2^50, so that the double nearest to it tells any two of them apart.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from askos.terms import XSD

Ids: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Texts: TypeAlias = Any
"""A pyarrow StringArray."""

UNBOUND: Final = 0
INTEGER, DECIMAL, DOUBLE, FLOAT, BOOLEAN, MOMENT, LOCAL_MOMENT = range(1, 8)

INLINE_BIT: Final = 1 << 62
_KIND: Final = 58
_DIGITS: Final = 54
_BIAS: Final = 1 << 50
_VALUE: Final = (1 << _DIGITS) - 1
_LONGEST: Final = 18  # a sign, 16 digits and a point; more never fits

_DATATYPES: Final = {
    INTEGER: XSD.integer,
    DECIMAL: XSD.decimal,
    DOUBLE: XSD.double,
    FLOAT: XSD.float,
    BOOLEAN: XSD.boolean,
    MOMENT: XSD.dateTime,
    LOCAL_MOMENT: XSD.dateTime,
}
_NUMBERS: Final = {
    kind: f'"^^<{_DATATYPES[kind]}>' for kind in (INTEGER, DECIMAL, DOUBLE, FLOAT)
}
"""How their texts end."""
_WEIGHTS: Final = 10 ** np.arange(_LONGEST)
_YEAR_ONE: Final = int(np.datetime64("0001-01-01", "ms").astype(np.int64))
_MOMENT_TEXT: Final = (
    r'^"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,3})?Z?"'
    rf"\^\^<{XSD.dateTime}>$"
)


def pack(kind: int | Ids, digits: int | Ids, value: int | Ids) -> Ids:
    """The inlined ids of values that are known to fit.

    >>> pack(DECIMAL, 2, np.array([1250])) == inline(pa.array([
    ...     '"12.50"^^<http://www.w3.org/2001/XMLSchema#decimal>']))
    array([ True])
    """
    shifted = np.asarray(kind, np.int64) << _KIND | np.asarray(digits, np.int64) << _DIGITS
    return np.asarray(INLINE_BIT | shifted | (np.asarray(value, np.int64) + _BIAS), np.int64)


def is_inline(ids: Ids) -> Mask:
    """Which ids say their term by themselves."""
    return np.asarray(ids & INLINE_BIT != 0)


def is_hashed(ids: Ids) -> Mask:
    """Which ids need a dictionary to say their term."""
    return np.asarray((ids > 0) & (ids < INLINE_BIT))


def unpack(ids: Ids) -> tuple[Ids, Ids, Ids]:
    """Kind, fraction digits and value of inlined ids; kind 0 of others."""
    kind = np.where(is_inline(ids), ids >> _KIND & 15, 0)
    return kind, ids >> _DIGITS & 15, (ids & _VALUE) - _BIAS


def fits(values: Ids) -> Mask:
    """Which scaled integers are small enough to be inlined."""
    return np.asarray((values > -_BIAS) & (values < _BIAS))


# ---- from texts ------------------------------------------------------------------------------


def inline(texts: Texts) -> Ids:
    """The ids of the texts that can be inlined, 0 for the others.

    Cost: a few array operations on the characters of numbers.
    """
    ids = np.zeros(len(texts), np.int64)
    if not len(texts):
        return ids  # an empty array may have no offsets at all
    characters = _Characters(texts)
    literals = characters.literals()
    for kind, suffix in _NUMBERS.items():
        if not literals.any():
            return ids
        long = characters.ends - characters.starts > len(suffix) + 1
        ending = pc.ends_with(texts, suffix).to_numpy(zero_copy_only=False)
        rows = np.flatnonzero(literals & long & ending)
        if len(rows):
            ids[rows] = _numbers(characters, rows, len(suffix), kind)
            literals[rows] = False
    rest = np.flatnonzero(literals)
    if len(rest):
        ids[rest] = _others(texts.take(pa.array(rest)))
    return ids


class _Characters:
    """The bytes of a string array, and where each text has its own."""

    def __init__(self, texts: Texts) -> None:
        _, offsets, data = texts.buffers()
        begin, count = texts.offset, len(texts)
        borders = np.frombuffer(offsets, np.int32, count + begin + 1)[begin:].astype(np.int64)
        self.starts, self.ends = borders[:-1], borders[1:]
        # One byte at least, so that there is always something to look at.
        self.bytes = np.frombuffer(b"\0" if data is None or not data.size else data, np.uint8)

    def literals(self) -> Mask:
        """Which texts begin with a quote and end as an IRI does: literals with a datatype."""
        first = self.bytes.take(self.starts, mode="clip")
        last = self.bytes.take(self.ends - 1, mode="clip")
        found = (first == ord('"')) & (last == ord(">")) & (self.ends > self.starts)
        return np.asarray(found)


def _numbers(characters: _Characters, rows: Ids, suffix: int, kind: int) -> Ids:
    """Read [-]digits[.digits], all rows at once: their characters side by side, the last ones in
    the first line."""
    starts, ends = characters.starts[rows] + 1, characters.ends[rows] - suffix
    negative = characters.bytes[starts] == ord("-")
    length = ends - starts - negative
    lines = min(max(int(length.max()), 1), _LONGEST)
    place = np.arange(lines)[:, np.newaxis]
    character = characters.bytes.take(ends - 1 - place, mode="clip")
    np.copyto(character, ord("0"), where=place >= length)
    digit, point = character - np.uint8(ord("0")), character == ord(".")
    np.copyto(digit, 0, where=point)
    points = point.sum(axis=0)
    pointed = points > 0
    fraction = (point * place.astype(np.uint8)).sum(axis=0, dtype=np.int64)  # of one point
    # To the left of the point a digit is worth a tenth of what its place says.
    weight = _WEIGHTS.take(place - (pointed & (place > fraction)))
    value = (digit * weight).sum(axis=0)
    whole = length - fraction - pointed
    good = (digit < 10).all(axis=0) & (points <= 1) & (length <= _LONGEST)
    good &= (whole >= 1) & (pointed == (fraction >= 1)) & (fraction <= 15) & fits(value)
    good &= (whole == 1) | (characters.bytes[starts + negative] != ord("0"))
    good &= ~(negative & (value == 0))
    if kind == INTEGER:
        good &= ~pointed
    return np.where(good, pack(kind, fraction, np.where(negative, -value, value)), 0)


def _others(texts: Texts) -> Ids:
    """Booleans and dateTimes."""
    ids = np.zeros(len(texts), np.int64)
    for value, word in enumerate(("false", "true")):
        same = pc.equal(texts, f'"{word}"^^<{XSD.boolean}>').to_numpy(zero_copy_only=False)
        ids[same] = pack(BOOLEAN, 0, value)
    moments = pc.match_substring_regex(texts, _MOMENT_TEXT).to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(moments)
    if len(rows):
        ids[rows] = _moments(texts.take(pa.array(rows)))
    return ids


def _moments(texts: Texts) -> Ids:
    """dateTimes with up to three fraction digits, in UTC or without a zone."""
    seconds = pc.strptime(
        pc.utf8_slice_codeunits(texts, 1, 20),
        format="%Y-%m-%dT%H:%M:%S",
        unit="s",
        error_is_null=True,
    )
    known = pc.is_valid(seconds).to_numpy(zero_copy_only=False)
    zoned = pc.match_substring(texts, 'Z"').to_numpy(zero_copy_only=False)
    lexical = pc.utf8_length(texts).to_numpy() - len(f'""^^<{XSD.dateTime}>') - zoned
    digits = np.maximum(lexical - 20, 0)
    padded = pc.utf8_rpad(
        pc.replace_substring_regex(
            pc.utf8_slice_codeunits(texts, 21, 24), pattern="[^0-9].*", replacement=""
        ),
        3,
        "0",
    )
    fraction = np.where(digits > 0, pc.cast(padded, pa.int64()).to_numpy(), 0)
    value = pc.fill_null(pc.cast(seconds, pa.int64()), 0).to_numpy() * 1000 + fraction
    ids = pack(np.where(zoned, MOMENT, LOCAL_MOMENT), digits, value)
    known &= value >= _YEAR_ONE
    # What the calendar reads otherwise than it is written (a 30th of February) is no moment.
    same = pc.equal(_moment_texts(ids), texts).to_numpy(zero_copy_only=False)
    return np.where(known & same, ids, 0)


# ---- to texts --------------------------------------------------------------------------------


def texts_of(ids: Ids) -> Texts:
    """The N-Triples texts of inlined ids; null for others."""
    kinds, _, _ = unpack(ids)
    if len(ids) and kinds[0] > 0 and (kinds == kinds[0]).all():
        return _render(ids, int(kinds[0]))
    result = pa.nulls(len(ids), pa.string())
    for kind in np.unique(kinds[kinds > 0]).tolist():
        mask = kinds == kind
        result = pc.replace_with_mask(result, pa.array(mask), _render(ids[mask], kind))
    return result


def _render(ids: Ids, kind: int) -> Texts:
    if kind in (MOMENT, LOCAL_MOMENT):
        return _moment_texts(ids)
    _, digits, value = unpack(ids)
    if kind == BOOLEAN:
        lexical = pa.array(np.where(value > 0, "true", "false"), pa.string())
    else:
        lexical = decimal_texts(value, digits)
    return pc.binary_join_element_wise('"', lexical, f'"^^<{_DATATYPES[kind]}>', "")


def decimal_texts(value: Ids, digits: Ids) -> Texts:
    """value / 10^digits, written with exactly that many fraction digits.

    >>> decimal_texts(np.array([-5, 1250]), np.array([2, 0])).to_pylist()
    ['-0.05', '1250']
    """
    texts = pc.cast(pa.array(np.abs(value)), pa.string())
    if len(digits) and (digits == digits[0]).all():
        texts = _pointed(texts, int(digits[0])) if digits[0] else texts
    else:
        texts = _pointed_each(texts, digits)
    negative = value < 0
    if not negative.any():
        return texts
    return pc.binary_join_element_wise(pc.if_else(pa.array(negative), "-", ""), texts, "")


def _pointed(texts: Texts, count: int) -> Texts:
    """A point before the last `count` digits."""
    padded = pc.utf8_lpad(texts, count + 1, "0")
    return pc.binary_replace_slice(padded, -count, -count, ".")


def _pointed_each(texts: Texts, counts: Ids) -> Texts:
    """The same with a count for each text; with 0, no point.

    All digits are moved at once: to the right by the zeros and points before them.
    """
    characters = _Characters(texts)
    size = characters.ends - characters.starts
    zeros = np.where(counts > 0, np.maximum(counts + 1 - size, 0), 0)
    ends = np.cumsum(size + zeros + (counts > 0))
    begins = np.append(0, ends)[:-1]
    row = np.repeat(np.arange(len(size)), size)
    place = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size)  # within its text
    whole = zeros + size - counts  # digits before the point
    place += zeros[row]
    out = np.full(int(ends[-1]) if len(ends) else 0, ord("0"), np.uint8)
    out[(begins + whole)[counts > 0]] = ord(".")
    out[begins[row] + place + ((counts[row] > 0) & (place >= whole[row]))] = characters.bytes[
        np.repeat(characters.starts, size) + place - zeros[row]
    ]
    offsets = np.append(0, ends).astype(np.int32)
    return pa.StringArray.from_buffers(len(size), pa.py_buffer(offsets), pa.py_buffer(out))


def _moment_texts(ids: Ids) -> Texts:
    kind, digits, value = unpack(ids)
    whole = np.datetime_as_string((value // 1000).astype("datetime64[s]"), unit="s")
    texts = pa.array(whole.astype(object), pa.string())
    thousandths = pc.utf8_lpad(pc.cast(pa.array(value % 1000), pa.string()), 3, "0")
    for count in np.unique(digits[digits > 0]).tolist():
        mask = pa.array(digits == count)
        fraction = pc.utf8_slice_codeunits(thousandths.filter(mask), 0, count)
        longer = pc.binary_join_element_wise(texts.filter(mask), fraction, ".")
        texts = pc.replace_with_mask(texts, mask, longer)
    zone = pa.array(np.where(kind == MOMENT, "Z", ""), pa.string())
    return pc.binary_join_element_wise('"', texts, zone, f'"^^<{XSD.dateTime}>', "")


# ---- as numbers ------------------------------------------------------------------------------


def doubles(ids: Ids) -> tuple[npt.NDArray[np.float64], Mask]:
    """The nearest double of inlined integers, decimals and doubles, and which ids those are.

    Both sides of the division are exact, so it rounds once, as reading the text would.
    """
    kind, digits, value = unpack(ids)
    known = (kind == INTEGER) | (kind == DECIMAL) | (kind == DOUBLE)
    return value / POWERS[digits], np.asarray(known)


POWERS: Final = np.array([10.0**digits for digits in range(16)])

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
_NUMBERS: Final = {kind: f'"^^<{_DATATYPES[kind]}>' for kind in (INTEGER, DECIMAL, DOUBLE, FLOAT)}
"""How their texts end."""
_FEW: Final = 32  # numbers that are sooner written one by one
_END: Final = (1 << 31) - 1  # of every text
_WEIGHTS: Final = 10 ** np.arange(_LONGEST)
_POINT: Final = np.uint8(ord(".") - ord("0") & 255)  # where 0 is 0
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
    kinds = np.left_shift(kind, _KIND, dtype=np.int64)
    places = np.left_shift(digits, _DIGITS, dtype=np.int64)
    return np.asarray(kinds + places + (INLINE_BIT + _BIAS) + value, np.int64)


def is_inline(ids: Ids) -> Mask:
    """Which ids say their term by themselves."""
    return np.asarray(ids & INLINE_BIT != 0)


def is_hashed(ids: Ids) -> Mask:
    """Which ids need a dictionary to say their term."""
    return np.asarray((ids > 0) & (ids < INLINE_BIT))


def unpack(ids: Ids) -> tuple[Ids, Ids, Ids]:
    """Kind, fraction digits and value of inlined ids; kind 0 of others."""
    kind = np.maximum((ids >> _KIND) - (INLINE_BIT >> _KIND), 0)
    return kind, ids >> _DIGITS & 15, (ids & _VALUE) - _BIAS


def in_order_of_size(least: int, greatest: int) -> bool:
    """Whether all ids between two are inlined numbers of one type, written with as many fraction
    digits: these order as their numbers do.

    >>> in_order_of_size(int(pack(INTEGER, 0, -7)), int(pack(INTEGER, 0, 5)))
    True
    """
    kind = (least >> _KIND) - (INLINE_BIT >> _KIND)
    return least >> _DIGITS == greatest >> _DIGITS and kind in (INTEGER, DECIMAL, DOUBLE)


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
    if not literals.any():
        return ids
    letter = characters.bytes.take(characters.ends - 2, mode="clip")
    for kind, suffix in _NUMBERS.items():
        likely = literals & (letter == ord(suffix[-2]))
        if not likely.any():
            continue
        likely &= characters.ends - characters.starts > len(suffix) + 1
        likely &= pc.ends_with(texts, suffix).to_numpy(zero_copy_only=False)
        rows = likely.nonzero()[0]
        if len(rows):
            ids[rows] = _numbers(characters, rows, len(suffix), kind)
            literals[rows] = False
    rest = literals.nonzero()[0]
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
    starts, ends = characters.starts.take(rows) + 1, characters.ends.take(rows) - suffix
    negative = characters.bytes.take(starts) == ord("-")
    starts += negative
    length = ends - starts
    places = np.arange(min(max(int(length.max()), 1), _LONGEST))[:, np.newaxis]
    digit = characters.bytes.take(ends - 1 - places, mode="clip") - np.uint8(ord("0"))
    digit *= places < length
    point = digit == _POINT
    digit *= ~point
    points = np.add.reduce(point, axis=0, dtype=np.uint8)
    # Of one point; of more it says nothing.
    fraction = np.add.reduce(point * places.astype(np.uint8), axis=0, dtype=np.int64)
    value = _without_point(_WEIGHTS[: len(places)] @ digit.astype(np.int64), points, fraction)
    whole = length - fraction - points
    good = (np.maximum.reduce(digit, axis=0) < 10) & (points <= 1) & (length <= _LONGEST)
    good &= (whole >= 1) & (points == (fraction >= 1)) & (fraction <= 15) & fits(value)
    good &= (whole == 1) | (characters.bytes.take(starts, mode="clip") != ord("0"))
    good &= ~negative | (value != 0)
    if kind == INTEGER:
        good &= points == 0
    return np.asarray(pack(kind, fraction, np.where(negative, -value, value)) * good)


def _without_point(value: Ids, points: npt.NDArray[np.uint8], fraction: Ids) -> Ids:
    """Numbers that were read with a 0 in the place of their point: to its left a digit is worth a
    tenth of what its place says."""
    if not points.any():
        return value
    right = value % _WEIGHTS.take(fraction, mode="clip")
    return np.where(points > 0, (value - right) // 10 + right, value)


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
    same = pc.equal(_moment_texts(zoned, digits, value), texts).to_numpy(zero_copy_only=False)
    return np.where(known & same, ids, 0)


# ---- to texts --------------------------------------------------------------------------------


def texts_of(ids: Ids) -> Texts:
    """The N-Triples texts of inlined ids; null for others."""
    kinds, digits, value = unpack(ids)
    if len(ids) and kinds[0] > 0 and (kinds == kinds[0]).all():
        return _render(int(kinds[0]), digits, value)
    result = pa.nulls(len(ids), pa.string())
    for kind in np.bincount(kinds, minlength=1)[1:].nonzero()[0].tolist():
        mask = kinds == kind + 1
        some = _render(kind + 1, digits[mask], value[mask])
        result = pc.replace_with_mask(result, pa.array(mask), some)
    return result


def _render(kind: int, digits: Ids, value: Ids) -> Texts:
    if kind in (MOMENT, LOCAL_MOMENT):
        return _moment_texts(np.full(len(value), kind == MOMENT), digits, value)
    if kind == BOOLEAN:
        lexical = pa.array(np.where(value > 0, "true", "false"), pa.string())
    else:
        lexical = decimal_texts(value, digits)
    return literals_of(lexical, _DATATYPES[kind])


def literals_of(lexical: Texts, datatype: str) -> Texts:
    """Literals with a datatype, of lexical forms without escapes.

    >>> literals_of(pa.array(["5"]), "x").to_pylist()
    ['"5"^^<x>']
    """
    opened = pc.binary_replace_slice(lexical, 0, 0, '"')
    return pc.binary_replace_slice(opened, _END, _END, f'"^^<{datatype}>')


def decimal_texts(value: Ids, digits: Ids) -> Texts:
    """value / 10^digits, written with exactly that many fraction digits.

    >>> decimal_texts(np.array([-5, 1250]), np.array([2, 0])).to_pylist()
    ['-0.05', '1250']
    """
    if len(value) <= _FEW:
        pairs = zip(value.tolist(), digits.tolist(), strict=True)
        return pa.array([_decimal_text(size, count) for size, count in pairs], pa.string())
    texts = pc.cast(pa.array(np.abs(value)), pa.string())
    if len(digits) and (digits == digits[0]).all():
        texts = _pointed(texts, int(digits[0])) if digits[0] else texts
    else:
        texts = _pointed_each(texts, digits)
    negative = value < 0
    if not negative.any():
        return texts
    return pc.binary_join_element_wise(pc.if_else(pa.array(negative), "-", ""), texts, "")


def _decimal_text(value: int, digits: int) -> str:
    whole, fraction = divmod(abs(value), 10**digits)
    text = f"{whole}.{fraction:0{digits}}" if digits else str(whole)
    return f"-{text}" if value < 0 else text


def _pointed(texts: Texts, count: int) -> Texts:
    """A point before the last `count` digits."""
    padded = pc.ascii_lpad(texts, count + 1, "0")
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


def _moment_texts(zoned: Mask, digits: Ids, value: Ids) -> Texts:
    whole = np.datetime_as_string((value // 1000).astype("datetime64[s]"), unit="s")
    texts = pa.array(whole.astype(object), pa.string())
    thousandths = pc.utf8_lpad(pc.cast(pa.array(value % 1000), pa.string()), 3, "0")
    for count in np.unique(digits[digits > 0]).tolist():
        mask = pa.array(digits == count)
        fraction = pc.utf8_slice_codeunits(thousandths.filter(mask), 0, count)
        longer = pc.binary_join_element_wise(texts.filter(mask), fraction, ".")
        texts = pc.replace_with_mask(texts, mask, longer)
    zone = pa.array(np.where(zoned, "Z", ""), pa.string())
    return literals_of(pc.binary_join_element_wise(texts, zone, ""), XSD.dateTime)


# ---- as numbers ------------------------------------------------------------------------------


def doubles(ids: Ids) -> tuple[npt.NDArray[np.float64], Mask]:
    """The nearest double of inlined integers, decimals and doubles, and which ids those are.

    Both sides of the division are exact, so it rounds once, as reading the text would.
    """
    kind, digits, value = unpack(ids)
    known = (kind == INTEGER) | (kind == DECIMAL) | (kind == DOUBLE)
    return value / POWERS[digits], np.asarray(known)


POWERS: Final = np.array([10.0**digits for digits in range(16)])

"""N-Quads as columns, for streams: terms as they are written, and instants.

Lines that are statements at sight are told from the others by one regular expression, and cut at
their spaces; only the rest is judged by the grammar, which is slower.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from askos.interval import FOREVER
from askos.io.grammar import SCHEME, STREAM, Reasons, judged

REASON: Final = "reason"
"""The column that says why a line is no statement; null where it is one."""
COLUMNS: Final = pa.schema(
    [
        *((name, pa.string()) for name in "spo"),
        *((name, pa.int64()) for name in ("ts", "line")),
        (REASON, pa.string()),
    ]
)
Ints: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Matcher: TypeAlias = Callable[[pa.Array], pa.Array]
"""Which lines, as bytes, may hold what is looked for."""

_IRI: Final = rf"<{SCHEME}[^\x00-\x20<>\"{{}}|^`\\]*>"
_BLANK: Final = r"_:[A-Za-z0-9_]+"
_STRING: Final = rf'"[^"\\\t\n\r\x08\x0c]*"(?:\^\^{_IRI})?'
_TERMS: Final = (rf"(?:{_IRI}|{_BLANK})", _IRI, rf"(?:{_IRI}|{_BLANK}|{_STRING})")
PLAIN_TERMS: Final = tuple(f"^{term}$" for term in _TERMS)
"""What is an s, a p or an o at sight."""
_PLAIN: Final = f"^{' '.join(_TERMS)}"
_DIGITS: Final = 18  # of so many each number is an instant
_LABEL: Final = rf" <urn:ms:[0-9]{{1,{_DIGITS}}}>"
_BEFORE: Final = len(" <urn:ms:")
_STOP: Final = r" \.\n?$"
_BEHIND: Final = (len("> ."), len(" ."))  # the digits of a label, or an object


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines of a file: `rows` with the columns s, p, o, ts, line and reason; of those that hold
    nothing that is looked for only their times, as `passing`.

    A line that is no statement is an o alone, with a reason; if it is not UTF-8, neither is that.
    """

    rows: pa.Table
    passing: Ints


@dataclass(frozen=True, slots=True)
class Statements:
    """Takes blocks of N-Quads apart; with `at`, of N-Triples, which all arrive at that instant.

    `wanted` says which lines may matter; one that is stamped after `last` always does.  What is
    wrong with a line does not depend on it.

    Cost: what is a statement at sight is searched three times and copied once.
    """

    at: int | None = None
    wanted: Matcher | None = None
    last: int = FOREVER
    reasons: Reasons = STREAM

    def read(self, block: bytes, first: int) -> Lines:
        """The lines of a block, of which the first has that number; no blanks, no comments."""
        lines = split_lines(block)
        return self.taken_apart(lines, np.arange(first, first + len(lines)))

    def taken_apart(self, lines: pa.Array, numbers: Ints) -> Lines:
        """The same of lines with ascending numbers."""
        text = lines.view(pa.string())
        label = _LABEL if self.at is None else ""
        plain = _mask(pc.match_substring_regex(text, f"{_PLAIN}{label}{_STOP}")) & utf8(lines)
        kept, passing = self._chosen(lines, plain)
        rows = [self._cut(lines, np.flatnonzero(kept), numbers)]
        if not plain.all():
            rest = np.flatnonzero(~plain)
            rows.append(self._others(lines.take(pa.array(rest)), numbers[rest]))
        return Lines(pa.concat_tables(rows), passing)

    def _chosen(self, lines: pa.Array, plain: Mask) -> tuple[Mask, Ints]:
        """Of lines that are statements at sight, which matter; and the times of the others."""
        if self.wanted is None:
            return plain, np.empty(0, np.int64)
        kept = plain & _mask(self.wanted(lines))
        others = np.flatnonzero(plain & ~kept)
        times = self._times(lines, others)[0]
        kept[others[times > self.last]] = True
        return kept, times[times <= self.last]

    def _cut(self, lines: pa.Array, chosen: Ints, numbers: Ints) -> pa.Table:
        """Lines that are statements at sight: spaces end the subject and the predicate."""
        if not len(chosen):
            return COLUMNS.empty_table()
        times, ends = self._times(lines, chosen)
        starts = _borders(lines)[:-1][chosen]
        spaces = np.flatnonzero(_bytes(lines) == ord(" "))
        place = np.searchsorted(spaces, starts)
        s, p = spaces[place], spaces[place + 1]
        cuts = np.column_stack([starts, s, s + 1, p, p + 1, ends]).ravel()
        pieces = _pieces(lines, cuts)
        places = np.arange(0, len(cuts), 6)
        terms = [pieces.take(pa.array(places + 2 * place)) for place in range(3)]
        own = pa.array(times), pa.array(numbers[chosen])
        return pa.table([*terms, *own, pa.nulls(len(chosen), pa.string())], schema=COLUMNS)

    def _times(self, lines: pa.Array, chosen: Ints) -> tuple[Ints, Ints]:
        """The instants of lines that are statements at sight, and where their objects end."""
        ends, text = _borders(lines)[1:][chosen], _bytes(lines)
        ends = ends - (text[ends - 1] == ord("\n"))
        if self.at is not None:
            return np.full(len(chosen), self.at), ends - _BEHIND[1]
        times, digits = _numbers(text, ends - _BEHIND[0])
        return times, ends - _BEHIND[0] - digits - _BEFORE

    def _others(self, lines: pa.Array, numbers: Ints) -> pa.Table:
        """Lines that are no statements at sight, by the grammar."""
        found = judged(lines, pa.array(numbers), self.at, self.reasons)
        good = pc.is_null(found[REASON])
        statements = found.filter(good).select(COLUMNS.names).cast(COLUMNS)
        bad = found.filter(pc.invert(good))
        if not len(bad):
            return statements
        places = np.searchsorted(numbers, bad["line"].to_numpy())
        alone = _alone(lines.take(pa.array(places)), bad["line"], bad[REASON])
        return pa.concat_tables([statements, alone])


def split_lines(block: bytes) -> pa.Array:
    """The lines of a block with their ends, as bytes; they are not copied.

    >>> split_lines(b"one\\r\\ntwo\\rthree").to_pylist()
    [b'one\\n', b'two\\n', b'three']
    """
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1
    last = [] if block.endswith(b"\n") or not block else [len(block)]
    borders = np.concatenate([[0], ends, last]).astype(np.int32)
    buffers = [None, pa.py_buffer(borders), pa.py_buffer(block)]
    return pa.Array.from_buffers(pa.binary(), len(borders) - 1, buffers)


def count_lines(block: bytes) -> int:
    """How many lines end in a block.

    >>> count_lines(b"one\\r\\ntwo\\rthree\\n")
    3
    """
    ends = block.count(b"\n")
    return ends + block.count(b"\r") - block.count(b"\r\n") if b"\r" in block else ends


def utf8(lines: pa.Array) -> Mask:
    """Which lines are UTF-8."""
    try:
        lines.cast(pa.string())
    except pa.ArrowInvalid:
        texts = [line.decode("utf-8", "replace").encode() for line in lines.to_pylist()]
        return _mask(pc.equal(pa.array(texts, pa.binary()), lines))
    return np.ones(len(lines), np.bool_)


def _alone(lines: pa.Array, numbers: Any, reasons: Any) -> pa.Table:
    """Lines that are no statements, without their ends."""
    bare = pc.if_else(pc.ends_with(lines, b"\n"), pc.binary_slice(lines, 0, -1), lines)
    none, times = pa.nulls(len(lines), pa.string()), pa.nulls(len(lines), pa.int64())
    columns = [none, none, bare.view(pa.string()), times, numbers, reasons]
    return pa.table(columns, schema=COLUMNS)


def _mask(values: pa.Array) -> Mask:
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _borders(lines: pa.Array) -> npt.NDArray[np.int32]:
    """Where lines begin, and where the last one ends."""
    return np.frombuffer(lines.buffers()[1], np.int32, len(lines) + 1)


def _bytes(lines: pa.Array) -> npt.NDArray[np.uint8]:
    return np.frombuffer(lines.buffers()[2], np.uint8)


def _pieces(lines: pa.Array, cuts: Ints) -> pa.Array:
    """The text of all lines, cut at these places."""
    buffers = [None, pa.py_buffer(cuts.astype(np.int32)), lines.buffers()[2]]
    return pa.Array.from_buffers(pa.string(), len(cuts) - 1, buffers)


def _numbers(text: npt.NDArray[np.uint8], ends: Ints) -> tuple[Ints, Ints]:
    """The numbers that end at these places, and how many digits each has."""
    values, digits = np.zeros(len(ends), np.int64), np.zeros(len(ends), np.int64)
    going, power = np.ones(len(ends), np.bool_), 1
    for back in range(1, _DIGITS + 1):
        digit = text[ends - back].astype(np.int64) - ord("0")
        going &= (digit >= 0) & (digit <= 9)
        if not going.any():
            break
        values += np.where(going, digit * power, 0)
        digits += going
        power *= 10
    return values, digits

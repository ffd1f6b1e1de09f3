"""Parts of inlined dateTimes, and their order, for whole columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from askos.columns.cases import ERROR, OPEN, Ternary
from askos.columns.ids import DECIMAL, INTEGER, LOCAL_MOMENT, MOMENT, Ids, Mask, unpack
from askos.columns.lexical import SIMPLE, TYPED, UNKNOWN, Parts
from askos.columns.numbers import Numbers
from askos.terms import XSD

Part: TypeAlias = Callable[[Ids], Ids]
"""From milliseconds since 1970, in the time zone they are written in."""

_DAY: Final = 86_400_000
_APART: Final = 14 * 3_600_000  # what decides, whatever the time zone: XSD 1.0, 3.2.7.4


def _whole(milliseconds: Ids, unit: str) -> Ids:
    """Whole years, months or days since 1970 began."""
    time = milliseconds.astype("datetime64[ms]").astype(f"datetime64[{unit}]")
    return np.asarray(time.astype(np.int64))


def _day(milliseconds: Ids) -> Ids:
    days = milliseconds.astype("datetime64[ms]").astype("datetime64[D]")
    return np.asarray((days - days.astype("datetime64[M]")).astype(np.int64) + 1)


_PARTS: Final[dict[str, tuple[int, int, Part]]] = {  # of what kind, of how many fraction digits
    "YEAR": (INTEGER, 0, lambda time: _whole(time, "Y") + 1970),
    "MONTH": (INTEGER, 0, lambda time: _whole(time, "M") % 12 + 1),
    "DAY": (INTEGER, 0, _day),
    "HOURS": (INTEGER, 0, lambda time: time % _DAY // 3_600_000),
    "MINUTES": (INTEGER, 0, lambda time: time % 3_600_000 // 60_000),
    "SECONDS": (DECIMAL, 3, lambda time: time % 60_000),
}
PARTS: Final = frozenset(_PARTS)
"""The functions of dateTimes that are numbers."""


def part(name: str) -> Callable[[Ids], Numbers]:
    """YEAR, MONTH, DAY, HOURS, MINUTES or SECONDS of ids; unbound is an error."""
    kind, digits, law = _PARTS[name]

    def numbers(ids: Ids) -> Numbers:
        moment, _, time = _read(ids)
        value = law(np.where(moment, time, 0))
        kinds = np.where(moment, kind, np.where(ids == 0, ERROR, UNKNOWN))
        return Numbers(kinds, value, np.full(len(ids), digits), value / 10**digits)

    return numbers


def _read(ids: Ids) -> tuple[Mask, Mask, Ids]:
    """Which are dateTimes, which of them are in UTC, and their milliseconds."""
    kind, _, value = unpack(ids)
    zoned = kind == MOMENT
    return np.asarray(zoned | (kind == LOCAL_MOMENT)), np.asarray(zoned), value


def zone(ids: Ids) -> Parts:
    """TZ: Z, or nothing."""
    moment, zoned, _ = _read(ids)
    return _parts(ids, moment, SIMPLE, np.where(zoned, "Z", ""), "")


def zone_length(ids: Ids) -> Parts:
    """TIMEZONE: an error where there is none."""
    moment, zoned, _ = _read(ids)
    found = _parts(ids, moment, TYPED, np.where(moment, "PT0S", ""), str(XSD.dayTimeDuration))
    kind = np.where(moment & ~zoned, ERROR, found.kind).astype(np.int8)
    return Parts(kind, found.text, found.mark)


def _parts(ids: Ids, moment: Mask, kind: int, text: Any, mark: str) -> Parts:
    kinds = np.where(moment, kind, np.where(ids == 0, ERROR, UNKNOWN)).astype(np.int8)
    return Parts(kinds, pa.array(text, pa.string()), pa.repeat(mark, len(ids)))


def compare(a: Ids, b: Ids, law: Callable[[Any, Any], Any]) -> Ternary:
    """Whether two dateTimes compare so; OPEN where they are not both inlined."""
    (mine, zoned, x), (theirs, also, y) = _read(a), _read(b)
    close = (zoned != also) & (np.abs(x - y) <= _APART)
    found = np.where(mine & theirs, np.where(close, ERROR, law(x, y)), OPEN)
    return found.astype(np.int8)

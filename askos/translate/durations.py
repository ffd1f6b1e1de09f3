"""Durations as the dialects write them: 30 MINUTE, 24 hours, 1h30m, 500, PT1M30S."""

from __future__ import annotations

import re
from difflib import get_close_matches
from fractions import Fraction
from typing import Final

_SECOND: Final = 1_000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR

# In milliseconds.  M is a minute: no dialect has months.
_UNITS: Final[dict[str, Fraction]] = {
    name: Fraction(size)
    for names, size in (
        ("NS NSEC NANOSECOND NANOSECONDS", Fraction(1, 1_000_000)),
        ("US USEC MICROSECOND MICROSECONDS", Fraction(1, 1_000)),
        ("MS MSEC MILLISECOND MILLISECONDS", 1),
        ("S SEC SECS SECOND SECONDS", _SECOND),
        ("M MIN MINS MINUTE MINUTES", _MINUTE),
        ("H HR HRS HOUR HOURS", _HOUR),
        ("D DAY DAYS", _DAY),
        ("W WEEK WEEKS", 7 * _DAY),
    )
    for name in names.split()
}
_ISO_DATE: Final = {"W": 7 * _DAY, "D": _DAY}
_ISO_TIME: Final = {"H": _HOUR, "M": _MINUTE, "S": _SECOND}
_LONGEST: Final = 200  # characters, of any duration that is meant
_PART: Final = re.compile(r"([0-9]+)\s*([A-Za-z]*)\s*")
_ISO: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)([YMWDHS])")


def milliseconds(text: str) -> tuple[int, int]:
    """The length of a duration, and of one of its (last) unit; ValueError says what is wrong.

    >>> milliseconds("30 MINUTE"), milliseconds("1h30m"), milliseconds("PT1.5S")
    ((1800000, 60000), (5400000, 60000), (1500, 1000))
    """
    if len(text) > _LONGEST:
        raise ValueError(f"{text[:20]}… is longer than time itself; write fewer digits")
    parts = _iso(text.upper()) if text[:1] in ("P", "p") else _plain(text)
    length = sum((count * size for count, size in parts), Fraction(0))
    if length.denominator != 1:
        raise ValueError(
            f"{text} is not a whole number of milliseconds; give a duration in ms, or larger"
        )
    if length >= 2**63:
        raise ValueError(f"{text} is longer than time itself; leave the window out, or use [ALL]")
    return int(length), max(int(parts[-1][1]), 1)


def _plain(text: str) -> list[tuple[Fraction, Fraction]]:
    read = list(_PART.finditer(text))
    if not text or "".join(part[0] for part in read) != text:
        raise ValueError(f"{text!r} is no duration; write 10s, 1h30m or PT10M")
    parts = []
    for number, name in (part.groups() for part in read):
        unit = _UNITS.get(name.upper() or "MS")
        if unit is None:
            raise ValueError(f"unknown unit {name}; {_nearest(name)}")
        parts.append((Fraction(number), unit))
    return parts


def _nearest(name: str) -> str:
    near = get_close_matches(name.upper(), _UNITS, n=1, cutoff=0.75)
    known = "MS, S, MINUTE, HOUR, DAY and WEEK, or ms s m h d w"
    return f"did you mean {near[0]}?" if near else f"there are {known}"


def _iso(text: str) -> list[tuple[Fraction, Fraction]]:
    date, _, time = text[1:].partition("T")
    parts = []
    for half, units in ((date, _ISO_DATE), (time, _ISO_TIME)):
        for number, name in _ISO.findall(half):
            if name not in units:
                raise ValueError(f"{text} has no fixed length; use weeks, days, hours ..")
            parts.append((Fraction(number), Fraction(units[name])))
    if "".join(f"{n}{u}" for n, u in _ISO.findall(date + time)) != date + time or not parts:
        raise ValueError(f"{text} is no duration; write PT10M or P1DT12H")
    return parts

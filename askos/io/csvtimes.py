"""Times in CSV files: ISO 8601, with a T or a blank, or in a format that the map says.

A time without a zone is no instant, so the map must say which zone is meant.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from askos.errors import StreamError
from askos.io.csvmap import CsvMap
from askos.io.instants import Fault, dates

_ISO: Final = (
    r"^(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[T ](?P<minute>[0-9]{2}:[0-9]{2})"
    r"(?P<second>(?::[0-9]{2})?)(?P<part>(?:\.[0-9]+)?) ?(?P<zone>(?:Z|[+-][0-9]{2}:?[0-9]{2})?)$"
)
_CLOCK: Final = "%Y-%m-%dT%H:%M:%S"
_HINT: Final = (
    'say which zone is meant: zone = "UTC" in the map, an offset as "+01:00", or a place as'
    ' "Europe/Berlin"'
)


def check_zones(texts: pa.Array, said: CsvMap, file: Path) -> None:
    """Refuse a file whose first row that has a time says no zone, and nor does the map."""
    first = pc.drop_null(texts)[:1]
    if said.zone is None and len(first) and not pc.any(_zoned(_iso(first, said))).as_py():
        raise StreamError(f"{file}: {first[0].as_py()} has no time zone", hint=_HINT)


def times(texts: pa.Array, said: CsvMap) -> tuple[pa.Array, list[Fault]]:
    """The instant of each text, in milliseconds, and what is wrong with those that have none."""
    whole = _iso(texts, said)
    zoned = _zoned(whole)
    as_utc = pc.if_else(zoned, whole, pc.binary_join_element_wise(whole, pa.scalar("Z"), ""))
    instants, (strange, *wrong) = dates(as_utc)
    unread = pc.or_(pc.is_null(whole), pc.fill_null(strange[0], False))
    faults = [
        (pc.is_null(texts), f"{said.time} says no time"),
        (unread, f"{said.time} is no time" + (f" as {said.format}" if said.format else "")),
        *wrong,
    ]
    local, (holds, reason) = _placed(instants, said.zone)
    faults.append((pc.and_(pc.invert(zoned), holds), reason))
    found = pc.if_else(zoned, instants, local)
    early = pc.less(found, 0)
    return pc.if_else(early, None, found), [*faults, (early, "the time is before 1970")]


def _iso(texts: pa.Array, said: CsvMap) -> pa.Array:
    """Texts as xsd:dateTime writes them, with or without a zone; null where they are no times."""
    texts = pc.utf8_trim_whitespace(texts)
    if said.format is not None:
        found = pc.strptime(texts, format=said.format, unit="s", error_is_null=True)
        # The 30th of February would be read as the 2nd of March.
        same = pc.equal(pc.strftime(found, format=said.format), texts)
        return pc.if_else(same, pc.strftime(found, format=_CLOCK), None)
    parts = pc.extract_regex(texts, _ISO)
    day, minute, second, part, zone = (
        pc.struct_field(parts, name) for name in ("day", "minute", "second", "part", "zone")
    )
    second = pc.if_else(pc.equal(second, ""), ":00", second)
    zone = pc.replace_substring_regex(zone, r"^([+-][0-9]{2})([0-9]{2})$", r"\1:\2")
    return pc.binary_join_element_wise(day, "T", minute, second, part, zone, "")


def _zoned(texts: pa.Array) -> pa.Array:
    return pc.fill_null(pc.match_substring_regex(texts, r"(?:Z|[+-][0-9]{2}:[0-9]{2})$"), False)


def _placed(clock: pa.Array, zone: str | None) -> tuple[Any, Fault]:
    """Instants of what clocks in a zone show; where they are put forward or back, there may be
    none or two."""
    valid = pc.is_valid(clock)
    if zone is None:
        return pa.nulls(len(clock), pa.int64()), (valid, "the time has no zone, as others have")
    shown = clock.cast(pa.timestamp("ms"))
    first, last = (
        pc.assume_timezone(shown, zone, ambiguous=which, nonexistent=which).cast(pa.int64())
        for which in ("earliest", "latest")
    )
    one = pc.equal(first, last)
    return pc.if_else(one, first, None), (pc.invert(one), f"the time is none, or two, in {zone}")

"""Instants as graph labels of N-Quads: milliseconds, or xsd:dateTime.

    <urn:ms:1780272000000>    "2026-06-01T02:00:00.000+02:00"^^xsd:dateTime

The second is how C-SPARQL's social data (Barbieri et al. 2010, section 3.1) is stamped; the
datatype may also be written as the IRI that N-Quads asks for.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from askos.interval import FOREVER

Fault: TypeAlias = tuple[pa.ChunkedArray, str]
"""Where something is wrong, and what."""

DATE_TYPE: Final = r"\^\^(?:xsd:dateTime|<http://www\.w3\.org/2001/XMLSchema#dateTime>)"
_NUMBER: Final = r"^<urn:ms:(?P<sign>-?)0*(?P<digits>[0-9]+)>$"
_DATE: Final = rf"^\"(?P<text>[^\"]*)\"{DATE_TYPE}$"
_PARTS: Final = (
    r"^(?P<second>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.(?P<part>[0-9]+))?"
    r"(?P<zone>(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?)$"
)
_CLOCK: Final = "%Y-%m-%dT%H:%M:%S"
_HOW: Final = 'write <urn:ms:…>, in milliseconds, or "2026-06-01T00:00:00Z"^^xsd:dateTime'
_OUTSIDE: Final = "timestamp out of range: 0 <= ms < 2**63 - 1"


def instants(labels: pa.ChunkedArray) -> tuple[pa.ChunkedArray, list[Fault]]:
    """The instant of each label, in milliseconds, and what is wrong with those that have none."""
    number = pc.extract_regex(labels, _NUMBER)
    date = pc.struct_field(pc.extract_regex(labels, _DATE), "text")
    neither = pc.and_(pc.is_null(number), pc.is_null(date))
    numbers, huge = _numbers(number)
    moments, wrong = dates(date)
    times = pc.coalesce(numbers, moments)
    return times, [
        (neither, f"no timestamp as graph label: {_HOW}"),
        (huge, _OUTSIDE),
        *wrong,
        (pc.less(times, 0), _OUTSIDE),
    ]


def _numbers(found: pa.ChunkedArray) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """<urn:ms:…>, and where it is no instant; on text, since a longer number would not fit 64
    bits."""
    sign, digits = (pc.struct_field(found, name) for name in ("sign", "digits"))
    padded = pc.utf8_lpad(digits, len(str(FOREVER)), "0")
    fits = pc.equal(pc.utf8_length(padded), len(str(FOREVER)))
    positive = pc.or_(pc.equal(sign, ""), pc.equal(digits, "0"))
    good = pc.and_(positive, pc.and_(fits, pc.less(padded, str(FOREVER))))
    return pc.if_else(good, digits, None).cast(pa.int64()), pc.invert(good)


def dates(texts: pa.ChunkedArray) -> tuple[pa.ChunkedArray, list[Fault]]:
    """xsd:dateTime with a time zone, to the millisecond; null for others, and what is wrong with
    them."""
    found = pc.extract_regex(texts, _PARTS)
    second, part, zone = (pc.struct_field(found, name) for name in ("second", "part", "zone"))
    seconds = pc.strptime(second, format=_CLOCK, unit="s", error_is_null=True)
    # The 30th of February would be read as the 2nd of March.
    real = pc.fill_null(pc.equal(pc.strftime(seconds, format=_CLOCK), second), False)
    exact = pc.utf8_rtrim(part, "0")
    fine = pc.less_equal(pc.utf8_length(exact), 3)
    faults = [
        (pc.and_(pc.is_valid(texts), pc.is_null(found)), "the graph label is no xsd:dateTime"),
        (pc.and_(pc.is_valid(found), pc.invert(real)), "there is no such date or time of day"),
        (pc.equal(zone, ""), "the xsd:dateTime has no time zone: write Z, or +02:00"),
        (pc.invert(fine), "the xsd:dateTime is finer than a millisecond"),
    ]
    thousandths = pc.if_else(fine, pc.utf8_rpad(exact, 3, "0"), None).cast(pa.int64())
    whole = pc.subtract(pc.if_else(real, seconds, None).cast(pa.int64()), _offset(zone))
    return pc.add(pc.multiply(whole, 1000), thousandths), faults


def _offset(zone: pa.ChunkedArray) -> pa.ChunkedArray:
    """How many seconds a zone is ahead of UTC; null where there is none."""
    signed = pc.if_else(pc.equal(zone, "Z"), "+00:00", pc.if_else(pc.equal(zone, ""), None, zone))
    hours, minutes = (
        pc.utf8_slice_codeunits(signed, start, start + 2).cast(pa.int64()) for start in (1, 4)
    )
    ahead = pc.add(pc.multiply(hours, 3600), pc.multiply(minutes, 60))
    return pc.if_else(pc.starts_with(signed, "-"), pc.negate(ahead), ahead)

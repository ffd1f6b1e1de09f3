"""The parts of dates and times (SPARQL 1.1, 17.4.5), durations, and how they compare."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra.expressions.durations import Duration, duration_literal, parse_duration
from askos.algebra.expressions.moments import Moment, moment_literal, parse_moment
from askos.algebra.expressions.order import value_key
from askos.terms import XSD, Literal, URIRef
from tests.build import nt, result, term

SPEC = '"2011-01-10T14:45:13.815-05:00"^^xsd:dateTime'
PARTS = ("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ")


@pytest.mark.parametrize(
    ("argument", "parts"),
    [
        (SPEC, ["2011", "1", "10", "14", "45", "13.815", "-PT5H", "-05:00"]),
        (
            '"2011-01-10T14:45:13.815Z"^^xsd:dateTime',
            ["2011", "1", "10", "14", "45", "13.815", "PT0S", "Z"],
        ),
        (
            '"2011-02-01T01:02:03"^^xsd:dateTime',
            ["2011", "2", "1", "1", "2", "3.0", None, ""],
        ),
        (
            '"-0044-03-15T23:59:59+05:30"^^xsd:dateTime',
            ["-44", "3", "15", "23", "59", "59.0", "PT5H30M", "+05:30"],
        ),
        (
            '"1999-12-31T24:00:00+00:00"^^xsd:dateTime',
            ["2000", "1", "1", "0", "0", "0.0", "PT0S", "+00:00"],
        ),
        ('"2024-02-29+14:00"^^xsd:date', ["2024", "2", "29", None, None, None, "PT14H", "+14:00"]),
        ('"12:30:00.10"^^xsd:time', [None, None, None, "12", "30", "0.1", None, ""]),
        ('"2024-02-30T00:00:00Z"^^xsd:dateTime', [None] * 8),
        ('"2011-01-10T14:45:13Z"', [None] * 8),
    ],
)
def test_the_parts_of_a_moment_are_in_its_own_time_zone(
    argument: str, parts: list[str | None]
) -> None:
    found = [result(name, argument) for name in PARTS]
    assert [None if each is None else str(each) for each in found] == parts


def test_the_parts_have_types() -> None:
    found = [result(name, SPEC) for name in PARTS]
    types = [each.datatype for each in found if isinstance(each, Literal)]
    assert types == [*[XSD.integer] * 5, XSD.decimal, XSD.dayTimeDuration, None]


@pytest.mark.parametrize(
    ("text", "datatype", "canonical"),
    [
        ("P1Y14M", "yearMonthDuration", "P2Y2M"),
        ("P0Y", "yearMonthDuration", "P0M"),
        ("-P1D", "dayTimeDuration", "-P1D"),
        ("PT36H", "dayTimeDuration", "P1DT12H"),
        ("PT0.50S", "dayTimeDuration", "PT0.5S"),
        ("-PT0S", "dayTimeDuration", "PT0S"),
        ("P1Y2M3DT4H5M6.7S", "duration", "P1Y2M3DT4H5M6.7S"),
        ("PT90M", "duration", "PT1H30M"),
        ("P1M", "dayTimeDuration", None),
        ("P1D", "yearMonthDuration", None),
        ("P", "duration", None),
        ("P1DT", "duration", None),
        ("P-1D", "duration", None),
        ("1D", "duration", None),
        ("PT1.S", "duration", None),
        ("P" + "9" * 5000 + "D", "duration", None),
    ],
)
def test_durations_are_read_and_written(text: str, datatype: str, canonical: str | None) -> None:
    found = parse_duration(Literal(text, datatype=XSD[datatype]))
    if canonical is None:
        assert found is None
    else:
        assert found is not None
        assert duration_literal(found) == Literal(canonical, datatype=XSD[datatype])


@pytest.mark.parametrize(
    ("left", "right", "equal", "less"),
    [
        ('"P1D"^^xsd:dayTimeDuration', '"PT24H"^^xsd:dayTimeDuration', True, False),
        ('"PT1M"^^xsd:dayTimeDuration', '"PT1H"^^xsd:dayTimeDuration', False, True),
        ('"P1Y"^^xsd:yearMonthDuration', '"P13M"^^xsd:yearMonthDuration', False, True),
        ('"P1Y"^^xsd:yearMonthDuration', '"P365D"^^xsd:dayTimeDuration', False, None),
        ('"PT0S"^^xsd:dayTimeDuration', '"P0M"^^xsd:yearMonthDuration', True, None),
        ('"P1D"^^xsd:duration', '"PT24H"^^xsd:dayTimeDuration', True, None),
        ('"P1D"^^xsd:duration', '"P2D"^^xsd:duration', False, None),
        ('"P1D"^^xsd:dayTimeDuration', '"1"^^xsd:integer', False, None),
        ('"P1X"^^xsd:dayTimeDuration', '"P1D"^^xsd:dayTimeDuration', None, None),
        ('"24:00:00Z"^^xsd:time', '"00:00:00Z"^^xsd:time', True, False),
        ('"24:00:00Z"^^xsd:time', '"01:00:00Z"^^xsd:time', False, True),
    ],
)
def test_durations_and_times_compare_by_value(
    left: str, right: str, equal: bool | None, less: bool | None
) -> None:
    assert result("=", left, right) == (None if equal is None else term(equal))
    assert result("<", left, right) == (None if less is None else term(less))
    if equal:
        assert value_key(nt(left)) == value_key(nt(right))


@pytest.mark.parametrize(
    ("left", "sign", "right", "expected"),
    [
        (
            "2024-02-28T23:30:00Z dateTime",
            "+",
            "PT1H dayTimeDuration",
            "2024-02-29T00:30:00Z dateTime",
        ),
        (
            "PT1H dayTimeDuration",
            "+",
            "2024-02-28T23:30:00 dateTime",
            "2024-02-29T00:30:00 dateTime",
        ),
        (
            "2024-01-31T12:00:00-05:00 dateTime",
            "+",
            "P1M yearMonthDuration",
            "2024-02-29T12:00:00-05:00 dateTime",
        ),
        ("2024-03-31 date", "-", "P1Y1M yearMonthDuration", "2023-02-28 date"),
        ("2024-03-01+14:00 date", "-", "PT1S dayTimeDuration", "2024-02-29+14:00 date"),
        ("23:00:00Z time", "+", "PT2H dayTimeDuration", "01:00:00Z time"),
        ("00:30:00+05:00 time", "-", "PT1H dayTimeDuration", "23:30:00+05:00 time"),
        (
            "2024-01-02T00:00:00Z dateTime",
            "-",
            "2024-01-01T00:00:00+01:00 dateTime",
            "P1DT1H dayTimeDuration",
        ),
        ("2024-01-01 date", "-", "2024-01-02 date", "-P1D dayTimeDuration"),
        ("P1D dayTimeDuration", "-", "PT25H dayTimeDuration", "-PT1H dayTimeDuration"),
        ("P1Y yearMonthDuration", "+", "P1M yearMonthDuration", "P1Y1M yearMonthDuration"),
        ("2024-01-01T00:00:00Z dateTime", "-", "2024-01-01T00:00:00 dateTime", None),
        ("2024-01-01T00:00:00Z dateTime", "-", "2024-01-01Z date", None),
        ("2024-01-01T00:00:00Z dateTime", "+", "2024-01-01T00:00:00Z dateTime", None),
        ("2024-01-01T00:00:00Z dateTime", "+", "P1D duration", None),
        ("00:30:00 time", "+", "P1M yearMonthDuration", None),
        ("P1D dayTimeDuration", "+", "P1M yearMonthDuration", None),
        ("P1D dayTimeDuration", "-", "2024-01-02 date", None),
        ("P1D dayTimeDuration", "+", "1 integer", None),
        ("1 integer", "-", "P1D dayTimeDuration", None),
    ],
)
def test_arithmetic_of_dates_and_durations(
    left: str, sign: str, right: str, expected: str | None
) -> None:
    wanted = None if expected is None else _typed(expected)
    assert result(sign, _typed(left), _typed(right)) == wanted


def _typed(text: str) -> Literal:
    lexical, datatype = text.split()
    return Literal(lexical, datatype=XSD[datatype])


@given(
    st.integers(-(10**12), 10**12),
    st.integers(0, 999),
    st.none() | st.integers(-840, 840).map(lambda minutes: 60 * minutes),
    st.sampled_from([XSD.dateTime, XSD.date, XSD.time]),
)
def test_a_moment_is_written_as_it_is_read(
    seconds: int, millis: int, offset: int | None, datatype: URIRef
) -> None:
    at = Moment(seconds + Fraction(millis, 1000), datatype, offset)
    once = parse_moment(moment_literal(at))
    assert once is not None
    assert moment_literal(once) == moment_literal(at)
    assert datatype != XSD.dateTime or once == at


@given(st.integers(-(10**12), 10**12), st.integers(-(10**9), 10**9))
def test_subtraction_undoes_addition(seconds: int, millis: int) -> None:
    at = moment_literal(Moment(Fraction(seconds), XSD.dateTime, 3600))
    span = duration_literal(Duration(0, Fraction(millis, 1000), XSD.dayTimeDuration))
    later = result("+", at, span)
    assert result("-", later, span) == at
    assert result("-", later, at) == span


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_a_duration_is_written_as_it_is_read(months: int, millis: int) -> None:
    sign = -1 if months < 0 else 1
    span = Duration(months, sign * abs(Fraction(millis, 1000)), XSD.duration)
    assert parse_duration(duration_literal(span)) == span

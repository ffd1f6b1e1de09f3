from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib.util import from_n3

from askos.errors import QueryError
from askos.generate.windpark import (
    ACTIVE_POWER,
    ALARM_TIME,
    START_COUNT,
    STOP_COUNT,
    WIND_SPEED,
    WindPark,
    streams,
    write,
)
from askos.io import read_nquads
from askos.terms import XSD, Literal

DEFAULT = WindPark()
TABLES = streams(DEFAULT)
PARKS = st.builds(
    WindPark,
    turbines=st.integers(1, 5),
    minutes=st.integers(1, 90),
    seed=st.integers(0, 99),
    start=st.sampled_from([0, 5, DEFAULT.start]),
    interval=st.integers(1, 60),
    lateness=st.sampled_from([0, 1, 30, 600]),
)
Row = dict[str, Any]


def rows(table: pa.Table, *predicates: str) -> list[Row]:
    """The rows with one of these predicates, by time."""
    wanted = {f"<{predicate}>" for predicate in predicates}
    found = [row for row in table.to_pylist() if row["p"] in wanted]
    return sorted(found, key=lambda row: (row["ts"], row["s"]))


def by_turbine(found: list[Row]) -> dict[str, list[Row]]:
    ordered = sorted(found, key=lambda row: (row["s"], row["ts"]))
    return {s: list(some) for s, some in itertools.groupby(ordered, key=lambda row: row["s"])}


def value(row: Row) -> float:
    return float(row["o"].split('"')[1])


@pytest.mark.parametrize(
    ("field", "bad", "message"),
    [
        ("turbines", 0, "turbines must be a whole number >= 1, not 0"),
        ("minutes", 0, "minutes must be"),
        ("minutes", 10**12, "before the year 10000"),
        ("seed", -1, "seed must be"),
        ("start", "today", "start must be"),
        ("start", 2**62, "before the year 10000"),
        ("interval", 0, "interval must be"),
        ("interval", 3601, "interval must be at most the 3600 s that the park runs"),
        ("lateness", 1.5, "lateness must be"),
        ("lateness", 2**62, "lateness is out of range"),
    ],
)
def test_an_impossible_park_is_refused(field: str, bad: Any, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        WindPark(**{field: bad})


# --- the same park, the same streams


def digest(folder: Path, park: WindPark) -> str:
    write(park, folder, ["nquads"])
    files = sorted(folder.rglob("*.nq"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def test_the_default_park_stays_as_it_is(tmp_path: Path) -> None:
    """Examples and measurements quote it; change this only with a line in the changelog."""
    assert (
        digest(tmp_path, DEFAULT)
        == "adabe4a7917cc9cebdaa5e6524c88a4eea82c05a164f36ba462b6f1c9bf9f76d"
    )


def test_another_seed_gives_another_park(tmp_path: Path) -> None:
    assert digest(tmp_path / "7", DEFAULT) != digest(tmp_path / "8", WindPark(seed=8))


def test_a_park_starts_when_it_is_told() -> None:
    moved = streams(WindPark(start=0))["scada"]
    assert moved.drop_columns(["ts"]).equals(TABLES["scada"].drop_columns(["ts"]))
    shift = pc.subtract(TABLES["scada"]["ts"], moved["ts"])
    assert pc.unique(shift).to_pylist() == [DEFAULT.start]


# --- order of delivery


def farthest_back(table: pa.Table) -> int:
    """By how much a row comes after a later one, at most."""
    times = table["ts"].to_pylist()
    latest = itertools.accumulate(times, max)
    return max((most - time for most, time in zip(latest, times, strict=True)), default=0)


@given(PARKS)
def test_disorder_stays_within_the_lateness(park: WindPark) -> None:
    for table in streams(park).values():
        assert farthest_back(table) <= park.lateness * 1000
        assert all(park.start <= time < park.end for time in table["ts"].to_pylist())


def test_rows_are_out_of_order_and_some_by_much() -> None:
    assert farthest_back(TABLES["scada"]) > 20_000
    assert farthest_back(streams(WindPark(turbines=40))["events"]) > 20_000


def test_without_lateness_rows_are_in_order_of_time() -> None:
    for table in streams(WindPark(lateness=0)).values():
        assert farthest_back(table) == 0


# --- scada


def test_turbines_read_wind_and_power_at_one_instant_every_interval() -> None:
    wind = by_turbine(rows(TABLES["scada"], WIND_SPEED))
    power = by_turbine(rows(TABLES["scada"], ACTIVE_POWER))
    assert list(wind) == [f"<http://wind.example/T{number:02d}>" for number in range(1, 9)]
    for turbine, readings in wind.items():
        times = [row["ts"] for row in readings]
        assert times == [row["ts"] for row in power[turbine]]
        assert len({time % 10_000 for time in times}) == 1


def test_turbines_do_not_all_read_at_once_but_some_do() -> None:
    first = [
        readings[0]["ts"] % 10_000 for readings in by_turbine(TABLES["scada"].to_pylist()).values()
    ]
    assert 2 < len(set(first)) < len(first)


def test_some_turbines_fall_silent_for_minutes_and_some_never() -> None:
    longest = {
        turbine: max(b["ts"] - a["ts"] for a, b in itertools.pairwise(readings))
        for turbine, readings in by_turbine(rows(TABLES["scada"], WIND_SPEED)).items()
    }
    assert sum(gap > 120_000 for gap in longest.values()) >= 2
    assert sum(gap == 10_000 for gap in longest.values()) >= 2


def test_wind_is_smooth_and_power_follows_the_curve() -> None:
    power = {(row["s"], row["ts"]): value(row) for row in rows(TABLES["scada"], ACTIVE_POWER)}
    for readings in by_turbine(rows(TABLES["scada"], WIND_SPEED)).values():
        for a, b in itertools.pairwise(readings):
            assert abs(value(b) - value(a)) < 1.5 or b["ts"] - a["ts"] > 10_000
        for row in readings:
            made = power[row["s"], row["ts"]]
            # The wind that turns the rotor is the reading without its gust, at most 0.3 m/s.
            assert made <= curve(value(row) + 0.31) + 0.1
            assert made == 0 or made >= curve(value(row) - 0.31) - 0.1


def curve(wind: float) -> float:
    return 3000 * min(max((wind**3 - 27) / (1728 - 27), 0), 1)


# --- events


@given(PARKS)
def test_stops_and_starts_alternate_and_their_counters_run(park: WindPark) -> None:
    """Every stop has as many starts as stops behind it; the next start is one more."""
    events = by_turbine(rows(streams(park)["events"], STOP_COUNT, START_COUNT))
    for changes in events.values():
        for a, b in itertools.pairwise(changes):
            assert a["p"] != b["p"]
            assert value(b) == value(a) + (b["p"] == f"<{START_COUNT}>")


@given(PARKS)
def test_a_stopped_turbine_makes_no_power(park: WindPark) -> None:
    tables = streams(park)
    power = by_turbine(rows(tables["scada"], ACTIVE_POWER))
    changes = by_turbine(rows(tables["events"], STOP_COUNT, START_COUNT))
    for turbine, some in changes.items():
        ends = [*(row["ts"] for row in some[1:]), math.inf]
        for row, end in zip(some, ends, strict=True):
            if row["p"] == f"<{STOP_COUNT}>":
                within = [r for r in power.get(turbine, []) if row["ts"] <= r["ts"] < end]
                assert all(value(r) == 0 for r in within)


def test_a_storm_stops_turbines_as_a_lull_does() -> None:
    """Two days, so that both occur: what the wind was when turbines stopped without an alarm."""
    tables = streams(WindPark(turbines=2, minutes=2880))
    wind = {
        (row["s"], row["ts"] // 10_000): value(row) for row in rows(tables["scada"], WIND_SPEED)
    }
    alarms = {(row["s"], row["ts"]) for row in rows(tables["events"], ALARM_TIME)}
    stops = rows(tables["events"], STOP_COUNT)
    calm = [(r["s"], r["ts"] // 10_000) for r in stops if (r["s"], r["ts"]) not in alarms]
    speeds = [wind[at] for at in calm if at in wind]
    assert min(speeds) < 3.5
    assert max(speeds) > 24.5
    assert not [speed for speed in speeds if 3.5 <= speed <= 24.5]


def test_most_turbines_have_alarms_and_some_have_none() -> None:
    alarmed = by_turbine(rows(TABLES["events"], ALARM_TIME))
    assert 4 < len(alarmed) < DEFAULT.turbines


def test_an_alarm_stops_a_turbine_for_minutes() -> None:
    alarms = rows(TABLES["events"], ALARM_TIME)
    changes = by_turbine(rows(TABLES["events"], STOP_COUNT, START_COUNT))
    for alarm in alarms:
        after = [row for row in changes[alarm["s"]] if row["ts"] > alarm["ts"]]
        before = [row for row in changes[alarm["s"]] if row["ts"] <= alarm["ts"]]
        assert before[-1]["p"] == f"<{STOP_COUNT}>"
        assert not after or after[0]["ts"] - alarm["ts"] >= 120_000


def test_an_alarm_tells_the_second_it_was_raised() -> None:
    for row in rows(TABLES["events"], ALARM_TIME):
        raised = Literal(row["o"].split('"')[1], datatype=XSD.dateTime).toPython()
        assert raised.timestamp() == row["ts"] // 1000


def test_events_are_rare() -> None:
    kinds = Counter(TABLES["events"]["p"].to_pylist())
    assert set(kinds) == {f"<{p}>" for p in (START_COUNT, STOP_COUNT, ALARM_TIME)}
    assert 100 * TABLES["events"].num_rows < TABLES["scada"].num_rows


# --- text


@pytest.mark.parametrize(
    ("predicate", "datatype", "pattern"),
    [
        (WIND_SPEED, XSD.double, r"[0-9]+\.[0-9]{2}"),
        (ACTIVE_POWER, XSD.double, r"[0-9]+\.[0-9]"),
        (START_COUNT, XSD.integer, r"[0-9]+"),
        (STOP_COUNT, XSD.integer, r"[0-9]+"),
        (ALARM_TIME, XSD.dateTime, r"2026-06-01T[0-9:]{8}Z"),
    ],
)
def test_objects_are_plain_literals_of_their_type(
    predicate: str, datatype: str, pattern: str
) -> None:
    whole = pa.concat_tables(TABLES.values())
    objects = {row["o"] for row in rows(whole, predicate)}
    matching = pc.match_substring_regex(pa.array(objects), rf'^"{pattern}"\^\^<{datatype}>$')
    assert pc.all(matching).as_py()
    for text in objects:
        term = from_n3(text)
        assert isinstance(term, Literal)
        assert not term.ill_typed


# --- files


def test_files_hold_the_stream_in_order(tmp_path: Path) -> None:
    written = write(DEFAULT, tmp_path, files=5)
    assert [(each.stream, each.format) for each in written] == [
        ("scada", "nquads"),
        ("events", "nquads"),
        ("scada", "parquet"),
        ("events", "parquet"),
    ]
    for each in written:
        parts = []
        for file in sorted(each.folder.iterdir()):
            if each.format == "nquads":
                part, rejected = read_nquads(file)
                assert rejected.num_rows == 0
                parts.append(part.drop_columns(["line"]))
            else:
                parts.append(pq.read_table(file))
        assert len(parts) == each.files
        assert pa.concat_tables(parts).equals(TABLES[each.stream])
        assert each.rows == TABLES[each.stream].num_rows
        times = TABLES[each.stream]["ts"].to_pylist()
        assert (each.first, each.last) == (min(times), max(times))


def test_files_are_as_old_as_their_number_says(tmp_path: Path) -> None:
    for each in write(DEFAULT, tmp_path):
        for file in each.folder.iterdir():
            number = int(file.stem.removeprefix("part-"))
            assert file.stat().st_mtime_ns == (DEFAULT.start + number * 1000) * 1_000_000


def test_a_span_without_deliveries_has_no_file(tmp_path: Path) -> None:
    park = WindPark(turbines=1, minutes=5)
    events = write(park, tmp_path, ["nquads"], files=100)[1]
    assert events.files == len(list(events.folder.iterdir())) < 10


def test_a_stream_without_rows_has_no_files(tmp_path: Path) -> None:
    park = next(
        park
        for park in (WindPark(turbines=1, minutes=1, seed=seed) for seed in range(20))
        if not streams(park)["events"].num_rows
    )
    events = write(park, tmp_path, ["parquet"])[1]
    assert (events.files, events.rows, events.first, events.last) == (0, 0, None, None)


@pytest.mark.parametrize(
    ("formats", "files", "message"),
    [
        (["turtle"], 1, "'turtle' is not a format"),
        (["nquads"], 0, "files must be a whole number >= 1"),
        (["nquads"], 100_001, "files must be at most 100000"),
    ],
)
def test_what_cannot_be_written_is_refused(
    tmp_path: Path, formats: list[str], files: int, message: str
) -> None:
    with pytest.raises(QueryError, match=message):
        write(DEFAULT, tmp_path / "out", formats, files)
    assert not (tmp_path / "out").exists()


def test_old_parts_are_never_mixed_with_new_ones(tmp_path: Path) -> None:
    write(DEFAULT, tmp_path, ["nquads"])
    with pytest.raises(FileExistsError):
        write(DEFAULT, tmp_path, ["nquads"])

"""CSV files as streams: what becomes a triple, and what is refused, with its line and reason."""

from __future__ import annotations

import csv
import gzip
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.cli.streams import find
from askos.errors import QueryError, StreamError
from askos.generate.exports import means, write_layout
from askos.generate.park import Park
from askos.generate.simulate import simulate
from askos.generate.vocabulary import datum
from askos.io.csvmap import CsvMap, parse_map, presets, read_map
from askos.io.csvrows import read_csv
from askos.terms import XSD, Literal, URIRef, parse_term

MAP = """
subject = "http://e/{turbine}"
time = "time"
zone = "UTC"
[columns]
power = "http://e/power"
"""
POWER = f'"5.5"^^<{XSD.double}>'


def rows(text: str | bytes, said: str | CsvMap = MAP, name: str = "a.csv") -> list[tuple[Any, ...]]:
    """What a file of that text says: triples with their times and lines, and reasons by line."""
    file = Path(name)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    known = parse_map(said) if isinstance(said, str) else said
    told: list[tuple[Any, ...]] = []
    for statements, rejected in read_csv(file, known):
        told += [tuple(row.values()) for row in statements.to_pylist()]
        told += [(row["line"], row["reason"]) for row in rejected.to_pylist()]
    return told


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_each_value_is_a_triple() -> None:
    assert rows("turbine,power,time\nT1,5.5,1970-01-01T00:00:01Z\n") == [
        ("<http://e/T1>", "<http://e/power>", POWER, 1000, 2)
    ]


def test_a_value_that_is_missing_is_none() -> None:
    assert rows("turbine,power,time\nT1,,1970-01-01T00:00Z\nT1,NaN,1970-01-01T00:00Z\n") == []


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1970-01-02T00:00:00Z", 86_400_000),
        ("1970-01-02 00:00", 86_400_000),
        ("1970-01-02T01:00:00.250+01:00", 86_400_250),
        ("1970-01-02 01:00:00+0100", 86_400_000),
    ],
)
def test_times_are_iso_8601(text: str, ms: int) -> None:
    (row,) = rows(f"turbine,power,time\nT1,5.5,{text}\n")
    assert row[3] == ms


def test_a_map_may_say_how_times_are_written() -> None:
    said = MAP + '"x y" = "http://e/xy"\n'
    said = said.replace('zone = "UTC"', 'zone = "+01:00"\nformat = "%d/%m/%Y %H:%M"')
    text = "turbine,power,time,x y\nT1,5.5,02/01/1970 01:00,\nT1,5.5,30/02/1970 01:00,\n"
    assert rows(text, said) == [
        ("<http://e/T1>", "<http://e/power>", POWER, 86_400_000, 2),
        (3, "time is no time as %d/%m/%Y %H:%M"),
    ]


def test_times_without_a_zone_are_refused_with_a_hint() -> None:
    said = MAP.replace('zone = "UTC"', "")
    with pytest.raises(StreamError, match="2026-06-01 00:00 has no time zone") as caught:
        rows("turbine,power,time\nT1,5.5,2026-06-01 00:00\n", said)
    assert 'zone = "UTC"' in caught.value.hint
    told = rows("turbine,power,time\nT1,,1970-01-01T00:00Z\nT1,1,2026-06-01 00:00\n", said)
    assert told == [(3, "the time has no zone, as others have")]


@given(st.integers(0, 10**9), st.sampled_from(["Europe/Berlin", "America/New_York", "UTC"]))
def test_a_time_in_a_zone_is_the_instant_that_clocks_there_show(minute: int, name: str) -> None:
    zone, then = (
        ZoneInfo(name),
        # Arrow has a zone's clock changes up to 2037.
        datetime(1980, 1, 1, tzinfo=UTC) + timedelta(minutes=minute % 29_000_000),
    )
    local = then.astimezone(zone).replace(tzinfo=None)
    text = f"turbine,power,time\nT1,5.5,{local.isoformat()}\n"
    (row,) = rows(text, MAP.replace('"UTC"', f'"{name}"'))
    both = {local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    if len(both) == 1:
        assert row[3] == (then - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    else:
        assert row == (2, f"the time is none, or two, in {name}")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"T1,5.5", "2 values, but 3 columns"),
        (b"T1,high,1970-01-01T00:00Z", "power is no xsd:double"),
        (b"T1,5.5,", "time says no time"),
        (b"T1,5.5,noon", "time is no time"),
        (b"T1,5.5,1970-02-30T00:00Z", "there is no such date or time of day"),
        (b"T1,5.5,1969-12-31T00:00Z", "the time is before 1970"),
        (b"T1,5.5,1970-01-01T00:00:00.0001Z", "the xsd:dateTime is finer than a millisecond"),
        (b",5.5,1970-01-01T00:00Z", "nothing says what the row is about"),
        (b'T1,"5.5,1970-01-01T00:00Z', "a quotation mark is not around a value"),
        (b'T1, ","5.5",1970-01-01T00:00Z', "a quotation mark is not around a value"),
        (b"T\xff,5.5,1970-01-01T00:00Z", "not UTF-8"),
        (b"T1,5.5\r,1970-01-01T00:00Z", "a carriage return that ends no line"),
    ],
)
def test_a_bad_row_is_refused_and_the_others_count(line: bytes, reason: str) -> None:
    good = b"T1,5.5,1970-01-01T00:00:01Z\n"
    first, *told = sorted(rows(b"turbine,power,time\n" + good + line + b"\n\r\n" + good), key=len)
    assert first[0] == 3
    assert str(first[1]).startswith(reason)
    assert [row[4] for row in told] == [2, 5]


def test_other_rows_of_the_types_that_a_map_may_say() -> None:
    said = MAP + (
        'ok = { predicate = "http://e/ok", type = "boolean" }\n'
        'n = { predicate = "http://e/n", type = "integer" }\n'
        'note = { predicate = "http://e/note", type = "string" }\n'
        'state = { predicate = "http://e/state", iri = "http://e/states/{}" }\n'
    )
    text = 'turbine,time,power,ok,n,note,state\nT1,1970-01-01T00:00Z,,true,7,"a ""b"", c",On Grid\n'
    objects = [parse_term(row[2]) for row in rows(text, said)]
    assert objects == [
        Literal("true", datatype=XSD.boolean),
        Literal("7", datatype=XSD.integer),
        Literal('a "b", c'),
        URIRef("http://e/states/On%20Grid"),
    ]


def test_lines_before_the_heading_and_names_of_files_can_be_told() -> None:
    said = """
subject = "http://e/T{number}"
time = "# Date and time"
zone = "UTC"
skip = 2
delimiter = ";"
decimal = ","
file = 'Turbine_(?P<number>\\d+)_.*\\.csv'
[columns]
"Power (kW)" = "http://e/power"
"""
    text = "# by hand\n# a, b\n# Date and time;Power (kW);x;x\n1970-01-01 00:00:00;5,5;;\n"
    (row,) = rows(text, said, "Turbine_7_2026.csv")
    assert row == ("<http://e/T7>", "<http://e/power>", POWER, 0, 4)
    with pytest.raises(StreamError, match="does not say whose it is"):
        rows(text, said, "other.csv")


def test_of_a_folder_only_files_of_the_layout_are_read(tmp_path: Path) -> None:
    known = read_map("kelmarsh")
    assert known.reads(Path("Turbine_Data_Kelmarsh_1_2016-01-03_-_2017-01-01_228.csv"))
    assert not known.reads(Path("Status_Kelmarsh_1_2016-01-03_-_2017-01-01_228.csv"))
    for name in ("scada.csv", "asset.csv"):
        (tmp_path / name).write_text("")
    place = find(URIRef("http://e/s"), tmp_path, "data", read_map("openoa"))
    assert [file.name for file in place.csv] == ["scada.csv"]


@pytest.mark.parametrize("layout", presets())
def test_layouts_of_a_simulated_park_are_read_whole(layout: str, tmp_path: Path) -> None:
    made = simulate(Park(turbines=3, hours=2))
    write_layout(made, layout, tmp_path / layout)
    place = find(URIRef("http://e/s"), tmp_path / layout, "data", read_map(layout))
    told = [part for file in place.csv for part in read_csv(file, read_map(layout))]
    triples = pa.concat_tables([statements for statements, _ in told])
    assert sum(len(rejected) for _, rejected in told) == 0
    assert {*triples["s"].to_pylist()} == {f"<http://wind.example/T0{n}>" for n in (1, 2, 3)}
    power = pc.equal(triples["p"], f"<{datum('WTUR', 'W')}>")
    values = means(made, "WTUR_W").mean
    assert pc.sum(power).as_py() == np.isfinite(values).sum()
    times = np.unique(triples["ts"].to_numpy())
    assert times.tolist() == [made.park.start + step * 600_000 for step in range(12)]


def test_a_file_may_be_compressed() -> None:
    text = b"\xef\xbb\xbfturbine,power,time\nT1,5.5,1970-01-01T00:00Z\n"
    assert len(rows(gzip.compress(text), name="a.csv.gz")) == 1


@pytest.mark.parametrize(
    ("heading", "message"),
    [
        ("turbine,watts,time", "has no column that the map knows"),
        ("turbine,power,when", "has no column 'time'"),
        ("turbine,power,time,power", "has more than one column 'power'"),
        ("", "has no column"),
    ],
)
def test_a_file_without_the_columns_is_refused(heading: str, message: str) -> None:
    with pytest.raises(StreamError, match=message):
        rows(f"{heading}\n")


def test_columns_may_be_optional() -> None:
    said = MAP.replace("[columns]", 'optional = true\n[columns]\nspeed = "http://e/speed"')
    assert len(rows("turbine,power,time\nT1,5.5,1970-01-01T00:00Z\n", said)) == 1


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=6)


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5))
def test_what_a_csv_writer_writes_is_read(cells: list[tuple[str, str]]) -> None:
    said = MAP.replace(
        'power = "http://e/power"', 'p = { predicate = "http://e/p", type="string" }'
    )
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(["turbine", "p", "time"])
    writer.writerows((f"T{a}", b, "1970-01-01T00:00Z") for a, b in cells)
    told = rows(text.getvalue(), said)
    missing = parse_map(said).missing
    assert [parse_term(row[2]) for row in told] == [
        Literal(b) for _, b in cells if b not in missing
    ]


PIECES = st.sampled_from(
    [b"T1", b"5.5", b"1970-01-01T00:00Z", b'"', b'""', b",", b"\r", b"\xff", b" ", b"\xef\xbb\xbf"]
)


@given(st.lists(st.lists(PIECES, max_size=8).map(b"".join), max_size=6))
def test_whatever_a_line_is_it_breaks_no_other(lines: list[bytes]) -> None:
    good = b"T1,5.5,1970-01-01T00:00:01Z"
    told = rows(b"\n".join([b"turbine,power,time", good, *lines, good]))
    kept = [row[-1] for row in told if len(row) == 5]
    assert {2, len(lines) + 3} <= {*kept}
    assert len(told) == len({row[-1] if len(row) == 5 else row[0] for row in told})


def test_a_mark_of_the_order_of_bytes_is_nothing_wherever_it_is() -> None:
    mark, row = b"\xef\xbb\xbf", b"T1,5.5,1970-01-01T00:00:01Z\n"
    told = rows(mark + b"turbine,power,time\n" + mark + b"\n" + mark + row + row)
    assert [line for *_, line in told] == [3, 4]


def test_a_large_file_is_read_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askos.io.csvrows._BLOCK", 64)
    lines = "".join(f"T{n},{n},1970-01-01T00:00:{n:02}Z\n" for n in range(60))
    told = rows(f"turbine,power,time\n{lines}T1,x,1970-01-01T00:00Z\n")
    assert [row[4] for row in told[:-1]] == list(range(2, 62))
    assert told[-1] == (62, "power is no xsd:double")


# ---- maps ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("subject = ", "is no TOML"),
        (MAP.replace("{turbine}", "T1"), "subject names no column"),
        (MAP.replace("http://e/{", "{"), "is no absolute IRI"),
        (MAP.replace("http://e/power", "power"), "predicate 'power' is no absolute IRI"),
        (MAP.replace('"UTC"', '"Atlantis"'), "zone 'Atlantis' is not known"),
        (MAP.replace('time = "time"', ""), "missing 1 required"),
        (MAP.replace("[columns]", 'colour = "red"\n[columns]'), "unexpected keyword argument"),
        (MAP.replace("[columns]", "[column]"), "unexpected keyword argument 'column'"),
        (MAP.partition("[columns]")[0], "no column has a predicate"),
        (MAP + 'p = { predicate = "http://e/p", type = "number" }', "type 'number' is not known"),
        (MAP + 'p = { predicate = "http://e/p", iri = "http://e/" }', "no place for the value"),
        (MAP.replace("[columns]", 'delimiter = "ab"\n[columns]'), "no single character"),
        (MAP.replace("[columns]", 'decimal = "x"\n[columns]'), "neither . nor ,"),
        (MAP.replace("[columns]", "skip = -1\n[columns]"), "skip -1"),
        (MAP.replace("[columns]", "file = '('\n[columns]"), "no regular expression"),
    ],
)
def test_a_map_that_is_wrong_is_told(said: str, message: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_map(said, "m.toml")
    assert message in caught.value.message


def test_a_map_is_a_file_or_a_layout_that_is_known() -> None:
    Path("m.toml").write_text(MAP)
    assert read_map("m.toml") == parse_map(MAP)
    for name in presets():
        assert read_map(name).columns
    with pytest.raises(QueryError, match="No such file") as caught:
        read_map("none.toml")
    assert "openoa" in caught.value.hint


def test_statements_have_the_columns_of_nquads() -> None:
    Path("a.csv").write_text("turbine,power,time\nT1,5.5,1970-01-01T00:00Z\n")
    ((statements, rejected),) = read_csv(Path("a.csv"), parse_map(MAP))
    assert isinstance(statements, pa.Table)
    assert statements.column_names == ["s", "p", "o", "ts", "line"]
    assert rejected.column_names == ["line", "text", "reason"]

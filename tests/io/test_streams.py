"""Files of a stream by columns: rows with their places, and what may be left out."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from askos.columns import Coder
from askos.errors import StreamError
from askos.io.constants import Constants
from askos.io.streams import Rows, StreamFiles, gathered
from askos.physical import ingest
from askos.terms import URIRef

A, P, Q = "<http://e/a>", "<http://e/p>", "<http://e/q>"
ASKED = Constants(((None, URIRef("http://e/p"), None),))
TABLE = pa.table(
    {
        "s": [A, A, A, "no term", A],
        "p": [P, Q, Q, Q, Q],
        "o": ['"1"', '"2"', '"3"@en', '"4"', '"5"'],
        "ts": [1, 2, 3, 4, -5],
    }
)


def read(file: Path, files: StreamFiles, at: int = 0) -> list[Rows]:
    return list(files.read(file, at))


def parquet(folder: Path, table: pa.Table, **options: Any) -> Path:
    pq.write_table(table, folder / "rows.parquet", **options)
    return folder / "rows.parquet"


def test_rows_of_parquet_have_their_numbers_whatever_is_left_out(tmp_path: Path) -> None:
    file = parquet(tmp_path, TABLE)
    (everything,) = read(file, StreamFiles("parquet"))
    assert everything.table["row"].to_pylist() == [1, 2, 3, 4, 5]
    assert len(everything) == 5
    (some,) = read(file, StreamFiles("parquet", constants=ASKED))
    assert some.table["row"].to_pylist() == [1, 3, 4, 5], "what is no triple at sight is judged"
    assert some.passing.tolist() == [2]
    (late,) = read(file, StreamFiles("parquet", constants=ASKED, last=1))
    assert not len(late.passing), "what is stamped too late is judged"


def test_parquet_is_read_in_parts(tmp_path: Path) -> None:
    rows = 250_000
    many = pa.table({name: pa.repeat(A, rows) for name in "spo"} | {"ts": pa.repeat(1, rows)})
    parts = read(parquet(tmp_path, many, row_group_size=120_000), StreamFiles("parquet"))
    assert len(parts) > 1
    assert [n for part in parts for n in part.table["row"].to_pylist()] == list(range(1, rows + 1))


def test_columns_that_are_missing_are_null_and_capitals_do_not_matter(tmp_path: Path) -> None:
    file = parquet(tmp_path, pa.table({"S": [A], "P": [P], "TS": [pa.scalar(7, pa.int32())]}))
    (found,) = read(file, StreamFiles("parquet", columns=frozenset({"seq", "arrived", "file"})))
    (row,) = found.table.to_pylist()
    assert row == {"s": A, "p": P, "ts": 7, "row": 1, "file": str(file)} | dict.fromkeys(
        ("o", "seq", "arrived")
    )


@pytest.mark.parametrize("kind", [pa.timestamp("us"), pa.timestamp("ns", "Asia/Tokyo")])
def test_timestamps_are_milliseconds(kind: pa.DataType, tmp_path: Path) -> None:
    times = pa.array([1_234_567_890_123_456, 999, -1, -1_001], pa.timestamp("us")).cast(kind)
    rows = pa.table({"s": [A] * 4, "p": [P] * 4, "o": [A] * 4, "ts": times})
    (found,) = read(parquet(tmp_path, rows), StreamFiles("parquet", constants=ASKED))
    assert found.table["ts"].to_pylist() == [1_234_567_890_123, 0, -1, -2]
    s, p, o, ts = (column.combine_chunks() for column in rows.columns)
    got = ingest(s, p, o, ts, Coder.fresh())
    assert got.batch.ts.tolist() == [1_234_567_890_123, 0], "what is before 1970 is refused"


@pytest.mark.parametrize("name", ["s", "ts"])
def test_a_column_of_another_type_is_told_with_its_file(name: str, tmp_path: Path) -> None:
    file = parquet(tmp_path, TABLE.drop_columns([name]).append_column(name, [[0.5] * 5]))
    with pytest.raises(StreamError, match=rf"rows.parquet cannot be read: its column {name} holds"):
        read(file, StreamFiles("parquet"))


def test_rows_may_be_stamped_on_arrival(tmp_path: Path) -> None:
    columns = frozenset({"arrived"})
    (tmp_path / "a.nt").write_text(f"{A} {P} {A} .")
    for kind, file in (("parquet", parquet(tmp_path, TABLE)), ("nquads", tmp_path / "a.nt")):
        (found,) = read(file, StreamFiles(kind, stamped=True, columns=columns), at=9)
        assert set(found.table["ts"].to_pylist()) == set(found.table["arrived"].to_pylist()) == {9}


def test_lines_are_read_from_what_is_compressed_and_begins_with_a_mark(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf" + f'{A} {P} "1" <urn:ms:1> .\n\n{A} {Q} "2" <urn:ms:2> .\n'.encode()
    (tmp_path / "plain.nq").write_bytes(text)
    (tmp_path / "packed.nq.gz").write_bytes(gzip.compress(text))
    for file in tmp_path.iterdir():
        (found,) = read(file, StreamFiles("nquads", constants=ASKED, columns=frozenset({"file"})))
        assert found.table.select(["s", "line", "file"]).to_pylist() == [
            {"s": A, "line": 1, "file": str(file)}
        ]
        assert found.passing.tolist() == [2]


def test_what_cannot_be_read_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "half.nq.gz").write_bytes(gzip.compress(b"x" * 1000)[:20])
    (tmp_path / "none.parquet").write_text("no Parquet")
    with pytest.raises(StreamError, match=r"a\.nq\.bz2 cannot be read: .*\n.*reader='spark'"):
        read(tmp_path / "a.nq.bz2", StreamFiles("nquads"))
    for name, kind in (("half.nq.gz", "nquads"), ("none.parquet", "parquet"), ("no", "parquet")):
        with pytest.raises(StreamError, match=f"{name}(.|\n)*hint: put a whole file in its place"):
            read(tmp_path / name, StreamFiles(kind))


@pytest.mark.parametrize("kind", ["nquads", "parquet"])
def test_a_file_of_no_bytes_has_no_rows(kind: str, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert not sum(map(len, read(tmp_path / "empty", StreamFiles(kind))))


def test_small_parts_are_put_together(tmp_path: Path) -> None:
    (part,) = read(parquet(tmp_path, TABLE), StreamFiles("parquet", constants=ASKED))
    found = list(gathered([part] * 5, 8))
    assert [len(each.table) for each in found] == [8, 8, 4]
    assert sum(map(len, found)) == 25
    assert found[0].batch.num_rows == 8

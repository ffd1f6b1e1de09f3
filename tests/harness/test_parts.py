"""Answers as Parquet files that stages write; without Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from askos.spark.answers import Told
from askos.spark.parts import CODECS, Folder, batch_of

ROWS = pa.record_batch(
    {"x": ["<urn:b>", None, "<urn:a>"], "ts": [5, 6, 7], "note": pa.nulls(3, pa.string())}
)


def written(folder: Path, *told: Told, codec: str = "snappy") -> list[Path]:
    """The files, as the log names them."""
    lines = [json.loads(line) for line in Folder(str(folder), codec).write(told, 12, 3)]
    found = [Path(unquote(line["path"].removeprefix("file://"))) for line in lines]
    assert [line["size"] for line in lines] == [file.stat().st_size for file in found]
    return found


def test_each_kind_of_rows_is_a_file_named_by_batch_and_bucket(tmp_path: Path) -> None:
    folder = tmp_path / "an [odd] plåce %41"
    told = [Told("result", "", ROWS), Told("late", "", ROWS), Told("result", "", ROWS)]
    results, late = written(folder, *told)
    assert pq.read_table(results)["x"].to_pylist() == 2 * ROWS["x"].to_pylist()
    assert (results.parent, late.parent) == (folder / "output=result", folder / "output=late")
    assert results.name.startswith("part-00012-3-")
    assert batch_of(results.name) == batch_of(f".{results.name}") == 12
    assert {file.name for file in results.parent.iterdir()} == {results.name}


def test_two_attempts_never_meet(tmp_path: Path) -> None:
    told = Told("result", "", ROWS)
    assert len({*written(tmp_path, told), *written(tmp_path, told)}) == 2


def test_a_query_among_several_has_a_folder(tmp_path: Path) -> None:
    (file,) = written(tmp_path, Told("result", "a/b: 50%", ROWS))
    assert file.relative_to(tmp_path).parts[:2] == ("query=a%2Fb%3A 50%25", "output=result")


def test_columns_have_statistics_and_an_index_of_pages(tmp_path: Path) -> None:
    (file,) = written(tmp_path, Told("result", "", ROWS))
    group = pq.ParquetFile(file).metadata.row_group(0)
    x, ts, note = (group.column(number) for number in range(3))
    assert (x.statistics.min, x.statistics.max, x.statistics.null_count) == (
        "<urn:a>",
        "<urn:b>",
        1,
    )
    assert (ts.statistics.min, ts.statistics.max) == (5, 7)
    assert note.statistics.null_count == 3
    assert all(column.has_column_index for column in (x, ts))
    assert {column.compression for column in (x, ts, note)} == {"SNAPPY"}
    assert pq.ParquetFile(file).schema_arrow == ROWS.schema
    assert not pq.ParquetFile(file).metadata.metadata, "Arrow's own schema would bind its readers"


def test_columns_that_repeat_themselves_have_a_dictionary(tmp_path: Path) -> None:
    again = pa.record_batch({"x": ["<urn:a>"] * 8, "ts": range(8), "note": ["?"] * 8}, ROWS.schema)
    (file,) = written(tmp_path, Told("result", "", again))
    group = pq.ParquetFile(file).metadata.row_group(0)
    assert [group.column(number).has_dictionary_page for number in range(3)] == [True, False, True]


@pytest.mark.parametrize(("codec", "seen"), [("zstd", "ZSTD"), ("none", "UNCOMPRESSED")])
def test_files_are_compressed_as_the_session_says(codec: str, seen: str, tmp_path: Path) -> None:
    (file,) = written(tmp_path, Told("result", "", ROWS), codec=codec)
    assert pq.ParquetFile(file).metadata.row_group(0).column(0).compression == seen


def test_all_codecs_are_known_to_arrow(tmp_path: Path) -> None:
    for codec in CODECS.values():
        written(tmp_path, Told("result", "", ROWS), codec=codec)


def test_a_file_that_could_not_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(rows: Any, file: Path, **_: Any) -> None:
        file.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="No space left"):
        written(tmp_path, Told("result", "", ROWS))
    assert not list((tmp_path / "output=result").iterdir())

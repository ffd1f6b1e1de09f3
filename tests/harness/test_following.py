"""Reports read from a sink while it is written to, by Spark's log; without Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from askos.algebra import Answer
from askos.errors import QueryError, SetupError
from askos.prepared import Prepared, prepare
from askos.spark import newfiles
from askos.spark.following import Committed, follow
from askos.spark.newfiles import NewFiles
from askos.spark.sinklog import entries
from askos.terms import Solution, Variable
from tests.build import EX

STEPPED = f"FROM STREAM <{EX}s> [RANGE 10 STEP 5] {{ ?x <{EX}p> ?y }}"
QUERY = prepare(f"SELECT ?x {STEPPED}")


class Sink:
    """Writes as Spark's file sink does: files first, then the log that says that they count."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log, self.entries = folder, folder / "_spark_metadata", list[str]()
        self.log.mkdir(parents=True)

    def write(self, name: str, output: str, rows: list[dict[str, Any]]) -> str:
        place = self.folder / f"output={output}"
        place.mkdir(exist_ok=True)
        schema = pa.schema([("x", pa.string()), ("at", pa.int64()), ("note", pa.string())])
        pq.write_table(pa.Table.from_pylist(rows, schema), place / name)
        path = f"file:///some%20where/output={output}/{name}"
        return json.dumps({"path": path, "size": 1, "isDir": False, "action": "add"})

    def commit(self, batch: int, *entries: str, compact: bool = False) -> None:
        self.entries += entries
        told = self.entries if compact else entries
        name = f"{batch}.compact" if compact else str(batch)
        (self.log / name).write_text("\n".join(["v1", *told]))


def row(x: str, at: int) -> dict[str, Any]:
    return {"x": f"<{EX[x]}>", "at": at}


def report(at: int, *names: str) -> Answer:
    return Answer(at, tuple(Solution({Variable("x"): EX[name]}) for name in names))


@pytest.fixture
def sink(tmp_path: Path) -> Sink:
    return Sink(tmp_path / "an [odd] place")


def committed(sink: Sink, query: Prepared = QUERY) -> Committed:
    return Committed(sink.folder, query)


def test_a_report_is_told_once_and_only_when_its_batch_is_committed(sink: Sink) -> None:
    found = committed(sink)
    assert found.take() == []
    parts = [
        sink.write("0-0.parquet", "result", [row("b", 10), row("c", 5)]),
        sink.write("0-1.parquet", "result", [row("a", 10)]),
        sink.write("0-2.parquet", "report", [{"at": 5}, {"at": 10}, {"at": 15}]),
    ]
    assert found.take() == []
    sink.commit(0, *parts)
    assert found.take() == [report(5, "c"), report(10, "a", "b"), report(15)]
    assert found.take() == []


def test_what_is_late_or_refused_is_no_report(sink: Sink) -> None:
    late = sink.write("0.parquet", "late", [{"at": 5, "note": "late"}])
    sink.commit(0, late, sink.write("1.parquet", "refused", [{"note": "rubbish"}]))
    assert committed(sink).take() == []


def test_a_log_that_repeats_what_was_before_tells_nothing_twice(sink: Sink) -> None:
    found = committed(sink)
    for batch in range(25):
        part = sink.write(f"{batch}.parquet", "result", [row("a", 5 * batch)])
        sink.commit(batch, part, compact=batch % 10 == 9)
        (sink.log / f".{batch + 1}.tmp").write_text("half written")
        (sink.log / f".{batch}.crc").write_bytes(b"\0")
        assert found.take() == [report(5 * batch, "a")]
    for gone in range(19):
        (sink.log / str(gone)).unlink(missing_ok=True)
    assert committed(sink).take() == [report(5 * batch, "a") for batch in range(25)], "a restart"


def test_a_look_at_the_log_reads_the_files_of_new_micro_batches_only(
    sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(file: Path) -> list[str]:
        found = entries(file)
        read.append(file.name)
        return found

    monkeypatch.setattr(newfiles, "entries", counted)
    found = NewFiles(sink.folder)
    for batch in range(12):
        assert found.take() == []
        sink.commit(batch, sink.write(f"{batch}.parquet", "result", []), compact=batch == 9)
        assert found.take() == [f"output=result/{batch}.parquet"]
    assert read == [*map(str, range(9)), "9.compact", "10", "11"]


def test_who_looks_seldom_finds_the_rest_in_what_repeats_it(sink: Sink) -> None:
    found = NewFiles(sink.folder)
    for batch in range(35):
        sink.commit(batch, sink.write(f"{batch}.parquet", "result", []), compact=batch % 10 == 9)
        if batch == 3:
            assert len(found.take()) == 4
    for gone in range(29):
        (sink.log / str(gone)).unlink(missing_ok=True)
        (sink.log / f"{gone}.compact").unlink(missing_ok=True)
    assert found.take() == [f"output=result/{batch}.parquet" for batch in range(4, 35)]
    assert found.take() == []


def test_a_folder_that_is_not_there_yet_has_no_reports(tmp_path: Path) -> None:
    assert Committed(tmp_path / "nowhere", QUERY).take() == []


def test_a_log_of_another_version_is_refused(sink: Sink) -> None:
    (sink.log / "0").write_text("v7\n{}")
    with pytest.raises(SetupError, match="log of version v7"):
        committed(sink).take()


def test_intervals_are_no_reports(tmp_path: Path) -> None:
    told = follow(None, QUERY.text or "", {}, tmp_path, tmp_path, report="intervals")  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="tells intervals"):
        next(told)

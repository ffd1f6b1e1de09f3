"""Large payloads go from task to task in files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

from askos import spark as host
from askos.columns import Batch, Dictionary
from askos.errors import SetupError
from askos.spark import inputs
from askos.spark.messages import LATE, Message
from askos.spark.parcels import Parcels
from tests.build import EX, S1, X

LARGE = 1000


def batch(rows: int) -> Batch:
    ids = np.arange(rows, dtype=np.int64)
    return Batch({X: ids}, ids, ids + 10, Dictionary())


def message(rows: int, port: int = 0) -> Message:
    return Message(7, port, payload=batch(rows).to_bytes(), stage=1)


def left(folder: Path, messages: Iterable[Message], number: int = 3) -> list[Message]:
    return [*Parcels(str(folder), LARGE).left(messages, lambda: number)]


def test_what_is_large_is_left_in_a_file_and_read_there(tmp_path: Path) -> None:
    given = [message(500), message(1), message(200)]
    found = left(tmp_path, given)
    assert [bool(each.payload) for each in found] == [False, True, False]
    assert [len(each.batch) for each in found] == [500, 1, 200]
    assert found[0].batch.ts.tolist() == batch(500).ts.tolist()
    assert [(each.bucket, each.port, each.stage) for each in found] == [(7, 0, 1)] * 3
    assert len([*tmp_path.iterdir()]) == 2


def test_what_is_for_the_sink_goes_through_spark(tmp_path: Path) -> None:
    given = [message(500, LATE)]
    assert left(tmp_path, given) == given
    assert not [*tmp_path.iterdir()]


def test_files_go_when_there_is_a_later_micro_batch(tmp_path: Path) -> None:
    (tmp_path / "7.run").touch()
    (first,) = left(tmp_path, [message(500)])
    (again,) = left(tmp_path, [message(500)])
    assert len(first.batch) == len(again.batch) == 500, "a task that is repeated reads it again"
    left(tmp_path, [message(1)], 4)
    assert Path(first.channel).exists()
    (later,) = left(tmp_path, [message(500)], 4)
    assert {file.name for file in tmp_path.iterdir()} == {"7.run", Path(later.channel).name}


def test_what_cannot_be_written_goes_through_spark(tmp_path: Path) -> None:
    given = [message(500), message(1)]
    assert left(tmp_path / "none", given) == given


def test_what_is_of_nobody_knows_which_micro_batch_goes_through_spark(tmp_path: Path) -> None:
    def unknown() -> int:
        raise SetupError("Spark does not tell")

    given = [message(500), message(1)]
    assert [*Parcels(str(tmp_path), LARGE).left(given, unknown)] == given
    assert not [*tmp_path.iterdir()]


def test_spark_shuffles_names(spark: SparkSession, tmp_path: Path, monkeypatch: Any) -> None:
    """Of two exchanges, in several micro-batches; and what is left is of the last one."""
    monkeypatch.setattr(inputs, "LITTLE", 0)
    folders = list[str]()
    made = Parcels.__init__

    def noted(self: Parcels, folder: str) -> None:
        folders.append(folder)
        made(self, folder, 1000)

    monkeypatch.setattr(Parcels, "__init__", noted)
    monkeypatch.setattr(host.host, "remove_folder", lambda folder: None)  # it would at the end
    query = f"""SELECT ?x (COUNT(?z) AS ?n) FROM STREAM <{S1}> WINDOW RANGE 1000 SLIDE 1
        {{ ?x <{EX.p}> ?y . ?y <{EX.q}> ?z }} GROUP BY ?x"""
    (tmp_path / "data").mkdir()
    for number in range(4):
        rows = (
            f"<{EX[f'a{n}']}> <{EX.p}> <{EX[f'b{n % 50}']}> <urn:ms:{100 * number}> .\n"
            f"<{EX[f'b{n % 50}']}> <{EX.q}> <{EX[f'c{n % 7}']}> <urn:ms:{100 * number}> .\n"
            for n in range(300)
        )
        (tmp_path / "data" / f"{number}.nq").write_text("".join(rows))

    def answers(name: str) -> list[Any]:
        streams = {S1: host.nquads(spark, tmp_path / "data", files_per_trigger=1)}
        host.run(spark, query, streams, host.Parquet(tmp_path / name), tmp_path / f"ck-{name}")
        rows = spark.read.parquet(str(tmp_path / name)).where("output = 'result'")
        return sorted((r["x"], r["n"], r["ts"], r["te"]) for r in rows.collect())

    found = answers("files")
    names = [file.name for file in Path(folders[-1]).glob("*.parcel")]
    assert len({name.partition("-")[0] for name in names}) == 1
    monkeypatch.setattr(host.host, "on_this_machine", lambda spark: False)
    assert found == answers("rows")
    assert len(found) >= 300

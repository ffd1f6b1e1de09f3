"""Files of answers are in the log before their micro-batch is at its end."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from askos import spark as host
from askos.errors import SetupError
from askos.spark.early import Ear, opened_ear, tell
from askos.spark.errors import WorkerError
from askos.spark.output import Commit
from tests.build import EX, S1

Taken = list[tuple[int, list[bytes]]]


@contextmanager
def hearing(folder: Path, take: Callable[[list[bytes], int], None]) -> Iterator[str]:
    """An ear that listens until the end."""
    ear, on = Ear(str(folder)), threading.Event()
    ear.listen(take, lambda: not on.is_set())
    yield ear.path
    on.set()


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_micro_batch_is_taken_when_all_buckets_have_told(tmp_path: Path) -> None:
    taken: Taken = []
    with hearing(tmp_path, lambda entries, batch: taken.append((batch, sorted(entries)))) as ear:
        tell(ear, 4, 11, 2, [b"left behind"])  # this one fails, and the driver goes on
        tell(ear, 5, 11, 2, [b"a", b"b"])
        tell(ear, 5, 11, 2, [b"of an attempt that is repeated"])
        tell(ear, 5, 12, 2, [])
        tell(ear, 6, 12, 2, [b"c"])
        tell(ear, 6, 11, 2, [b"d"])
        until(lambda: len(taken) == 2)
    assert taken == [(5, [b"a", b"b"]), (6, [b"c", b"d"])]


def test_who_is_not_heard_goes_on(tmp_path: Path) -> None:
    tell("/nowhere/ear", 1, 1, 1, [b"a"])
    taken: Taken = []
    with hearing(tmp_path, lambda entries, batch: taken.append((batch, entries))) as ear:
        tell(ear, 1, 1, 1, [b"x" * (1 << 20)])
        tell(ear, 2, 1, 1, [b"a"])
        until(lambda: bool(taken))
    assert taken == [(2, [b"a"])]


def test_what_cannot_be_taken_is_told_at_the_end(tmp_path: Path) -> None:
    tried = list[int]()

    def take(entries: list[bytes], batch: int) -> None:
        tried.append(batch)
        if batch == 1:
            raise WorkerError("another query is using the checkpoint")

    with hearing(tmp_path, take) as ear:
        tell(ear, 1, 1, 1, [])
        tell(ear, 2, 1, 1, [])
        until(lambda: len(tried) == 2)


def test_where_there_can_be_no_ear_there_is_none(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 200)
    folder.mkdir()
    with opened_ear(str(folder)) as ear:
        assert ear is None


def test_an_ear_for_nothing_is_closed(tmp_path: Path) -> None:
    def fail() -> None:
        with opened_ear(str(tmp_path)) as ear:
            assert ear is not None
            assert [*tmp_path.iterdir()] == [Path(ear.path)]
            raise SetupError("no such query")

    with pytest.raises(SetupError):
        fail()
    assert not [*tmp_path.iterdir()]


def test_an_ear_goes_with_its_query(tmp_path: Path) -> None:
    ear = Ear(str(tmp_path))
    ear.listen(lambda entries, batch: None, lambda: False)
    until(lambda: not [*tmp_path.iterdir()])


# ---- Spark -------------------------------------------------------------------------------------

QUERY = f"""SELECT ?x ?y FROM STREAM <{S1}> WINDOW RANGE 10 SLIDE 1
{{ ?x <{EX.p}> ?y . ?x <{EX.q}> ?z }}"""


class Watched(Commit):
    """Notes who takes what; where a micro-batch is to fail, it does when it is already logged."""

    taken: list[tuple[int, str]]
    failing: int | None

    def take(self, entries: Iterable[bytes], batch: int) -> None:
        """As any."""
        super().take(entries, batch)
        self.taken.append((batch, threading.current_thread().name))
        if batch == self.failing and self.taken[-1][1] != "askos-ear":
            raise SetupError("told to fail")


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> type[Watched]:
    Watched.taken, Watched.failing = [], None
    monkeypatch.setattr("askos.spark.output.Commit", Watched)
    return Watched


def given(folder: Path, files: int) -> None:
    folder.mkdir()
    for number in range(files):
        rows = (
            f'<{EX[f"a{n}"]}> <{EX[p]}> "{number}" <urn:ms:{5 * number}> .\n'
            for n in range(20)
            for p in "pq"
        )
        (folder / f"{number}.nq").write_text("".join(rows))
        os.utime(folder / f"{number}.nq", (1_780_272_000 + number,) * 2)


def answers(spark: SparkSession, out: Path) -> list[Any]:
    found = spark.read.parquet(str(out)).where("output = 'result'").collect()
    return sorted((row["x"], row["y"], row["ts"], row["te"]) for row in found)


def test_answers_are_logged_before_a_micro_batch_ends(
    spark: SparkSession, tmp_path: Path, watched: type[Watched]
) -> None:
    """Mostly: it is a race, which the driver may lose on a machine that has much to do."""
    given(tmp_path / "data", 6)
    streams = {S1: host.nquads(spark, tmp_path / "data", files_per_trigger=1)}
    host.run(spark, QUERY, streams, host.Parquet(tmp_path / "out"), tmp_path / "ck")
    by_ear = set[bool]()
    for batch in {batch for batch, _ in watched.taken}:
        first, last = (name == "askos-ear" for at, name in watched.taken if at == batch)
        assert first is not last, "the driver hears of the files, and at the end is told"
        by_ear.add(first)
    assert True in by_ear
    assert answers(spark, tmp_path / "out")


def test_what_fails_after_it_was_logged_counts_once(
    spark: SparkSession, tmp_path: Path, watched: type[Watched]
) -> None:
    given(tmp_path / "data", 4)

    def go(name: str) -> None:
        streams = {S1: host.nquads(spark, tmp_path / "data", files_per_trigger=1)}
        host.run(spark, QUERY, streams, host.Parquet(tmp_path / name), tmp_path / f"ck-{name}")

    watched.failing = 2
    with pytest.raises(Exception, match="told to fail"):
        go("broken")
    assert not (tmp_path / "ck-broken/commits/2").exists()
    assert (tmp_path / "broken/_spark_metadata/2").exists()
    watched.failing = None
    go("broken")
    go("whole")
    assert answers(spark, tmp_path / "broken") == answers(spark, tmp_path / "whole")

"""How a query lives on Spark: delivery, restarts, the end of input, the outputs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from askos import local
from askos import spark as host
from askos.algebra import (
    LeftJoin,
    Project,
    SlidingWindow,
    Stamped,
    StreamAccess,
    first_difference,
)
from askos.algebra.reference import intervals
from askos.errors import QueryError, StreamError
from askos.interval import FOREVER
from askos.io import write_nquads
from askos.prepared import Options, Prepared, prepare
from askos.sources import Catalogue
from askos.spark.buckets import bucket_ids
from askos.spark.checkpoint import read
from askos.spark.sessions import RUNTIME
from askos.spark.sources import Reader
from askos.terms import URIRef
from tests.build import EX, S1, S2, X, Y, Z, pattern, stream, triple
from tests.hosts.cases import OPTIONAL, TWO_STAGES, readings
from tests.hosts.strategies import Delivery
from tests.hosts.three import SparkRun, as_it_is, elements, run_reference, table

# ---- progress --------------------------------------------------------------------------------


@pytest.mark.thorough
def test_noise_alone_moves_progress_on(spark: SparkSession, tmp_path: Path) -> None:
    """The JVM drops triples that match nothing, but not all: their times are progress."""
    run = SparkRun(spark, OPTIONAL, tmp_path)
    run.push(S1, [*readings(S1, 5, 1), Stamped(triple("z", "p", 1), 1900)], wait=False)
    run.push(S2, [Stamped(triple("n", "other", i), i, i) for i in range(2000)])
    early = elements([row.asDict() for row in run.rows("result")], run.plan)
    run.end()
    assert {e.interval.start for e in early} == {0, 1, 2, 3, 4}


# ---- restarts --------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_restart_between_micro_batches_changes_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    names = tuple(Stamped(triple(f"v{i}", "r", f"name{i}"), i + 1) for i in range(4))
    delivery = Delivery(
        (
            (S1, names + readings(S1, 6, 2)),
            (S2, readings(S2, 5, 3)),
            (S1, readings(S1, 6, 2, 12)),
        )
    )
    want = run_reference(TWO_STAGES, delivery)
    assert want
    run = SparkRun(spark, TWO_STAGES, tmp_path)
    (_, first), (_, second), (_, third) = delivery.batches
    run.push(S1, first)
    run.push(S2, second)
    run.restart()
    run.push(S1, third)
    assert first_difference(want, run.end()) is None


def test_a_query_with_one_bucket_has_one_task(spark: SparkSession, tmp_path: Path) -> None:
    names = tuple(Stamped(triple(f"v{i}", "r", f"name{i}"), i + 1) for i in range(4))
    delivery = Delivery(
        ((S1, names + readings(S1, 6, 2)), (S2, readings(S2, 5, 3)), (S1, readings(S1, 6, 2, 12)))
    )
    run = SparkRun(spark, TWO_STAGES, tmp_path, buckets=1)
    (_, first), (_, second), (_, third) = delivery.batches
    run.push(S1, first)
    run.push(S2, second)
    run.restart()
    run.push(S1, third)
    assert first_difference(run_reference(TWO_STAGES, delivery), run.end()) is None
    for number in ("0", "3"):
        settings = (run.checkpoint / "offsets" / number).read_text("utf-8").splitlines()[1]
        assert json.loads(settings)["conf"]["spark.sql.shuffle.partitions"] == "1"


@pytest.mark.parametrize("buckets", [0, -1, True, "2"])
def test_a_number_of_buckets_that_is_none_is_refused(
    spark: SparkSession, tmp_path: Path, buckets: Any
) -> None:
    streams = {S1: host.parquet(spark, tmp_path), S2: host.parquet(spark, tmp_path)}
    sink = host.Parquet(tmp_path / "out")
    with pytest.raises(QueryError, match="buckets must be a whole number >= 1"):
        host.start(spark, OPTIONAL, streams, sink, tmp_path / "ck", buckets=buckets)


def test_a_checkpoint_that_never_ran_may_change_its_query(
    spark: SparkSession, tmp_path: Path
) -> None:
    streams = {S1: host.parquet(spark, tmp_path), S2: host.parquet(spark, tmp_path)}
    host.compile(spark, OPTIONAL, streams, checkpoint=tmp_path / "ck")
    host.compile(spark, TWO_STAGES, streams, checkpoint=tmp_path / "ck", buckets=5)


def test_a_restart_with_something_else_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    run = SparkRun(spark, OPTIONAL, tmp_path)
    run.push(S1, readings(S1, 3, 1))
    run.query.stop()
    run.buckets = 5
    with pytest.raises(QueryError, match="a bucket count of 2, not 5"):
        run.start()
    run.buckets, run.prepared = 2, as_it_is(Project((X,), OPTIONAL))
    with pytest.raises(QueryError, match="was made with another query"):
        run.start()
    # The fingerprint is in the state itself too, not in the file alone.
    run.prepared, file = as_it_is(OPTIONAL), run.checkpoint / "askos.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"key": "0" * 16}))
    (run.out / "_askos.json").unlink()  # which would notice that first
    run.query = run.start()
    with pytest.raises(QueryError, match="the state of this checkpoint was made with another"):
        run.push(S1, readings(S1, 3, 1, 5))


def test_a_text_runs_and_goes_on_with_the_plan_of_its_checkpoint(
    spark: SparkSession, tmp_path: Path
) -> None:
    """As after an update: the file holds another plan for the same text than today's rules make."""
    text = (
        f"SELECT ?x ?y FROM STREAM <{S1}> WINDOW RANGE 10 MILLISECOND SLIDE 5 MILLISECOND"
        f" {{ ?x <{EX.p}> ?y FILTER(?y > 1 + 1) }}"
    )
    (tmp_path / "data").mkdir()
    streams = {S1: host.parquet(spark, tmp_path / "data")}
    checkpoint, out = tmp_path / "checkpoint", tmp_path / "out"
    known = Catalogue().stream(S1, lateness_ms=2)

    def push(number: int, *rows: tuple[str, str, int, int]) -> None:
        query = host.start(spark, text, streams, host.Parquet(out), checkpoint, sources=known)
        pq.write_table(table(stream(*rows)), tmp_path / "data" / f"{number}.parquet")
        host.drain(query)
        query.stop()

    push(1, ("a", "p", 3, 4), ("a", "p", 1, 4))
    today = prepare(text, sources=known)
    before = Prepared(today.canonical, today.canonical, today.report, text)
    stored = replace(read(checkpoint), query=before, version="0.0.9")
    (checkpoint / "askos.json").write_text(json.dumps(stored.document()))
    with pytest.warns(UserWarning, match="would plan this query otherwise today"):
        push(2, ("b", "p", 4, 9), ("c", "p", 5, 7))
    found = spark.read.parquet(str(out)).collect()
    assert {row["output"] for row in found} == {"result"}
    data = {S1: stream(("a", "p", 3, 4), ("b", "p", 4, 9), ("c", "p", 5, 7))}
    want = intervals(today.canonical, data)
    got = elements([row.asDict() for row in found], stored.physical)
    assert first_difference(want, got) is None


# ---- the end ---------------------------------------------------------------------------------


def test_the_end_of_input_flushes_everything_and_is_the_end(
    spark: SparkSession, tmp_path: Path
) -> None:
    """S2 never speaks: until the end, everything waits for it; at the end, nothing does."""
    plan = LeftJoin(
        pattern(X, "p", Y, SlidingWindow.all(StreamAccess(S1))),
        pattern(X, "q", Z, SlidingWindow(StreamAccess(S2), 4, 2)),
    )
    run = SparkRun(spark, plan, tmp_path)
    run.push(S1, stream(("a", "p", 1, 3), ("b", "p", 2, 50)))
    assert not run.rows("result")
    ends = [(3, FOREVER), (50, FOREVER)]
    assert sorted((e.interval.start, e.interval.end) for e in run.end()) == ends
    with pytest.warns(UserWarning, match="checkpoint has come to its end: its answers are there"):
        run.query = run.start()
    with pytest.raises(StreamError, match="rows came after the end of input"):
        run.push(S1, stream(("a", "p", 1, 60)))
    assert len(run.rows("result")) == 2


@pytest.mark.thorough
def test_control_marks_and_idle_sources_move_progress(spark: SparkSession, tmp_path: Path) -> None:
    run = SparkRun(spark, OPTIONAL, tmp_path)
    run.push(S1, stream(("a", "p", 1, 3), ("b", "p", 2, 50)))
    control = host.Control(str(run.checkpoint))
    with pytest.raises(StreamError, match="does not read"):
        control.idle(URIRef("http://example.org/misspelt"))

    def ends() -> set[int]:
        host.drain(run.query)
        return {row["te"] for row in run.rows("result")}

    control.mark(S2, 7)
    assert ends() == {6}  # the cut: the last slide before what S2 has promised
    control.idle(S2)
    assert ends() == {6, 10}  # S1 alone is at 45: the end of a
    control.mark(S1, 70)
    assert ends() == {6, 10, 60}
    run.end()


# ---- around a run ----------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_session_keeps_its_own_settings(spark: SparkSession, tmp_path: Path) -> None:
    """Those of ours are the query's: with a session's own state store it could not run."""
    own = {
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "77",
        "spark.sql.adaptive.enabled": "true",
    }
    user = spark.newSession()
    for name, value in own.items():
        user.conf.set(name, value)
    unset = sorted(RUNTIME.keys() - own.keys())
    for name in unset:
        user.conf.unset(name)
    before = {name: user.conf.get(name, None) for name in RUNTIME.keys() | own}
    assert all(before[name] is None for name in unset)
    run = SparkRun(user, OPTIONAL, tmp_path)
    assert {name: user.conf.get(name, None) for name in before} == before
    run.push(S1, readings(S1, 3, 1))
    run.restart()
    run.push(S2, readings(S2, 3, 1))
    assert run.end()
    assert {name: user.conf.get(name, None) for name in before} == before


@pytest.mark.thorough
def test_an_embedded_session_writes_files_without_checksums(
    spark: SparkSession, tmp_path: Path
) -> None:
    assert spark._jvm is not None
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    files = spark._jvm.org.apache.hadoop.fs.FileSystem.getLocal(hadoop)
    assert files.getClass().getName() == "askos.LocalFiles"
    plan = pattern(X, Y, Z, SlidingWindow(StreamAccess(S1), 10, 5))
    pq.write_table(table(stream(("a", "p", 1, 3))), tmp_path / "rows.parquet")
    streams = {S1: host.parquet(spark, tmp_path / "rows.parquet")}
    host.run(spark, plan, streams, host.Parquet(tmp_path / "out"), tmp_path / "ck")
    written = [file.name for file in tmp_path.rglob("*") if file.is_file()]
    assert written
    assert not [name for name in written if name.endswith(".crc")]


@pytest.mark.thorough
@pytest.mark.parametrize(("reader", "compiled"), [("python", False), ("spark", True)])
def test_spark_compiles_code_only_where_it_sees_rows(
    spark: SparkSession, tmp_path: Path, reader: Reader, compiled: bool
) -> None:
    """A plan has *(1) beside what Spark has made code for."""
    plan = pattern(X, Y, Z, SlidingWindow(StreamAccess(S1), 10, 5))
    pq.write_table(table(stream(("a", "p", 1, 3))), tmp_path / "rows.parquet")
    streams = {S1: host.parquet(spark, tmp_path / "rows.parquet", reader=reader)}
    out, once = host.Parquet(tmp_path / "out"), {"availableNow": True}
    query = host.start(spark, plan, streams, out, tmp_path / "ck", trigger=once)
    query.awaitTermination()
    ran = query._jsq.explainInternal(False)
    assert "TransformWithState" in ran
    assert ("*(" in ran) == compiled


def test_the_console_shows_a_table(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    write_nquads(table(stream(("a", "p", 1.5, 3))), folder / "one.nq")
    plan = pattern(X, "p", Y, SlidingWindow(StreamAccess(S1), 10, 5))
    console = host.Console({"": "http://example.org/"})
    host.run(spark, plan, {S1: host.nquads(spark, folder)}, console, tmp_path / "ck")
    assert capsys.readouterr().out == (
        "x   y (xsd:double)  ts                        te\n"
        ":a             1.5  1970-01-01T00:00:00.003Z  1970-01-01T00:00:00.010Z\n"
    )


@pytest.mark.thorough
def test_run_and_reports_take_what_prepare_takes(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    write_nquads(table(stream(("a", "p", 1, 3), ("b", "p", 1, 5))), folder / "one.nq")
    text = f"SELECT ?x FROM STREAM <{S1}> [RANGE 5 STEP 5] {{ ?x ?y 1 }}"
    streams = {S1: host.nquads(spark, folder)}
    asked: Options = {"report": "istream", "every": "10ms", "boundary": "[o,c)", "origin": 5}
    console = host.Console({"": "http://example.org/"})
    host.run(spark, text, streams, console, tmp_path / "1", **asked)
    times = [f"at 1970-01-01T00:00:00.0{at}Z" for at in ("05", "15")]
    assert capsys.readouterr().out == f"{times[0]}\nx\n:a\n{times[1]}: no rows\n"
    out = tmp_path / "out"
    told = list(host.follow(spark, text, streams, out, tmp_path / "2", **asked))
    want = list(local.run(text, {S1: stream(("a", "p", 1, 3), ("b", "p", 1, 5))}, **asked))
    assert told == want == list(host.reports(spark, out, text, **asked))
    with pytest.raises(QueryError, match="was made with the origin 5, not 0"):
        next(host.follow(spark, text, streams, out, tmp_path / "2", **asked | {"origin": 0}))


@pytest.mark.thorough
def test_timestamps_are_taken_as_milliseconds(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    pq.write_table(table(stream(("a", "p", 1, 1500))), folder / "one.parquet")
    plan = pattern(X, "p", Y, SlidingWindow(StreamAccess(S1), 1000, 1000))
    frame = host.parquet(spark, folder).withColumn("ts", F.timestamp_millis("ts"))
    out = tmp_path / "out"
    host.run(spark, plan, {S1: frame}, host.Parquet(out), tmp_path / "ck")
    assert [(r["ts"], r["te"]) for r in spark.read.parquet(str(out)).collect()] == [(1500, 2000)]


def test_bucket_ids_spread_over_the_partitions(spark: SparkSession) -> None:
    for buckets, partitions in ((1, 2), (2, 2), (5, 2), (4, 3)):
        ids = [i for stage in range(3) for i in bucket_ids(stage, buckets, partitions)]
        assert len(set(ids)) == 3 * buckets
        frame = spark.createDataFrame([(i,) for i in ids], "id int")
        places = frame.selectExpr(f"pmod(hash(id), {partitions}) as place").collect()
        want = [(i + stage) % partitions for stage in range(3) for i in range(buckets)]
        assert [row.place for row in places] == want

"""What a query on Spark refuses: rows, which are told, and what it is started with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from askos import spark as host
from askos.algebra import (
    LeftJoin,
    SlidingWindow,
    Stamped,
    StreamAccess,
    first_difference,
)
from askos.algebra.reference import intervals
from askos.errors import QueryError, SetupError, StreamError
from askos.io import write_nquads
from askos.physical import build
from askos.sources import Catalogue
from askos.spark.sources import Reader
from askos.terms import Literal, URIRef, Variable
from tests.build import S1, X, Y, Z, pattern, stream, triple
from tests.hosts.cases import OPTIONAL, TWO_STAGES, readings
from tests.hosts.hostile import BAD_LINES, BAD_ROWS, NOT_UTF8, bytes_table
from tests.hosts.strategies import LATENESS
from tests.hosts.three import READERS, SparkRun, elements, table


def test_late_and_refused_rows_are_told(spark: SparkSession, tmp_path: Path) -> None:
    """Once, although two stages read the stream, and also where no pattern could match."""
    window = SlidingWindow(StreamAccess(S1), 10, 5)
    plan = LeftJoin(
        LeftJoin(pattern(X, "p", Y, window), pattern(X, "q", Z, window)),
        pattern(Y, "r", Variable("name"), window),
    )
    run = SparkRun(spark, plan, tmp_path)
    run.push(S1, stream(("a", "p", 1, 100)))
    run.push(S1, stream(("late", "p", 1, 20)))
    bad = table(
        [
            ("<http://x/a>", "<http://x/p", '"1"', 101),
            ("<http://x/a>", "<http://x/other>", "<not an iri>", 101),
            (None, None, "half a line", None),
        ]
    )
    pq.write_table(bad, run.folder / "data0" / "zzz.parquet")
    host.drain(run.query)
    assert {e.interval.start for e in run.end()} == {100}
    (late,) = run.rows("late")
    assert json.loads(late["note"])["x"].endswith("/late>")
    assert (late["ts"], late["te"]) == (20, 30)
    notes = "\n".join(sorted(row["note"] for row in run.rows("refused")))
    assert len(run.rows("refused")) == 3
    assert "p: <http://x/p is no IRI in N-Triples: <http://x/a> <http://x/p" in notes
    assert "o: <not an iri> is no term in N-Triples" in notes
    assert "not a statement with an arrival time: None None half a line None" in notes


@pytest.mark.parametrize("reader", READERS)
def test_nquads_equal_parquet_and_bad_lines_are_refused(
    reader: Reader, spark: SparkSession, tmp_path: Path
) -> None:
    quoted = Literal('say "hi" \\ there\u2028\x01', lang="en")
    rows = stream(("a", "p", 1, 3), ("b", "p", quoted, 4), ("b", "q", 2.5, 7))
    folder = tmp_path / "lines"
    folder.mkdir()
    write_nquads(table(rows), folder / "good.nq")
    bad = "# a comment\n\n<http://x/a> <http://x/p> .\n<http://x/a> <http://x/p> 5 <urn:ms:1> .\n"
    (folder / "bad.nq").write_bytes(bad.encode() + b"".join(BAD_LINES))
    plan = pattern(X, Y, Z, SlidingWindow(StreamAccess(S1), 10, 5))
    streams = {
        str(S1): host.nquads(spark, folder, reader=reader)
    }  # a plain string names it as well
    out, lateness = tmp_path / "out", {str(S1): LATENESS}
    host.run(spark, plan, streams, host.Parquet(out), tmp_path / "ck", lateness=lateness)
    found = spark.read.parquet(str(out)).collect()
    results = [row.asDict() for row in found if row["output"] == "result"]
    got = elements(results, build(plan))
    assert first_difference(intervals(plan, {S1: rows}), got) is None
    notes = [row["note"] for row in found if row["output"] == "refused"]
    assert len(notes) == 2 + len(BAD_LINES)
    assert any("<http://x/a> <http://x/p> ." in note for note in notes)
    places = re.findall(r"bad\.nq(?:, line (\d+))?: ", "\n".join(notes))
    lines = {str(number) for number in range(3, 5 + len(BAD_LINES))}
    assert set(places) == (lines if reader == "python" else {""})
    assert sum("is not UTF-8" in note for note in notes) == len(NOT_UTF8)
    if reader == "python":  # as the local host does
        why = "not a statement: three terms, a graph label and a dot: <http://x/a> <http://x/p> ."
        assert f"{folder / 'bad.nq'}, line 3: {why}" in notes


@pytest.mark.thorough
@pytest.mark.parametrize("reader", READERS)
def test_bytes_that_are_no_utf8_in_parquet_are_refused_whether_a_pattern_matches_or_not(
    reader: Reader, spark: SparkSession, tmp_path: Path
) -> None:
    rows = stream(("a", "p", 1, 3), ("b", "q", 2, 4))
    bad = [(s, p, o, 5) for s, p, o in BAD_ROWS]
    good = table(rows).select(["s", "p", "o", "ts"])
    pq.write_table(pa.concat_tables([good, bytes_table(bad)]), tmp_path / "rows.parquet")
    plan = pattern(X, "p", Y, SlidingWindow(StreamAccess(S1), 10, 5))
    streams = {S1: host.parquet(spark, tmp_path / "rows.parquet", reader=reader)}
    out = tmp_path / "out"
    host.run(spark, plan, streams, host.Parquet(out), tmp_path / "ck", lateness=LATENESS)
    found = spark.read.parquet(str(out)).collect()
    results = [row.asDict() for row in found if row["output"] == "result"]
    assert first_difference(intervals(plan, {S1: rows}), elements(results, build(plan))) is None
    notes = [row["note"] for row in found if row["output"] == "refused"]
    assert len(notes) == len(BAD_ROWS)
    places = {note.partition("rows.parquet")[2].partition(": ")[0] for note in notes}
    numbered = {f", row {number}" for number in range(3, 3 + len(BAD_ROWS))}
    assert places == (numbered if reader == "python" else {""})


@pytest.mark.thorough
def test_a_control_file_that_says_nothing_known_is_refused_and_the_query_goes_on(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = SparkRun(spark, TWO_STAGES, tmp_path)
    folder = run.checkpoint / "control"
    (folder / "a.json").write_text('{"no":\n "such"}\n')
    (folder / "b.json").write_text("no JSON")
    (folder / "c.json").write_text("")
    (folder / "d.json").write_bytes(b"\xff\xfe\x00")
    (folder / "e.json").mkdir()
    (folder / "f.json").symlink_to("nowhere")
    (folder / "again").symlink_to(folder)
    for subfolder in ("a=1", "b"):  # taken for columns, Spark would not understand them
        (folder / subfolder).mkdir()
        (folder / subfolder / "g.json").write_text("{}")
    run.push(S1, readings(S1, 3, 1))
    run.restart()
    run.push(S1, [Stamped(triple("v0", "r", "name"), 3)])
    assert run.end()
    notes = sorted(row["note"] for row in run.rows("refused"))
    start = "control file"
    assert len(notes) == 4
    assert notes[0] == f'{start} a.json: this is no entry of a control stream: {{"no":\n "such"}}\n'
    for name, note in zip("bcd", notes[1:], strict=True):
        assert note.startswith(f"{start} {name}.json: an entry of a control stream must be JSON: ")


def test_a_stream_without_a_dataframe_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="no DataFrame for the stream"):
        host.compile(spark, OPTIONAL, {}, checkpoint=tmp_path / "ck")


@pytest.mark.parametrize("several", [False, True])
def test_a_stream_that_no_query_reads_is_refused_unless_it_is_declared(
    several: bool, spark: SparkSession, tmp_path: Path
) -> None:
    plan = pattern(X, "p", Y, SlidingWindow(StreamAccess(S1), 10, 5))
    query, frame = {"one": plan} if several else plan, host.parquet(spark, tmp_path)
    streams, misspelt = {S1: frame}, URIRef(f"{S1}s")
    with pytest.raises(StreamError, match=f"no query reads <{misspelt}>") as caught:
        host.compile(spark, query, {**streams, misspelt: frame}, checkpoint=tmp_path / "ck")
    assert caught.value.hint == f"what is read: <{S1}>"
    known = Catalogue().stream(S1).stream(misspelt)
    given = {**streams, misspelt: frame}
    host.compile(spark, query, given, checkpoint=tmp_path / "ck", sources=known)


def test_what_is_no_stream_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    plan = pattern(X, "p", Y, SlidingWindow(StreamAccess(S1), 10, 5))
    frame = host.parquet(spark, tmp_path).withColumn("ts", F.lit("noon"))
    with pytest.raises(StreamError, match="a stream needs columns s, p, o and ts"):
        host.compile(spark, plan, {S1: frame}, checkpoint=tmp_path / "ck")
    frame = host.parquet(spark, tmp_path)
    with pytest.raises(SetupError, match="must be a path in a file system"):
        host.compile(spark, plan, {S1: frame}, checkpoint="hdfs://nowhere/ck")
    with pytest.raises(SetupError, match="characters that Spark takes for wildcards"):
        host.compile(spark, plan, {S1: frame}, checkpoint=tmp_path / "ck[1]")


def test_a_variable_named_like_an_own_column_is_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    plan = pattern(X, "p", Variable("ts"), SlidingWindow(StreamAccess(S1), 10, 5))
    streams = {S1: host.parquet(spark, tmp_path)}
    with pytest.raises(QueryError, match="has the name of a column"):
        host.compile(spark, plan, streams, checkpoint=tmp_path / "ck")
    plan = pattern(X, "p", Variable("X"), SlidingWindow(StreamAccess(S1), 10, 5))
    with pytest.raises(QueryError, match="has the name of"):
        host.compile(spark, plan, streams, checkpoint=tmp_path / "ck")

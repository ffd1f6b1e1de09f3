"""A row stamped in the future, of every kind of source: the same answers as without it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from askos import spark as host
from askos.algebra import Kind, Operator, Periodic, SlidingWindow, StreamAccess, Union
from askos.algebra.reference import intervals
from askos.algebra.streams import first_difference
from askos.errors import StreamError
from askos.local import Engine
from askos.physical.jump import DAY
from askos.physical.limit import Limit
from askos.prepared import Prepared
from askos.sources import Catalogue
from askos.spark.sources import triples
from askos.terms import Solution, URIRef, n3
from tests.build import EX, S1, S2, X, Y, pattern, stream, triple
from tests.hosts.strategies import Delivery
from tests.hosts.three import SparkRun, as_it_is, built, difference, elements, run_reference, table

YEAR_2100 = 4_102_444_800_000
DATA = stream(("a", "p", 1, 3), ("b", "p", 2, 12), ("c", "p", 3, 25))
FUTURE = stream(("f", "p", 9, YEAR_2100), ("f", "noise", 9, YEAR_2100))


def over(source: URIRef) -> Operator:
    return pattern(X, "p", Y, SlidingWindow(StreamAccess(source), 10, 10))


# ---- the local host --------------------------------------------------------------------------


def recorded(rows: Any, *arrived: int | None) -> pa.Table:
    return table(rows).append_column("arrived", pa.array(arrived, pa.int64()))


NOT_AFTER = Catalogue().stream(S1, not_after=YEAR_2100 - 1)
AHEAD = Catalogue().stream(S1, ahead_ms=5)
WRONG = FUTURE[:1]
PUSHED: dict[str, tuple[Catalogue, list[Any]]] = {
    "rows": (NOT_AFTER, [[DATA[0], *WRONG], DATA[1:]]),
    "table": (NOT_AFTER, [table([DATA[0], *WRONG]), table(DATA[1:])]),
    "table with arrivals": (
        AHEAD,
        [recorded([DATA[0], *WRONG], 3, 4), recorded(DATA[1:], 7, 20)],
    ),
}


@pytest.mark.parametrize("kind", PUSHED)
def test_a_row_beyond_what_is_declared_changes_nothing(kind: str) -> None:
    known, batches = PUSHED[kind]
    engine = Engine(sources=known)
    query = engine.register(over(S1))
    for rows in batches:
        engine.push(S1, rows)
    engine.close()
    (refused,) = engine.refused
    assert refused.reason.startswith("stamped 2100-01-01T00:00:00Z, but ")
    assert n3(EX.f) in refused.row
    assert not query.late
    assert first_difference(intervals(over(S1), {S1: DATA}), query.take()) is None


def test_what_is_stamped_on_arrival_is_not_ahead_of_it_but_may_be_after_not_after() -> None:
    engine = Engine(sources=Catalogue().stream(S1, not_after=10, ahead_ms=0))
    query = engine.register(over(S1))
    engine.push(S1, [triple("a", "p", 1)], at=3)
    engine.push(S1, table(WRONG).drop_columns(["ts"]), at=YEAR_2100)
    engine.push(S1, [triple("b", "p", 2)], at=4)
    engine.close()
    assert len(engine.refused) == 1
    assert not query.late
    assert len(query.take()) == 2


def test_what_a_query_was_prepared_with_counts_where_the_engine_knows_nothing() -> None:
    engine = Engine()
    engine.register(as_it_is(over(S1), NOT_AFTER))
    engine.push(S1, WRONG)
    assert len(engine.refused) == 1


def test_rows_without_arrivals_cannot_be_judged_by_them() -> None:
    engine = Engine(sources=AHEAD)
    engine.register(over(S1))
    with pytest.raises(StreamError, match="needs a column `arrived`"):
        engine.push(S1, DATA)
    engine.push(S1, recorded(DATA[:1], None))
    assert "it has no time `arrived`" in engine.refused[0].reason


def test_a_jump_is_told_once_by_a_warning_that_names_the_row() -> None:
    engine = Engine()
    engine.register(over(S1))
    engine.push(S1, DATA[:1])
    engine.push(S1, [DATA[1]])
    with pytest.warns(UserWarning, match="jumps from .*00.012Z to 2100-01-01T00:00:00Z") as told:
        engine.push(S1, [DATA[2], *WRONG])
    engine.push(S1, stream(("a", "p", 1, YEAR_2100 + DAY)))
    (warning,) = told
    assert " ".join(map(n3, WRONG[0].triple)) in str(warning.message)
    assert warning.filename == __file__


# ---- Spark -----------------------------------------------------------------------------------

S3 = EX.stream3
KNOWN = (
    Catalogue().stream(S1, ahead_ms=1000).stream(S2, not_after=YEAR_2100 - 1).stream(S3, ahead_ms=0)
)


class Files:
    """Three streams in files: Parquet with arrivals, N-Quads, and N-Triples stamped on arrival."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._number = folder, 0
        for source in "123":
            (folder / source).mkdir()

    def streams(self, spark: SparkSession) -> dict[URIRef, Any]:
        return {
            S1: host.parquet(spark, self.folder / "1", arrived="timestamp"),
            S2: host.nquads(spark, self.folder / "2"),
            S3: host.nquads(spark, self.folder / "3", stamp="arrival"),
        }

    def write(self, rows: Any) -> None:
        """All that matters arrives at 100."""
        self._number += 1
        arrived = pa.array([100_000] * len(rows), pa.timestamp("us", "UTC"))
        found = table(rows).drop_columns(["seq"]).append_column("arrived", arrived)
        pq.write_table(found, self.folder / "1" / f"{self._number}.parquet")
        texts = [" ".join(map(n3, row.triple)) for row in rows]
        labels = [f"<urn:ms:{row.at}>" for row in rows]
        quads = [f"{text} {label} ." for text, label in zip(texts, labels, strict=True)]
        (self.folder / "2" / f"{self._number}.nq").write_text("\n".join(quads))
        (self.folder / "3" / f"{self._number}.nt").write_text(" .\n".join([*texts, ""]))


@contextmanager
def started(spark: SparkSession, plan: Operator, files: Files) -> Iterator[Any]:
    sink, checkpoint = host.Parquet(files.folder / "out"), files.folder / "checkpoint"
    query = host.start(spark, plan, files.streams(spark), sink, checkpoint, sources=KNOWN)
    try:
        yield query
    finally:
        query.stop()


@pytest.mark.thorough
def test_rows_from_the_future_change_nothing_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    """Two of each stream, one of which no pattern matches, and the query is stopped between."""
    plan = Union(Union(over(S1), over(S2)), over(S3))
    files = Files(tmp_path)
    files.write([DATA[0], *FUTURE])
    with started(spark, plan, files) as query:
        host.drain(query)
    files.write(DATA[1:])
    with started(spark, plan, files) as query:
        host.drain(query)
        host.Control(tmp_path / "checkpoint").end()
        host.drain(query)
    found = [row.asDict() for row in spark.read.parquet(str(tmp_path / "out")).collect()]
    assert {row["output"] for row in found} == {"result", "refused"}
    notes = [row["note"] for row in found if row["output"] == "refused"]
    assert all(re.match(rf"{tmp_path}/\S+, (row|line) \d+: ", note) for note in notes)
    refused = sorted(note[note.index("stamped ") :] for note in notes)
    assert [note.split(": <")[0] for note in refused] == [
        *2
        * [
            "stamped 2100-01-01T00:00:00Z, but it arrived at 1970-01-01T00:00:00.100Z,"
            " and ahead_ms is 1000"
        ],
        *2 * ["stamped 2100-01-01T00:00:00Z, but not_after is 2099-12-31T23:59:59.999Z"],
    ]
    results = [row for row in found if row["output"] == "result"]
    timed = elements([row for row in results if row["ts"] < 1000], built(as_it_is(plan)))
    both = Union(over(S1), over(S2))
    assert first_difference(intervals(both, {S1: DATA, S2: DATA}), timed) is None
    now = elements([row for row in results if row["ts"] >= 1000], built(as_it_is(plan)))
    assert {_subject(e.item) for e in now} == {EX.a, EX.b, EX.c, EX.f}  # stamped anew


def _subject(item: object) -> object:
    assert isinstance(item, Solution)
    return item[X]


@pytest.mark.thorough
def test_a_periodic_query_on_spark_keeps_its_clock_and_tells_a_jump_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    known = Catalogue().stream(S1, not_after=1000 * DAY).stream(S2)
    plan = Union(over(S1), over(S2))
    query = Prepared(plan, plan, Periodic(Kind.RSTREAM, (DAY,)), sources=known)
    run = SparkRun(spark, query, tmp_path)
    before = stream(("a", "p", 1, DAY - 5))
    jump = stream(("a", "p", 1, 3 * DAY - 3), ("b", "noise", 1, 3 * DAY - 2))
    run.push(S1, [*before, *FUTURE])
    run.push(S2, before)
    run.restart()
    run.push(S2, jump)
    run.restart()
    run.push(S2, stream(("c", "p", 1, 3 * DAY - 1)))
    run.push(S1, stream(("d", "p", 1, DAY - 3)))
    got = run.end()
    rows = (
        (S1, (*before, *stream(("d", "p", 1, DAY - 3)))),
        (S2, (*before, *jump, *stream(("c", "p", 1, 3 * DAY - 1)))),
    )
    assert len(run.rows("refused")) == 2
    assert not run.rows("late")
    (told,) = run.rows("remark")
    assert told["note"].startswith(
        f"the time of <{S2}> jumps from 1970-01-01T23:59:59.995Z to 1970-01-03T23:59:59.998Z with"
    )
    assert difference(run_reference(query, Delivery(rows)), got) is None


def test_arrivals_are_a_column_or_kafkas(spark: SparkSession) -> None:
    rows = spark.createDataFrame(
        [("s", "p", "o", 5, 7)], "s string, p string, o string, ts bigint, arrived int"
    )
    limit = Limit(ahead=1)
    assert triples(rows).columns == ["s", "p", "o", "ts"]
    assert triples(rows, limit=limit).collect()[0]["arrived"] == 7
    bare = rows.drop("arrived")
    kafka = bare.withColumns({name: F.lit(1) for name in ("topic", "partition", "offset")})
    kafka = kafka.withColumn("timestamp", F.timestamp_millis(F.lit(9)))
    assert triples(kafka, limit=limit).collect()[0]["arrived"] == 9
    other = bare.withColumn("timestamp", F.timestamp_millis(F.lit(9)))
    for wrong in (bare, other, bare.withColumn("arrived", F.lit("soon"))):
        with pytest.raises(StreamError, match="declares ahead_ms needs a column `arrived`"):
            triples(wrong, limit=limit)

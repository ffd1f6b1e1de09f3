"""Several queries as one of Spark's."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from askos import spark as host
from askos.algebra import Periodic
from askos.algebra.reference import publish, reports
from askos.errors import QueryError, StreamError
from askos.queries import prepare_all
from askos.terms import URIRef
from tests.build import EX, stream
from tests.hosts.test_streams import CLEAN, LAST, OTHER, OTHERS, PREFIX, WIND
from tests.hosts.three import table

SECOND = (
    f"{PREFIX} REGISTER STREAM <http://e/second> AS CONSTRUCT {{ ?x :p ?y . ?x :q ?z }}"
    " FROM STREAM :clean [RANGE 20 STEP 10] { ?x :ok ?y . ?x :ok ?z }"
)
THIRD = (
    f"{PREFIX} REGISTER STREAM <third> COMPUTED EVERY 5ms AS CONSTRUCT {{ ?x :r ?y }}"
    " FROM STREAM <http://e/second> [RANGE 20 STEP 5] { ?x :p ?y . ?x :q ?y }"
)
TEXTS = [THIRD, SECOND, CLEAN, OTHERS]
DATA = stream(
    ("a", "p", 7, 3), ("b", "p", 40, 8), ("b", "p", 9, 12), ("b", "p", 11, 14), ("a", "p", 7, 25)
)


class Run:
    """Texts on Spark, fed one micro-batch at a time."""

    def __init__(self, spark: SparkSession, folder: Path, texts: Any = TEXTS) -> None:
        self.spark, self.folder, self.texts, self._files = spark, folder, texts, 0
        for name in ("wind", "other"):
            (folder / name).mkdir()
        self.query = self.start()

    def start(self, texts: Any = None, **more: Any) -> Any:
        streams = {
            source: host.parquet(self.spark, self.folder / name)
            for source, name in ((WIND, "wind"), (OTHER, "other"))
        }
        sink, checkpoint = host.Parquet(self.folder / "out"), self.folder / "checkpoint"
        texts = self.texts if texts is None else texts
        given = streams | {URIRef(name): frame for name, frame in more.items()}
        return host.start(self.spark, texts, given, sink, checkpoint, buckets=2)

    def push(self, rows: Any) -> None:
        self._files += 1
        folder, name = self.folder / "wind", f"{self._files}.parquet"
        pq.write_table(table(rows).drop_columns("seq"), folder / f".{name}")
        os.replace(folder / f".{name}", folder / name)
        host.drain(self.query)

    def told(self, name: str, text: str) -> list[Any]:
        return list(host.reports(self.spark, self.folder / "out", text, name=name))


@pytest.mark.thorough
def test_a_chain_of_three_registered_streams_beside_a_query_whose_stream_is_silent(
    spark: SparkSession, tmp_path: Path
) -> None:
    queries, streams = prepare_all(TEXTS), dict[Any, Any]({WIND: DATA, OTHER: []})
    want: dict[str, list[Any]] = {}
    for query in queries.queries:
        assert isinstance(query.report, Periodic)
        want[query.name or ""] = reports(query.canonical, streams, query.report)
        if query.publishes is not None:
            streams[query.publishes] = publish(query.canonical, streams, query.report)
    run = Run(spark, tmp_path)
    run.push(DATA[:3])
    assert [answer.at for answer in run.told(str(EX.clean), CLEAN)] == [10]
    with pytest.raises(QueryError, match=r"the queries .*, not \S*clean, last"):
        run.start([CLEAN, LAST])
    with pytest.raises(QueryError, match="several queries"):
        run.start(CLEAN)
    with pytest.raises(StreamError, match="is the stream that the query"):
        run.start(**{EX.clean: host.parquet(spark, tmp_path / "wind")})
    run.query.stop()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run.query = run.start(list(reversed(TEXTS)))
    run.push(DATA[3:])
    # The other query waits for its stream; those that do not read it do not.
    assert [answer.at for answer in run.told(str(EX.clean), CLEAN)] == [10, 20]
    assert not run.told("others", OTHERS)
    host.Control(tmp_path / "checkpoint").end()
    host.drain(run.query)
    run.query.stop()
    got = {query.name: run.told(query.name or "", query.text or "") for query in queries.queries}
    assert got == want
    assert any(answer.rows for answer in got["third"])

"""Reports as they come: each when its micro-batch is committed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Unpack
from urllib.parse import unquote

import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from askos.algebra import Answer, Intervals
from askos.errors import require
from askos.prepared import Options, Prepared, prepare
from askos.queries import listed, prepare_all, several
from askos.sources import Catalogue
from askos.spark.answers import REPORTS, RESULTS
from askos.spark.control import Control
from askos.spark.faults import told
from askos.spark.host import Lateness, Query, Streams, Watch, drain, news, start, stopping
from askos.spark.measuring import noting
from askos.spark.newfiles import NewFiles
from askos.spark.reading import answer
from askos.spark.several import read_all
from askos.spark.sinks import Parquet
from askos.spark.split import as_alone, whose

_WAIT: Final = 0.1


def follow(
    spark: SparkSession,
    query: Query,
    streams: Streams,
    folder: str | Path,
    checkpoint: str | Path,
    *,
    sources: Catalogue | None = None,
    lateness: Lateness | None = None,
    buckets: int | None = None,
    state_limit: int | None = None,
    watch: Watch | None = None,
    **options: Unpack[Options],
) -> Iterator[Any]:
    """Run a query over all there is, as `run` does, into the sink `Parquet(folder)`, and give each
    of its reports as soon as it can no longer be taken back; first those of earlier runs.  Of
    several queries, pairs: the name of one that reports, and a report of it; those of queries too
    that have joined others of their kind.

    Everything is as for `run`; whoever stops reading stops the query, and may go on later.
    """
    alone = not several(query)
    every = prepare_all(listed(query), sources=sources, **options).queries
    prepared = [one for one in every if not isinstance(one.report, Intervals)]
    require(
        bool(prepared),
        "the query tells intervals, and no reports",
        "run it with askos.spark.run, and read it back with askos.spark.elements",
    )
    spread: dict[str, Any] = {
        "lateness": lateness,
        "buckets": buckets,
        "state_limit": state_limit,
    }
    given: Query = prepare(every[0]) if alone else list(every)
    started = start(spark, given, streams, Parquet(folder), checkpoint, **spread)
    control = Control(Path(checkpoint))
    found: Committed | CommittedBy = Committed(Path(folder), prepared[0])
    if not alone:
        found = CommittedBy(Path(folder), prepared, _kinds(prepared, Path(checkpoint)))
    looked = news(started, watch) if watch else lambda: None
    with told(), stopping(started), noting(started, checkpoint):
        yield from _while_draining(started, found.take, looked)
        if not control.ended:
            control.end()
            yield from _while_draining(started, found.take, looked)


def _kinds(queries: Iterable[Prepared], checkpoint: Path) -> dict[str, Prepared]:
    """Of each kind that runs one of these queries."""
    by_name = {query.name or "": query for query in queries}
    kinds = read_all(checkpoint).kinds.items()
    return {kind: by_name[name] for kind, names in kinds for name in names if name in by_name}


def _while_draining(
    query: StreamingQuery, committed: Callable[[], Iterable[Any]], look: Callable[[], None]
) -> Iterator[Any]:
    """What is committed until a query has read all there is."""
    failed: list[BaseException] = []

    def work() -> None:
        try:
            drain(query)
        except BaseException as error:  # raised where the caller is
            failed.append(error)

    # Not waited for where the caller stops: Spark notices only after a while.
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_WAIT)
        look()
        yield from committed()
    if failed:
        raise failed[0]
    yield from committed()


class Committed:
    """The reports that the sink `Parquet(folder)` holds for good, each given once, in the order
    of time.

    A micro-batch comes into the sink's log at once: so a report is there as a whole, or not yet.
    """

    def __init__(self, folder: Path, query: Prepared) -> None:
        self._files, self._query = _Files(folder), query

    def take(self) -> list[Answer]:
        """Those committed since the last call."""
        return _answers((row for _, row in self._files.take()), self._query)


class CommittedBy:
    """The same of several queries: pairs of a query's name and a report, by time, then by query.

    `kinds` are those that run for others, each with one of these: who has joined reports alike.
    """

    def __init__(
        self, folder: Path, queries: Sequence[Prepared], kinds: Mapping[str, Prepared]
    ) -> None:
        self._files, self._kinds = _Files(folder), kinds
        self._queries = {query.name or "": query for query in queries}

    def take(self) -> list[tuple[str, Answer]]:
        """Those committed since the last call."""
        rows: dict[str, list[dict[str, Any]]] = {}
        for name, row in self._files.take():
            row["query"] = name
            rows.setdefault(whose(row), []).append(row)
            if name in self._kinds:
                self._queries.setdefault(whose(row), self._kinds[name])
        told: list[tuple[str, Answer]] = []
        for name, query in self._queries.items():
            found = (as_alone(row, query.columns) for row in rows.get(name, ()))
            told += [(name, answer) for answer in _answers(found, query)]
        return sorted(told, key=lambda pair: pair[1].at)


def _answers(rows: Iterable[dict[str, Any]], query: Prepared) -> list[Answer]:
    reports: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        reports.setdefault(row["at"], []).append(row)
    payload = query.canonical.payload
    return [answer(at, reports[at], query.columns, payload) for at in sorted(reports)]


class _Files:
    """The rows of results and reports in a sink's files, each file read once it is committed."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._new = folder, NewFiles(folder)

    def take(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Rows committed since the last call, each with the name of its query, if it has one."""
        for file in self._new.take():
            yield from self._rows(file)

    def _rows(self, file: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Of reports: what came late or was refused is no part of any."""
        parts = dict(part.split("=", 1) for part in file.split("/")[:-1])
        if parts["output"] in (RESULTS, REPORTS):
            table = pq.ParquetFile(self._folder / file).read()
            for row in table.to_pylist():
                yield unquote(parts.get("query", "")), {**row, "output": parts["output"]}

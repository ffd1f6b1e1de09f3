"""Reports as they come: each when its micro-batch is committed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Unpack

import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from askos.algebra import Answer, Intervals
from askos.errors import SetupError, require
from askos.prepared import Options, Prepared, prepare
from askos.sources import Catalogue
from askos.spark.answers import REPORTS, RESULTS
from askos.spark.control import Control
from askos.spark.host import Lateness, Query, Streams, Watch, drain, news, start
from askos.spark.reading import answer
from askos.spark.sinks import Parquet

_LOG: Final = "_spark_metadata"
_VERSION: Final = "v1"
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
    watch: Watch | None = None,
    **options: Unpack[Options],
) -> Iterator[Answer]:
    """Run a query over all there is, as `run` does, into the sink `Parquet(folder)`, and give each
    of its reports as soon as it can no longer be taken back; first those of earlier runs.

    Everything is as for `run`; whoever stops reading stops the query, and may go on later.
    """
    prepared = prepare(query, sources=sources, **options)
    require(
        not isinstance(prepared.report, Intervals),
        "the query tells intervals, and no reports",
        "run it with askos.spark.run, and read it back with askos.spark.elements",
    )
    spread: dict[str, Any] = {"lateness": lateness, "buckets": buckets}
    started = start(spark, prepared, streams, Parquet(folder), checkpoint, **spread)
    committed, control = Committed(Path(folder), prepared), Control(Path(checkpoint))
    looked = news(started, watch) if watch else lambda: None
    try:
        yield from _while_draining(started, committed, looked)
        if not control.ended:
            control.end()
            yield from _while_draining(started, committed, looked)
    finally:
        started.stop()


def _while_draining(
    query: StreamingQuery, committed: Committed, look: Callable[[], None]
) -> Iterator[Answer]:
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
        yield from committed.take()
    if failed:
        raise failed[0]
    yield from committed.take()


class Committed:
    """The reports that the sink `Parquet(folder)` holds for good, each given once, in the order
    of time.

    Spark's log names the files of each micro-batch once all of them are written, in a file of the
    batch's number: so a report is there as a whole, or not yet.  Every so often one file of the log
    repeats all before it.
    """

    def __init__(self, folder: Path, query: Prepared) -> None:
        self._folder, self._query = folder, query
        self._batches: set[str] = set()
        self._files: set[str] = set()

    def take(self) -> list[Answer]:
        """Those committed since the last call."""
        rows: dict[int, list[dict[str, Any]]] = {}
        for file in self._new_files():
            for row in self._rows(file):
                rows.setdefault(row["at"], []).append(row)
        columns, payload = self._query.columns, self._query.canonical.payload
        return [answer(at, rows[at], columns, payload) for at in sorted(rows)]

    def _new_files(self) -> list[str]:
        found: dict[str, None] = {}
        for batch in self._new_batches():
            with suppress(FileNotFoundError):  # removed: a later one repeats it
                found |= dict.fromkeys(_files(batch))
            self._batches.add(batch.name)
        new = [file for file in found if file not in self._files]
        self._files.update(new)
        return new

    def _new_batches(self) -> Iterable[Path]:
        log = self._folder / _LOG
        names = (file for file in log.glob("[0-9]*") if file.name not in self._batches)
        return sorted(names, key=lambda file: int(file.name.removesuffix(".compact")))

    def _rows(self, file: str) -> Iterator[dict[str, Any]]:
        """Of reports: what came late or was refused is no part of any."""
        output = file.partition("/")[0].removeprefix("output=")
        if output in (RESULTS, REPORTS):
            table = pq.ParquetFile(self._folder / file).read()
            yield from ({**row, "output": output} for row in table.to_pylist())


def _files(batch: Path) -> Iterator[str]:
    """The files that one file of the log names, by their places below the sink's folder."""
    version, *entries = batch.read_text("utf-8").splitlines()
    if version != _VERSION:
        hint = f"askos reads {_VERSION}: use the Spark that it asks for"
        raise SetupError(f"{batch} is a log of version {version}", hint=hint)
    for entry in entries:
        yield "/".join(json.loads(entry)["path"].split("/")[-2:])

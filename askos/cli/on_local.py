"""askos run --host local: the query in this process."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from askos.cli.streams import Place, Streams
from askos.cli.telling import lost
from askos.errors import QueryError, StreamError

if TYPE_CHECKING:
    from askos.io.results import Row
    from askos.prepared import Prepared

_BATCH: Final = 10_000


def answers(query: Prepared, streams: Streams, arguments: Namespace) -> Iterator[Row]:
    """Everything is read first and sorted by time, so nothing is late."""
    if arguments.checkpoint is not None:
        raise QueryError("--host local keeps no checkpoint", hint="leave --checkpoint out")
    from askos.local import Engine

    now, notes = time.time_ns() // 1_000_000, list[str]()
    tables = {iri: _table(streams[iri], now, notes) for iri in query.streams}
    engine = Engine()
    made = engine.register(query)
    for start in range(0, max(map(len, tables.values()), default=0), _BATCH):
        for iri, table in tables.items():
            engine.push(iri, table.slice(start, _BATCH))
        yield from ((element.item, element.interval) for element in made.take())
    engine.close()
    yield from ((element.item, element.interval) for element in made.take())
    lost("refused", notes + [f"{refused.reason}: {refused.row}" for refused in engine.refused])


def _table(places: list[Place], now: int, notes: list[str]) -> Any:
    """The rows of a stream, by time; what is no statement goes to `notes`."""
    import pyarrow as pa

    parts = []
    for place in places:
        arrival = now if place.stamp == "arrival" else None
        parts += [_lines(file, arrival, notes) for file in place.lines]
        parts += [_parquet(file, kind, now) for file, kind in place.times().items()]
    return pa.concat_tables(parts).sort_by("ts")


def _lines(file: Path, arrival: int | None, notes: list[str]) -> Any:
    from askos.io import read_nquads

    statements, rejected = read_nquads(file, at=arrival)
    notes += [f"{file}, line {row['line']}: {row['reason']}" for row in rejected.to_pylist()]
    return statements.select(["s", "p", "o", "ts"])


def _parquet(file: Path, kind: Any, now: int) -> Any:
    """A Parquet file's rows; `kind` is the type of its times, None if they arrive `now`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.ParquetFile(file).read(columns=["s", "p", "o", *(["ts"] if kind else [])])
        terms = [found[name].cast(pa.string()) for name in "spo"]
        times = _millis(found["ts"]) if kind else pa.repeat(pa.scalar(now), len(found))
        return pa.table([*terms, times], ["s", "p", "o", "ts"])
    except pa.ArrowException as error:
        raise StreamError(f"{file}: {error}") from error


def _millis(times: Any) -> Any:
    import pyarrow as pa

    if not pa.types.is_timestamp(times.type):
        return times.cast(pa.int64())
    return times.cast(pa.timestamp("ms", times.type.tz), safe=False).cast(pa.int64())

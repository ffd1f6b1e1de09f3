"""askos run --host local: the query in this process."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from askos.cli.streams import Place, Streams
from askos.cli.telling import Live, lost, told_warnings
from askos.errors import QueryError, StreamError

if TYPE_CHECKING:
    from askos.io.csvmap import CsvMap
    from askos.local import Engine, Query
    from askos.queries import Queries
    from askos.terms import URIRef

_BATCH: Final = 10_000


def answers(queries: Queries, streams: Streams, arguments: Namespace) -> Generator[tuple[str, Any]]:
    """Elements or reports, with the names of their queries, as they are decided.  Everything is
    read first and sorted by time, so nothing is late."""
    if arguments.checkpoint is not None:
        raise QueryError("--host local keeps no checkpoint", hint="leave --checkpoint out")
    from askos.local import Engine

    now, notes = time.time_ns() // 1_000_000, list[str]()
    tables = {iri: _table(streams[iri], now, notes) for iri in queries.given}
    engine = Engine(state_limit=arguments.state_limit)
    engine.register_all(queries.queries)
    yield from _decided(engine, tables, Live(quiet=arguments.quiet))
    lost("refused", notes + [f"{refused.reason}: {refused.row}" for refused in engine.refused])


def _decided(engine: Engine, tables: Mapping[URIRef, Any], live: Live) -> Iterator[tuple[str, Any]]:
    """Push what there is of each stream in turns; one that has no more is not waited for."""
    rows = 0
    for start in range(0, max([1, *map(len, tables.values())]), _BATCH):
        for iri, table in tables.items():
            part = table.slice(start, _BATCH)
            if start and not len(part):
                continue
            with told_warnings(live):
                engine.push(iri, part)
            if start + _BATCH >= len(table):
                engine.idle(iri)
            rows += len(part)
            told = _taken(engine)
            if told:
                live.clear()
                yield from told
            live.say(_progress(rows, min(engine.queries.values(), key=lambda q: q.progress)))
    engine.close()
    live.clear()
    yield from _taken(engine)


def _taken(engine: Engine) -> list[tuple[str, Any]]:
    """New answers, by query."""
    return [(name, told) for name, query in engine.queries.items() for told in query.take()]


def _progress(rows: int, query: Query) -> str:
    """How far things are, and what they wait for."""
    from askos.interval import moment

    waits = f"  waiting for <{query.waits_for}>" if query.waits_for else ""
    return f"rows: {rows:,}  decided up to {moment(query.progress)}{waits}"


def _table(places: list[Place], now: int, notes: list[str]) -> Any:
    """The rows of a stream, by time; what is no statement goes to `notes`."""
    import pyarrow as pa

    parts = []
    for place in places:
        arrival = now if place.stamp == "arrival" else None
        parts += [_lines(file, arrival, notes) for file in place.lines]
        parts += [_parquet(file, kind, now) for file, kind in place.times().items()]
        parts += [_csv(file, place.map, notes) for file in place.csv if place.map]
    whole = pa.concat_tables(parts, promote_options="default")
    return whole.unify_dictionaries().sort_by("ts")


def _from(file: Path, rows: Any) -> Any:
    """Rows that say which file they are from, should they be refused."""
    import numpy as np
    import pyarrow as pa

    places = pa.array(np.zeros(len(rows), np.int32))
    return rows.append_column("file", pa.DictionaryArray.from_arrays(places, [str(file)]))


def _lines(file: Path, arrival: int | None, notes: list[str]) -> Any:
    from askos.io import read_nquads

    statements, rejected = read_nquads(file, at=arrival)
    notes += [f"{file}, line {row['line']}: {row['reason']}" for row in rejected.to_pylist()]
    return _from(file, statements)


def _csv(file: Path, said: CsvMap, notes: list[str]) -> Any:
    import pyarrow as pa

    from askos.io.csvrows import read_csv
    from askos.io.nquads import STATEMENTS

    tables = [STATEMENTS.empty_table()]
    for statements, rejected in read_csv(file, said):
        tables.append(statements)
        notes += [f"{file}, line {row['line']}: {row['reason']}" for row in rejected.to_pylist()]
    return _from(file, pa.concat_tables(tables))


def _parquet(file: Path, kind: Any, now: int) -> Any:
    """A Parquet file's rows; `kind` is the type of its times, None if they arrive `now`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from askos.io.streams import millis

    try:
        found = pq.ParquetFile(file).read(columns=["s", "p", "o", "seq", *(["ts"] if kind else [])])
        terms = {name: found[name].cast(pa.string()) for name in "spo"}
        times = millis(found["ts"]) if kind else pa.repeat(pa.scalar(now), len(found))
        own = {"seq": found["seq"].cast(pa.int64())} if "seq" in found.column_names else {}
        return _from(file, pa.table({**terms, "ts": times, **own}))
    except (pa.ArrowException, OSError) as error:
        raise StreamError(f"{file} cannot be read: {error}") from error

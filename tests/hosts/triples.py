"""Rows as Spark hands them on: of streams, between stages, and of answers."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from askos.algebra import Pattern, Stamped
from askos.errors import StreamError
from askos.io import write_nquads
from askos.physical import Feed
from askos.physical.limit import NO_LIMIT, Limit
from askos.spark.relevant import NOISE
from askos.terms import Literal, URIRef, Variable, n3, parse_term

Triples: TypeAlias = Sequence[Stamped | tuple[Any, ...]]
"""Triples, or the texts s, p, o with ts and, if it is known, when they were recorded."""

_TRIPLES: Final = pa.schema(
    [
        *((name, pa.string()) for name in "spo"),
        ("ts", pa.int64()),
        ("seq", pa.int64()),
        ("arrived", pa.int64()),
    ]
)
_SAMPLE: Final = 64  # as in askos.spark.relevant


def relevant(
    rows: pa.Table, feeds: Sequence[Feed], *, clock: bool = False, limit: Limit = NO_LIMIT
) -> pa.Table:
    """What `askos.spark.relevant.relevant` keeps, as far as the terms are spelled canonically."""
    patterns = [node for feed in feeds for node in feed.line if isinstance(node, Pattern)]
    if len(patterns) < len(feeds):
        return rows
    given = rows.to_pylist()
    times, recorded = (rows[name].fill_null(-1).to_numpy() for name in ("ts", "arrived"))
    beyond = {row for row, _ in limit.faults(times, recorded)}
    noise = [
        not any(_may_match(row, pattern) for pattern in patterns)
        and not _is_no_triple(row)
        and number not in beyond
        for number, row in enumerate(given)
    ]
    if clock:
        terms = dict.fromkeys("spo")
        seen = [row | terms if gone else row for row, gone in zip(given, noise, strict=True)]
        table = pa.Table.from_pylist(seen, _TRIPLES)
        return table.append_column(NOISE, pa.array(noise, pa.bool_()))
    sampled = [zlib.crc32(str(row).encode()) % _SAMPLE == 0 for row in given]
    kept = [number for number in range(len(given)) if sampled[number] or not noise[number]]
    return taken(rows, kept)


def _may_match(row: Mapping[str, Any], pattern: Pattern) -> bool:
    parts = zip("spo", pattern.positions, strict=True)
    return all(isinstance(term, Variable) or row[name] == n3(term) for name, term in parts)


def _is_no_triple(row: Mapping[str, Any]) -> bool:
    try:
        s, p, _ = (parse_term(str(row[name])) for name in "spo")
    except StreamError:
        return True
    return isinstance(s, Literal) or not isinstance(p, URIRef) or row["ts"] is None


def taken(rows: pa.Table, numbers: Sequence[int]) -> pa.Table:
    return rows.take(pa.array(numbers, pa.int64()))


def table_of(rows: Triples | pa.Table) -> pa.Table:
    if isinstance(rows, pa.Table):
        return rows
    texts = [
        (*map(n3, r.triple), r.at, r.sequence) if isinstance(r, Stamped) else (*r[:4], None, *r[4:])
        for r in rows
    ]
    named = [dict(zip(_TRIPLES.names, row, strict=False)) for row in texts]
    return pa.Table.from_pylist(named, _TRIPLES)


def written(rows: pa.Table, file: Path, kind: str) -> tuple[Path, str]:
    """A file of rows; of another kind where they need it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    own = [rows[name] for name in ("seq", "arrived") if name in rows.column_names]
    plain = all(column.null_count == len(rows) for column in own)
    if kind == "nquads" and plain:
        try:
            write_nquads(rows, file)
            return file, kind
        except (StreamError, pa.ArrowException):  # only Parquet holds whatever there is
            pass
    pq.write_table(rows, file)
    return file, "parquet"


def schema_of(text: str) -> pa.Schema:
    """Of Spark's way to write schemas, as much as answers need."""
    texts = pa.map_(pa.string(), pa.string())
    kinds = {"string": pa.string(), "bigint": pa.int64(), "map<string,string>": texts}
    columns = [column.rsplit(" ", 1) for column in text.split(", ")]
    return pa.schema([(name.strip("`"), kinds[kind]) for name, kind in columns])

"""N-Quads with timestamps: the graph label of a statement is the instant it arrived.

    <http://wind.example/T01> <http://wind.example/speed> "7.42" <urn:ms:1780272000000> .

Any RDF tool can load such a file.  The instant may also be an xsd:dateTime (`askos.io.instants`),
as in C-SPARQL's social data, though N-Quads knows no literals there.  Terms stay text, exactly as
written; nothing here loops over rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.errors import StreamError
from askos.interval import FOREVER
from askos.io.files import blocks
from askos.io.grammar import TERMS, TRIPLES
from askos.io.statements import Statements, count_lines

STATEMENTS: Final = pa.schema(
    [*((name, pa.string()) for name in TERMS), ("ts", pa.int64()), ("line", pa.int64())]
)
REJECTED: Final = pa.schema([("line", pa.int64()), ("text", pa.string()), ("reason", pa.string())])

# Reading keeps one block in memory beside the result, and no block's text may pass 2 GB.
_BLOCK: Final = 1 << 24
_ROWS: Final = 100_000


def write_nquads(table: pa.Table, path: str | Path) -> None:
    """Write the columns s, p, o (N-Triples text) and ts (int64 milliseconds), a row to a line.

    Whether a term is N-Triples is for the reader to check; what would break the lines of the
    file or has no instant is refused.
    """
    with Path(path).open("wb") as file:
        for batch in table.select([*TERMS, "ts"]).to_batches(max_chunksize=_ROWS):
            file.write(_joined(_lines(batch)))


def _lines(batch: pa.RecordBatch) -> pa.Array:
    if any(column.null_count for column in batch.columns):
        raise StreamError("a row without s, p, o or ts cannot be written")
    stamps = batch.column("ts").cast(pa.int64())
    if batch.num_rows and not 0 <= pc.min(stamps).as_py() <= pc.max(stamps).as_py() < FOREVER:
        raise StreamError("a ts is not an instant", hint="0 <= ts < 2**63 - 1, in milliseconds")
    lines = pc.binary_join_element_wise(
        pc.binary_join_element_wise(*(batch.column(name) for name in TERMS), "<urn:ms:", " "),
        stamps.cast(pa.string()),
        "> .\n",
        "",
    )
    if pc.any(pc.match_substring_regex(lines, r"[\r\n](?s:.)")).as_py():
        raise StreamError("a term holds a line break", hint=r"write it as \n or \r")
    return lines


def _joined(lines: pa.Array) -> pa.Buffer:
    return pc.binary_join(pa.ListArray.from_arrays([0, len(lines)], lines), "")[0].as_buffer()


def read_nquads(path: str | Path, *, at: int | None = None) -> tuple[pa.Table, pa.Table]:
    """The statements (s, p, o, ts, line) and the rejected lines (line, text, reason) of a file.

    Lines count from 1; blank lines and comments are in neither table.  With `at`, the file holds
    triples without labels, and all of them arrive at that instant.  StreamError if the file cannot
    be read, or has a line beyond `askos.io.limits`.
    """
    statements, rejected = [STATEMENTS.empty_table()], [REJECTED.empty_table()]
    first, reader = 1, Statements(at)
    for block, _ in blocks(Path(path), first=_BLOCK):
        found = reader.read(block, first).rows
        first += count_lines(block)
        good, bad = _told_apart(found)
        statements.append(good)
        rejected.append(bad)
    return pa.concat_tables(statements), pa.concat_tables(rejected)


def read_triples(lines: pa.Array, numbers: pa.Array) -> tuple[pa.Table, pa.Table]:
    """The statements and the rejected ones of some lines of N-Triples, as `read_nquads` gives
    them; the instant of each is the number of its line."""
    found = Statements(at=0, reasons=TRIPLES).taken_apart(lines, numbers.to_numpy())
    statements, rejected = _told_apart(found.rows)
    place = statements.schema.get_field_index("ts")
    return statements.set_column(place, "ts", statements["line"]), rejected


def _told_apart(found: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Statements, and what is none, which is an o alone; each by line."""
    if np.any(np.diff(found["line"]) < 0):
        found = found.sort_by("line")
    good = pc.is_null(found["reason"])
    statements = found.filter(good).select(STATEMENTS.names)
    rest = found.filter(pc.invert(good))
    return statements, pa.table([rest["line"], _shown(rest["o"]), rest["reason"]], schema=REJECTED)


def _shown(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts without the spaces around them, whatever bytes they are."""
    told = [text.as_buffer().to_pybytes().decode("utf-8", "replace") for text in texts]
    return pa.chunked_array([pa.array([text.strip(" \t") for text in told], pa.string())])

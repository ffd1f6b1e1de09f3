"""N-Quads with timestamps: the graph label of a statement is the instant it arrived.

    <http://wind.example/T01> <http://wind.example/speed> "7.42" <urn:ms:1780272000000> .

Any RDF tool can load such a file.  The instant may also be an xsd:dateTime (`askos.io.instants`),
as in C-SPARQL's social data, though N-Quads knows no literals there.  Terms stay text, exactly as
written; nothing here loops over rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.errors import StreamError
from askos.interval import FOREVER
from askos.io.files import blocks
from askos.io.instants import DATE_TYPE, Fault, instants
from askos.io.statements import count_lines, split_lines
from askos.terms import parse_term

TERMS: Final = ("s", "p", "o")
STATEMENTS: Final = pa.schema(
    [*((name, pa.string()) for name in TERMS), ("ts", pa.int64()), ("line", pa.int64())]
)
REJECTED: Final = pa.schema([("line", pa.int64()), ("text", pa.string()), ("reason", pa.string())])

# Reading keeps one block in memory beside the result, and no block's text may pass 2 GB.
_BLOCK: Final = 1 << 24
_ROWS: Final = 100_000

# The productions of N-Triples, as RE2 spells them.
_ESCAPED: Final = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_IRI: Final = rf"""<[A-Za-z][A-Za-z0-9+.-]*:(?:[^\x00-\x20<>"{{}}|^`\\]|{_ESCAPED})*>"""
_LETTER: Final = (
    r"A-Za-z_:\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}"
    r"\x{200C}\x{200D}\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}"
    r"\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}"
)
_INNER: Final = _LETTER + r"0-9\x{B7}\x{300}-\x{36F}\x{203F}\x{2040}\-"
_BLANK_NODE: Final = rf"_:[{_LETTER}0-9](?:[{_INNER}.]*[{_INNER}])?"
_LITERAL: Final = (
    rf"""\"(?:[^"\\\r\n]|\\[tbnrf"'\\]|{_ESCAPED})*\""""
    rf"(?:\^\^{_IRI}|@[A-Za-z]+(?:-[A-Za-z0-9]+)*)?"
)

_ALLOWED: Final = {
    "s": (f"{_IRI}|{_BLANK_NODE}", "the subject is not an IRI or blank node of N-Triples"),
    "p": (_IRI, "the predicate is not an IRI of N-Triples"),
    "o": (f"{_IRI}|{_BLANK_NODE}|{_LITERAL}", "the object is not a term of N-Triples"),
}

# What looks like a statement, so that a bad one can be told what is bad about it.  The last
# alternative is for terms of other syntaxes: prefixed names and bare numbers.
_TOKEN: Final = (
    r"""<[^>]*>|\"(?:[^"\\]|\\.)*\"(?:\^\^<[^>]*>|@[^ \t<]*)?|_:[^ \t<"]+"""
    r"""|[^ \t<>"]*[:0-9][^ \t<>"]*"""
)
_STATEMENT: Final = (
    rf"^(?P<s>{_TOKEN})[ \t]*(?P<p>{_TOKEN})[ \t]*(?P<o>{_TOKEN})[ \t]*"
    rf"(?P<graph>(?:{_TOKEN}|\"[^\"]*\"{DATE_TYPE})?)[ \t]*\.[ \t]*(?:#.*)?$"
)

_Reasons: TypeAlias = tuple[str, str]
"""Why a line is rejected that is no statement, and one that has a label where none may be."""
_STREAM: Final[_Reasons] = (
    "not a statement: three terms, a graph label and a dot",
    "a graph label, in a stream that is stamped on arrival",
)
_TRIPLES: Final[_Reasons] = (
    "not a statement: three terms and a dot",
    "a graph label, in a file of triples",
)


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
    first = 1
    for block, _ in blocks(Path(path), first=_BLOCK):
        parsed = _parsed(_numbered(first, block), at)
        first += count_lines(block)
        good = pc.is_null(parsed["reason"])
        statements.append(_statements(parsed.filter(good)))
        rejected.append(parsed.filter(pc.invert(good)).select(REJECTED.names))
    return pa.concat_tables(statements), pa.concat_tables(rejected)


def read_triples(lines: pa.Array, numbers: pa.Array) -> tuple[pa.Table, pa.Table]:
    """The statements and the rejected ones of some lines of N-Triples, as `read_nquads` gives
    them; the instant of each is the number of its line."""
    parsed = _parsed(_legible(lines, numbers), 0, _TRIPLES)
    good = pc.is_null(parsed["reason"])
    statements = _statements(parsed.filter(good))
    place = statements.schema.get_field_index("ts")
    statements = statements.set_column(place, "ts", statements["line"])
    return statements, parsed.filter(pc.invert(good)).select(REJECTED.names)


def _numbered(first: int, block: bytes) -> pa.Table:
    lines = split_lines(block)
    return _legible(lines, pa.array(np.arange(first, first + len(lines), dtype=np.int64)))


def _legible(lines: pa.Array, numbers: pa.Array) -> pa.Table:
    """Lines: number, text, and whether it was UTF-8; no blanks, no comments."""
    try:
        text, utf8 = lines.cast(pa.string()), pa.repeat(pa.scalar(True), len(lines))
    except pa.ArrowInvalid:
        texts = [line.decode("utf-8", "replace") for line in lines.to_pylist()]
        text = pa.array(texts, pa.string())
        utf8 = pc.equal(text.cast(pa.binary()), lines)
    table = pa.table({"line": numbers, "text": pc.utf8_trim(text, " \t\n"), "utf8": utf8})
    return table.filter(pc.match_substring_regex(table["text"], "^[^#]"))


def _parsed(lines: pa.Table, at: int | None, reasons: _Reasons = _STREAM) -> pa.Table:
    """`lines` with s, p, o, ts and, where one is at fault, the reason to reject it."""
    fields = pc.extract_regex(lines["text"], _STATEMENT)
    s, p, o, graph = (pc.struct_field(fields, name) for name in (*TERMS, "graph"))
    ts, wrong = instants(graph) if at is None else _arrived(graph, at, reasons[1])
    faults = [
        (pc.invert(lines["utf8"]), "not UTF-8"),
        (pc.is_null(fields), reasons[0]),
        *wrong,
        *(
            (pc.invert(_matches(column, _ALLOWED[name][0])), _ALLOWED[name][1])
            for name, column in zip(TERMS, (s, p, o), strict=True)
        ),
    ]
    columns = {"s": s, "p": p, "o": o, "ts": ts, "reason": first_fault(faults, len(lines))}
    return pa.table({"line": lines["line"], "text": lines["text"], **columns})


def _arrived(labels: pa.ChunkedArray, at: int, reason: str) -> tuple[pa.ChunkedArray, list[Fault]]:
    """One instant for all; what has one of its own is at fault."""
    labelled = pc.not_equal(labels, "")
    times = pa.chunked_array([pa.repeat(pa.scalar(at, pa.int64()), len(labels))])
    return times, [(labelled, reason)]


def _matches(column: pa.ChunkedArray, pattern: str) -> pa.ChunkedArray:
    """Whether each term matches as a whole; each distinct term is looked at once."""
    distinct = pc.unique(column)
    good = distinct.filter(pc.match_substring_regex(distinct, f"^(?:{pattern})$"))
    escaped = pc.match_substring(good, "\\")
    if pc.any(escaped).as_py():
        # RE2 cannot say which characters an escape may stand for.
        known = pa.array([_is_term(text) for text in good.filter(escaped).to_pylist()], pa.bool_())
        good = good.filter(pc.replace_with_mask(pc.invert(escaped), escaped, known))
    return pc.is_in(column, value_set=good)


def _is_term(text: str) -> bool:
    try:
        parse_term(text)
    except StreamError:
        return False
    return True


def first_fault(faults: list[Fault], rows: int) -> pa.ChunkedArray:
    """Per row, the first fault that holds, or null."""
    reason = pa.nulls(rows, pa.string())
    for holds, text in reversed(faults):
        reason = pc.if_else(pc.fill_null(holds, False), text, reason)
    return reason


def _statements(parsed: pa.Table) -> pa.Table:
    return parsed.select(STATEMENTS.names).cast(STATEMENTS)

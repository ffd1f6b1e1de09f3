"""The grammar of N-Quads, by which every line of a stream is judged, whoever reads it.

What RFC and W3C call relative is no IRI of N-Quads; between terms stand spaces and tabs, and no
other white space.  Labels are instants (`askos.io.instants`).
"""

from __future__ import annotations

from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from askos.errors import StreamError
from askos.io.instants import DATE_TYPE, Fault, instants
from askos.terms import parse_term

TERMS: Final = ("s", "p", "o")

# The productions of N-Triples, as RE2 spells them.
SCHEME: Final = "[A-Za-z][A-Za-z0-9+.-]*:"
"""How an IRI begins that is not relative."""
_ESCAPED: Final = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_IRI: Final = rf"""<{SCHEME}(?:[^\x00-\x20<>"{{}}|^`\\]|{_ESCAPED})*>"""
_LETTER: Final = (
    r"A-Za-z_:\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}"
    r"\x{200C}\x{200D}\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}"
    r"\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}"
)
_INNER: Final = _LETTER + r"0-9\x{B7}\x{300}-\x{36F}\x{203F}\x{2040}\-"
BLANK_NODE: Final = rf"_:[{_LETTER}0-9](?:[{_INNER}.]*[{_INNER}])?"
"""A blank node as a regular expression, for RE2 and for Java."""
TAG: Final = "@[A-Za-z]+(?:-[A-Za-z0-9]+)*"
"""The language of a literal, likewise."""
_LITERAL: Final = rf"""\"(?:[^"\\\r\n]|\\[tbnrf"'\\]|{_ESCAPED})*\"(?:\^\^{_IRI}|{TAG})?"""
NUMBER: Final = "<urn:ms:(-?[0-9]+)>"
"""A label that is a number, likewise."""
DATE: Final = rf'"([^"]*)"{DATE_TYPE}'
"""A label that is a date, likewise."""
SPACE: Final = r"[ \t]*"
"""What may stand between terms, likewise."""
STOP: Final = rf"{SPACE}\.{SPACE}(?:#.*)?"
"""How a statement ends, likewise."""

_ALLOWED: Final = {
    "s": (f"{_IRI}|{BLANK_NODE}", "the subject is not an IRI or blank node of N-Triples"),
    "p": (_IRI, "the predicate is not an IRI of N-Triples"),
    "o": (f"{_IRI}|{BLANK_NODE}|{_LITERAL}", "the object is not a term of N-Triples"),
}
_LABEL: Final = rf'(?:<urn:ms:-?[0-9]+>|"[^"]*"{DATE_TYPE})?'

# What looks like a statement, so that a bad one can be told what is bad about it.  The last
# alternative is for terms of other syntaxes: prefixed names and bare numbers.
_TOKEN: Final = (
    r"""<[^>]*>|\"(?:[^"\\]|\\.)*\"(?:\^\^<[^>]*>|@[^ \t<]*)?|_:[^ \t<"]+"""
    r"""|[^ \t<>"]*[:0-9][^ \t<>"]*"""
)
_ALIKE: Final = rf"(?:{_TOKEN}|\"[^\"]*\"{DATE_TYPE})?"


def _statement(*parts: str) -> str:
    named = zip((*TERMS, "graph"), parts, strict=True)
    groups = SPACE.join(f"(?P<{name}>{part})" for name, part in named)
    return f"(?s)^{groups}{STOP}$"


_STATEMENT: Final = _statement(*(_ALLOWED[name][0] for name in TERMS), _LABEL)
_OUTLINE: Final = _statement(_TOKEN, _TOKEN, _TOKEN, _ALIKE)

Reasons: TypeAlias = tuple[str, str]
"""Why a line is rejected that is no statement, and one that has a label where none may be."""
STREAM: Final[Reasons] = (
    "not a statement: three terms, a graph label and a dot",
    "a graph label, in a stream that is stamped on arrival",
)
TRIPLES: Final[Reasons] = (
    "not a statement: three terms and a dot",
    "a graph label, in a file of triples",
)


def judged(
    lines: pa.Array, numbers: pa.Array, at: int | None = None, reasons: Reasons = STREAM
) -> pa.Table:
    """Lines, as bytes, with their numbers: line, text, s, p, o, ts and, where one is at fault, the
    reason to reject it; no blanks, no comments.

    With `at`, they have no labels, and all of them arrive at that instant.
    """
    known = _legible(lines, numbers)
    fields = _fields(known["text"])
    s, p, o, graph = (pc.struct_field(fields, name) for name in (*TERMS, "graph"))
    ts, wrong = instants(graph) if at is None else _arrived(graph, at, reasons[1])
    faults = [
        (pc.invert(known["utf8"]), "the line is not UTF-8"),
        (pc.is_null(fields), reasons[0]),
        *wrong,
        *(
            (pc.invert(_matches(column, _ALLOWED[name][0])), _ALLOWED[name][1])
            for name, column in zip(TERMS, (s, p, o), strict=True)
        ),
    ]
    columns = {"s": s, "p": p, "o": o, "ts": ts, "reason": first_fault(faults, len(known))}
    return pa.table({"line": known["line"], "text": known["text"], **columns})


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


def _fields(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The parts of statements; of lines that are none, those of what they look like."""
    found = pc.extract_regex(texts, _STATEMENT)
    if not found.null_count:
        return found
    return pc.if_else(pc.is_valid(found), found, pc.extract_regex(texts, _OUTLINE))


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

"""Which dialect a text is written in, told from its stream clauses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from askos.translate.dialect import Dialect
from askos.translate.lexer import words_and_signs

# Without one of these words a text has no stream clause; most SPARQL has none of them.
_SUSPECTS: Final = ("stream", "window", "register", "aggregate")
_REPORTS: Final = frozenset(("RSTREAM", "ISTREAM", "DSTREAM"))
_EXTENTS: Final = frozenset(("RANGE", "ELEMS", "START"))

# A mark that could be of two dialects is listed below those that could not.
_ORDER: Final = (
    Dialect.RSPQL,
    Dialect.CQELS,
    Dialect.SPARQLSTREAM,
    Dialect.STREAMING,
    Dialect.CSPARQL,
)


def recognise(text: str) -> Dialect:
    """The dialect of a text; SPARQL 1.1 where nothing speaks of streams.

    >>> recognise("SELECT * FROM STREAM <s> [RANGE 10m STEP 1m] WHERE { ?s ?p ?o }")
    <Dialect.CSPARQL: 'csparql'>
    """
    lower = text.lower()
    if not any(word in lower for word in _SUSPECTS):
        return Dialect.SPARQL
    words = [*words_and_signs(text), "", "", "", "", "", ""]
    marks = set(chain.from_iterable(_marks(words, i) for i in range(len(words) - 6)))
    if marks == {Dialect.STREAMING, Dialect.CSPARQL}:
        # REGISTER QUERY .. FROM STREAM <s>, with the window forgotten
        return Dialect.CSPARQL if "WINDOW" not in words else Dialect.STREAMING
    if marks == {Dialect.CQELS, Dialect.CSPARQL} and "AGGREGATE" in words:
        return Dialect.CSPARQL  # that writes SLIDE for STEP
    return next((dialect for dialect in _ORDER if dialect in marks), Dialect.SPARQL)


def _marks(words: list[str], i: int) -> Iterator[Dialect]:
    """What the word at `i` tells; names stand as <> or ?, a bare one as itself."""
    before = words[max(i - 2, 0) : i]
    match words[i : i + 4]:
        case ["REGISTER", kind, *_]:
            yield Dialect.RSPQL if kind in _REPORTS else Dialect.CSPARQL
        case ["SELECT" | "CONSTRUCT", kind, *_] if kind in _REPORTS:
            yield Dialect.SPARQLSTREAM
        case ["AGGREGATE", "{", *_]:
            yield Dialect.CSPARQL
        case ["FROM", "NAMED", "WINDOW", *_] | ["WINDOW", "<>" | "?", "{", *_]:
            yield Dialect.RSPQL
        case ["WINDOW", extent, *_] if extent in _EXTENTS:
            yield Dialect.STREAMING
        case ["STREAM", *_] if before[-1:] in (["FROM"], ["NAMED"]):
            start = i + 2 if words[i + 1] == "NAMED" else i + 1
            yield from _source(words[start:], named=before[-1] == "NAMED")
        case ["STREAM", *_] if before[-1:] in (["REGISTER"], ["ON"]):
            return
        case ["STREAM", "[", *_] | ["STREAM", _, "[" | "{", *_]:
            yield Dialect.CQELS


def _source(words: list[str], named: bool) -> Iterator[Dialect]:
    """What follows FROM STREAM: a name, and perhaps a window in brackets."""
    name, bracket, *rest = words
    if bracket != "[":
        yield Dialect.STREAMING if name in ("<>", "") else Dialect.CQELS
        return
    window = rest[: rest.index("]")] if "]" in rest else rest[:6]
    match window:
        case ["NOW" | "FROM", _, *_]:
            yield Dialect.SPARQLSTREAM
        case ["NOW"] if named:
            yield Dialect.SPARQLSTREAM
        case ["RANGE", "TRIPLES", *_]:
            yield Dialect.CSPARQL
        case ["RANGE", *rest] if name == "<>":
            yield Dialect.CQELS if "SLIDE" in rest else Dialect.CSPARQL
        case _:
            yield Dialect.CQELS

"""N-Triples read block by block: only the lines that a query can use are parsed.

Groppe et al., section 1: a streaming engine discards "irrelevant input as early as possible".
Ours looks for the terms of the query's patterns in the bytes of a line, and parses what has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.errors import StreamError
from askos.io.files import STDIN, blocks, opened, syntax_suffix
from askos.io.nquads import REJECTED, STATEMENTS, read_triples
from askos.io.ntriples import blank_prefix
from askos.io.statements import split_lines
from askos.terms import BNode, Literal, Term, n3

Wanted: TypeAlias = Iterable[frozenset[Term]] | None
"""What lines are parsed: those that have all terms of one of the sets; None: all."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """What was read in one go.

    `triples` are those to be looked at: s, p, o and as `ts` their place, which is the number of
    the line, files being counted on.  `refused` says of lines that are no triples which and why.
    `places` is how many lines have been read in all, `share` how much of the bytes, if that can
    be known.
    """

    triples: pa.Table
    refused: Sequence[str]
    places: int
    share: float | None


def read_lines(files: Sequence[Path], wanted: Wanted = None) -> Iterator[Block]:
    """The triples of files of N-Triples (.nt, also .gz; `-` is standard input), in order.

    Lines that have none of the `wanted` terms are dropped unparsed, so what is wrong with them
    is not told.  Blank nodes are the file's own.  StreamError if a file cannot be read.
    """
    for file in files:
        check_lines(file)
    sizes = [0 if file == STDIN else file.stat().st_size for file in files]
    whole = 0 if STDIN in files else sum(sizes)
    places, before = 0, 0
    matches = matcher(wanted)
    for file, size in zip(files, sizes, strict=True):
        start = places
        for block, read in blocks(file):
            lines = split_lines(block)
            numbers = pa.array(np.arange(places - start, places - start + len(lines)) + 1)
            kept = matches(lines)
            triples, rejected = _parsed(lines.filter(kept), numbers.filter(kept))
            places += len(lines)
            share = min((before + read) / whole, 1.0) if whole else None
            yield Block(_placed(triples, file, start), _told(rejected, file), places, share)
        before += size


def _parsed(lines: pa.Array, numbers: pa.Array) -> tuple[pa.Table, pa.Table]:
    if not len(lines):  # as in most blocks, where a query wants little
        return STATEMENTS.empty_table(), REJECTED.empty_table()
    return read_triples(lines, numbers)


def check_lines(file: Path) -> None:
    """Refuse a file that is not there, or is not read line by line."""
    suffix = syntax_suffix(file)
    if file != STDIN and suffix != ".nt":
        message = f"{file.name} cannot be read as a stream: {suffix!r} is not N-Triples"
        raise StreamError(
            message, hint="streams of triples are .nt or .nt.gz; --graph loads others"
        )
    if file != STDIN:
        opened(file).close()


def _placed(triples: pa.Table, file: Path, start: int) -> pa.Table:
    """With places that go on from the file before, and blank nodes of the file."""
    table = triples.select(STATEMENTS.names[:4])
    for place, name in enumerate("spo"):
        if name != "p":
            own = pc.replace_substring_regex(table[name], "^_:", f"_:{blank_prefix(file)}")
            table = table.set_column(place, name, own)
    return table.set_column(3, "ts", pc.add(table["ts"], start)) if start else table


def _told(rejected: pa.Table, file: Path) -> list[str]:
    return [f"{file}, line {row['line']}: {row['reason']}" for row in rejected.to_pylist()]


# ---- which lines ---------------------------------------------------------------------------------


def matcher(wanted: Wanted) -> Callable[[pa.Array], pa.Array]:
    """A function that says which lines may hold a wanted triple.  One with a backslash may spell a
    term otherwise than the query, so it always does."""
    if wanted is None:
        return lambda lines: pa.repeat(pa.scalar(True), len(lines))
    sets = [frozenset(text for term in terms for text in _certain(term)) for terms in wanted]
    if frozenset() in sets:
        return matcher(None)

    def matches(lines: pa.Array) -> pa.Array:
        has = {text: pc.match_substring(lines, text) for text in set().union(*sets)}
        found = pc.match_substring(lines, "\\")
        for texts in sets:
            first, *others = (has[text] for text in sorted(texts))
            for other in others:
                first = pc.and_(first, other)
            found = pc.or_(found, first)
        return found

    return matches


def _certain(term: Term) -> list[str]:
    """What is in every line without a backslash that has the term; blank nodes have no name that
    counts, tags may be in capitals, and a tab need not be escaped."""
    match term:
        case BNode():
            return []
        case Literal() if "\\" in n3(Literal(str(term))):
            return []
        case Literal(language=str()):
            return [f"{n3(Literal(str(term)))}@"]
    return [n3(term)]

"""Triples with time as N-Quads, written and read back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from askos.errors import StreamError
from askos.interval import Interval
from askos.io.ntriples import statements
from askos.io.results.rows import Row, Table
from askos.terms import Triple, n3, parse_term

_LABEL: Final = re.compile(r"<urn:ms:([0-9]{1,19})(?:/([0-9]{1,19}))?>")


def quads(table: Table) -> Iterator[str]:
    """CONSTRUCT and DESCRIBE: one triple to a line, in fourth place the interval of its validity,
    `<urn:ms:FROM/TO>`, or the instant of the report, `<urn:ms:AT>`; without time, N-Triples.

    The instant is written as a stream's arrivals are (`askos.io.nquads`), so what one query
    reports another can read.
    """
    for item, when in table.rows:
        if not isinstance(item, Triple):
            hint = "SELECT and ASK can be written as json, xml, csv or tsv"
            raise StreamError(f"{item!r} is no triple, which N-Quads consist of", hint=hint)
        yield " ".join([*map(n3, item), *_label(table.times(when)), ".\n"])


def _label(times: tuple[int, ...]) -> list[str]:
    return [f"<urn:ms:{'/'.join(map(str, times))}>"] if times else []


def read_quads(lines: Iterable[str], name: str = "") -> Iterator[Row]:
    """What `quads` wrote: triples with their intervals or instants.

    >>> list(read_quads(["<T1> <site> <north> <urn:ms:0/5> ."]))[0][1]
    Interval(start=0, end=5)
    """
    for number, s, p, o, label in statements(lines, name, labels=True):
        try:
            triple = Triple(parse_term(s), parse_term(p), parse_term(o))  # type: ignore[arg-type]
            yield triple, _time(label)
        except StreamError as error:
            raise StreamError(f"{name}, line {number}: {error.message}", hint=error.hint) from None


def _time(label: str) -> Interval | int | None:
    if not label:
        return None
    found = _LABEL.fullmatch(label)
    if not found:
        hint = "write <urn:ms:FROM/TO> for an interval, <urn:ms:AT> for an instant"
        raise StreamError(f"{label} says nothing of time", hint=hint)
    start, end = found.groups()
    return int(start) if end is None else Interval(int(start), int(end))

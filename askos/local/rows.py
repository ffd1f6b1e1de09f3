"""Rows in, elements out: between rdflib's terms and columns of ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import pyarrow as pa

from askos.algebra import Element, Payload, Stamped
from askos.algebra.streams import Item
from askos.columns import Batch, decode
from askos.interval import FOREVER, Interval
from askos.terms import Solution, Term, Triple, Variable, n3

Spelled: TypeAlias = Term | str
Row: TypeAlias = (
    Stamped | tuple[Spelled, Spelled, Spelled, int] | Triple | tuple[Spelled, Spelled, Spelled]
)
"""A triple and when it arrived, if that is not said of all; terms may be given in N-Triples."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that was no triple, and why."""

    row: str
    reason: str


def table_of(rows: Iterable[Row]) -> pa.Table:
    """Rows as columns of texts; what is no term or no time becomes null, and is refused later."""
    columns: dict[str, list[Any]] = {"s": [], "p": [], "o": [], "ts": []}
    for row in rows:
        *terms, at = _parts(row)
        for name, term in zip("spo", terms, strict=True):
            columns[name].append(_text(term))
        columns["ts"].append(at if type(at) is int and 0 <= at <= FOREVER else None)
    types = [pa.string()] * 3 + [pa.int64()]
    arrays = [pa.array(c, kind) for c, kind in zip(columns.values(), types, strict=True)]
    return pa.table(arrays, list(columns))


def _parts(row: Row) -> tuple[Any, ...]:
    parts = (*row.triple, row.at) if isinstance(row, Stamped) else tuple(row)
    return (*parts, None) if len(parts) == len("spo") else parts


def stamped(table: pa.Table, at: int) -> pa.Table:
    """A table whose rows all arrive at one instant."""
    times = pa.repeat(pa.scalar(at, pa.int64()), len(table))
    return table.select(["s", "p", "o"]).append_column("ts", times)


def _text(term: object) -> str | None:
    text = n3(term) if isinstance(term, Term) else term
    if not isinstance(text, str):
        return None
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate is no character
        return None
    return text


def elements(batch: Batch, payload: Payload = Payload.SOLUTION) -> list[Element]:
    """A batch as elements with rdflib terms."""
    columns = [decode(ids, batch.dictionary) for ids in batch.columns.values()]
    rows = zip(*columns, strict=True) if columns else [()] * len(batch)
    make = _ITEMS[payload]
    return [
        Element(make(tuple(batch.columns), row), Interval(start, end))
        for row, start, end in zip(rows, batch.ts.tolist(), batch.te.tolist(), strict=True)
    ]


def _solution(variables: Sequence[Variable], row: Sequence[Any]) -> Item:
    return Solution({v: t for v, t in zip(variables, row, strict=True) if t is not None})


_ITEMS: Final[Mapping[Payload, Callable[[Sequence[Variable], Sequence[Any]], Item]]] = {
    Payload.SOLUTION: _solution,
    Payload.TRIPLE: lambda variables, row: Triple(*row),
    Payload.BOOLEAN: lambda variables, row: str(row[0]) == "true",
}

"""Rows in, elements out: between rdflib's terms and columns of ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import pyarrow as pa

from askos.algebra import Answer, Element, Payload, Stamped
from askos.algebra.expressions.order import item_key
from askos.algebra.streams import Item
from askos.columns import Batch, decode
from askos.columns.coalesce import coalesce
from askos.columns.hidden import HEADER, PLACE, values
from askos.columns.legible import shown as legible
from askos.errors import StreamError
from askos.interval import FOREVER, Interval
from askos.terms import Solution, Term, Triple, Variable, n3

Spelled: TypeAlias = Term | str
Row: TypeAlias = (
    Stamped | tuple[Spelled, Spelled, Spelled, int] | Triple | tuple[Spelled, Spelled, Spelled]
)
"""A triple and when it arrived, if that is not said of all; terms may be given in N-Triples."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that was no triple, or was stamped too late, and why."""

    row: str
    reason: str


def refusal(columns: Mapping[str, Any], row: int, reason: str) -> Refused:
    """A row of columns that is refused; columns `file` and `line` say where it is from."""
    told = {name: legible(column[row]) for name, column in columns.items()}
    file, line = told.pop("file", None), told.pop("line", None)
    place = [str(file)] * (file is not None) + [f"line {line}"] * (line is not None)
    return Refused(str(list(told.values())), ": ".join([*filter(None, [", ".join(place)]), reason]))


def table_of(rows: Iterable[Row]) -> pa.Table:
    """Rows as columns of texts; what is no term or no time becomes null, and is refused later."""
    columns: dict[str, list[Any]] = {"s": [], "p": [], "o": [], "ts": [], "seq": []}
    for row in rows:
        *terms, at = _parts(row)
        for name, term in zip("spo", terms, strict=True):
            columns[name].append(_text(term))
        columns["ts"].append(at if type(at) is int and 0 <= at <= FOREVER else None)
        columns["seq"].append(row.sequence if isinstance(row, Stamped) else None)
    types = [pa.string()] * 3 + [pa.int64()] * 2
    arrays = [pa.array(c, kind) for c, kind in zip(columns.values(), types, strict=True)]
    return pa.table(arrays, list(columns))


def columns_of(table: pa.Table) -> dict[str, Any]:
    """The columns of a table, each in one piece, which most are already; refused if it lacks one
    of s, p, o and ts."""
    names = table.column_names
    if any(name not in names for name in ("s", "p", "o", "ts")):
        raise StreamError(
            f"a stream needs columns s, p, o and ts, but this one has {', '.join(names) or 'none'}",
            hint="s, p and o are N-Triples texts, ts is milliseconds, or a timestamp",
        )
    return {name: _whole(table[name]) for name in names}


def _whole(column: pa.ChunkedArray) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _parts(row: Row) -> tuple[Any, ...]:
    """s, p, o and the time; what is no row at all is an o alone, to be refused as such."""
    try:
        parts = (*row.triple, row.at) if isinstance(row, Stamped) else tuple(row)
    except Exception:  # whatever it is, the others are read
        parts = ()
    if len(parts) not in (3, 4) or isinstance(row, str):
        return None, None, repr(row), None
    return (*parts, None)[:4]


def stamped(table: pa.Table, at: int) -> pa.Table:
    """A table whose rows all arrive at one instant, and are stamped with it."""
    times = pa.repeat(pa.scalar(at, pa.int64()), len(table))
    return table.select(["s", "p", "o"]).append_column("ts", times).append_column("arrived", times)


def _text(term: object) -> str | None:
    text = n3(term) if isinstance(term, Term) else term
    if not isinstance(text, str):
        return None
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate is no character
        return None
    return text


def as_table(results: Batch, columns: Sequence[Variable], *, told: bool) -> pa.Table:
    """Results as columns of texts: elements with their intervals, or rows that are `told` at an
    instant, without headers."""
    return as_texts(shown(results, columns, told=told), columns, told=told)


def shown(results: Batch, columns: Sequence[Variable], *, told: bool) -> Batch:
    """What of results is shown: rows that are `told` at an instant, without headers, or elements
    by these columns."""
    if told:
        return results.where(results.column(HEADER) == 0)
    return coalesce(results.project(columns))


def as_texts(rows: Batch, columns: Sequence[Variable], *, told: bool) -> pa.Table:
    """Rows as columns of texts, and their times."""
    texts = {str(v): rows.dictionary.texts(rows.column(v)) for v in columns}
    times = {"at": rows.ts} if told else {"ts": rows.ts, "te": rows.te}
    if PLACE in rows.columns:
        times["place"] = values(rows.column(PLACE))
    return pa.table({**texts, **{name: pa.array(column) for name, column in times.items()}})


def answers(batch: Batch, payload: Payload) -> list[Answer]:
    """Rows of reports under their headers, in the order of time."""
    header = batch.column(HEADER) != 0
    rows: dict[int, list[tuple[Any, Item]]] = {at: [] for at in batch.ts[header].tolist()}
    told = batch.where(~header)
    ordered = PLACE in told.columns
    places = values(told.column(PLACE)).tolist()
    own = told.project([v for v in told.columns if v not in (HEADER, PLACE)])
    for element, place in zip(elements(own, payload), places, strict=True):
        key = place if ordered else item_key(element.item, tuple(own.columns))
        rows.setdefault(element.interval.start, []).append((key, element.item))
    return [
        Answer(at, tuple(item for _, item in sorted(found, key=lambda pair: pair[0])))
        for at, found in sorted(rows.items())
    ]


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

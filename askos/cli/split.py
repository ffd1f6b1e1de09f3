"""Answers of several queries as text: each says of which query it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from askos.errors import require

if TYPE_CHECKING:
    from askos.prepared import Prepared
    from askos.queries import Queries

_OWN: Final = ("query", "at", "ts", "te")


def texts(queries: Queries, told: Iterable[tuple[str, Any]], form: str) -> Iterator[str]:
    """Reports as they come; intervals at the end, since until then they come in pieces."""
    by_name = dict(zip(queries.names, queries.queries, strict=True))
    if form in ("csv", "tsv", "xml"):
        return _flat(by_name, told, form)
    return _one_by_one(by_name, told, form)


def _one_by_one(
    queries: Mapping[str, Prepared], told: Iterable[tuple[str, Any]], form: str
) -> Iterator[str]:
    """A heading for each report, or a line of JSON with a member `query`."""
    from askos.io.results import Time, write, write_reports

    for name, when, items in _ordered(queries, told):
        query = queries[name]
        if when is None:
            text = "".join(write(form, query.columns, items, Time.INTERVAL, query.prefixes))
            heading = f"{name}\n"
        else:
            text = "".join(write_reports(form, query.columns, [(when, items)], query.prefixes))
            heading = f"{name} "
        if form == "json":
            yield json.dumps({"query": name, **json.loads(text)}, ensure_ascii=False) + "\n"
        else:
            yield heading + text


def _ordered(
    queries: Mapping[str, Prepared], told: Iterable[tuple[str, Any]]
) -> Iterator[tuple[str, int | None, Any]]:
    """Reports with their instants; then the settled rows of each query with intervals."""
    from askos.algebra import Answer, Intervals
    from askos.io.results import settled

    pieces: dict[str, list[Any]] = {
        name: [] for name, query in queries.items() if isinstance(query.report, Intervals)
    }
    for name, answer in told:
        if isinstance(answer, Answer):
            yield name, answer.at, answer.rows
        else:
            pieces[name].append((answer.item, answer.interval))
    for name, rows in pieces.items():
        yield name, None, settled(rows)


def _flat(
    queries: Mapping[str, Prepared], told: Iterable[tuple[str, Any]], form: str
) -> Iterator[str]:
    """One table of all answers: `query`, their times, and whatever variables any query has."""
    from askos.io.results import write
    from askos.terms import Variable

    variables = dict.fromkeys(v for query in queries.values() for v in query.columns)
    for name in _OWN:
        taken = f"?{name} has the name of a column that answers of several queries have"
        require(Variable(name) not in variables, taken, "rename the variable")
    columns = [*map(Variable, _OWN), *variables]
    return write(form, columns, ((row, None) for row in _rows(queries, told)))


def _rows(queries: Mapping[str, Prepared], told: Iterable[tuple[str, Any]]) -> Iterator[Any]:
    from askos.io.results import Table
    from askos.terms import XSD, Literal, Solution, Variable

    def number(value: int) -> Literal:
        return Literal(str(value), datatype=XSD.integer)

    for name, when, items in _ordered(queries, told):
        for item in items:
            said, times = (item, {"at": when}) if when is not None else (item[0], None)
            if times is None:
                times = {"ts": item[1].start, "te": item[1].end}
            (row,) = Table(queries[name].columns, [(said, None)]).solutions
            own = {Variable(key): number(value) for key, value in times.items()}
            yield Solution({Variable("query"): Literal(name), **own, **row})

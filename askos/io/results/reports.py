"""Reports as text, each as it comes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from askos.interval import moment
from askos.io.results.rows import Item, Row, Table, Time
from askos.io.results.sparql_json import binding
from askos.io.results.terminal import terminal
from askos.terms import Variable

Report: TypeAlias = tuple[int, Sequence[Item]]
"""The instant of a report, and its rows in order."""


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports to be written, which are read once: their columns, and in the order of time they
    themselves."""

    columns: tuple[Variable, ...]
    reports: Iterable[Report]
    prefixes: Mapping[str, str] = field(default_factory=dict)

    def flat(self) -> Table:
        """All rows as one table, each with its instant; of a report without rows nothing is
        left."""
        rows = ((item, at) for at, items in self.reports for item in items)
        return Table(self.columns, rows, Time.INSTANT, self.prefixes)

    def one(self, items: Sequence[Item]) -> Table:
        """The rows of one report, which say nothing of time."""
        rows: list[Row] = [(item, None) for item in items]
        return Table(self.columns, rows, prefixes=self.prefixes)


def json_reports(told: Reports) -> Iterator[str]:
    """Each report is a line: a document of SPARQL's JSON results with one more member, its instant
    `at`.  So a reader need not wait for the end, and reports without rows are there too."""
    head = {"vars": [str(v) for v in told.columns]}
    for at, items in told.reports:
        table = told.one(items)
        found = [binding(table.variables, row) for row in table.solutions]
        document = {"at": at, "head": head, "results": {"bindings": found}}
        yield json.dumps(document, ensure_ascii=False) + "\n"


def terminal_reports(told: Reports) -> Iterator[str]:
    """A heading and a table for each report with rows; one line for what fits in one."""
    between = ""
    for at, items in told.reports:
        heading = f"at {moment(at)}"
        line = _in_one_line(told, items)
        if line is not None:
            yield f"{between}{heading}: {line}\n"
            between = ""
        else:
            yield "".join([between, heading, "\n", *terminal(told.one(items))])
            between = "\n"


def _in_one_line(told: Reports, items: Sequence[Item]) -> str | None:
    match items:
        case []:
            return "no rows"
        case [bool() as verdict]:
            return "yes" if verdict else "no"
    if not told.columns:
        return f"{'1 row' if len(items) == 1 else f'{len(items)} rows'} without columns"
    return None

"""Answers for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from askos.interval import Interval
from askos.io.results.quads import quads
from askos.io.results.rows import Item, Table
from askos.io.table import Cell
from askos.io.table import table as aligned
from askos.screen import visible
from askos.terms import Solution, Triple, n3


def terminal(table: Table) -> Iterator[str]:
    """A table for SELECT, yes or no for ASK, N-Quads for CONSTRUCT and DESCRIBE.

    Holds all rows of a table: columns are as wide as what is in them.
    """
    verdict, table = table.verdict()
    if verdict is not None:
        yield "yes\n" if verdict else "no\n"
        return
    first, table = table.peek()
    if first is not None and isinstance(first[0], Triple):
        yield from (visible(line.removesuffix("\n")) + "\n" for line in quads(table))
        return
    rows = [_cells(table, item, when) for item, when in table.rows]
    yield aligned([str(v) for v in table.variables], rows, table.prefixes) + "\n"


def _cells(table: Table, item: Item, when: Interval | int | None) -> list[Cell]:
    times = table.times(when)
    if isinstance(item, Solution):
        return [*(n3(item[v]) if v in item else None for v in table.columns), *times]
    return [item is True, *times]

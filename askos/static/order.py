"""Order: ranks of ORDER BY, the total order behind them, slices, and duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from askos.algebra import Distinct, OrderBy, Slice, SortKey
from askos.algebra.expressions.order import Key, term_key, value_key
from askos.static import scalars
from askos.static.evaluation import Evaluation, Request, Steps
from askos.static.interning import UNBOUND
from askos.static.table import Env, Rank, Row, Table, picker
from askos.terms import Term, Variable


def orderby(at: Evaluation, plan: OrderBy, env: Env, seed: Table | None) -> Steps:
    """The same bag, each solution with its rank, which outlives what only picks solutions."""
    table = yield Request(plan.input, env, seed)
    columns = [_ranks(at, key, table, env) for key in plan.keys]
    return replace(table, ranks=list(zip(*columns, strict=True)))


def _ranks(at: Evaluation, key: SortKey, table: Table, env: Env) -> list[int]:
    """The places of the rows by one sort key; equal values share a place."""
    value = scalars.values(at, key.expression, table, env)
    numbers = [value(row) for row in table.rows]
    place = _places(at, numbers, value_key)
    return [-place[n] if key.descending else place[n] for n in numbers]


def _places(
    at: Evaluation, numbers: Iterable[int], key: Callable[[Term | None], Key]
) -> dict[int, int]:
    """Per term the place of its key among all, so that rows sort by comparing numbers."""
    keys = {n: key(None if n == UNBOUND else at.terms[n]) for n in set(numbers)}
    places, before, place = dict[int, int](), None, 0
    for number in sorted(keys, key=keys.__getitem__):
        place += keys[number] != before
        places[number], before = place, keys[number]
    return places


def in_order(at: Evaluation, table: Table, times: Sequence[Variable] = ()) -> Table:
    """The rows by rank, then by the total order on solutions: column by column, by name; arrival
    times come last."""
    place = _places(at, (number for row in table.rows for number in row), term_key)
    last = [column for column in times if column in table.columns]
    order = [table.columns.index(c) for c in (*sorted({*table.columns} - {*last}), *last)]
    ranks = table.ranks or [()] * len(table.rows)

    def key(pair: tuple[Rank, Row]) -> tuple[Rank, tuple[int, ...]]:
        rank, row = pair
        return rank, tuple([place[row[i]] for i in order])

    pairs = sorted(zip(ranks, table.rows, strict=True), key=key)
    return replace(table, ranks=[rank for rank, _ in pairs], rows=[row for _, row in pairs])


def slice(at: Evaluation, plan: Slice, env: Env, seed: Table | None) -> Steps:  # noqa: A001
    """Some of the sorted solutions, or of each group of them."""
    table = in_order(at, (yield Request(plan.input, env)), plan.times)
    assert table.ranks is not None
    end = None if plan.limit is None else plan.offset + plan.limit
    group = picker([i for i, column in enumerate(table.columns) if column in plan.by])
    groups: dict[Row, list[int]] = {}
    for i, row in enumerate(table.rows):
        groups.setdefault(group(row), []).append(i)
    kept = [i for members in groups.values() for i in members[plan.offset : end]]
    rows, ranks = [table.rows[i] for i in kept], [table.ranks[i] for i in kept]
    return replace(table, rows=rows, ranks=ranks)


def distinct(at: Evaluation, plan: Distinct, env: Env, seed: Table | None) -> Steps:
    """Every solution once, at its first rank, with the latest of its arrival times."""
    table = yield Request(plan.input, env, seed)
    if plan.times:
        table = _latest(at, table, plan.times)
    if table.ranks is None:
        return replace(table, rows=list(dict.fromkeys(table.rows)))
    first: dict[Row, Rank] = {}
    for row, rank in zip(table.rows, table.ranks, strict=True):
        first[row] = min(rank, first.get(row, rank))
    return replace(table, rows=list(first), ranks=list(first.values()))


def _latest(at: Evaluation, table: Table, times: Sequence[Variable]) -> Table:
    """Rows that differ in arrival times alone, each with the latest of them all."""
    last = [i for i, column in enumerate(table.columns) if column in times]
    same = picker([i for i, column in enumerate(table.columns) if column not in times])
    place = _places(at, (row[i] for row in table.rows for i in last), term_key)
    found: dict[Row, list[int]] = {}
    for row in table.rows:
        kept = found.setdefault(same(row), [row[i] for i in last])
        for n, i in enumerate(last):
            kept[n] = max(kept[n], row[i], key=place.__getitem__)

    def late(row: Row) -> Row:
        new = dict(zip(last, found[same(row)], strict=True))
        return tuple([new.get(i, number) for i, number in enumerate(row)])

    return replace(table, rows=[late(row) for row in table.rows])

"""Order: ranks of ORDER BY, the total order behind them, slices, and duplicates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from askos.algebra import Distinct, OrderBy, Slice, SortKey
from askos.algebra.expressions.order import Key, term_key, value_key
from askos.columns.keys import distinct as numbered
from askos.columns.keys import nth
from askos.static import scalars
from askos.static.evaluation import Evaluation, Request, Steps
from askos.static.interning import UNBOUND
from askos.static.joins import once, sieved
from askos.static.table import Env, Ids, Table
from askos.terms import Term, Variable


def orderby(at: Evaluation, plan: OrderBy, asked: Request) -> Steps:
    """The same bag, each solution with its rank, which outlives what only picks solutions."""
    table = yield asked.below(plan.input)
    return replace(table, ranks=tuple(_ranks(at, key, table, asked.env) for key in plan.keys))


def _ranks(at: Evaluation, key: SortKey, table: Table, env: Env) -> Ids:
    """The places of the rows by one sort key; equal values share a place."""
    places = _places(at, scalars.values(at, key.expression, table, env), value_key)
    return -places if key.descending else places


def _places(at: Evaluation, ids: Ids, key: Callable[[Term | None], Key]) -> Ids:
    """Per term the place of its key among all, so that rows sort by comparing numbers."""
    known, codes = np.unique(ids, return_inverse=True)
    keys = [key(None if n == UNBOUND else at.terms[n]) for n in known.tolist()]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    places, place = np.zeros(len(keys), np.int64), 0
    for before, number in pairwise(order):
        place += keys[number] != keys[before]
        places[number] = place
    return places[codes]


# ---- the total order --------------------------------------------------------------------------


def in_order(
    at: Evaluation, table: Table, times: Sequence[Variable] = (), first: int | None = None
) -> Table:
    """The rows by rank, then by the total order on solutions: column by column, by name; arrival
    times come last.  Where the `first` so many are enough, some others may be left out: the terms
    of a column are only looked at where those before it leave a choice.
    """
    last = [column for column in times if column in table.columns]
    names = (*sorted({*table.columns} - {*last}), *last)
    rows, compared = np.arange(table.size), list[Ids]()
    criteria: list[Ids | Variable] = [*(table.ranks or ()), *names]
    for by in criteria:
        if isinstance(by, Variable):
            compared.append(_places(at, table.column(by)[rows], term_key))
        else:
            compared.append(by[rows])
        if first is not None and first < len(rows):
            chosen = _least(compared, first)
            rows, compared = rows[chosen], [column[chosen] for column in compared]
    found = table.take(rows[np.lexsort(compared[::-1])] if compared else rows)
    return found if found.ranks is not None else replace(found, ranks=())


def _least(columns: Sequence[Ids], first: int) -> Ids:
    """The rows that may be among the first: those not after the last of them, ties included."""
    codes, _ = numbered(columns, len(columns[0]))
    if not first:
        return np.zeros(0, np.int64)
    return np.flatnonzero(codes <= np.partition(codes, first - 1)[first - 1])


def slice(at: Evaluation, plan: Slice, asked: Request) -> Steps:  # noqa: A001
    """Some of the sorted solutions, or of each group of them."""
    end = None if plan.limit is None else plan.offset + plan.limit
    found = yield Request(plan.input, asked.env)
    table = in_order(at, found, plan.times, None if plan.by else end)
    groups = [table.column(column) for column in plan.by if column in table.columns]
    codes, _ = numbered(groups, table.size)
    place = nth(codes)
    kept = (place >= plan.offset) & (place < (table.size if end is None else end))
    return table.take(np.flatnonzero(kept))


# ---- duplicates -------------------------------------------------------------------------------


def distinct(at: Evaluation, plan: Distinct, asked: Request) -> Steps:
    """Every solution once, at its first rank, with the latest of its arrival times."""
    if plan.times:
        table = _latest(at, (yield asked.all_below(plan.input)), plan.times)
        return _first(table)
    return (yield from sieved(asked, plan.input, _each_once))


def _each_once(table: Table) -> Steps:
    return _first(table)
    yield  # a generator that asks for nothing


def _first(table: Table) -> Table:
    """Every row once, at its first rank."""
    return once(table.take(np.lexsort(table.ranks[::-1])) if table.ranks else table)


def _latest(at: Evaluation, table: Table, times: Sequence[Variable]) -> Table:
    """Rows that differ in arrival times alone, each with the latest of them all."""
    same = [c for c in table.columns if c not in times]
    codes, _ = numbered([table.column(c) for c in same], table.size)
    ids = list(table.ids)
    for place, column in enumerate(table.columns):
        if column in times:
            late = np.lexsort((_places(at, ids[place], term_key), codes))
            latest = np.zeros(table.size, np.int64)
            latest[codes[late]] = ids[place][late]  # the last of each code stays
            ids[place] = latest[codes]
    return replace(table, ids=tuple(ids))

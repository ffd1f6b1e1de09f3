"""Grouping, aggregates beside the solutions, and the numbering of copies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from askos.algebra import (
    Aggregate,
    AggregateClauses,
    CopyNumber,
    Count,
    Expression,
    Group,
    Ref,
    Sample,
)
from askos.algebra.expressions import ExpressionError
from askos.columns.keys import distinct, nth
from askos.static import scalars
from askos.static.evaluation import Evaluation, Request, Steps
from askos.static.interning import UNBOUND
from askos.static.order import in_order
from askos.static.rows import agreeing
from askos.static.table import Env, Ids, Table, unbound
from askos.terms import XSD, Literal, is_anonymous


def group(at: Evaluation, plan: Group, asked: Request) -> Steps:
    """One solution per group (SPARQL 1.1, 18.5); unbound is a key like others.

    Inside EXISTS, only keys that are plain variables let bindings through to what is grouped.
    """
    plain = {key.variable for key in plan.keys if key.value == Ref(key.variable)}
    inner = {v: number for v, number in asked.env.items() if v in plain}
    table = yield Request(plan.input, inner)
    keys = [scalars.values(at, _expression(key.value), table, inner) for key in plan.keys]
    codes, examples = distinct(keys, table.size)
    count = len(examples) if keys else 1
    folds = [
        _folded(at, _aggregate(made.value), table, inner, codes, count) for made in plan.aggregates
    ]
    ids = (*(key[examples] for key in keys), *folds)
    columns = tuple(made.variable for made in plan.keys + plan.aggregates)
    computed = [column for column in columns if column not in plain]
    return agreeing(Table(columns, ids, count, unbound(columns, ids)), asked.env, computed)


def aggregateclauses(at: Evaluation, plan: AggregateClauses, asked: Request) -> Steps:
    """Every solution with the aggregates of its groups (C-SPARQL 2010, section 3.1)."""
    table = yield Request(plan.input, asked.env)
    extended = table
    for clause in plan.clauses:
        codes, groups = distinct([table.column(v) for v in clause.by], table.size)
        folded = _folded(at, clause.aggregate, table, asked.env, codes, len(groups))
        extended = extended.with_column(clause.variable, folded[codes])
    return agreeing(extended, asked.env, [clause.variable for clause in plan.clauses])


def copynumber(at: Evaluation, plan: CopyNumber, asked: Request) -> Steps:
    """0, 1, .. for the copies of each solution."""
    table = yield Request(plan.input, asked.env)
    if plan.times:
        table = in_order(at, replace(table, ranks=None), plan.times)
    # Columns that no row binds make no difference, so rows are equal where solutions are.
    same = [table.column(column) for column in table.columns if column not in plan.times]
    codes, _ = distinct(same, table.size)
    numbers = _integers(at, nth(codes))
    return agreeing(table.with_column(plan.variable, numbers), asked.env, (plan.variable,))


# ---- aggregates -------------------------------------------------------------------------------


def _folded(
    at: Evaluation, aggregate: Aggregate, table: Table, env: Env, codes: Ids, count: int
) -> Ids:
    """The ids of an aggregate for each of `count` groups of rows; UNBOUND for an error."""
    if isinstance(aggregate, Count) and aggregate.expression is None:
        return _count_solutions(at, table, aggregate.distinct, codes, count)
    assert aggregate.expression is not None
    values = scalars.values(at, aggregate.expression, table, env)
    bound = values != UNBOUND
    failed = np.zeros(count, np.bool_)
    if not isinstance(aggregate, Count | Sample):  # which pass over errors
        failed[codes[~bound]] = True
    codes, values = codes[bound], values[bound]
    if aggregate.distinct:
        first = np.sort(distinct([codes, values], len(codes))[1])
        codes, values = codes[first], values[first]
    if isinstance(aggregate, Count):
        return _integers(at, np.bincount(codes, minlength=count))
    folds = [_fold(at, aggregate, numbers) for numbers in _groups(codes, values, count)]
    return np.where(failed, UNBOUND, np.array(folds, np.int64))


def _groups(codes: Ids, values: Ids, count: int) -> list[list[int]]:
    """The values of each group, as they come."""
    numbers = values[np.argsort(codes, kind="stable")].tolist()
    ends = np.cumsum(np.bincount(codes, minlength=count)).tolist()
    return [numbers[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _fold(at: Evaluation, aggregate: Aggregate, numbers: list[int]) -> int:
    try:
        return at.terms.intern(aggregate.fold([at.terms[number] for number in numbers]))
    except ExpressionError:
        return UNBOUND


def _count_solutions(at: Evaluation, table: Table, once: bool, codes: Ids, count: int) -> Ids:
    """COUNT(*): of distinct solutions, as the query can see them."""
    if once:
        seen = [table.column(c) for c in table.columns if not is_anonymous(c)]
        codes = codes[distinct([codes, *seen], table.size)[1]]
    return _integers(at, np.bincount(codes, minlength=count))


def _integers(at: Evaluation, numbers: Ids) -> Ids:
    """The ids of whole numbers."""
    known, places = np.unique(numbers, return_inverse=True)
    terms = (Literal(str(number), datatype=XSD.integer) for number in known.tolist())
    return np.array([at.terms.intern(term) for term in terms], np.int64)[places]


def _expression(value: object) -> Expression:
    assert isinstance(value, Expression)
    return value


def _aggregate(value: object) -> Aggregate:
    assert isinstance(value, Aggregate)
    return value

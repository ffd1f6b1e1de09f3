"""Grouping, aggregates beside the solutions, and the numbering of copies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

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
from askos.static import scalars
from askos.static.evaluation import Evaluation, Request, Steps
from askos.static.interning import UNBOUND
from askos.static.order import in_order
from askos.static.rows import agreeing, with_column
from askos.static.table import Env, Row, Table, picker
from askos.terms import XSD, Literal, is_anonymous


def group(at: Evaluation, plan: Group, env: Env, seed: Table | None) -> Steps:
    """One solution per group (SPARQL 1.1, 18.5); unbound is a key like others.

    Inside EXISTS, only keys that are plain variables let bindings through to what is grouped.
    """
    plain = {key.variable for key in plan.keys if key.value == Ref(key.variable)}
    inner = {v: number for v, number in env.items() if v in plain}
    table = yield Request(plan.input, inner)
    keys = [scalars.values(at, _expression(key.value), table, inner) for key in plan.keys]
    groups: dict[Row, list[Row]] = defaultdict(list)
    if not keys:
        groups[()] = list(table.rows)
    else:
        for row in table.rows:
            groups[tuple([key(row) for key in keys])].append(row)
    folds = [_fold(at, _aggregate(made.value), table, inner) for made in plan.aggregates]
    rows = [key + tuple([fold(members) for fold in folds]) for key, members in groups.items()]
    columns = tuple(made.variable for made in plan.keys + plan.aggregates)
    optional = frozenset(c for i, c in enumerate(columns) if any(not row[i] for row in rows))
    computed = [column for column in columns if column not in plain]
    return agreeing(Table(columns, rows, optional), env, computed)


def aggregateclauses(at: Evaluation, plan: AggregateClauses, env: Env, seed: Table | None) -> Steps:
    """Every solution with the aggregates of its groups (C-SPARQL 2010, section 3.1)."""
    table = yield Request(plan.input, env)
    extended = table
    for clause in plan.clauses:
        key = picker([table.columns.index(v) for v in clause.by if v in table.columns])
        groups: dict[Row, list[Row]] = defaultdict(list)
        for row in table.rows:
            groups[key(row)].append(row)
        fold = _fold(at, clause.aggregate, table, env)
        folded = {by: fold(members) for by, members in groups.items()}
        numbers = [folded[key(row)] for row in table.rows]
        extended = with_column(extended, clause.variable, numbers)
    return agreeing(extended, env, [clause.variable for clause in plan.clauses])


def copynumber(at: Evaluation, plan: CopyNumber, env: Env, seed: Table | None) -> Steps:
    """0, 1, .. for the copies of each solution."""
    table = yield Request(plan.input, env)
    if plan.times:
        table = replace(in_order(at, replace(table, ranks=None), plan.times), ranks=None)
    # Columns that no row binds make no difference, so rows are equal where solutions are.
    same = picker([i for i, column in enumerate(table.columns) if column not in plan.times])
    copies: dict[Row, int] = defaultdict(int)
    numbers = list[int]()
    for row in map(same, table.rows):
        numbers.append(at.terms.intern(Literal(str(copies[row]), datatype=XSD.integer)))
        copies[row] += 1
    return agreeing(with_column(table, plan.variable, numbers), env, (plan.variable,))


# ---- aggregates -------------------------------------------------------------------------------


def _fold(
    at: Evaluation, aggregate: Aggregate, table: Table, env: Env
) -> Callable[[Sequence[Row]], int]:
    """The function from the rows of a group to the id of the aggregate; UNBOUND for an error."""
    if isinstance(aggregate, Count) and aggregate.expression is None:
        return _count_solutions(at, table, aggregate.distinct)
    assert aggregate.expression is not None
    value = scalars.values(at, aggregate.expression, table, env)
    tolerant = isinstance(aggregate, Count | Sample)

    def fold(rows: Sequence[Row]) -> int:
        numbers: Iterable[int] = [value(row) for row in rows]
        if tolerant:
            numbers = [number for number in numbers if number != UNBOUND]
        elif UNBOUND in numbers:
            return UNBOUND
        return folded(list(dict.fromkeys(numbers)) if aggregate.distinct else list(numbers))

    def folded(numbers: list[int]) -> int:
        try:
            return at.terms.intern(aggregate.fold([at.terms[number] for number in numbers]))
        except ExpressionError:
            return UNBOUND

    return fold


def _count_solutions(
    at: Evaluation, table: Table, distinct: bool
) -> Callable[[Sequence[Row]], int]:
    """COUNT(*): of distinct solutions, as the query can see them."""
    seen = picker([i for i, c in enumerate(table.columns) if not is_anonymous(c)])

    def count(rows: Sequence[Row]) -> int:
        number = len(set(map(seen, rows))) if distinct else len(rows)
        return at.terms.intern(Literal(str(number), datatype=XSD.integer))

    return count


def _expression(value: object) -> Expression:
    assert isinstance(value, Expression)
    return value


def _aggregate(value: object) -> Aggregate:
    assert isinstance(value, Aggregate)
    return value

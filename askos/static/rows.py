"""The operators that look at one solution at a time: values, union, filter, extend, mark,
project."""

from __future__ import annotations

from collections.abc import Iterable

from askos.algebra import FALSE, TRUE, Extend, Filter, MarkJoin, Project, Reduced, Union, Values
from askos.algebra.chains import members
from askos.algebra.expressions.logic import conjuncts
from askos.static import scalars
from askos.static.conditions import Partner, as_partner
from askos.static.evaluation import Evaluation, Request, Steps
from askos.static.given import Given
from askos.static.interning import UNBOUND
from askos.static.joins import partnered, with_partner
from askos.static.table import Env, Row, Table
from askos.terms import Variable


def values(at: Evaluation, plan: Values, env: Env, seed: Table | None) -> Steps:
    """The table, inside EXISTS without the rows that contradict the bindings outside."""
    intern = at.terms.intern
    rows = [tuple(UNBOUND if t is None else intern(t) for t in row) for row in plan.rows]
    optional = _unbound(plan.columns, rows)
    return agreeing(Table(plan.columns, rows, optional), env, plan.columns)
    yield  # a generator that asks for nothing


def given(at: Evaluation, plan: Given, env: Env, seed: Table | None) -> Steps:
    """The rows that are known already, inside EXISTS without those that contradict the bindings
    outside."""
    assert at.data is not None
    return agreeing(at.data.tables[plan.number], env, plan.columns)
    yield  # a generator that asks for nothing


def union(at: Evaluation, plan: Union, env: Env, seed: Table | None) -> Steps:
    """Everything of both (Streaming SPARQL, Def. 9); a chain of unions at once."""
    tables = list[Table]()
    for member in members(plan, Union):
        tables.append((yield Request(member, env, seed)))
    return _together([table for table in tables if table.rows])


def _together(members: list[Table]) -> Table:
    columns = tuple(dict.fromkeys(c for member in members for c in member.columns))
    rows = [row for member in members for row in member.aligned(columns)]
    sure = [member.certain for member in members]
    return Table(columns, rows, frozenset(c for c in columns if any(c not in s for s in sure)))


def filter(at: Evaluation, plan: Filter, env: Env, seed: Table | None) -> Steps:  # noqa: A001
    """The solutions for which the condition is true (Def. 8)."""
    table = yield Request(plan.input, env, seed)
    asked = list[Partner]()
    for part in conjuncts(plan.condition):
        partner = as_partner(part)
        if partner:
            asked.append(partner)
        else:
            table = table.where(scalars.test(at, part, table, env) or (lambda row: True))
    for partner in asked:
        table = yield from partnered(at, table, partner, env)
    return table


def extend(at: Evaluation, plan: Extend, env: Env, seed: Table | None) -> Steps:
    """Each solution with a new binding, where the expression is no error."""
    table = yield Request(plan.input, env, seed)
    value = scalars.values(at, plan.expression, table, env)
    extended = with_column(table, plan.variable, [value(row) for row in table.rows])
    return agreeing(extended, env, (plan.variable,))


def markjoin(at: Evaluation, plan: MarkJoin, env: Env, seed: Table | None) -> Steps:
    """Each solution of the left, and whether it has a partner that satisfies the condition."""
    table = yield Request(plan.left, env, seed)
    partner = Partner(plan.right, plan.condition, True)
    found = yield from with_partner(at, table, partner, env)
    marks = [at.terms.intern((TRUE if has else FALSE).term) for has in found]
    return agreeing(with_column(table, plan.variable, marks), env, (plan.variable,))


def with_column(table: Table, variable: Variable, numbers: list[int]) -> Table:
    """`table` and one more column; without ranks."""
    rows = [(*row, number) for row, number in zip(table.rows, numbers, strict=True)]
    optional = table.optional | {variable} if UNBOUND in numbers else table.optional
    return Table((*table.columns, variable), rows, frozenset(optional))


def project(at: Evaluation, plan: Project, env: Env, seed: Table | None) -> Steps:
    """The columns named; a sub-select hides the others, also from bindings outside EXISTS."""
    inner = {v: number for v, number in env.items() if v in plan.columns}
    hint = None if seed is None else seed.project(plan.columns)
    return (yield Request(plan.input, inner, hint)).project(plan.columns)


def reduced(at: Evaluation, plan: Reduced, env: Env, seed: Table | None) -> Steps:
    """The input as it is."""
    return (yield Request(plan.input, env, seed))


def agreeing(table: Table, env: Env, computed: Iterable[Variable]) -> Table:
    """Without the rows that compute, for a variable bound outside EXISTS, another value."""
    checks = [(table.columns.index(v), env[v]) for v in computed if v in env]
    if not checks:
        return table
    return table.where(lambda row: all(row[i] in (UNBOUND, number) for i, number in checks))


def _unbound(columns: tuple[Variable, ...], rows: list[Row]) -> frozenset[Variable]:
    return frozenset(c for i, c in enumerate(columns) if any(row[i] == UNBOUND for row in rows))

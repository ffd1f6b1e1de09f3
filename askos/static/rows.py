"""The operators that look at one solution at a time: values, union, filter, extend, mark,
project."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from askos.algebra import (
    FALSE,
    TRUE,
    Extend,
    Filter,
    MarkJoin,
    Operator,
    Project,
    Reduced,
    Union,
    Values,
)
from askos.algebra.chains import members
from askos.algebra.expressions.logic import conjuncts
from askos.static import scalars
from askos.static.conditions import Partner, as_partner
from askos.static.evaluation import Evaluation, Request, Steps
from askos.static.given import Given
from askos.static.interning import UNBOUND
from askos.static.joins import partnered, sieved, with_partner
from askos.static.table import NOTHING, Env, Mask, Table, together
from askos.terms import Variable


def values(at: Evaluation, plan: Values, asked: Request) -> Steps:
    """The table, inside EXISTS without the rows that contradict the bindings outside."""
    intern = at.terms.intern
    rows = [tuple(UNBOUND if t is None else intern(t) for t in row) for row in plan.rows]
    return agreeing(Table.of(plan.columns, rows), asked.env, plan.columns)
    yield  # a generator that asks for nothing


def given(at: Evaluation, plan: Given, asked: Request) -> Steps:
    """The rows that are known already, inside EXISTS without those that contradict the bindings
    outside."""
    assert at.data is not None
    return agreeing(at.data.tables[plan.number], asked.env, plan.columns)
    yield  # a generator that asks for nothing


def union(at: Evaluation, plan: Union, asked: Request) -> Steps:
    """Everything of both (Streaming SPARQL, Def. 9); a chain of unions at once."""
    tables, size = list[Table](), 0
    for member in members(plan, Union):
        tables.append((yield asked.below(member)))
        size += tables[-1].size
        if asked.enough is not None and size >= asked.enough:
            break
    return together([table for table in tables if table.size] or [NOTHING])


def filter(at: Evaluation, plan: Filter, asked: Request) -> Steps:  # noqa: A001
    """The solutions for which the condition is true (Def. 8)."""
    return sieved(asked, plan.input, lambda table: _kept(at, plan, table, asked.env))


def _kept(at: Evaluation, plan: Filter, table: Table, env: Env) -> Steps:
    asked = list[Partner]()
    for part in conjuncts(plan.condition):
        partner = as_partner(part)
        if partner:
            asked.append(partner)
        else:
            table = table.where(scalars.test(at, part, table, env))
    for partner in asked:
        table = yield from partnered(at, table, partner, env)
    return table


def extend(at: Evaluation, plan: Extend, asked: Request) -> Steps:
    """Each solution with a new binding, where the expression is no error."""
    table = yield _passed(asked, plan.input, plan.variable)
    ids = scalars.values(at, plan.expression, table, asked.env)
    return agreeing(table.with_column(plan.variable, ids), asked.env, (plan.variable,))


def markjoin(at: Evaluation, plan: MarkJoin, asked: Request) -> Steps:
    """Each solution of the left, and whether it has a partner that satisfies the condition."""
    table = yield _passed(asked, plan.left, plan.variable)
    partner = Partner(plan.right, plan.condition, True)
    found = yield from with_partner(at, table, partner, asked.env)
    no, yes = (at.terms.intern(said.term) for said in (FALSE, TRUE))
    marked = table.with_column(plan.variable, np.where(found, yes, no))
    return agreeing(marked, asked.env, (plan.variable,))


def _passed(asked: Request, plan: Operator, variable: Variable) -> Request:
    """All of the input pass, unless a binding outside may contradict the new one."""
    return asked.all_below(plan) if variable in asked.env else asked.below(plan)


def project(at: Evaluation, plan: Project, asked: Request) -> Steps:
    """The columns named; a sub-select hides the others, also from bindings outside EXISTS."""
    inner = {v: number for v, number in asked.env.items() if v in plan.columns}
    hint = None if asked.seed is None else asked.seed.project(plan.columns)
    table = yield Request(plan.input, inner, hint, asked.enough)
    return table.project(plan.columns)


def reduced(at: Evaluation, plan: Reduced, asked: Request) -> Steps:
    """The input as it is."""
    return (yield asked.below(plan.input))


def agreeing(table: Table, env: Env, computed: Iterable[Variable]) -> Table:
    """Without the rows that compute, for a variable bound outside EXISTS, another value."""
    for variable in computed:
        if variable in env:
            table = table.where(_agrees(table, variable, env[variable]))
    return table


def _agrees(table: Table, variable: Variable, number: int) -> Mask:
    ids = table.column(variable)
    agrees: Mask = (ids == UNBOUND) | (ids == number)
    return agrees

"""Join, left join, semi-join, anti-join and minus."""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np

from askos.algebra import (
    TRUE,
    AntiJoin,
    Join,
    LeftJoin,
    Minus,
    Operator,
    Path,
    Pattern,
    SemiJoin,
)
from askos.algebra.chains import members
from askos.columns.keys import distinct
from askos.static import scalars
from askos.static.conditions import Partner
from askos.static.evaluation import Evaluation, Request, Steps
from askos.static.leaves import BLOCK, Leaf
from askos.static.partners import Merger, Partners, index_join
from askos.static.table import NOTHING, ONE_EMPTY_ROW, Env, Mask, Table, together
from askos.static.waiting import Waiting
from askos.terms import Variable


def join(at: Evaluation, plan: Operator, asked: Request) -> Steps:
    """A chain of joins, in the order that keeps the tables small (Streaming SPARQL, Def. 10).

    Join is associative and commutative, so the order is free.  Greedy: first the member with
    the fewest solutions, then always the one connected to it that multiplies rows least; a
    pattern or path by looking up every row, another plan by an index of it, after telling it which
    bindings matter.  Members without a variable in common are joined last, each with its own.

    Where some solutions are enough, the rows of the first member go on in blocks that double.
    """
    parts = members(plan, Join)
    leaves = [at.leaf(m, asked.env) for m in parts if isinstance(m, Pattern | Path)]
    start = _given(leaves, asked.env)
    few = _useful(at, asked.seed, parts, leaves)
    if few is not None:
        start = index_join(start, few)
    waiting = Waiting(at, parts, asked.env)
    first = waiting.first(start)
    assert first is not None
    if asked.enough is None or not isinstance(first, Pattern | Path):
        begun = yield from _joined(at, start, first, asked.env)
        return (yield from _rest(at, waiting, asked.env, begun))
    others, found, size = [parts[place] for place in waiting.places], list[Table](), 0
    for block in at.leaf(first, asked.env).blocks(start):
        found.append((yield from _rest(at, waiting, asked.env, block)))
        size += found[-1].size
        if size >= asked.enough:
            break
        waiting = Waiting(at, others, asked.env)
    return together([table for table in found if table.size] or [NOTHING])


def _rest(at: Evaluation, waiting: Waiting, env: Env, table: Table) -> Steps:
    """`table` and all members that wait."""
    result = yield from _connected(at, waiting, env, table)
    while waiting.places and result.size:
        first = waiting.first(ONE_EMPTY_ROW)
        assert first is not None
        begun = yield from _joined(at, ONE_EMPTY_ROW, first, env)
        result = index_join(result, (yield from _connected(at, waiting, env, begun)))
    return result if result.size else NOTHING


def _given(leaves: list[Leaf], env: Env) -> Table:
    """The outer bindings that patterns and paths see: one row, for the leaves to start from."""
    seen = frozenset[Variable]().union(*(leaf.variables for leaf in leaves))
    columns = tuple(v for v in env if v in seen)
    return Table(columns, tuple(np.array([env[v]]) for v in columns), 1)


def _useful(
    at: Evaluation, seed: Table | None, members: list[Operator], leaves: list[Leaf]
) -> Table | None:
    """The seed's bindings of what the leaves bind for certain, each once, if they are few."""
    if seed is None or not leaves:
        return None
    smallest = min(at.estimates.size(member) for member in members)
    seen = frozenset[Variable]().union(*(leaf.variables for leaf in leaves))
    columns = [c for c in seed.columns if c in seen and c not in seed.optional]
    if not columns or seed.size > smallest:
        return None
    return once(seed.project(columns).without_ranks())


def once(table: Table) -> Table:
    """Every row once, where it first occurs."""
    _, first = distinct(table.ids, table.size)
    return table if len(first) == table.size else table.take(np.sort(first))


def _connected(at: Evaluation, waiting: Waiting, env: Env, table: Table) -> Steps:
    """Join to `table`, one after the other, the members with a variable in common."""
    while table.size and (best := waiting.next(table)) is not None:
        table = yield from _joined(at, table, best, env)
    return table


def _joined(at: Evaluation, table: Table, member: Operator, env: Env) -> Steps:
    if isinstance(member, Pattern | Path):
        return at.leaf(member, env).join(table)
    other = yield Request(member, env, _seed(at, table, member))
    return index_join(table, other)


def _seed(at: Evaluation, table: Table, right: Operator) -> Table | None:
    """The bindings of `table` that solutions of `right` have to agree with, if that can help."""
    shared = [v for v in at.estimates.variables(right) if table.binds(v)]
    if not shared or table.size >= at.estimates.size(right):
        return None
    return table.project(sorted(shared))


# ---- with a side that only decides ------------------------------------------------------------


def leftjoin(at: Evaluation, plan: LeftJoin, asked: Request) -> Steps:
    """Pairs that satisfy the condition, and μ alone where there is none (Def. 13)."""
    left = yield asked.below(plan.left)
    right = yield from _partner_side(at, left, plan.right, asked.env)
    merge, parts, lonely = Merger(left, right), list[Table](), np.ones(left.size, np.bool_)
    for mine, theirs in Partners(left, right).pairs():
        pairs = merge(mine, theirs)
        if plan.condition != TRUE:
            keep = scalars.test(at, plan.condition, pairs, asked.env)
            mine, pairs = mine[keep], pairs.where(keep)
        lonely[mine] = False
        parts.append(pairs)
    if lonely.any() or not parts:
        parts.append(merge.alone(np.flatnonzero(lonely)))
    return together(parts)


def sieved(asked: Request, plan: Operator, keep: Callable[[Table], Steps]) -> Steps:
    """The solutions of `plan` that `keep` passes.

    Where some are enough, some of the input are looked at first, then twice as many, and so on;
    each time from the beginning, which all in all costs as much as the last time.
    """
    if asked.enough is None:
        return (yield from keep((yield asked.below(plan))))
    wanted = max(asked.enough, BLOCK)
    while True:
        table = yield Request(plan, asked.env, None, wanted)
        kept = yield from keep(table)
        if kept.size >= asked.enough or table.size < wanted:
            return kept
        wanted = 2 * table.size


def semijoin(at: Evaluation, plan: SemiJoin, asked: Request) -> Steps:
    """μ of the left that has a partner which satisfies the condition."""
    partner = Partner(plan.right, plan.condition, True)
    return sieved(asked, plan.left, lambda left: partnered(at, left, partner, asked.env))


def antijoin(at: Evaluation, plan: AntiJoin, asked: Request) -> Steps:
    """μ of the left that has no partner which satisfies the condition (Def. 13, second part)."""
    partner = Partner(plan.right, plan.condition, False)
    return sieved(asked, plan.left, lambda left: partnered(at, left, partner, asked.env))


def partnered(at: Evaluation, left: Table, partner: Partner, env: Env) -> Steps:
    """The rows of `left` that have, or do not have, such a partner."""
    found = yield from with_partner(at, left, partner, env)
    return left.where(found == partner.wanted)


def with_partner(
    at: Evaluation, left: Table, partner: Partner, env: Env
) -> Generator[Request, Table, Mask]:
    """For each row of `left`, whether it has a partner that satisfies the condition."""
    right = yield from _partner_side(at, left, partner.right, env)
    partners, merge = Partners(left, right), Merger(left, right)
    if partner.condition == TRUE:
        return partners.exist()
    found = np.zeros(left.size, np.bool_)
    for mine, theirs in partners.pairs():
        keep = scalars.test(at, partner.condition, merge(mine, theirs), env)
        found[mine[keep]] = True
    return found


def minus(at: Evaluation, plan: Minus, asked: Request) -> Steps:
    """μ of the left that no compatible solution with a variable in common removes."""
    return sieved(asked, plan.left, lambda left: _not_removed(at, left, plan, asked.env))


def _not_removed(at: Evaluation, left: Table, plan: Minus, env: Env) -> Steps:
    right = yield from _partner_side(at, left, plan.right, env)
    partners = Partners(left, right, sharing=True, by=plan.by)
    if not plan.by:
        return left.where(~partners.exist())
    keep = np.ones(left.size, np.bool_)
    for mine, theirs in partners.pairs():
        same = [left.column(v)[mine] == right.column(v)[theirs] for v in plan.by]
        keep[mine[np.logical_and.reduce(same)]] = False
    return left.where(keep)


def _partner_side(at: Evaluation, left: Table, right: Operator, env: Env) -> Steps:
    """The right side, told which bindings matter; not evaluated where there is no left."""
    if not left.size:
        return NOTHING
    return (yield Request(right, env, _seed(at, left, right)))

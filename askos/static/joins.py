"""Join, left join, semi-join, anti-join and minus."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

from askos.algebra import (
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
from askos.static import scalars
from askos.static.conditions import Partner
from askos.static.evaluation import Evaluation, Request, Steps
from askos.static.interning import UNBOUND
from askos.static.leaves import Leaf
from askos.static.partners import Merger, Partners, hash_join
from askos.static.table import NOTHING, ONE_EMPTY_ROW, Env, Row, Table, picker
from askos.static.waiting import Waiting
from askos.terms import Variable


def join(at: Evaluation, plan: Operator, env: Env, seed: Table | None) -> Steps:
    """A chain of joins, in the order that keeps the tables small (Streaming SPARQL, Def. 10).

    Join is associative and commutative, so the order is free.  Greedy: first the member with
    the fewest solutions, then always the one connected to it that multiplies rows least; a
    pattern or path by looking up every row, another plan by hashing, after telling it which
    bindings matter.  Members without a variable in common are joined last, each with its own.
    """
    parts = members(plan, Join)
    leaves = [at.leaf(m, env) for m in parts if isinstance(m, Pattern | Path)]
    start = _given(leaves, env)
    few = _useful(at, seed, parts, leaves)
    if few is not None:
        start = hash_join(start, few)
    waiting = Waiting(at, parts, env)
    result = yield from _connected(at, waiting, env, start)
    while waiting.places and result.rows:
        part = yield from _connected(at, waiting, env, ONE_EMPTY_ROW)
        result = hash_join(result, part)
    return result if result.rows else NOTHING


def _given(leaves: list[Leaf], env: Env) -> Table:
    """The outer bindings that patterns and paths see: one row, for the leaves to start from."""
    seen = frozenset[Variable]().union(*(leaf.variables for leaf in leaves))
    columns = tuple(v for v in env if v in seen)
    return Table(columns, (tuple(env[v] for v in columns),)) if columns else ONE_EMPTY_ROW


def _useful(
    at: Evaluation, seed: Table | None, members: list[Operator], leaves: list[Leaf]
) -> Table | None:
    """The seed's bindings of what the leaves bind for certain, each once, if they are few."""
    if seed is None or not leaves:
        return None
    smallest = min(at.estimates.size(member) for member in members)
    seen = frozenset[Variable]().union(*(leaf.variables for leaf in leaves))
    columns = [c for c in seed.columns if c in seen and c not in seed.optional]
    if not columns or len(seed.rows) > smallest:
        return None
    table = seed.project(columns)
    return Table(table.columns, list(dict.fromkeys(table.rows)))


def _connected(at: Evaluation, waiting: Waiting, env: Env, table: Table) -> Steps:
    """Join to `table` a member, and then those with a variable in common."""
    best = waiting.first(table)
    while best is not None and table.rows:
        table = yield from _joined(at, table, best, env)
        best = waiting.next(table)
    return table


def _joined(at: Evaluation, table: Table, member: Operator, env: Env) -> Steps:
    if isinstance(member, Pattern | Path):
        return at.leaf(member, env).join(table)
    other = yield Request(member, env, _seed(at, table, member))
    return hash_join(table, other)


def _seed(at: Evaluation, table: Table, right: Operator) -> Table | None:
    """The bindings of `table` that solutions of `right` have to agree with, if that can help."""
    shared = [v for v in at.estimates.variables(right) if table.binds(v)]
    if not shared or len(table.rows) >= at.estimates.size(right):
        return None
    return table.project(sorted(shared))


# ---- with a side that only decides ------------------------------------------------------------


def leftjoin(at: Evaluation, plan: LeftJoin, env: Env, seed: Table | None) -> Steps:
    """Pairs that satisfy the condition, and μ alone where there is none (Def. 13)."""
    left = yield Request(plan.left, env, seed)
    right = yield from _partner_side(at, left, plan.right, env)
    partners, merge = Partners(left, right), Merger(left, right)
    joined = Table(merge.columns, [], merge.optional)
    keep = scalars.test(at, plan.condition, joined, env)
    alone = (UNBOUND,) * (len(merge.columns) - len(left.columns))
    rows, lonely = list[Row](), False
    for row in left.rows:
        pairs = [merge(row, other) for other in partners(row)]
        if keep is not None:
            pairs = [pair for pair in pairs if keep(pair)]
        lonely = lonely or not pairs
        rows += pairs or [row + alone]
    optional = left.optional | (set(right.columns) - left.certain) if lonely else merge.optional
    return Table(merge.columns, rows, frozenset(optional))


def semijoin(at: Evaluation, plan: SemiJoin, env: Env, seed: Table | None) -> Steps:
    """μ of the left that has a partner which satisfies the condition."""
    left = yield Request(plan.left, env, seed)
    return (yield from partnered(at, left, Partner(plan.right, plan.condition, True), env))


def antijoin(at: Evaluation, plan: AntiJoin, env: Env, seed: Table | None) -> Steps:
    """μ of the left that has no partner which satisfies the condition (Def. 13, second part)."""
    left = yield Request(plan.left, env, seed)
    return (yield from partnered(at, left, Partner(plan.right, plan.condition, False), env))


def partnered(at: Evaluation, left: Table, partner: Partner, env: Env) -> Steps:
    """The rows of `left` that have, or do not have, such a partner."""
    found = yield from with_partner(at, left, partner, env)
    rows = [row for row, has in zip(left.rows, found, strict=True) if has is partner.wanted]
    return replace(left, rows=rows, ranks=None)


def with_partner(
    at: Evaluation, left: Table, partner: Partner, env: Env
) -> Generator[Request, Table, list[bool]]:
    """For each row of `left`, whether it has a partner that satisfies the condition."""
    right = yield from _partner_side(at, left, partner.right, env)
    partners, merge = Partners(left, right), Merger(left, right)
    keep = scalars.test(at, partner.condition, Table(merge.columns, []), env)

    def has_partner(row: Row) -> bool:
        return any(keep is None or keep(merge(row, other)) for other in partners(row))

    return [has_partner(row) for row in left.rows]


def minus(at: Evaluation, plan: Minus, env: Env, seed: Table | None) -> Steps:
    """μ of the left that no compatible solution with a variable in common removes."""
    left = yield Request(plan.left, env, seed)
    right = yield from _partner_side(at, left, plan.right, env)
    partners = Partners(left, right, sharing=True, by=plan.by)
    mine, theirs = _group(left, plan.by), _group(right, plan.by)
    return left.where(lambda row: not any(mine(row) == theirs(other) for other in partners(row)))


def _group(table: Table, by: Sequence[Variable]) -> Callable[[Row], Row]:
    """What a row binds of `by`, UNBOUND where it has no such column."""
    places = [table.columns.index(v) if v in table.columns else -1 for v in by]
    pick = picker(places)
    return lambda row: pick((*row, UNBOUND))


def _partner_side(at: Evaluation, left: Table, right: Operator, env: Env) -> Steps:
    """The right side, told which bindings matter; not evaluated where there is no left."""
    if not left.rows:
        return NOTHING
    return (yield Request(right, env, _seed(at, left, right)))

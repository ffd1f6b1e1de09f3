"""The evaluation of logical plans over static graphs: fast where an equi-join is possible.

Every operator means what `askos.algebra.reference` says it means; only the way there differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from askos.algebra import (
    FALSE,
    TRUE,
    AggregateClauses,
    AntiJoin,
    Ask,
    CopyNumber,
    Distinct,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Operator,
    OrderBy,
    Path,
    Pattern,
    Payload,
    Project,
    Reduced,
    SemiJoin,
    Slice,
    Static,
    Union,
    Values,
)
from askos.algebra.placement import ANSWER, TRIPLE
from askos.static import groups, joins, order, rows, triples
from askos.static.evaluation import Evaluation, Meaning
from askos.static.given import Data, Given
from askos.static.graph import NO_TRIPLES, StaticGraph
from askos.static.interning import UNBOUND, Scratch
from askos.static.table import Ids, Table
from askos.terms import Solution, Term, Triple, URIRef, Variable

Outcome: TypeAlias = list[Solution] | list[Triple] | bool
"""What a plan yields: solutions, triples, or the answer of ASK."""

_MEANINGS: Final[Mapping[type[Operator], Meaning]] = {
    AggregateClauses: groups.aggregateclauses,
    AntiJoin: joins.antijoin,
    CopyNumber: groups.copynumber,
    Distinct: order.distinct,
    Extend: rows.extend,
    Filter: rows.filter,
    Given: rows.given,
    Group: groups.group,
    Join: joins.join,
    LeftJoin: joins.leftjoin,
    MarkJoin: rows.markjoin,
    Minus: joins.minus,
    OrderBy: order.orderby,
    Path: joins.join,
    Pattern: joins.join,
    Project: rows.project,
    Reduced: rows.reduced,
    SemiJoin: joins.semijoin,
    Slice: order.slice,
    Union: rows.union,
    Values: rows.values,
}


def evaluate(plan: Operator, graphs: Mapping[URIRef, StaticGraph], instant: int = 0) -> Outcome:
    """The bag that `plan` denotes, as a list; in order where the plan has an ORDER BY or LIMIT.

    `graphs` are the data of every source the plan reads; `instant` is what NOW() says.

    >>> from askos.algebra import GraphAccess
    >>> from askos.terms import Variable
    >>> wind, site, t = URIRef("wind"), URIRef("site"), Variable("t")
    >>> graph = StaticGraph([Triple(URIRef("T1"), site, URIRef("north"))])
    >>> evaluate(Pattern(t, site, URIRef("north"), GraphAccess(wind)), {wind: graph})
    [{?t → <T1>}]
    """
    plan = plan.transform(_unmarked)
    at = Evaluation(plan, graphs, instant, _MEANINGS, triples.sources)
    match plan.payload:
        case Payload.BOOLEAN:
            assert isinstance(plan, Ask)
            return bool(at.solve(plan.input, enough=1).size)
        case Payload.TRIPLE:
            return [triple for graph in at.sources(plan) for triple in graph]
    table = at.solve(plan)
    return _solutions(at, table if table.ranks is None else order.in_order(at, table))


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """Columns of ids, how many rows they have, and the terms they stand for."""

    columns: tuple[Variable, ...]
    ids: tuple[Ids, ...]
    size: int
    terms: Scratch


def solve(plan: Operator, data: Data, instant: int = 0) -> Solved:
    """The bag that a plan over given rows denotes; in order where the plan has one."""
    plan = plan.transform(_unmarked)
    at = Evaluation(plan, {}, instant, _MEANINGS, triples.sources, data)
    if plan.payload is Payload.TRIPLE:
        graphs = [NO_TRIPLES, *(graph.ids for graph in at.sources(plan))]
        rows = np.concatenate(graphs)
        return Solved(TRIPLE, tuple(rows.T), len(rows), at.terms)
    if isinstance(plan, Ask):
        said = TRUE if at.solve(plan.input, enough=1).size else FALSE
        return Solved((ANSWER,), (np.array([at.terms.intern(said.term)]),), 1, at.terms)
    table = at.solve(plan)
    table = table if table.ranks is None else order.in_order(at, table)
    return Solved(table.columns, table.ids, table.size, at.terms)


def _unmarked(plan: Operator) -> Operator:
    """Everything here is static, so that the mark would only hide what is below it."""
    return plan.input if isinstance(plan, Static) else plan


def _solutions(at: Evaluation, table: Table) -> list[Solution]:
    if not table.columns:
        return [Solution()] * table.size
    columns = [_terms(at, ids) for ids in table.ids]
    if table.optional:
        return [
            Solution.known({v: t for v, t in zip(table.columns, row, strict=True) if t is not None})
            for row in zip(*columns, strict=True)
        ]
    return [
        Solution.known(dict(zip(table.columns, row, strict=True)))
        for row in zip(*columns, strict=True)
    ]


def _terms(at: Evaluation, ids: Ids) -> list[Term | None]:
    """The terms of ids, each looked up once; None for UNBOUND."""
    numbers = ids.tolist()
    terms = {n: None if n == UNBOUND else at.terms[n] for n in set(numbers)}
    return [terms[n] for n in numbers]

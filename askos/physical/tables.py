"""Tables: the parts of a plan that read no stream, evaluated once, when a query first starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from askos.algebra import Operator
from askos.algebra.placement import ANSWER, TRIPLE
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids
from askos.interval import FOREVER
from askos.physical.plan import Table
from askos.static.evaluate import evaluate
from askos.static.graph import StaticGraph
from askos.sweeparea import Base
from askos.terms import XSD, Literal, Solution, Term, Triple, URIRef, Variable

Tables: TypeAlias = Callable[[int], Base[Batch]]
"""The tables of a plan, by number."""


def no_tables(number: int) -> Base[Batch]:
    """Of a plan that has none."""
    raise TypeError(f"there is no table {number}")


def as_base(table: Table, graphs: Mapping[URIRef, StaticGraph], coder: Coder) -> Base[Batch]:
    """The rows of a table, by its key."""
    return Base.of(tabulate(table.plan, graphs, coder), by(table.key))


def by(key: Sequence[Variable]) -> Callable[[Batch], list[Ids]]:
    """The columns by which a table is probed."""
    return lambda batch: [batch.column(variable) for variable in key]


def tabulate(plan: Operator, graphs: Mapping[URIRef, StaticGraph], coder: Coder) -> Batch:
    """The rows of `plan`, valid always (semantics, section 3: static data)."""
    found = evaluate(plan, graphs)
    if isinstance(found, bool):
        said = Literal("true" if found else "false", datatype=XSD.boolean)
        return _batch((ANSWER,), [(said,)], coder)
    variables = tuple(sorted(plan.variables))
    rows = [_row(item, variables) for item in found]
    triples = bool(found) and isinstance(found[0], Triple)
    return _batch(TRIPLE if triples else variables, rows, coder)


def _row(item: Solution | Triple, variables: Sequence[Variable]) -> tuple[Term | None, ...]:
    return tuple(item) if isinstance(item, Triple) else tuple(item.get(v) for v in variables)


def _batch(
    columns: Sequence[Variable], rows: Sequence[tuple[Term | None, ...]], coder: Coder
) -> Batch:
    ids: dict[Variable, Ids] = {}
    dictionary = Dictionary()
    for place, variable in enumerate(columns):
        terms = [row[place] for row in rows]
        ids[variable] = np.zeros(len(rows), np.int64)
        bound = [at for at, term in enumerate(terms) if term is not None]
        ids[variable][bound], texts = coder.terms([term for term in terms if term is not None])
        dictionary |= texts
    always = np.full(len(rows), FOREVER)
    return Batch(ids, np.zeros(len(rows), np.int64), always, dictionary)

"""The rows of tables: what reads no stream, evaluated once, when a query first starts."""

from __future__ import annotations

import numpy as np

from askos.algebra import GraphAccess, Operator, Payload, Static, Values
from askos.algebra.placement import ANSWER, TRIPLE
from askos.columns.batch import Batch
from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids
from askos.interval import FOREVER
from askos.physical.cut import Cut
from askos.physical.fragment import operator
from askos.physical.graphs import Graphs
from askos.physical.made import is_plain
from askos.physical.plan import Table
from askos.physical.tables import by
from askos.physical.timing import Timing
from askos.static.evaluate import evaluate
from askos.sweeparea import Base
from askos.terms import XSD, Literal, Term, Triple, Variable


def as_base(table: Table, graphs: Graphs) -> Base[Batch]:
    """The rows of a table, by its key; other engines are asked for what is theirs."""
    return Base.of(tabulate(graphs.data.answered(table.plan), graphs), by(table.key))


def tabulate(plan: Operator, graphs: Graphs) -> Batch:
    """The rows of `plan`, valid always (semantics, section 3: static data).

    A snapshot is a batch on [0, FOREVER), advanced once: so what has a kernel is computed by it.
    """
    if isinstance(plan, Static):
        return tabulate(plan.input, graphs)
    if isinstance(plan, GraphAccess):
        return graphs.triples(plan.source)
    if isinstance(plan, Values):
        return _batch(plan.columns, list(plan.rows), graphs)
    if not plan.inputs or plan.payload is Payload.BOOLEAN or not is_plain(plan):
        return _evaluated(plan, graphs)
    made = operator(plan, graphs.coder, Timing(Cut((1,))))
    rows = [made.process(port, tabulate(child, graphs)) for port, child in enumerate(plan.inputs)]
    return Batch.concat([*rows, made.advance(FOREVER)[0]])


def _evaluated(plan: Operator, graphs: Graphs) -> Batch:
    found = evaluate(plan, graphs.indexed)
    if isinstance(found, bool):
        said = Literal("true" if found else "false", datatype=XSD.boolean)
        return _batch((ANSWER,), [(said,)], graphs)
    if plan.payload is Payload.TRIPLE:
        return _batch(TRIPLE, [tuple(item) for item in found if isinstance(item, Triple)], graphs)
    columns = tuple(sorted(plan.variables))
    rows = [tuple(item.get(v) for v in columns) for item in found if not isinstance(item, Triple)]
    return _batch(columns, rows, graphs)


def _batch(
    columns: tuple[Variable, ...], rows: list[tuple[Term | None, ...]], graphs: Graphs
) -> Batch:
    ids: dict[Variable, Ids] = {}
    dictionary = Dictionary()
    for place, variable in enumerate(columns):
        terms = [row[place] for row in rows]
        ids[variable] = np.zeros(len(rows), np.int64)
        bound = [at for at, term in enumerate(terms) if term is not None]
        found, texts = graphs.coder.terms([term for term in terms if term is not None])
        ids[variable][bound] = found
        dictionary |= texts
    always = np.full(len(rows), FOREVER)
    return Batch(ids, np.zeros(len(rows), np.int64), always, dictionary)

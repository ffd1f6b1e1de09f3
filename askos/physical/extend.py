"""Extend: BIND, and expressions in SELECT."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import Extend, Timestamp
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.expressions import Value, compile_value
from askos.columns.hidden import arrival
from askos.physical.operator import Operator
from askos.terms import URIRef


class ExtendOperator(Operator):
    """Each element with ?x := e(μ), unbound where e is an error; snapshot-equivalent to
    `algebra.Extend`.

    SPARQL 1.1, 18.5; the paper predates it.  State: none.
    """

    def __init__(self, plan: Extend, coder: Coder) -> None:
        self._variable = plan.variable
        self._value = _arrivals(plan) or compile_value(plan.expression, coder)

    def process(self, port: int, batch: Batch) -> Batch:
        ids, dictionary = self._value(batch)
        columns = {**batch.columns, self._variable: ids}
        return replace(batch, columns=columns, dictionary=batch.dictionary | dictionary)


def _arrivals(plan: Extend) -> Value | None:
    """timestamp(?v, <s>) right above a pattern: the triple that bound ?v came with it."""
    match plan.expression:
        case Timestamp(_, URIRef() as stream):
            column = arrival(stream)
            return lambda batch: (batch.column(column), batch.dictionary)
    return None

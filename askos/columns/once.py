"""How array operations meet batches: each distinct combination once, some rows only, and the
algebra for what arrays do not tell."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import TypeAlias

import numpy as np

from askos.algebra import Expression
from askos.columns import cases
from askos.columns.batch import Batch
from askos.columns.cases import OPEN, Ternary
from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids, Mask, is_hashed
from askos.columns.names import Entries
from askos.terms import Variable

Condition: TypeAlias = Callable[[Batch], Mask]
Logic: TypeAlias = Callable[[Batch], Ternary]


def taken(batch: Batch, variables: Collection[Variable], rows: Ids) -> Batch:
    """Some rows, and of their columns those of `variables`."""
    columns = {variable: batch.column(variable) for variable in variables}
    return batch.with_columns(columns).take(rows)


def lazily(make: Callable[[], Logic]) -> Logic:
    """A law that is made when it is first asked for: most batches do without."""
    made = cache(make)
    return lambda batch: made()(batch)


def by_cases(expression: Expression) -> Logic:
    """By the algebra alone."""
    return lambda batch: cases.answers(expression, batch)


def once(expression: Expression, law: Logic) -> Logic:
    """By arrays, once for each distinct combination; what is OPEN by the algebra."""
    variables = sorted(expression.variables)

    def answers(batch: Batch) -> Ternary:
        codes, few = cases.distinct(variables, batch)
        return _settled(expression, few, law(few))[codes]

    return _remembered(variables[0], answers) if len(variables) == 1 else answers


def _remembered(variable: Variable, law: Logic) -> Logic:
    """Once for each entry of a dictionary, for as long as it is the same; the rest by `law`."""

    def of_entries(ids: Ids, dictionary: Dictionary) -> Ternary:
        return law(Batch({variable: ids}, ids, ids, dictionary))

    entries = Entries(of_entries)

    def remembered(batch: Batch) -> Ternary:
        ids = batch.column(variable)
        hashed = is_hashed(ids)
        if hashed.all():
            return entries.of(ids, batch.dictionary)
        answer = np.empty(len(ids), np.int8)
        answer[hashed] = entries.of(ids[hashed], batch.dictionary)
        answer[~hashed] = law(taken(batch, (variable,), np.flatnonzero(~hashed)))
        return answer

    return remembered


def _settled(expression: Expression, batch: Batch, answer: Ternary) -> Ternary:
    rows = np.flatnonzero(answer == OPEN)
    if len(rows):
        answer[rows] = cases.answers(expression, batch.take(rows))
    return answer

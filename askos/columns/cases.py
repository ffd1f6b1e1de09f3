"""Whatever has no array operation: by the algebra's own functions, once for each distinct
combination of the variables that an expression uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from askos.algebra import Expression
from askos.algebra.expressions import ExpressionError, Scope
from askos.algebra.expressions.logic import truth
from askos.columns.batch import Batch
from askos.columns.coder import Coder, decode
from askos.columns.dictionary import Dictionary
from askos.columns.factorize import factorize
from askos.columns.ids import Ids
from askos.terms import Solution, Term, Variable

Ternary: TypeAlias = npt.NDArray[np.int8]
"""SPARQL's three-valued logic: 1 true, 0 false, -1 error; and 2 where arrays do not tell."""

ERROR: Final = -1
OPEN: Final = 2


def values(expression: Expression, batch: Batch, coder: Coder) -> tuple[Ids, Dictionary]:
    """For each element the id of the value, 0 where it is an error."""
    codes, solutions = _solutions(expression, batch)
    terms = [_value(expression, solution) for solution in solutions]
    ids = np.zeros(len(terms), np.int64)
    known = [place for place, term in enumerate(terms) if term is not None]
    ids[known], dictionary = coder.terms([term for term in terms if term is not None])
    return ids[codes], dictionary


def answers(expression: Expression, batch: Batch) -> Ternary:
    """For each element the effective boolean value."""
    codes, solutions = _solutions(expression, batch)
    found = [truth(expression, Scope(solution)) for solution in solutions]
    return np.array([ERROR if a is None else int(a) for a in found], np.int8)[codes]


def distinct(variables: Sequence[Variable], batch: Batch) -> tuple[Ids, Batch]:
    """A number for each distinct combination of `variables`, and the combinations."""
    columns = {variable: batch.column(variable) for variable in variables}
    codes, example = factorize(list(columns.values()), len(batch))
    return codes, batch.with_columns(columns).take(example)


def _solutions(expression: Expression, batch: Batch) -> tuple[Ids, list[Solution]]:
    codes, combinations = distinct(sorted(expression.variables), batch)
    variables = list(combinations.columns)
    terms = [decode(ids, batch.dictionary) for ids in combinations.columns.values()]
    rows = zip(*terms, strict=True) if terms else [()] * len(combinations)
    return codes, [
        Solution({v: term for v, term in zip(variables, row, strict=True) if term is not None})
        for row in rows
    ]


def _value(expression: Expression, solution: Solution) -> Term | None:
    try:
        return expression.evaluate(Scope(solution))
    except ExpressionError:
        return None

"""Expressions over whole batches.

A condition on inlined numbers and times is a few array operations.  Whatever else it holds is
evaluated by the algebra's own functions, once for each distinct combination of its variables.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from askos.algebra import (
    And,
    Bound,
    Call,
    Constant,
    Expression,
    Latest,
    Not,
    Or,
    Ref,
)
from askos.algebra.expressions import ExpressionError, Scope
from askos.algebra.expressions.logic import truth
from askos.columns.batch import Batch
from askos.columns.coder import Coder, decode
from askos.columns.dictionary import Dictionary
from askos.columns.factorize import factorize
from askos.columns.ids import LOCAL_MOMENT, MOMENT, Ids, Mask, doubles, inline, is_hashed, unpack
from askos.terms import Solution, Term, Variable, n3

Ternary: TypeAlias = npt.NDArray[np.int8]
"""SPARQL's three-valued logic: 1 true, 0 false, -1 error."""

Condition: TypeAlias = Callable[[Batch], Mask]
Value: TypeAlias = Callable[[Batch], tuple[Ids, Dictionary]]
_Logic: TypeAlias = Callable[[Batch], Ternary]

_COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compile_condition(expression: Expression) -> Condition:
    """For each element, whether `expression` is true: neither false nor an error."""
    logic = _logic(expression)
    return lambda batch: logic(batch) == 1


def compile_value(expression: Expression, coder: Coder) -> Value:
    """For each element the id of the value, 0 where it is an error."""
    if isinstance(expression, Ref | Latest):
        ids = _operand(expression)
        assert ids is not None
        return lambda batch: (ids(batch), batch.dictionary)

    def values(batch: Batch) -> tuple[Ids, Dictionary]:
        codes, solutions = _distinct(expression, batch)
        terms = [_evaluated(expression, solution) for solution in solutions]
        ids = np.zeros(len(terms), np.int64)
        known = [place for place, term in enumerate(terms) if term is not None]
        ids[known], dictionary = coder.terms([term for term in terms if term is not None])
        return ids[codes], dictionary

    return values


def _logic(expression: Expression) -> _Logic:
    match expression:
        case And(left, right):
            return _both(_logic(left), _logic(right))
        case Or(left, right):
            return _negated(_both(_negated(_logic(left)), _negated(_logic(right))))
        case Not(inner):
            return _negated(_logic(inner))
        case Bound(variable):
            return lambda batch: (batch.column(variable) != 0).astype(np.int8)
        case Call(name, (left, right)) if name in _COMPARISONS:
            return _comparison(expression, _operand(left), _operand(right))
    return lambda batch: _by_cases(expression, batch)


def _negated(logic: _Logic) -> _Logic:
    def negated(batch: Batch) -> Ternary:
        answer = logic(batch)
        return np.where(answer == -1, answer, 1 - answer)

    return negated


def _both(left: _Logic, right: _Logic) -> _Logic:
    """False where one is false, else an error where one is an error."""

    def both(batch: Batch) -> Ternary:
        a, b = left(batch), right(batch)
        return np.where((a == 0) | (b == 0), np.int8(0), np.minimum(a, b))

    return both


# ---- comparisons -----------------------------------------------------------------------------


def _operand(expression: Expression) -> Callable[[Batch], Ids] | None:
    """The ids of an operand, where they can be had without evaluating anything."""
    match expression:
        case Ref(variable):
            return lambda batch: batch.column(variable)
        case Latest(columns):
            return lambda batch: _latest(batch, columns)
        case Constant(term):
            (value,) = inline(pa.array([n3(term)]))
            if value:
                return lambda batch: np.full(len(batch), value)
    return None


def _latest(batch: Batch, columns: tuple[Variable, ...]) -> Ids:
    """The largest arrival time of each row; times that are no inlined numbers are read."""
    found = [batch.column(column) for column in columns]
    if not any(is_hashed(ids).any() for ids in found):
        return np.asarray(np.maximum.reduce(found))  # inlined numbers are in order, above unbound
    times = [[_time(term) for term in decode(ids, batch.dictionary)] for ids in found]
    best = np.argmax(np.array(times, object), axis=0)
    return np.asarray(np.stack(found)[best, np.arange(len(batch))])


def _time(term: Term | None) -> int:
    return -1 if term is None else int(str(term))


def _comparison(
    expression: Call,
    left: Callable[[Batch], Ids] | None,
    right: Callable[[Batch], Ids] | None,
) -> _Logic:
    if left is None or right is None:
        return lambda batch: _by_cases(expression, batch)
    compare = _COMPARISONS[expression.name]

    def comparison(batch: Batch) -> Ternary:
        a, b = left(batch), right(batch)
        (x, x_known), (y, y_known) = doubles(a), doubles(b)
        answer = np.where(x_known & y_known, compare(x, y), -1).astype(np.int8)
        moments, earlier, later = _moments(a, b)
        answer[moments] = compare(earlier, later)[moments]
        rest = np.flatnonzero(~(x_known & y_known) & ~moments)
        if len(rest):
            answer[rest] = _by_cases(expression, batch.take(rest))
        return answer

    return comparison


def _moments(a: Ids, b: Ids) -> tuple[Mask, Ids, Ids]:
    """Which are dateTimes of the same zone, or both of none, and their milliseconds."""
    (kind, _, x), (other, _, y) = unpack(a), unpack(b)
    same = (kind == other) & ((kind == MOMENT) | (kind == LOCAL_MOMENT))
    return np.asarray(same), x, y


# ---- whatever else ---------------------------------------------------------------------------


def _by_cases(expression: Expression, batch: Batch) -> Ternary:
    codes, solutions = _distinct(expression, batch)
    answers = [truth(expression, Scope(solution)) for solution in solutions]
    return np.array([-1 if a is None else int(a) for a in answers], np.int8)[codes]


def _distinct(expression: Expression, batch: Batch) -> tuple[Ids, list[Solution]]:
    """A number for each distinct combination of the variables used, and the combinations."""
    variables = sorted(expression.variables)
    codes, example = factorize([batch.column(v) for v in variables], len(batch))
    columns = [decode(batch.column(v)[example], batch.dictionary) for v in variables]
    rows = zip(*columns, strict=True) if columns else [()] * len(example)
    return codes, [
        Solution({v: term for v, term in zip(variables, row, strict=True) if term is not None})
        for row in rows
    ]


def _evaluated(expression: Expression, solution: Solution) -> Term | None:
    try:
        return expression.evaluate(Scope(solution))
    except ExpressionError:
        return None

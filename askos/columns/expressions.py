"""Expressions over whole batches.

Arithmetic, comparisons, logic, IF, COALESCE, numeric functions and casts of inlined numbers are
array operations, and so are comparisons of inlined times.  Whatever else an expression holds is
evaluated by the algebra's own functions, once for each distinct combination of its variables.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from askos.algebra import (
    And,
    Arithmetic,
    Bound,
    Call,
    Coalesce,
    Constant,
    Expression,
    If,
    In,
    Latest,
    Not,
    Or,
    Ref,
)
from askos.algebra.expressions import ExpressionError, Scope
from askos.algebra.expressions.logic import truth
from askos.columns import numbers
from askos.columns.batch import Batch
from askos.columns.coder import Coder, decode
from askos.columns.dictionary import Dictionary
from askos.columns.factorize import factorize
from askos.columns.ids import (
    BOOLEAN,
    LOCAL_MOMENT,
    MOMENT,
    Ids,
    Mask,
    inline,
    is_hashed,
    pack,
    unpack,
)
from askos.columns.numbers import Numbers
from askos.terms import XSD, Literal, Solution, Term, URIRef, Variable, n3

Ternary: TypeAlias = npt.NDArray[np.int8]
"""SPARQL's three-valued logic: 1 true, 0 false, -1 error."""

Condition: TypeAlias = Callable[[Batch], Mask]
Value: TypeAlias = Callable[[Batch], tuple[Ids, Dictionary]]
_Logic: TypeAlias = Callable[[Batch], Ternary]
_Sizes: TypeAlias = Callable[[Batch], Numbers]

_COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_BINARY: Final[dict[str, Callable[[Numbers, Numbers], Numbers]]] = {
    "+": numbers.add,
    "-": numbers.subtract,
    "*": numbers.multiply,
    "/": numbers.divide,
}
_UNARY: Final[dict[str, Callable[[Numbers], Numbers]]] = {
    "UNARY +": lambda a: a,
    "UNARY -": numbers.negate,
    "ABS": numbers.absolute,
    "CEIL": numbers.ceil,
    "FLOOR": numbers.floor,
    "ROUND": numbers.nearest,
    str(XSD.double): numbers.to_double,
    str(XSD.decimal): numbers.to_decimal,
    str(XSD.integer): numbers.to_integer,
}


def compile_condition(expression: Expression) -> Condition:
    """For each element, whether `expression` is true: neither false nor an error."""
    logic = _logic(expression)
    return lambda batch: logic(batch) == 1


def compile_value(expression: Expression, coder: Coder) -> Value:
    """For each element the id of the value, 0 where it is an error."""
    match expression:
        case Ref() | Latest():
            ids = _operand(expression)
            assert ids is not None
            return lambda batch: (ids(batch), batch.dictionary)
        case And() | Or() | Not() | Bound() | In():
            return _said(_logic(expression))
        case Call(name) if name in _COMPARISONS:
            return _said(_logic(expression))
        case If(condition, then, otherwise):
            return _chosen(_logic(condition), *(compile_value(e, coder) for e in (then, otherwise)))
        case Coalesce(choices):
            return _first([compile_value(choice, coder) for choice in choices])
        case Arithmetic() | Call():
            sizes = _numbers(expression)
            if sizes is not None:
                return _computed(expression, sizes, coder)
    return lambda batch: _each(expression, batch, coder)


def _said(logic: _Logic) -> Value:
    """What a condition says, as a boolean."""

    def said(batch: Batch) -> tuple[Ids, Dictionary]:
        answer = logic(batch)
        ids = pack(BOOLEAN, 0, (answer == 1).astype(np.int64))
        return np.where(answer == -1, 0, ids), Dictionary()

    return said


def _chosen(condition: _Logic, then: Value, otherwise: Value) -> Value:
    def chosen(batch: Batch) -> tuple[Ids, Dictionary]:
        answer = condition(batch)
        (these, texts), (others, more) = then(batch), otherwise(batch)
        ids = np.where(answer == 1, these, np.where(answer == 0, others, 0))
        return ids, texts | more

    return chosen


def _first(choices: list[Value]) -> Value:
    def first(batch: Batch) -> tuple[Ids, Dictionary]:
        found, dictionary = np.zeros(len(batch), np.int64), Dictionary()
        for choice in choices:
            ids, texts = choice(batch)
            found, dictionary = np.where(found == 0, ids, found), dictionary | texts
        return found, dictionary

    return first


def _computed(expression: Expression, sizes: _Sizes, coder: Coder) -> Value:
    def computed(batch: Batch) -> tuple[Ids, Dictionary]:
        with np.errstate(all="ignore"):
            found = sizes(batch)
        ids, dictionary = numbers.ids_of(found, coder)
        rest = np.flatnonzero(found.kind == numbers.UNKNOWN)
        if len(rest):
            ids[rest], more = _each(expression, batch.take(rest), coder)
            dictionary |= more
        return ids, dictionary

    return computed


def _each(expression: Expression, batch: Batch, coder: Coder) -> tuple[Ids, Dictionary]:
    """By the algebra, once for each distinct combination."""
    codes, solutions = _distinct(expression, batch)
    terms = [_evaluated(expression, solution) for solution in solutions]
    ids = np.zeros(len(terms), np.int64)
    known = [place for place, term in enumerate(terms) if term is not None]
    ids[known], dictionary = coder.terms([term for term in terms if term is not None])
    return ids[codes], dictionary


# ---- numbers ---------------------------------------------------------------------------------


def _numbers(expression: Expression) -> _Sizes | None:
    """The numbers of an expression, where they can be computed by columns."""
    match expression:
        case Ref() | Latest():
            ids = _operand(expression)
            return None if ids is None else lambda batch: numbers.read(ids(batch))
        case Constant(Literal() as term):
            return _constant(term)
        case Arithmetic(operands, signs):
            return _from_the_left([_numbers(operand) for operand in operands], signs)
        case Call(name, (left, right)) if name in _BINARY:
            return _from_the_left([_numbers(left), _numbers(right)], (name,))
        case Call(name, (inner,)) if name in _UNARY:
            sizes, law = _numbers(inner), _UNARY[name]
            return None if sizes is None else lambda batch: law(sizes(batch))
    return None


def _constant(term: Literal) -> _Sizes | None:
    """A number as it is; a constant moment is none, and is compared by its id."""
    if numbers.of_literal(term, 0) is None and not inline(pa.array([n3(term)]))[0]:
        return None

    def constant(batch: Batch) -> Numbers:
        found = numbers.of_literal(term, len(batch))
        return numbers.nothing(len(batch)) if found is None else found

    return constant


def _from_the_left(operands: list[_Sizes | None], signs: tuple[str, ...]) -> _Sizes | None:
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None

    def combined(batch: Batch) -> Numbers:
        found = known[0](batch)
        for sign, operand in zip(signs, known[1:], strict=True):
            found = _BINARY[sign](found, operand(batch))
        return found

    return combined


# ---- conditions ------------------------------------------------------------------------------


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
            return _comparison(expression)
        case In(choices=choices) if all(_is_iri(choice) for choice in choices):
            return _among(expression)
    return lambda batch: _by_cases(expression, batch)


def _is_iri(expression: Expression) -> bool:
    return isinstance(expression, Constant) and isinstance(expression.term, URIRef)


def _among(expression: In) -> _Logic:
    """One of some IRIs: no value equals them but themselves."""
    operand = expression.operand
    iris = [choice.term for choice in expression.choices if isinstance(choice, Constant)]
    wanted = pa.array([n3(iri) for iri in iris], pa.string())
    if not isinstance(operand, Ref):
        return lambda batch: _by_cases(expression, batch)

    def among(batch: Batch) -> Ternary:
        coded = pa.array(batch.column(operand.variable)).dictionary_encode()
        distinct = coded.dictionary.to_numpy()
        texts = batch.dictionary.texts(distinct)
        found = pc.is_in(texts, value_set=wanted).to_numpy(zero_copy_only=False)
        answer = np.where(distinct == 0, -1, found.astype(np.int8)).astype(np.int8)
        return np.asarray(answer[coded.indices.to_numpy()])

    return among


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


def _comparison(expression: Call) -> _Logic:
    left, right = expression.arguments
    sizes, others = _numbers(left), _numbers(right)
    if sizes is None or others is None:
        return lambda batch: _by_cases(expression, batch)
    compare, mine, theirs = _COMPARISONS[expression.name], _operand(left), _operand(right)

    def comparison(batch: Batch) -> Ternary:
        with np.errstate(all="ignore"):
            x, y = sizes(batch), others(batch)
            said, known = numbers.compare(x, y, compare)
        answer = np.where(known, said, -1).astype(np.int8)
        done = known | (x.kind == numbers.ERROR) | (y.kind == numbers.ERROR)
        if mine is not None and theirs is not None and not done.all():
            moments, earlier, later = _moments(mine(batch), theirs(batch))
            answer[moments] = compare(earlier, later)[moments]
            done |= moments
        rest = np.flatnonzero(~done)
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

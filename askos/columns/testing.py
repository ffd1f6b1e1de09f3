"""Tests of terms over whole batches: IN, ISIRI and the like, and tests of strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from askos.algebra import Call, Constant, Expression, In, Ref
from askos.columns import numbers, strings
from askos.columns.batch import Batch
from askos.columns.cases import ERROR, OPEN, Ternary
from askos.columns.ids import (
    DECIMAL,
    DOUBLE,
    FLOAT,
    INTEGER,
    LOCAL_MOMENT,
    Ids,
    is_inline,
    unpack,
)
from askos.columns.lexical import BLANK, IRI, SIMPLE, TAGGED, Parts
from askos.columns.once import Logic, once
from askos.columns.operands import Terms, column, is_text, sizes, terms
from askos.columns.thresholds import Threshold
from askos.terms import XSD, BNode, Literal, Term, URIRef, Variable, n3

KINDS: Final[dict[str, Callable[[Parts], Ternary]]] = {
    "ISIRI": strings.is_iri,
    "ISURI": strings.is_iri,
    "ISBLANK": strings.is_blank,
    "ISLITERAL": strings.is_literal,
    "ISNUMERIC": strings.is_numeric,
}
_INLINED: Final[dict[str, tuple[int, ...]]] = {
    "ISIRI": (),
    "ISURI": (),
    "ISBLANK": (),
    "ISLITERAL": tuple(range(INTEGER, LOCAL_MOMENT + 1)),
    "ISNUMERIC": (INTEGER, DECIMAL, DOUBLE, FLOAT),
}
_TESTS: Final = ("STRSTARTS", "STRENDS", "CONTAINS")
"""Which take a constant."""
TESTS: Final = frozenset({*KINDS, *_TESTS, "SAMETERM", "LANGMATCHES", "REGEX"})
"""The functions that are conditions, all but comparisons and casts."""


def names_of(choices: Sequence[Expression]) -> list[Term] | None:
    """The constants that are equal to themselves alone, if all are."""
    found = [each.term for each in choices if isinstance(each, Constant) and _is_name(each.term)]
    return found if len(found) == len(choices) else None


def constant_name(left: Expression, right: Expression) -> tuple[Variable, list[Term]] | None:
    """A variable and such a constant, in any order."""
    match (right, left) if isinstance(left, Constant) else (left, right):
        case Ref(variable), other if (names := names_of([other])) is not None:
            return variable, names
    return None


def _is_name(term: Term) -> bool:
    """Whether a term is an IRI, a blank node or a string."""
    match term:
        case Literal():
            return term.datatype is None and is_text(term)
        case URIRef() | BNode():
            return is_text(term)
    return False


# ---- IN --------------------------------------------------------------------------------------


def membership(expression: In) -> Logic | None:
    """One of some constants: names and strings are found by their texts, values are compared."""
    found = [choice.term for choice in expression.choices if isinstance(choice, Constant)]
    names = [term for term in found if _is_name(term)]
    values = [term for term in found if isinstance(term, Literal) and Threshold.takes(term)]
    operand, ids = terms(expression.operand), column(expression.operand)
    known = len(names) + len(values) == len(expression.choices)
    if not known or operand is None or (values and ids is None):
        return None
    laws = [_equal(ids, operand, term) for term in values if ids is not None]
    if names or not values:
        laws.append(_named(operand, names))
    return lambda batch: _either([law(batch) for law in laws])


def _named(operand: Terms, names: list[Term]) -> Logic:
    wanted = pa.array([n3(name) for name in names], pa.string())
    simple = any(isinstance(name, Literal) and not name.language for name in names)
    return lambda batch: strings.among(operand(batch), wanted, simple=simple)


def _equal(ids: Callable[[Batch], Ids], operand: Terms, term: Literal) -> Logic:
    """Equal to a value; no name and no string is."""
    threshold = Threshold("=", term)

    def equal(batch: Batch) -> Ternary:
        answer = threshold.answers(ids(batch))
        if (answer == OPEN).any():
            answer[operand(batch).among(IRI, BLANK, SIMPLE, TAGGED)] = 0
        return answer

    return equal


def _either(answers: list[Ternary]) -> Ternary:
    """True where one is true, else OPEN where one is, else an error where one is an error."""
    found = answers[0]
    for answer in answers[1:]:
        true, is_open = (found == 1) | (answer == 1), (found == OPEN) | (answer == OPEN)
        rest = np.where(is_open, OPEN, np.minimum(found, answer))
        found = np.where(true, 1, rest).astype(np.int8)
    return found


# ---- tests -----------------------------------------------------------------------------------


def kind_test(expression: Call, variable: Variable) -> Logic:
    """ISIRI and the like: of what is inlined the id says it."""
    test = test_of(expression)
    assert test is not None
    others, inlined = once(expression, test), _INLINED[expression.name]

    def of_kind(batch: Batch) -> Ternary:
        ids = batch.column(variable)
        if not is_inline(ids).all():
            return others(batch)
        return np.isin(unpack(ids)[0], inlined).astype(np.int8)

    return of_kind


def test_of(expression: Expression) -> Logic | None:
    """A call of a test whose first argument can be taken apart."""
    match expression:
        case Call(name, (inner,)) if name == str(XSD.boolean):
            return _nonzero(inner)
        case Call(arguments=(inner, *_)):
            law, operand = _law(expression), terms(inner)
            if law is not None and operand is not None:
                return lambda batch: law(operand(batch))
    return None


def _law(expression: Call) -> Callable[[Parts], Ternary] | None:
    match expression:
        case Call(name, (_,)):
            return KINDS.get(name)
        case Call(name, (_, Constant(Literal(datatype=None) as wanted))) if name in _TESTS:
            return strings.test(name, wanted) if is_text(wanted) else None
    given = [_simple(argument) for argument in expression.arguments[1:]]
    words = [text for text in given if text is not None]
    if len(words) < len(given):
        return None
    match expression.name:
        case "LANGMATCHES":
            return strings.language_matches(*words)
        case "REGEX":
            return strings.regex(*words)
    return None


def _simple(expression: Expression) -> str | None:
    """The text of a constant that is a simple literal."""
    match expression:
        case Constant(Literal(datatype=None, language=None) as term) if is_text(term):
            return str(term)
    return None


def _nonzero(inner: Expression) -> Logic | None:
    """xsd:boolean(x) of a number."""
    found = sizes(inner)
    if found is None:
        return None

    def nonzero(batch: Batch) -> Ternary:
        with np.errstate(all="ignore"):
            size = found(batch)
        said = np.where(size.exact, size.value, size.double) != 0
        answer = np.where(size.known, said, OPEN)
        return np.where(size.kind == numbers.ERROR, ERROR, answer).astype(np.int8)

    return nonzero

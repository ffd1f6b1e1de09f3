"""Expressions over whole batches.

Arithmetic, comparisons, logic, IF, COALESCE, IN, numeric functions and casts of inlined numbers,
parts of inlined dateTimes, and functions and tests of terms and strings are array operations.
Whatever else an expression holds is evaluated by the algebra's own functions, once for each
distinct combination of its variables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from askos.algebra import Arithmetic, Call, Coalesce, Expression, If, Latest, Ref
from askos.columns import cases, numbers, uniform
from askos.columns import quotients as exactly
from askos.columns.batch import Batch
from askos.columns.cases import ERROR
from askos.columns.coder import Coder
from askos.columns.conditions import holds, is_test, logic
from askos.columns.dictionary import Dictionary
from askos.columns.ids import BOOLEAN, Ids, Mask, pack
from askos.columns.lexical import UNKNOWN, written
from askos.columns.once import Condition, Logic
from askos.columns.operands import Sizes, Terms, column, quotients, sizes, terms, uniforms

Value: TypeAlias = Callable[[Batch], tuple[Ids, Dictionary]]


def compile_condition(expression: Expression) -> Condition:
    """For each element, whether `expression` is true: neither false nor an error."""
    return holds(expression)


def compile_value(expression: Expression, coder: Coder) -> Value:
    """For each element the id of the value, 0 where it is an error."""
    if is_test(expression):
        return _said(logic(expression))
    match expression:
        case Ref(variable):
            return lambda batch: (batch.column(variable), batch.dictionary)
        case Latest():
            ids = column(expression)
            assert ids is not None
            return lambda batch: (ids(batch), batch.dictionary)
        case If(condition, then, otherwise):
            return _chosen(logic(condition), *(compile_value(e, coder) for e in (then, otherwise)))
        case Coalesce(choices):
            return _first([compile_value(choice, coder) for choice in choices])
        case Arithmetic() | Call():
            found, texts = sizes(expression), terms(expression)
            if found is not None:
                return _divided(expression, _computed(expression, found, coder), coder)
            if texts is not None:
                return _spelled(expression, texts, coder)
    return lambda batch: cases.values(expression, batch, coder)


def _said(law: Logic) -> Value:
    """What a condition says, as a boolean."""

    def said(batch: Batch) -> tuple[Ids, Dictionary]:
        answer = law(batch)
        ids = pack(BOOLEAN, 0, (answer == 1).astype(np.int64))
        return np.where(answer == ERROR, 0, ids), Dictionary()

    return said


def _chosen(condition: Logic, then: Value, otherwise: Value) -> Value:
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


def _computed(expression: Expression, found: Sizes, coder: Coder) -> Value:
    """Numbers; what is UNKNOWN by the algebra."""
    alike = uniforms(expression)

    def computed(batch: Batch) -> tuple[Ids, Dictionary]:
        quick = None if alike is None else alike(batch)
        short = None if quick is None else uniform.ids_of(quick, len(batch))
        if short is not None:
            return short, Dictionary()
        with np.errstate(all="ignore"):
            known = found(batch)
        ids, dictionary = numbers.ids_of(known, coder)
        return _completed(expression, batch, known.kind == numbers.UNKNOWN, ids, dictionary, coder)

    return computed


def _divided(expression: Expression, others: Value, coder: Coder) -> Value:
    """Quotients, with all their digits; what is none by `others`."""
    found = quotients(expression)
    if found is None or not (isinstance(expression, Call) and expression.name == "/"):
        return others

    def divided(batch: Batch) -> tuple[Ids, Dictionary]:
        with np.errstate(all="ignore"):
            made, known = found(batch)
        ids, dictionary = exactly.ids_of(made, coder)
        rows = np.flatnonzero(~known)
        if len(rows):
            ids[rows], more = others(batch.take(rows))
            dictionary |= more
        return ids, dictionary

    return divided


def _spelled(expression: Expression, found: Terms, coder: Coder) -> Value:
    """Terms, once for each distinct combination; what is UNKNOWN by the algebra."""
    variables = sorted(expression.variables)

    def spelled(batch: Batch) -> tuple[Ids, Dictionary]:
        codes, few = cases.distinct(variables, batch)
        parts = found(few)
        ids, rows = np.zeros(len(few), np.int64), np.flatnonzero(parts.kind > UNKNOWN)
        ids[rows], dictionary = coder.encode(written(parts).take(rows))
        unknown = parts.kind == UNKNOWN
        ids, dictionary = _completed(expression, few, unknown, ids, dictionary, coder)
        return ids[codes], dictionary

    return spelled


def _completed(
    expression: Expression,
    batch: Batch,
    unknown: Mask,
    ids: Ids,
    dictionary: Dictionary,
    coder: Coder,
) -> tuple[Ids, Dictionary]:
    """With the values by the algebra where they are not known."""
    rows = np.flatnonzero(unknown)
    if len(rows):
        ids[rows], more = cases.values(expression, batch.take(rows), coder)
        dictionary |= more
    return ids, dictionary

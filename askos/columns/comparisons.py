"""Comparisons over whole batches: of ids, of numbers, of dateTimes, of quotients and of texts."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from askos.algebra import Call, Constant, Expression, Latest, Ref
from askos.columns import moments, numbers, strings, uniform
from askos.columns import quotients as exactly
from askos.columns.batch import Batch
from askos.columns.cases import ERROR, OPEN, Ternary
from askos.columns.dictionary import Dictionary
from askos.columns.ids import (
    Ids,
    Mask,
    is_hashed,
    is_inline,
)
from askos.columns.lexical import SIMPLE, TYPED, Parts, kinds
from askos.columns.names import Entries, same
from askos.columns.once import Condition, Logic, by_cases, lazily, once, taken
from askos.columns.operands import column, quotients, sizes, terms, uniforms
from askos.columns.thresholds import Threshold, alike
from askos.terms import Literal, Variable

COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SWAPPED: Final = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def limit(
    name: str, left: Expression, right: Expression
) -> tuple[Callable[[Batch], Ids], Threshold] | None:
    """A column and what it is compared with, if that is a constant that ids can be compared to."""
    if isinstance(left, Constant):
        name, left, right = _SWAPPED[name], right, left
    ids = column(left) if isinstance(left, Ref | Latest) else None
    match right:
        case Constant(Literal() as term) if ids is not None and Threshold.takes(term):
            return ids, Threshold(name, term)
    return None


def decide(expression: Call, ids: Callable[[Batch], Ids], threshold: Threshold) -> Logic:
    """A comparison with a constant; rows of which ids do not tell are compared otherwise."""
    compared, variables = lazily(lambda: compare(expression)), expression.variables

    def decided(batch: Batch) -> Ternary:
        answer = threshold.answers(ids(batch))
        rows = np.flatnonzero(answer == OPEN)
        if len(rows):
            answer[rows] = compared(taken(batch, variables, rows))
        return answer

    return decided


def pass_beyond(expression: Call, ids: Callable[[Batch], Ids], threshold: Threshold) -> Condition:
    """The same, where only what is true matters."""
    compared, variables = lazily(lambda: compare(expression)), expression.variables

    def beyond(batch: Batch) -> Mask:
        true, unknown = threshold.true(ids(batch))
        if unknown is not None:
            rows = np.flatnonzero(unknown)
            true[rows] = compared(taken(batch, variables, rows)) == 1
        return true

    return beyond


def compare(expression: Call) -> Logic:
    """Any comparison: of ids, of numbers, of dateTimes, of texts, and the rest by the algebra."""
    makers = (_paired, _without_value, _divided, _sized, _timed)
    found = (maker(expression) for maker in makers)
    laws = [law for law in found if law is not None]
    laws.append(_worded(expression))
    variables = expression.variables

    def compared(batch: Batch) -> Ternary:
        answer = laws[0](batch)
        for law in laws[1:]:
            rows = np.flatnonzero(answer == OPEN)
            if not len(rows):
                break
            answer[rows] = law(taken(batch, variables, rows))
        return answer

    return compared


def _paired(expression: Call) -> Logic | None:
    """Of two variables: all rows at once, or which of them say something by themselves."""
    match expression.arguments:
        case Ref(left), Ref(right):
            law, equality = COMPARISONS[expression.name], expression.name in ("=", "!=")
        case _:
            return None
    entries = Entries(kinds)

    def paired(batch: Batch) -> Ternary:
        a, b = batch.column(left), batch.column(right)
        said = alike(a, b, law)
        if said is not None:
            return said.astype(np.int8)
        if not equality or is_inline(a & b).all():
            return np.full(len(batch), OPEN, np.int8)
        mine, theirs = (_kinds(ids, batch.dictionary, entries) for ids in (a, b))
        equal = same(a, b, batch.dictionary) == (expression.name == "=")
        error = (a == 0) | (b == 0)
        found = np.where(_by_themselves(mine, theirs), equal, OPEN)
        return np.where(error, ERROR, found).astype(np.int8)

    return paired


def _kinds(ids: Ids, dictionary: Dictionary, entries: Entries) -> Ternary:
    """The kinds of terms; what is inlined is a typed literal."""
    hashed = is_hashed(ids)
    if hashed.all():
        return entries.of(ids, dictionary)
    found = np.full(len(ids), TYPED, np.int8)
    found[hashed] = entries.of(ids[hashed], dictionary)
    return found


def _by_themselves(mine: Ternary, theirs: Ternary) -> Mask:
    """Where terms of such kinds are equal to themselves alone: one is no value, or both are
    strings."""
    values = (SIMPLE, TYPED)
    named = ~(_is_in(mine, values) & _is_in(theirs, values))
    return np.asarray(named | ((mine == SIMPLE) & (theirs == SIMPLE)))


def _is_in(kind: Ternary, wanted: tuple[int, int]) -> Mask:
    return np.asarray((kind == wanted[0]) | (kind == wanted[1]))


def _without_value(expression: Call) -> Logic | None:
    """Of names and strings with a constant that is a value: never equal, and in no order."""
    limited = limit(expression.name, *expression.arguments)
    if limited is None:
        return None
    ids, entries = limited[0], Entries(kinds)
    said = {"=": 0, "!=": 1}.get(expression.name, ERROR)

    def without_value(batch: Batch) -> Ternary:
        found = _kinds(ids(batch), batch.dictionary, entries)
        return np.where(found == TYPED, OPEN, said).astype(np.int8)

    return without_value


def _sized(expression: Call) -> Logic | None:
    left, right = expression.arguments
    mine, theirs, law = sizes(left), sizes(right), COMPARISONS[expression.name]
    if mine is None or theirs is None:
        return None
    alike = _uniform(expression)

    def sized(batch: Batch) -> Ternary:
        quick = alike(batch)
        if quick is not None:
            return np.broadcast_to(quick, len(batch)).astype(np.int8)
        with np.errstate(all="ignore"):
            a, b = mine(batch), theirs(batch)
            said, known = numbers.compare(a, b, law)
        error = (a.kind == numbers.ERROR) | (b.kind == numbers.ERROR)
        found = np.where(known, said, OPEN)
        return np.where(error, ERROR, found).astype(np.int8)

    return sized


def _uniform(expression: Call) -> Callable[[Batch], Mask | None]:
    """How numbers compare, if each side is uniform."""
    left, right = (uniforms(argument) for argument in expression.arguments)
    law = COMPARISONS[expression.name]
    if left is None or right is None:
        return lambda batch: None
    mine, theirs = left, right

    def compared(batch: Batch) -> Mask | None:
        a = mine(batch)
        b = None if a is None else theirs(batch)
        return None if a is None or b is None else uniform.compare(a, b, law)

    return compared


def _divided(expression: Call) -> Logic | None:
    """Of quotients, with all their digits."""
    if not any(isinstance(each, Call) and each.name == "/" for each in expression.arguments):
        return None
    left, right = (quotients(argument) for argument in expression.arguments)
    if left is None or right is None:
        return None
    mine, theirs, law = left, right, COMPARISONS[expression.name]

    def divided(batch: Batch) -> Ternary:
        with np.errstate(all="ignore"):
            (a, known), (b, also) = mine(batch), theirs(batch)
        return np.where(known & also, exactly.compare(a, b, law), OPEN).astype(np.int8)

    return divided


def _timed(expression: Call) -> Logic | None:
    left, right = (column(argument) for argument in expression.arguments)
    if left is None or right is None:
        return None
    mine, theirs, law = left, right, COMPARISONS[expression.name]
    return lambda batch: moments.compare(mine(batch), theirs(batch), law)


def _worded(expression: Call) -> Logic:
    """Of names and strings; what is left by the algebra."""
    law = on_terms(strings.COMPARISONS[expression.name], *expression.arguments)
    return by_cases(expression) if law is None else once(expression, law)


def on_terms(
    law: Callable[[Parts, Parts], Ternary], left: Expression, right: Expression
) -> Logic | None:
    """A law of two terms, where both can be taken apart."""
    mine, theirs = terms(left), terms(right)
    if mine is None or theirs is None:
        return None
    return lambda batch: law(mine(batch), theirs(batch))


def same_term(left: Variable, right: Variable) -> Logic:
    """SAMETERM of two variables: equal ids are equal terms."""

    def alike(batch: Batch) -> Ternary:
        a, b = batch.column(left), batch.column(right)
        found = same(a, b, batch.dictionary)
        return np.where((a == 0) | (b == 0), ERROR, found).astype(np.int8)

    return alike

"""Conditions over whole batches, in SPARQL's three-valued logic.

What arrays do not tell of some rows is evaluated by the algebra, for those rows alone.
"""

from __future__ import annotations

import numpy as np

from askos.algebra import And, Bound, Call, Expression, In, Not, Or, Ref
from askos.algebra.chains import members
from askos.algebra.expressions.logic import conjuncts
from askos.columns import strings
from askos.columns.batch import Batch
from askos.columns.cases import ERROR, Ternary
from askos.columns.comparisons import (
    COMPARISONS,
    compare,
    decide,
    limit,
    on_terms,
    pass_beyond,
    same_term,
)
from askos.columns.ids import Mask
from askos.columns.names import Names
from askos.columns.once import Condition, Logic, by_cases, once, taken
from askos.columns.testing import (
    KINDS,
    TESTS,
    constant_name,
    kind_test,
    membership,
    names_of,
    test_of,
)
from askos.terms import XSD, Term, Variable


def is_test(expression: Expression) -> bool:
    """Whether a value is what a condition says."""
    match expression:
        case And() | Or() | Not() | Bound() | In():
            return True
        case Call(name):
            return name in TESTS or name in COMPARISONS or name == str(XSD.boolean)
    return False


# ---- what is true ----------------------------------------------------------------------------


def holds(expression: Expression) -> Condition:
    """For each element, whether `expression` is true: neither false nor an error."""
    match expression:
        case And():
            return _all(conjuncts(expression))
        case Or():
            return _any([holds(choice) for choice in members(expression, Or)])
        case Bound(variable):
            return lambda batch: batch.column(variable) != 0
        case Not(Bound(variable)):
            return lambda batch: batch.column(variable) == 0
        case Call(name, (left, right)) if name in COMPARISONS:
            limited = limit(name, left, right)
            if limited is not None:
                return pass_beyond(expression, *limited)
            if name == "=" and (found := constant_name(left, right)) is not None:
                return _one_of(*found)
        case In(Ref(variable), (_, *_) as choices) if (names := names_of(choices)) is not None:
            return _one_of(variable, names)
    law = logic(expression)
    return lambda batch: law(batch) == 1


def _all(conditions: list[Expression]) -> Condition:
    """All of them: those that cost little for every row, the others for the rows that are left."""
    cheap = [holds(each) for each in conditions if _is_cheap(each)]
    others = [(holds(each), each.variables) for each in conditions if not _is_cheap(each)]

    def all_of(batch: Batch) -> Mask:
        kept = np.ones(len(batch), np.bool_)
        for condition in cheap:
            kept &= condition(batch)
        for condition, variables in others:
            rows = np.flatnonzero(kept)
            if len(rows) == len(batch):
                kept = condition(batch)
            elif len(rows):
                kept[rows] = condition(taken(batch, variables, rows))
        return kept

    return all_of


def _is_cheap(expression: Expression) -> bool:
    """Whether it takes a few comparisons of ids."""
    match expression:
        case Bound() | Not(Bound()):
            return True
        case Call(name, (left, right)) if name in COMPARISONS:
            named = name == "=" and constant_name(left, right) is not None
            return named or limit(name, left, right) is not None
    return False


def _any(conditions: list[Condition]) -> Condition:
    def any_of(batch: Batch) -> Mask:
        found = conditions[0](batch)
        for condition in conditions[1:]:
            found = found | condition(batch)
        return found

    return any_of


def _one_of(variable: Variable, terms: list[Term]) -> Condition:
    names = Names(terms)
    return lambda batch: names.among(batch.column(variable), batch.dictionary)


# ---- true, false or an error -----------------------------------------------------------------


def logic(expression: Expression) -> Logic:
    """For each element what `expression` says."""
    match expression:
        case And(left, right):
            return _both(logic(left), logic(right))
        case Or(left, right):
            return _negated(_both(_negated(logic(left)), _negated(logic(right))))
        case Not(inner):
            return _negated(logic(inner))
        case Bound(variable):
            return lambda batch: (batch.column(variable) != 0).astype(np.int8)
        case Call(name, (left, right)) if name in COMPARISONS:
            limited = limit(name, left, right)
            return compare(expression) if limited is None else decide(expression, *limited)
        case Call("SAMETERM", (Ref(left), Ref(right))):
            return same_term(left, right)
        case Call("SAMETERM", (left, right)):
            law = on_terms(strings.same, left, right)
        case Call(name, (Ref(variable),)) if name in KINDS:
            return kind_test(expression, variable)
        case In():
            law = membership(expression)
        case _:
            law = test_of(expression)
    return by_cases(expression) if law is None else once(expression, law)


def _negated(law: Logic) -> Logic:
    def negated(batch: Batch) -> Ternary:
        answer = law(batch)
        return np.where(answer == ERROR, answer, 1 - answer)

    return negated


def _both(left: Logic, right: Logic) -> Logic:
    """False where one is false, else an error where one is an error."""

    def both(batch: Batch) -> Ternary:
        a, b = left(batch), right(batch)
        return np.where((a == 0) | (b == 0), np.int8(0), np.minimum(a, b))

    return both

"""Conditions over whole batches, in SPARQL's three-valued logic.

What arrays do not tell of some rows is evaluated by the algebra, for those rows alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from askos.algebra import And, Bound, Call, Constant, Expression, In, Latest, Not, Or, Ref
from askos.algebra.chains import members
from askos.algebra.expressions.logic import conjuncts
from askos.columns import cases, moments, numbers, strings, uniform
from askos.columns import quotients as exactly
from askos.columns.batch import Batch
from askos.columns.cases import ERROR, OPEN, Ternary
from askos.columns.dictionary import Dictionary
from askos.columns.ids import (
    DECIMAL,
    DOUBLE,
    FLOAT,
    INTEGER,
    LOCAL_MOMENT,
    Ids,
    Mask,
    is_hashed,
    is_inline,
    unpack,
)
from askos.columns.lexical import BLANK, IRI, SIMPLE, TAGGED, TYPED, Parts, kinds
from askos.columns.names import Entries, Names, same
from askos.columns.operands import Terms, column, is_text, quotients, sizes, terms, uniforms
from askos.columns.thresholds import Threshold, alike
from askos.terms import XSD, BNode, Literal, Term, URIRef, Variable, n3

Condition: TypeAlias = Callable[[Batch], Mask]
Logic: TypeAlias = Callable[[Batch], Ternary]

COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SWAPPED: Final = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_KINDS: Final[dict[str, Callable[[Parts], Ternary]]] = {
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
TESTS: Final = frozenset({*COMPARISONS, *_KINDS, *_TESTS, "SAMETERM", "LANGMATCHES", "REGEX"})
"""The functions that are conditions, all but the casts."""


def is_test(expression: Expression) -> bool:
    """Whether a value is what a condition says."""
    match expression:
        case And() | Or() | Not() | Bound() | In():
            return True
        case Call(name):
            return name in TESTS or name == str(XSD.boolean)
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
            limited = _limited(name, left, right)
            if limited is not None:
                return _beyond(expression, *limited)
            if name == "=" and (found := _constant_name(left, right)) is not None:
                return _one_of(*found)
        case In(Ref(variable), (_, *_) as choices) if (names := _names(choices)) is not None:
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
                kept[rows] = condition(_taken(batch, variables, rows))
        return kept

    return all_of


def _is_cheap(expression: Expression) -> bool:
    """Whether it takes a few comparisons of ids."""
    match expression:
        case Bound() | Not(Bound()):
            return True
        case Call(name, (left, right)) if name in COMPARISONS:
            named = name == "=" and _constant_name(left, right) is not None
            return named or _limited(name, left, right) is not None
    return False


def _taken(batch: Batch, variables: Collection[Variable], rows: Ids) -> Batch:
    columns = {variable: batch.column(variable) for variable in variables}
    return batch.with_columns(columns).take(rows)


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


def _names(choices: Sequence[Expression]) -> list[Term] | None:
    """The constants that are equal to themselves alone, if all are."""
    found = [each.term for each in choices if isinstance(each, Constant) and _is_name(each.term)]
    return found if len(found) == len(choices) else None


def _constant_name(left: Expression, right: Expression) -> tuple[Variable, list[Term]] | None:
    """A variable and such a constant, in any order."""
    match (right, left) if isinstance(left, Constant) else (left, right):
        case Ref(variable), other if (names := _names([other])) is not None:
            return variable, names
    return None


def _beyond(expression: Call, ids: Callable[[Batch], Ids], threshold: Threshold) -> Condition:
    """A comparison with a constant; rows of which ids do not tell are compared otherwise."""
    compared, variables = _compared(expression), expression.variables

    def beyond(batch: Batch) -> Mask:
        true, unknown = threshold.true(ids(batch))
        if unknown is not None:
            rows = np.flatnonzero(unknown)
            true[rows] = compared(_taken(batch, variables, rows)) == 1
        return true

    return beyond


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
            limited = _limited(name, left, right)
            return _compared(expression) if limited is None else _decided(expression, *limited)
        case Call("SAMETERM", (Ref(left), Ref(right))):
            return _same(left, right)
        case Call("SAMETERM", (left, right)):
            law = _on_terms(strings.same, left, right)
        case Call(name, (Ref(variable),)) if name in _KINDS:
            return _of_kind(expression, variable)
        case In():
            law = _among(expression)
        case _:
            law = _test(expression)
    return _by_cases(expression) if law is None else _once(expression, law)


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


def _by_cases(expression: Expression) -> Logic:
    return lambda batch: cases.answers(expression, batch)


def _once(expression: Expression, law: Logic) -> Logic:
    """By arrays, once for each distinct combination; what is OPEN by the algebra."""
    variables = sorted(expression.variables)

    def once(batch: Batch) -> Ternary:
        codes, few = cases.distinct(variables, batch)
        return _settled(expression, few, law(few))[codes]

    return _remembered(variables[0], once) if len(variables) == 1 else once


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
        answer[~hashed] = law(_taken(batch, (variable,), np.flatnonzero(~hashed)))
        return answer

    return remembered


def _settled(expression: Expression, batch: Batch, answer: Ternary) -> Ternary:
    rows = np.flatnonzero(answer == OPEN)
    if len(rows):
        answer[rows] = cases.answers(expression, batch.take(rows))
    return answer


# ---- comparisons -----------------------------------------------------------------------------


def _limited(
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


def _decided(expression: Call, ids: Callable[[Batch], Ids], threshold: Threshold) -> Logic:
    """A comparison with a constant; rows of which ids do not tell are compared otherwise."""
    compared, variables = _compared(expression), expression.variables

    def decided(batch: Batch) -> Ternary:
        answer = threshold.answers(ids(batch))
        rows = np.flatnonzero(answer == OPEN)
        if len(rows):
            answer[rows] = compared(_taken(batch, variables, rows))
        return answer

    return decided


def _compared(expression: Call) -> Logic:
    """Any comparison: of ids, of numbers, of dateTimes, of texts, and the rest by the algebra."""
    found = (_paired(expression), _divided(expression), _sized(expression), _timed(expression))
    laws = [law for law in found if law is not None]
    laws.append(_worded(expression))
    variables = expression.variables

    def compared(batch: Batch) -> Ternary:
        answer = laws[0](batch)
        for law in laws[1:]:
            rows = np.flatnonzero(answer == OPEN)
            if not len(rows):
                break
            answer[rows] = law(_taken(batch, variables, rows))
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
    law = _on_terms(strings.COMPARISONS[expression.name], *expression.arguments)
    return _by_cases(expression) if law is None else _once(expression, law)


def _on_terms(
    law: Callable[[Parts, Parts], Ternary], left: Expression, right: Expression
) -> Logic | None:
    mine, theirs = terms(left), terms(right)
    if mine is None or theirs is None:
        return None
    return lambda batch: law(mine(batch), theirs(batch))


def _same(left: Variable, right: Variable) -> Logic:
    """SAMETERM of two variables: equal ids are equal terms."""

    def alike(batch: Batch) -> Ternary:
        a, b = batch.column(left), batch.column(right)
        found = same(a, b, batch.dictionary)
        return np.where((a == 0) | (b == 0), ERROR, found).astype(np.int8)

    return alike


# ---- IN --------------------------------------------------------------------------------------


def _among(expression: In) -> Logic | None:
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


def _is_name(term: Term) -> bool:
    """Whether a term is an IRI, a blank node or a string."""
    match term:
        case Literal():
            return term.datatype is None and is_text(term)
        case URIRef() | BNode():
            return is_text(term)
    return False


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


def _of_kind(expression: Call, variable: Variable) -> Logic:
    """ISIRI and the like: of what is inlined the id says it."""
    test = _test(expression)
    assert test is not None
    others, inlined = _once(expression, test), _INLINED[expression.name]

    def of_kind(batch: Batch) -> Ternary:
        ids = batch.column(variable)
        if not is_inline(ids).all():
            return others(batch)
        return np.isin(unpack(ids)[0], inlined).astype(np.int8)

    return of_kind


def _test(expression: Expression) -> Logic | None:
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
            return _KINDS.get(name)
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

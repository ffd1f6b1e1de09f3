"""The operands of expressions as columns: as ids, as numbers, or as terms taken apart.

Each is None where it takes the algebra to evaluate the expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa

from askos.algebra import Arithmetic, Call, Constant, Expression, Latest, Ref
from askos.algebra.expressions.numbers import Number
from askos.algebra.expressions.values import value
from askos.columns import cases, lexical, moments, numbers, strings, uniform
from askos.columns import quotients as exactly
from askos.columns.batch import Batch
from askos.columns.coder import decode
from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids, Mask, inline, is_hashed, is_inline
from askos.columns.lexical import Parts
from askos.columns.numbers import Numbers
from askos.columns.numerals import Quotient
from askos.columns.uniform import Uniform
from askos.terms import XSD, Literal, Term, Variable, n3

Column: TypeAlias = Callable[[Batch], Ids]
Sizes: TypeAlias = Callable[[Batch], Numbers]
Terms: TypeAlias = Callable[[Batch], Parts]
Quotients: TypeAlias = Callable[[Batch], tuple[Quotient, Mask]]
Uniforms: TypeAlias = Callable[[Batch], Uniform | None]
Found = TypeVar("Found")

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
_ALIKE: Final[dict[str, Callable[[Uniform, Uniform], Uniform | None]]] = {
    "+": uniform.add,
    "-": uniform.subtract,
    "*": uniform.multiply,
}
_SIGNED: Final[dict[str, Callable[[Uniform], Uniform]]] = {
    "UNARY +": lambda a: a,
    "UNARY -": uniform.negate,
    "ABS": uniform.absolute,
    "CEIL": uniform.ceil,
    "FLOOR": uniform.floor,
    "ROUND": uniform.nearest,
}
_TEXTS: Final[dict[str, Callable[[Parts], Parts]]] = {
    "STR": strings.text_of,
    "LANG": strings.language,
    "DATATYPE": strings.datatype,
    "UCASE": strings.upper,
    "LCASE": strings.lower,
    str(XSD.string): strings.as_string,
}
_ZONES: Final[dict[str, Callable[[Ids], Parts]]] = {
    "TZ": moments.zone,
    "TIMEZONE": moments.zone_length,
}


# ---- ids -------------------------------------------------------------------------------------


def column(expression: Expression) -> Column | None:
    """The ids of an operand, where they can be had without evaluating anything."""
    match expression:
        case Ref(variable):
            return lambda batch: batch.column(variable)
        case Latest(columns):
            return lambda batch: _latest(batch, columns)
        case Constant(term) if is_text(term):
            (found,) = inline(pa.array([n3(term)]))
            if found:
                return lambda batch: np.full(len(batch), found)
    return None


def is_text(term: Term) -> bool:
    """Whether a term is made of characters: a lone surrogate is none, and no array holds it."""
    return not any("\ud800" <= character <= "\udfff" for character in n3(term))


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


# ---- numbers ---------------------------------------------------------------------------------


def sizes(expression: Expression) -> Sizes | None:
    """The numbers of an expression, where they can be computed by columns."""
    match expression:
        case Ref() | Latest():
            return _of_ids(numbers.read, expression)
        case Constant(Literal() as term):
            return _number(term)
        case Arithmetic(operands, signs):
            return _from_the_left([sizes(operand) for operand in operands], signs)
        case Call(name, (left, right)) if name in _BINARY:
            return _from_the_left([sizes(left), sizes(right)], (name,))
        case Call(name, (inner,)) if name in _UNARY:
            return _applied(_UNARY[name], sizes(inner))
        case Call(name, (inner,)) if name in moments.PARTS:
            return _of_ids(moments.part(name), inner)
        case Call("STRLEN", (inner,)):
            return _length(inner)
    return None


def _of_ids(law: Callable[[Ids], Found], inner: Expression) -> Callable[[Batch], Found] | None:
    ids = column(inner)
    return None if ids is None else lambda batch: law(ids(batch))


def _applied(law: Callable[[Numbers], Numbers], inner: Sizes | None) -> Sizes | None:
    return None if inner is None else lambda batch: law(inner(batch))


def _length(inner: Expression) -> Sizes | None:
    """STRLEN, once for each distinct combination."""
    texts, variables = terms(inner), sorted(inner.variables)
    if texts is None:
        return None

    def length(batch: Batch) -> Numbers:
        codes, few = cases.distinct(variables, batch)
        return strings.length(texts(few)).take(codes)

    return length


def _number(term: Literal) -> Sizes | None:
    """A number as it is; a constant moment is none, and is compared by its id."""
    if numbers.of_literal(term, 0) is None and column(Constant(term)) is None:
        return None

    def constant(batch: Batch) -> Numbers:
        found = numbers.of_literal(term, len(batch))
        return numbers.nothing(len(batch)) if found is None else found

    return constant


def _from_the_left(operands: list[Sizes | None], signs: tuple[str, ...]) -> Sizes | None:
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None

    def combined(batch: Batch) -> Numbers:
        found = known[0](batch)
        for sign, operand in zip(signs, known[1:], strict=True):
            found = _BINARY[sign](found, operand(batch))
        return found

    return combined


def quotients(expression: Expression) -> Quotients | None:
    """The same with all the digits that a quotient has, and where they are known."""
    match expression:
        case Call("/", (left, right)):
            mine, theirs = sizes(left), sizes(right)
            if mine is None or theirs is None:
                return None
            a, b = mine, theirs
            return lambda batch: exactly.divide(a(batch), b(batch))
    found = sizes(expression)
    return None if found is None else lambda batch: exactly.split(found(batch))


# ---- uniform numbers -------------------------------------------------------------------------


def uniforms(expression: Expression) -> Uniforms | None:
    """The same where all rows are alike: that is seen when they are there."""
    match expression:
        case Ref() | Latest():
            return _of_ids(uniform.read, expression)
        case Constant(Literal() as term) if (known := uniform.of_literal(term)) is not None:
            return lambda batch: known
        case Arithmetic(operands, signs):
            return _in_turn([uniforms(operand) for operand in operands], signs)
        case Call(name, (left, right)) if name in _ALIKE:
            return _in_turn([uniforms(left), uniforms(right)], (name,))
        case Call(name, (inner,)) if name in _SIGNED:
            return _signed(_SIGNED[name], uniforms(inner))
    return None


def _in_turn(operands: list[Uniforms | None], signs: tuple[str, ...]) -> Uniforms | None:
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands) or "/" in signs:
        return None

    def combined(batch: Batch) -> Uniform | None:
        found = known[0](batch)
        for sign, operand in zip(signs, known[1:], strict=True):
            other = None if found is None else operand(batch)
            if found is None or other is None:
                return None
            found = _ALIKE[sign](found, other)
        return found

    return combined


def _signed(law: Callable[[Uniform], Uniform], inner: Uniforms | None) -> Uniforms | None:
    if inner is None:
        return None

    def signed(batch: Batch) -> Uniform | None:
        found = inner(batch)
        return None if found is None else law(found)

    return signed


# ---- terms -----------------------------------------------------------------------------------


def terms(expression: Expression) -> Terms | None:
    """The terms of an expression, taken apart."""
    match expression:
        case Ref(variable):
            return lambda batch: lexical.read(batch.column(variable), batch.dictionary)
        case Constant(term) if is_text(term):
            return lambda batch: lexical.constant(term, len(batch))
        case Call("DATATYPE", (Ref(variable),)):
            return lambda batch: _datatypes(batch.column(variable), batch.dictionary)
        case Call(name, (inner,)) if name in _TEXTS:
            return _of(inner, _TEXTS[name])
        case Call(name, (inner,)) if name in _ZONES:
            return _of_ids(_ZONES[name], inner)
        case Call("SUBSTR", (inner, *places)):
            numbers = [_whole(place) for place in places]
            known = [number for number in numbers if number is not None]
            return _of(inner, strings.substring(*known)) if len(known) == len(places) else None
        case Call("CONCAT", (_, *_) as arguments):
            return _joined([terms(argument) for argument in arguments])
    return None


def _datatypes(ids: Ids, dictionary: Dictionary) -> Parts:
    """DATATYPE; what is inlined is not written for it."""
    if is_inline(ids).all():
        return lexical.datatypes(ids)
    return strings.datatype(lexical.read(ids, dictionary))


def _of(inner: Expression, law: Callable[[Parts], Parts]) -> Terms | None:
    found = terms(inner)
    return None if found is None else lambda batch: law(found(batch))


def _joined(arguments: list[Terms | None]) -> Terms | None:
    known = [argument for argument in arguments if argument is not None]
    if len(known) < len(arguments):
        return None
    return lambda batch: strings.concatenated([argument(batch) for argument in known])


def _whole(expression: Expression) -> int | None:
    """The integer that a constant is."""
    if not (isinstance(expression, Constant) and isinstance(expression.term, Literal)):
        return None
    known = value(expression.term)
    whole = isinstance(known, Number) and known.type == XSD.integer
    return int(known.value) if isinstance(known, Number) and whole else None

"""From literals to the values SPARQL's operators work on, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from askos.algebra.expressions.durations import Duration, duration_literal, parse_duration
from askos.algebra.expressions.expression import FALSE, TRUE, ExpressionError
from askos.algebra.expressions.moments import Moment, moment_literal, parse_moment
from askos.algebra.expressions.numbers import NUMERIC, Number, number_literal, parse_number
from askos.terms import XSD, BNode, Literal, Term, URIRef, canonical, n3


@dataclass(frozen=True, slots=True)
class LangString:
    """A literal with a language tag."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """A literal whose value we do not know: an unknown datatype, or an ill-formed text."""

    literal: Literal


Value: TypeAlias = Number | bool | str | LangString | Moment | Duration | Opaque
_BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}


def value(literal: Literal) -> Value:
    """The value a literal denotes; Opaque where we cannot tell."""
    if literal.language:
        return LangString(str(literal), literal.language)
    if literal.datatype is None:
        return str(literal)
    if literal.datatype == XSD.boolean:
        truth = _BOOLEANS.get(str(literal))
        return Opaque(literal) if truth is None else truth
    known = parse_number(literal) or parse_moment(literal) or parse_duration(literal)
    return known or Opaque(literal)


def to_term(result: object) -> Term:
    """The term for a value a function computed; terms pass as they are."""
    match result:
        case bool():
            return (TRUE if result else FALSE).term
        case Number():
            return number_literal(result)
        case int():
            return number_literal(Number(result, XSD.integer))
        case Moment():
            return moment_literal(result)
        case Duration():
            return duration_literal(result)
        case LangString(text, language):
            return Literal(text, lang=language)
        case URIRef() | BNode() | Literal():
            return canonical(result)
        case str():
            return Literal(result)
    raise TypeError(f"{result!r} is not a value of SPARQL")


def effective_boolean(term: Term) -> bool:
    """SPARQL's effective boolean value (17.2.2); an error for what has none."""
    if isinstance(term, Literal):
        match value(term):
            case bool() as truth:
                return truth
            case Number(number):
                return bool(number) and number == number  # NaN is false
            case str(text) | LangString(text):
                return bool(text)
            case Opaque() if term.datatype in NUMERIC or term.datatype == XSD.boolean:
                return False  # ill-formed numbers and booleans are false, not errors
    raise ExpressionError(f"{n3(term)} has no effective boolean value")

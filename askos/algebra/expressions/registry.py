"""The functions of SPARQL: a table from names to arity, types, nature and law.

Registered functions are *strict*: an error in any argument is an error of the call, and an
argument of the wrong type is an error too.  The forms that tolerate errors (||, &&, IF,
COALESCE, IN, BOUND, EXISTS) are expressions of their own, not functions.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from askos.algebra.expressions.durations import Duration
from askos.algebra.expressions.expression import ExpressionError, Scope
from askos.algebra.expressions.moments import Moment
from askos.algebra.expressions.numbers import Number
from askos.algebra.expressions.values import LangString, effective_boolean, to_term, value
from askos.errors import QueryError
from askos.terms import XSD, Literal, Term, URIRef, n3


class Nature(Enum):
    """What a function depends on besides its arguments."""

    PURE = "nothing"
    INSTANT = "the report instant"
    KEYED = "the query, the call site and the solution"


@dataclass(frozen=True, slots=True)
class Type:
    """A parameter type: its name in messages, and how a term is accepted, or refused."""

    name: str
    accept: Callable[[Term], Any]

    def convert(self, term: Term) -> Any:
        """The value the law wants; a type error for a term of another type."""
        result = self.accept(term)
        if result is None:
            raise ExpressionError(f"{n3(term)} is not {self.name}")
        return result


def _of(*kinds: type) -> Callable[[Term], Any]:
    def accept(term: Term) -> Any:
        known = value(term) if isinstance(term, Literal) else None
        return known if isinstance(known, kinds) else None

    return accept


def _typed(*datatypes: URIRef) -> Callable[[Term], Any]:
    """Numbers, moments or durations of these types only."""

    def accept(term: Term) -> Any:
        known = value(term) if isinstance(term, Literal) else None
        typed = isinstance(known, Number | Moment | Duration) and known.type in datatypes
        return known if typed else None

    return accept


TERM: Final = Type("a term", lambda term: term)
IRI: Final = Type("an IRI", lambda term: term if isinstance(term, URIRef) else None)
LITERAL: Final = Type("a literal", lambda term: term if isinstance(term, Literal) else None)
NUMBER: Final = Type("a number", _of(Number))
INTEGER: Final = Type("an integer", _typed(XSD.integer))
SIMPLE: Final = Type("a simple string", _of(str))
STRING: Final = Type("a string", _of(str, LangString))
MOMENT: Final = Type("a date or time", _of(Moment))
DATE: Final = Type("a date", _typed(XSD.dateTime, XSD.date))
CLOCK: Final = Type("a time of day", _typed(XSD.dateTime, XSD.time))
DURATION: Final = Type("a duration", _of(Duration))
QUANTITY: Final = Type("a number, date, time or duration", _of(Number, Moment, Duration))
BOOLEAN: Final = Type("a boolean", effective_boolean)


@dataclass(frozen=True, slots=True)
class Function:
    """One entry: how it is called, and the law it computes.

    The last `optional` parameters may be left out; with `variadic` the last may be repeated,
    also zero times.  A law takes converted arguments and returns a term or a Python value, of
    type `returns`; where `nature` is not PURE it takes a context first: the Scope for INSTANT, a
    bytes key for KEYED.  A `costly` one may take long, and is not called before the query runs.
    `symbol` and `power` are for operators: how they are written, and how tightly they bind.
    """

    name: str
    parameters: tuple[Type, ...]
    law: Callable[..., Any]
    optional: int = 0
    variadic: bool = False
    nature: Nature = Nature.PURE
    returns: Type = TERM
    costly: bool = False
    symbol: str = ""
    power: int = 0

    @property
    def arity(self) -> tuple[int, int | None]:
        """The fewest and the most arguments; None is any number."""
        most = len(self.parameters)
        return (most - 1, None) if self.variadic else (most - self.optional, most)

    def check_arity(self, count: int) -> None:
        """Refuse a call with too few or too many arguments."""
        least, most = self.arity
        if count < least or (most is not None and count > most):
            wanted = f"{least} or more" if most is None else f"{least} to {most}"
            wanted = str(least) if least == most else wanted
            raise QueryError(f"{self.name} takes {wanted} arguments, not {count}")

    def apply(self, terms: Sequence[Term], context: Scope | bytes | None = None) -> Term:
        """The law applied to evaluated arguments."""
        types = self.parameters + self.parameters[-1:] * (len(terms) - len(self.parameters))
        arguments = [kind.convert(term) for kind, term in zip(types, terms, strict=False)]
        if self.nature is not Nature.PURE:
            arguments.insert(0, context)
        return to_term(self.law(*arguments))


_FUNCTIONS: Final[dict[str, Function]] = {}


def register(function: Function) -> Function:
    """Add a function under its name: upper case for SPARQL's own, an IRI for others."""
    if function.name in _FUNCTIONS:
        raise QueryError(f"function {function.name} is registered already")
    _FUNCTIONS[function.name] = function
    return function


def function(name: str) -> Function:
    """The registered function of that exact name."""
    try:
        return _FUNCTIONS[name]
    except KeyError:
        near = difflib.get_close_matches(name.upper(), _FUNCTIONS, n=1)
        hint = f"did you mean {near[0]}?" if near else "known: " + " ".join(sorted(_FUNCTIONS))
        raise QueryError(f"unknown function {name}", hint=hint) from None


def functions() -> tuple[Function, ...]:
    """All registered functions, by name."""
    return tuple(_FUNCTIONS[name] for name in sorted(_FUNCTIONS))

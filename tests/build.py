"""Short ways to write terms, streams and plans in tests."""

from __future__ import annotations

import re
from collections import Counter

from rdflib import Namespace

from askos.algebra import (
    Bag,
    Call,
    Constant,
    Expression,
    Operator,
    Pattern,
    Ref,
    SlidingWindow,
    Stamped,
    StreamAccess,
    Values,
)
from askos.algebra.expressions import ExpressionError, Scope
from askos.algebra.reference import Streams, evaluate
from askos.interval import FOREVER
from askos.terms import XSD, BNode, Literal, Solution, Term, Triple, URIRef, Variable, parse_term

EX = Namespace("http://example.org/")
S1, S2, G1 = EX.stream1, EX.stream2, EX.graph1
PREFIXES = {"": str(EX), "xsd": str(XSD)}


def variables(names: str) -> list[Variable]:
    """variables("x y") are ?x and ?y."""
    return [Variable(name) for name in names.split()]


X, Y, Z, W = variables("x y z w")


def term(value: object) -> Term:
    """A term as is; an int as xsd:integer, a float as xsd:double, a bool, a str as an IRI of EX."""
    match value:
        case URIRef() | BNode() | Literal():
            return value
        case bool():
            return Literal(str(value).lower(), datatype=XSD.boolean)
        case int():
            return Literal(str(value), datatype=XSD.integer)
        case float():
            return Literal(repr(value), datatype=XSD.double)
        case str():
            return EX[value]
    raise TypeError(f"{value!r} is no term")


def triple(s: object, p: object, o: object) -> Triple:
    subject, predicate = term(s), term(p)
    assert not isinstance(subject, Literal)
    assert isinstance(predicate, URIRef)
    return Triple(subject, predicate, term(o))


def stream(*rows: tuple[object, object, object, int]) -> list[Stamped]:
    """Stamped triples from (s, p, o, ms), numbered in the order given."""
    return [Stamped(triple(s, p, o), at, i) for i, (s, p, o, at) in enumerate(rows)]


def solution(**bindings: object) -> Solution:
    return Solution({Variable(name): term(value) for name, value in bindings.items()})


def bag(*items: Solution | Triple | bool) -> Bag:
    return Counter(items)


def table(*rows: Solution) -> Values:
    """VALUES with ?x ?y ?z, and what else the rows bind."""
    columns = tuple(dict.fromkeys([X, Y, Z, *sorted(v for row in rows for v in row)]))
    return Values(columns, tuple(tuple(row.get(v) for v in columns) for row in rows))


def forever(source: URIRef = S1) -> Operator:
    """All triples of a stream, from their arrival on."""
    return SlidingWindow(StreamAccess(source), FOREVER, 1)


def pattern(s: object, p: object, o: object, input: Operator | None = None) -> Pattern:
    def position(value: object) -> Term | Variable:
        return value if isinstance(value, Variable) else term(value)

    return Pattern(position(s), position(p), position(o), input or forever())


def constant(value: object) -> Constant:
    return Constant(term(value))


def expression(value: object) -> Expression:
    if isinstance(value, Expression):
        return value
    return Ref(value) if isinstance(value, Variable) else constant(value)


def call(name: str, *arguments: object) -> Call:
    """call("<", X, 3) is ?x < 3."""
    return Call(name, tuple(expression(argument) for argument in arguments))


def nt(text: str) -> Term:
    """A term in N-Triples, where xsd:decimal is short for its IRI."""
    return parse_term(re.sub(r"\^\^xsd:(\w+)$", rf"^^<{XSD}\1>", text))


def result(name: str, *arguments: object) -> Term | None:
    """A function of constants, written as `nt` or as Python values; None is SPARQL's error."""
    name = name.replace("xsd:", str(XSD))
    terms = (nt(a) if type(a) is str else a for a in arguments)
    try:
        return call(name, *terms).evaluate(Scope(Solution()))
    except ExpressionError:
        return None


# A stream with a triple that comes twice, and a graph: enough for most operators.
SMALL: Streams = {
    S1: stream(("a", "p", 1, 0), ("a", "p", 1, 1), ("b", "p", 2, 2), ("a", "q", 3, 3)),
    G1: [triple("a", "r", "b"), triple("b", "r", "c")],
}


def at(plan: Operator, instant: int = 10) -> Bag:
    """The bag of `plan` over SMALL."""
    return evaluate(plan, SMALL, instant)

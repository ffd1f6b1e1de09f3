"""Functions on RDF terms (SPARQL 1.1, 17.4.2): kinds, parts, and making them."""

from __future__ import annotations

import re
from typing import Final

from askos.algebra.expressions.expression import ExpressionError, Scope
from askos.algebra.expressions.moments import instant_literal
from askos.algebra.expressions.numbers import Number
from askos.algebra.expressions.registry import (
    BOOLEAN,
    IRI,
    LITERAL,
    MOMENT,
    SIMPLE,
    STRING,
    TERM,
    Function,
    Nature,
    register,
)
from askos.algebra.expressions.values import value
from askos.terms import RDF, XSD, BNode, Literal, Term, URIRef

_TAG: Final = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")


def _str(term: Term) -> str:
    if isinstance(term, BNode):
        raise ExpressionError("a blank node has no text")
    return str.__str__(term)


def _datatype(literal: Literal) -> URIRef:
    if literal.language:
        return RDF.langString
    return literal.datatype or XSD.string


def _is_numeric(term: Term) -> bool:
    return isinstance(term, Literal) and isinstance(value(term), Number)


def _now(scope: Scope) -> Literal:
    return instant_literal(scope.instant)


def _strdt(text: str, datatype: URIRef) -> Literal:
    if datatype == RDF.langString:
        raise ExpressionError("a literal of rdf:langString has a language tag")
    return Literal(text, datatype=datatype)


def _strlang(text: str, tag: str) -> Literal:
    if not _TAG.fullmatch(tag):
        raise ExpressionError(f"{tag!r} is not a language tag")
    return Literal(text, lang=tag)


for _name in ("ISIRI", "ISURI"):
    register(Function(_name, (TERM,), lambda term: isinstance(term, URIRef), returns=BOOLEAN))
register(Function("ISBLANK", (TERM,), lambda term: isinstance(term, BNode), returns=BOOLEAN))
register(Function("ISLITERAL", (TERM,), lambda term: isinstance(term, Literal), returns=BOOLEAN))
register(Function("ISNUMERIC", (TERM,), _is_numeric, returns=BOOLEAN))
register(Function("STR", (TERM,), _str, returns=SIMPLE))
register(Function("LANG", (LITERAL,), lambda literal: literal.language or "", returns=SIMPLE))
register(Function("DATATYPE", (LITERAL,), _datatype, returns=IRI))
register(Function("STRDT", (SIMPLE, IRI), _strdt, returns=LITERAL))
register(Function("STRLANG", (SIMPLE, SIMPLE), _strlang, returns=STRING))
register(Function("NOW", (), _now, nature=Nature.INSTANT, returns=MOMENT))

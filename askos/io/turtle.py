"""Turtle with exact numbers: rdflib's parser would read 01 as 1, and 0.0000001 as 1E-7."""

from __future__ import annotations

import re
from collections.abc import MutableSequence
from typing import IO, Any, Final

import rdflib
from rdflib.plugins.parsers.notation3 import BadSyntax, RDFSink, SinkParser

from askos.errors import StreamError
from askos.terms import XSD, Literal

# The first that matches: a double has an exponent, a decimal has digits after its point.
_NUMBERS: Final = (
    (XSD.double, re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)[eE][-+]?[0-9]+")),
    (XSD.decimal, re.compile(r"[-+]?[0-9]*\.[0-9]+")),
    (XSD.integer, re.compile(r"[-+]?[0-9]+")),
)


class _ExactParser(SinkParser):
    """rdflib's parser, but for numbers."""

    def nodeOrLiteral(  # noqa: N802 - rdflib's name
        self, argstr: str, i: int, res: MutableSequence[Any]
    ) -> int:
        start = self.skipSpace(argstr, i)
        if start < 0:
            return -1
        for datatype, syntax in _NUMBERS:
            found = syntax.match(argstr, start)
            if found:
                res.append(Literal(found[0], datatype=datatype))
                return found.end()
        return super().nodeOrLiteral(argstr, start, res)


def parse_turtle(data: IO[bytes], base: str, name: str) -> rdflib.Graph:
    """The triples of a Turtle document."""
    graph = rdflib.Graph()
    parser = _ExactParser(RDFSink(graph), baseURI=base, turtle=True)
    try:
        parser.loadStream(data)
    except BadSyntax as error:
        raise StreamError(f"{name} is not Turtle: {error}") from error
    return graph

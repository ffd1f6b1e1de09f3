"""Static graphs from files: N-Triples by a reader of our own, other syntaxes by rdflib."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final, cast
from xml.sax import SAXException

import rdflib
from rdflib.exceptions import ParserError

from askos.errors import StreamError
from askos.io.ntriples import blank_prefix, statements
from askos.io.turtle import parse_turtle
from askos.static.graph import Numbered, StaticGraph
from askos.static.interning import Terms
from askos.terms import BNode, Term, parse_term

_XML: Final = (".rdf", ".owl", ".xml")
_TURTLE: Final = (".ttl", ".n3")


def load(path: str | Path, *, base: str | None = None, terms: Terms | None = None) -> StaticGraph:
    """The graph in a file: N-Triples (.nt), Turtle (.ttl, and .n3 as far as it is Turtle) or
    RDF/XML (.rdf, .owl, .xml), each also compressed (.gz).

    Literals keep their lexical forms.  Blank nodes are the file's own: those of two files are
    different nodes, whatever their labels.  `base` resolves relative IRIs; without it, they are
    relative to the file.  Graphs loaded with the same `terms` are joined without translation.
    """
    file = Path(path)
    suffix = Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
    dictionary = Terms() if terms is None else terms
    where = base or file.resolve().as_uri()
    with _opened(file) as data:
        if suffix == ".nt":
            lines = io.TextIOWrapper(data, encoding="utf-8", newline="\n")
            return StaticGraph.numbered(_numbered(lines, file, dictionary), dictionary)
        if suffix in _TURTLE:
            return _from_rdflib(parse_turtle(data, where, file.name), dictionary)
        if suffix in _XML:
            return _from_rdflib(_parse_xml(data, where, file.name), dictionary)
    known = " ".join((".nt", *_TURTLE, *_XML))
    raise StreamError(f"{file.name}: unknown syntax {suffix!r}", hint=f"known: {known}")


def _from_rdflib(graph: rdflib.Graph, terms: Terms) -> StaticGraph:
    return StaticGraph(cast("Iterable[tuple[Term, Term, Term]]", graph), terms)


def _parse_xml(data: IO[bytes], base: str, name: str) -> rdflib.Graph:
    try:
        return rdflib.Graph().parse(data, format="xml", publicID=base)
    except (SAXException, ParserError) as error:
        raise StreamError(f"{name} is not RDF/XML: {error}") from error


def _opened(file: Path) -> IO[bytes]:
    try:
        return cast("IO[bytes]", gzip.open(file)) if file.suffix == ".gz" else file.open("rb")
    except OSError as error:
        raise StreamError(f"{file}: {error.strerror}") from error


def _numbered(lines: Iterable[str], file: Path, terms: Terms) -> Iterator[Numbered]:
    """The statements as ids; each text of a term is parsed once."""
    known: dict[str, int] = {}
    scope = blank_prefix(file)

    def number(text: str, line: int) -> int:
        try:
            term = parse_term(text)
        except StreamError as error:
            raise StreamError(f"{file.name}, line {line}: {error.message}") from None
        known[text] = terms.intern(BNode(f"{scope}{term}") if isinstance(term, BNode) else term)
        return known[text]

    for line, s, p, o, _ in statements(lines, file.name):
        # Ids start at 1, so that `or` means: not known yet.
        yield (
            known.get(s) or number(s, line),
            known.get(p) or number(p, line),
            known.get(o) or number(o, line),
        )

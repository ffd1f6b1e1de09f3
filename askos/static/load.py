"""Static graphs from files: N-Triples by a reader of our own, other syntaxes by rdflib."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final, cast

import rdflib

from askos.errors import StreamError
from askos.io.ntriples import statements
from askos.static.graph import Numbered, StaticGraph
from askos.static.interning import Terms
from askos.terms import BNode, Term, parse_term

_SYNTAXES: Final = {
    ".ttl": "turtle",
    ".n3": "n3",
    ".rdf": "xml",
    ".owl": "xml",
    ".xml": "xml",
    ".jsonld": "json-ld",
}


def load(path: str | Path, *, base: str | None = None, terms: Terms | None = None) -> StaticGraph:
    """The graph in a file: .nt, .ttl, .n3, .rdf, .owl, .xml or .jsonld, also with .gz.

    Literals keep their lexical forms.  Blank nodes are the file's own: those of two files are
    different nodes, whatever their labels.  `base` resolves relative IRIs; without it, they are
    relative to the file.  Graphs loaded with the same `terms` are joined without translation.
    """
    file = Path(path)
    suffix = Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
    dictionary = Terms() if terms is None else terms
    if suffix == ".nt":
        with _opened(file) as data:
            lines = io.TextIOWrapper(data, encoding="utf-8", newline="\n")
            return StaticGraph.numbered(_numbered(lines, file, dictionary), dictionary)
    if suffix not in _SYNTAXES:
        known = " ".join((".nt", *_SYNTAXES))
        raise StreamError(f"{file.name}: unknown syntax {suffix!r}", hint=f"known: {known}")
    with _opened(file) as data:
        where = base or file.resolve().as_uri()
        parsed = rdflib.Graph().parse(data, format=_SYNTAXES[suffix], publicID=where)
    return StaticGraph(cast("Iterable[tuple[Term, Term, Term]]", parsed), dictionary)


def _opened(file: Path) -> IO[bytes]:
    try:
        return cast("IO[bytes]", gzip.open(file)) if file.suffix == ".gz" else file.open("rb")
    except OSError as error:
        raise StreamError(f"{file}: {error.strerror}") from error


def _numbered(lines: Iterable[str], file: Path, terms: Terms) -> Iterator[Numbered]:
    """The statements as ids; each text of a term is parsed once."""
    known: dict[str, int] = {}
    scope = hashlib.blake2b(str(file.resolve()).encode(), digest_size=4).hexdigest()

    def number(text: str, line: int) -> int:
        try:
            term = parse_term(text)
        except StreamError as error:
            raise StreamError(f"{file.name}, line {line}: {error.message}") from None
        known[text] = terms.intern(BNode(f"f{scope}{term}") if isinstance(term, BNode) else term)
        return known[text]

    for line, s, p, o in statements(lines, file.name):
        # Ids start at 1, so that `or` means: not known yet.
        yield (
            known.get(s) or number(s, line),
            known.get(p) or number(p, line),
            known.get(o) or number(o, line),
        )

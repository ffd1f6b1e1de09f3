"""Static graphs from files: lines by a reader of our own, other syntaxes by pyoxigraph's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count, groupby
from operator import itemgetter
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from askos.errors import StreamError, shortened
from askos.io.files import opened, syntax_suffix
from askos.io.limits import Limits
from askos.io.ntriples import Statement, blank_prefix, read_statements
from askos.io.rdf import SYNTAXES, read_quads
from askos.sources import DEFAULT_GRAPH
from askos.static.graph import NO_TRIPLES, StaticGraph
from askos.static.interning import Terms
from askos.static.plain import is_plain
from askos.static.table import Ids
from askos.terms import Term, URIRef, parse_term

_Triples: TypeAlias = dict[URIRef, list[Ids]]
"""Rows of ids by the name of their graph."""

LINES: Final = {".nt": "N-Triples", ".nq": "N-Quads"}
_TABLES: Final = (".csv", ".tsv", ".xlsx", ".parquet")


def load(
    path: str | Path,
    *,
    base: str | None = None,
    terms: Terms | None = None,
    limits: Limits | None = None,
) -> StaticGraph:
    """The graph in a file: N-Triples (.nt), Turtle (.ttl, and .n3 as far as it is Turtle) or
    RDF/XML (.rdf, .owl, .xml), each also compressed (.gz); or N-Quads (.nq), TriG (.trig) and
    JSON-LD (.jsonld) that have no named graphs.

    Literals keep their lexical forms.  Blank nodes are the file's own: those of two files are
    different nodes, whatever their labels, and those of one file the same whenever it is loaded.
    `base` resolves relative IRIs; without it, they are relative to the file.  Graphs loaded with
    the same `terms` are joined without translation.

    StreamError where the file cannot be read, or is beyond the `limits` (`askos.io.limits`).
    """
    graphs = load_dataset(path, base=base, terms=terms, limits=limits)
    if len(graphs) > 1:
        raise StreamError(
            f"{Path(path).name} has named graphs, and one graph is wanted",
            hint="give it as the default graph of askos select: then GRAPH finds the others",
        )
    return graphs[DEFAULT_GRAPH]


def load_dataset(
    path: str | Path,
    *,
    base: str | None = None,
    terms: Terms | None = None,
    limits: Limits | None = None,
) -> Mapping[URIRef, StaticGraph]:
    """All graphs in a file, by name; the default graph, which may be empty, is the first.

    A graph that is named by a blank node is refused: no query could name it.
    """
    file, dictionary = Path(path), Terms() if terms is None else terms
    suffix = syntax_suffix(file)
    opened(file).close()  # what is not there has no syntax
    if suffix not in LINES and suffix not in SYNTAXES:
        raise _unknown(file, suffix)
    known = limits or Limits.of()
    if suffix in LINES:
        quads = read_statements(file, known, labels=suffix == ".nq")
    else:
        quads = read_quads(file, base or file.resolve().as_uri(), known)
    graphs = _numbered(quads, _Ids(dictionary, file, labels=suffix in LINES), file)
    return {
        name: StaticGraph.numbered(np.concatenate([NO_TRIPLES, *rows]), dictionary)
        for name, rows in graphs.items()
    }


def _unknown(file: Path, suffix: str) -> StreamError:
    known = f"known: {' '.join((*LINES, *SYNTAXES))}, also .gz"
    if suffix in _TABLES:
        known = (
            "a table is not RDF: write a triple for each cell, as"
            f' <row> <column> "cell" . in a file .nt or .ttl; {known}'
        )
    return StreamError(f"{file.name}: unknown syntax {suffix!r}", hint=known)


def _graph_name(term: Term, file: Path) -> URIRef:
    if isinstance(term, URIRef):
        return term
    raise StreamError(
        f"{file.name}: the blank node {term} names a graph, which no query can read",
        hint="name it by an IRI",
    )


# ---- numbers -------------------------------------------------------------------------------------


def _numbered(batches: Iterable[list[Statement]], ids: _Ids, file: Path) -> _Triples:
    graphs: _Triples = {DEFAULT_GRAPH: []}
    labels = {"": graphs[DEFAULT_GRAPH]}
    for batch in batches:
        for label, statements in groupby(batch, itemgetter(3)):
            if label not in labels:
                name = _graph_name(_term(label, file), file)
                labels[label] = graphs.setdefault(name, [])
            labels[label].append(ids.rows(statements))
    return graphs


class _Ids(dict[str, int]):
    """The ids of terms by their texts in a file; each text is looked at once.

    Blank nodes are the file's own: they keep their `labels`, or are numbered as they come.
    """

    def __init__(self, terms: Terms, file: Path, *, labels: bool) -> None:
        self._terms, self._file, self._labels = terms, file, labels
        self._scope, self._blanks = blank_prefix(file), count()

    def __missing__(self, text: str) -> int:
        if text[0] == "_":
            label = text[2:] if self._labels else f"b{next(self._blanks)}"
            number = self._terms.intern_text(f"_:{self._scope}{label}")
        elif is_plain(text):
            number = self._terms.intern_text(text)
        else:
            number = self._terms.intern(_term(text, self._file))
        self[text] = number
        return number

    def rows(self, statements: Iterable[Statement]) -> Ids:
        """Statements as triples of ids."""
        subjects, predicates, objects, _ = zip(*statements, strict=True)
        # Ids start at 1, so that `or` means: not known yet.
        get, new = self.get, self.__missing__
        # Predicates first: they are few, and small numbers take less room in every triple.
        p = [get(text) or new(text) for text in predicates]
        s = [get(text) or new(text) for text in subjects]
        o = [get(text) or new(text) for text in objects]
        return np.array([s, p, o], np.int64).T


def _term(text: str, file: Path) -> Term:
    """A term that its reader has found good, if it is one of RDF 1.1."""
    try:
        return parse_term(text)
    except StreamError:
        told = f"{file.name}: {shortened(text)} is of RDF 1.2, which is not offered"
        raise StreamError(told) from None

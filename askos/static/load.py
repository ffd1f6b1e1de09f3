"""Static graphs from files: lines by a reader of our own, other syntaxes by pyoxigraph's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from askos.errors import StreamError
from askos.io.files import blocks, opened, syntax_suffix
from askos.io.limits import Limits
from askos.io.ntriples import blank_prefix, statements
from askos.io.rdf import SYNTAXES, read_quads
from askos.sources import DEFAULT_GRAPH
from askos.static.graph import Numbered, StaticGraph
from askos.static.interning import Terms
from askos.terms import XSD, BNode, Literal, Term, URIRef, parse_term

if TYPE_CHECKING:
    from pyoxigraph import Quad

_Triples: TypeAlias = dict[URIRef, set[Numbered]]
"""By the name of their graph."""

LINES: Final = {".nt": "N-Triples", ".nq": "N-Quads"}
_STRING: Final = str(XSD.string)
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
        graphs = _lines(file, dictionary, known, labels=suffix == ".nq")
    else:
        quads = read_quads(file, base or file.resolve().as_uri(), known)
        graphs = _quads(quads, file, dictionary)
    graphs = {DEFAULT_GRAPH: graphs.pop(DEFAULT_GRAPH, set()), **graphs}
    return {name: StaticGraph.numbered(triples, dictionary) for name, triples in graphs.items()}


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


# ---- lines ---------------------------------------------------------------------------------------


def _lines(file: Path, terms: Terms, limits: Limits, *, labels: bool) -> _Triples:
    """The statements as ids; each text of a term is parsed once."""
    known: dict[str, int] = {}
    scope = blank_prefix(file)
    graphs: _Triples = {}
    texts: dict[str, set[Numbered]] = {"": graphs.setdefault(DEFAULT_GRAPH, set())}

    def read(text: str, line: int) -> Term:
        try:
            return parse_term(text)
        except StreamError as error:
            message = f"{file.name}, line {line}: {error.message}"
            raise StreamError(message, hint=error.hint) from None

    def number(text: str, line: int) -> int:
        term = read(text, line)
        known[text] = terms.intern(BNode(f"{scope}{term}") if isinstance(term, BNode) else term)
        return known[text]

    for line, s, p, o, label in statements(_decoded(file, limits), file.name, labels=labels):
        if label not in texts:
            name = _graph_name(read(label, line), file)
            texts[label] = graphs.setdefault(name, set())
        # Ids start at 1, so that `or` means: not known yet.
        texts[label].add(
            (
                known.get(s) or number(s, line),
                known.get(p) or number(p, line),
                known.get(o) or number(o, line),
            )
        )
    return graphs


def _decoded(file: Path, limits: Limits) -> Iterator[str]:
    before = 0
    for block, _ in blocks(file, limits):
        try:
            yield from block.decode().removesuffix("\n").split("\n")
        except UnicodeDecodeError as error:
            start = block.rfind(b"\n", 0, error.start) + 1
            line = before + block.count(b"\n", 0, error.start) + 1
            raise StreamError(
                f"{file.name}, line {line}: byte {error.start - start + 1} is not UTF-8",
                hint="save the file as UTF-8",
            ) from None
        before += block.count(b"\n")


# ---- other syntaxes ------------------------------------------------------------------------------


def _quads(quads: Iterable[Quad], file: Path, terms: Terms) -> _Triples:
    """Quads as ids; each term is made once, and blank nodes are numbered as they come."""
    from pyoxigraph import BlankNode, DefaultGraph

    known: dict[Any, int] = {}
    scope, blanks = blank_prefix(file), count()
    nowhere, default = DefaultGraph(), set[Numbered]()
    graphs: dict[Any, set[Numbered]] = {}

    def number(term: Any) -> int:
        blank = isinstance(term, BlankNode)
        made = BNode(f"{scope}b{next(blanks)}") if blank else _term(term, file)
        known[term] = terms.intern(made)
        return known[term]

    get, add = known.get, default.add
    for s, p, o, graph in quads:
        triple = (get(s) or number(s), get(p) or number(p), get(o) or number(o))
        if graph == nowhere:
            add(triple)
        else:
            graphs.setdefault(graph, set()).add(triple)
    named = {_graph_name(_term(name, file), file): found for name, found in graphs.items()}
    return {DEFAULT_GRAPH: default, **named}


def _term(term: Any, file: Path) -> Term:
    from pyoxigraph import BlankNode, NamedNode
    from pyoxigraph import Literal as Parsed

    if isinstance(term, NamedNode):
        return URIRef(term.value)
    if isinstance(term, BlankNode):
        return BNode(term.value)
    if not isinstance(term, Parsed) or term.direction is not None:
        raise StreamError(f"{file.name}: {term} is of RDF 1.2, which is not offered")
    if term.language is not None:
        return Literal(term.value, lang=term.language)
    kind = term.datatype.value
    return Literal(term.value, datatype=None if kind == _STRING else URIRef(kind))

"""Static graphs from files: lines by a reader of our own, other syntaxes by pyoxigraph's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Final, TypeAlias

from askos.errors import StreamError, shortened
from askos.io.files import blocks, opened, syntax_suffix
from askos.io.limits import Limits
from askos.io.ntriples import blank_prefix, statements
from askos.io.rdf import SYNTAXES, read_quads
from askos.sources import DEFAULT_GRAPH
from askos.static.graph import Numbered, StaticGraph
from askos.static.interning import Terms
from askos.terms import BNode, Literal, Term, URIRef, parse_term

_Triples: TypeAlias = dict[URIRef, set[Numbered]]
"""By the name of their graph."""

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


def _quads(batches: Iterable[list[str]], file: Path, terms: Terms) -> _Triples:
    """Lines of N-Quads as ids; each term is made once; blank nodes are numbered as they come."""
    known: dict[str, int] = {}
    scope, blanks = blank_prefix(file), count()
    default = set[Numbered]()
    graphs: _Triples = {DEFAULT_GRAPH: default}
    labels: dict[str, set[Numbered]] = {}

    def number(text: str) -> int:
        term = BNode(f"{scope}b{next(blanks)}") if text.startswith("_:") else _term(text, file)
        known[text] = terms.intern(term)
        return known[text]

    get, add = known.get, default.add
    for lines in batches:
        for line in lines:
            s, p, rest = line.split(" ", 2)
            o, label = _apart(rest)
            triple = (get(s) or number(s), get(p) or number(p), get(o) or number(o))
            if not label:
                add(triple)
                continue
            if label not in labels:
                name = _graph_name(_term(label, file), file)
                labels[label] = graphs.setdefault(name, set())
            labels[label].add(triple)
    return graphs


def _apart(rest: str) -> tuple[str, str]:
    """An object, and the name of a graph if there is one: neither IRIs nor blank nodes have spaces
    or quotes.

    >>> _apart('"a <b>" <g> .'), _apart('"a <b>" .'), _apart("<o> .")
    (('"a <b>"', '<g>'), ('"a <b>"', ''), ('<o>', ''))
    """
    text = rest[:-2]
    if " " not in text:
        return text, ""
    o, _, label = text.rpartition(" ")
    return (text, "") if '"' in label or label == ")>>" else (o, label)


def _term(text: str, file: Path) -> Term:
    """A term that the parser has found good."""
    if text[0] == "<" and text[1] != "<":
        return _iri(text[1:-1])
    end = text.rfind('"')
    if text[0] == '"' and "\\" not in text and "--" not in text[end:]:
        kind, tag = text[end + 1 : end + 3], text[end + 2 :]
        if kind == "^^":
            return Literal(text[1:end], datatype=_iri(text[end + 4 : -1]))
        return Literal(text[1:end], lang=tag if kind else None)
    try:
        return parse_term(text)
    except StreamError:
        told = f"{file.name}: {shortened(text)} is of RDF 1.2, which is not offered"
        raise StreamError(told) from None


def _iri(text: str) -> URIRef:
    return str.__new__(URIRef, text)  # rdflib would look at each character once more

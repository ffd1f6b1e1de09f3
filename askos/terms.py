"""RDF terms, triples, variables and solution mappings.

Terms are rdflib's classes with *exact* identity: two literals are one term only if lexical
form, datatype and language tag agree ("01" and "1" are two integers).  rdflib by default
rewrites lexical forms while it reads them, which no later step could undo, so importing this
module turns that off for the process.  Two spellings RDF 1.1 declares to be one term are made
one: "a"^^xsd:string is the simple literal, and language tags are lower case.

It has to be the process's setting, `rdflib.NORMALIZE_LITERALS`: rdflib's parsers, pickle and copy
make literals anew without asking us, and nothing else reaches them.  A program that relies on
rewritten forms beside askos asks for them, with `Literal(.., normalize=True)` or `.normalize()`.
Two messages of rdflib are silenced as well, those about ill-typed literals, which are legal here.

One thing cannot be turned off: rdflib collapses the white space of xsd:token and
xsd:normalizedString when a literal is made, as XSD does when it reads one.  And a process that
unpickles terms must have imported this module first, or rdflib rewrites them again.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

import rdflib
from rdflib.namespace import RDF, XSD
from rdflib.term import BNode, Literal, URIRef, Variable

from askos.errors import StreamError, shortened

rdflib.NORMALIZE_LITERALS = False
# Ill-typed literals ("abc"^^xsd:integer) are legal RDF; rdflib logs a traceback for each.
logging.getLogger("rdflib.term").addFilter(
    lambda record: not record.getMessage().startswith("Failed to convert Literal")
)
warnings.filterwarnings("ignore", message="Parsing weird boolean", module="rdflib")

Term: TypeAlias = URIRef | BNode | Literal
Stamp: TypeAlias = tuple[Variable, URIRef]
"""A hidden column: the variable, and the stream whose triples bound it."""

_ESCAPES: Final = str.maketrans(
    {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
)
_PLAIN: Final = {"\\": "\\", '"': '"', "'": "'"} | dict(zip("nrtbf", "\n\r\t\b\f", strict=True))
# A code point by number; lone surrogates are no characters.
_NUMBERED: Final = (
    r"\\u(?![dD][89a-fA-F])[0-9A-Fa-f]{4}|\\U(?:0010|000[1-9A-Fa-f]|0000(?![dD][89a-fA-F]))"
    r"[0-9A-Fa-f]{4}"
)
# Control characters, the space and <>"{}|^`\, which stand in no IRI, are not in there as numbers.
_NO_IRI: Final = r"(?!\\(?:u|U0000)00(?:[01].|2[02]|3[cCeE]|5[cCeE]|60|7[b-dB-D]))"
_ESCAPED: Final = re.compile(rf"{_NUMBERED}|\\[tbnrf\"'\\]")
# Possessive, so that a long term costs no memory: what was matched is never looked at again.
IRI: Final = rf"<(?:[^\x00-\x20<>\"{{}}|^`\\]++|{_NO_IRI}(?:{_NUMBERED}))*+>"
"""An IRI of N-Triples as a regular expression, for Python and for Java."""
STRING: Final = rf"\"(?:[^\"\\\n\r]++|{_ESCAPED.pattern})*+\""
"""The text of a literal, with its quotes."""
_TERM: Final = re.compile(
    rf"({IRI})|_:([\w:](?:[\w:.·-]*[\w:·-])?)"
    rf"|({STRING})(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^({IRI}))?"
)
_STRING: Final = XSD.string
_BARE: Final = {
    XSD.integer: re.compile(r"[+-]?[0-9]+"),
    XSD.decimal: re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    XSD.double: re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"),
    XSD.boolean: re.compile(r"true|false"),
}


def canonical(term: object) -> Term:
    """The one object form of an RDF term; anything else is refused.

    >>> canonical(Literal("a", datatype=XSD.string)) == Literal("a")
    True
    """
    if type(term) is URIRef or type(term) is BNode:  # most are, and rdflib's isinstance is slow
        return term
    match term:
        case Literal(datatype=kind) if kind == _STRING:
            return Literal(str(term))
        case Literal(language=str() as tag) if tag != tag.lower():
            return Literal(str(term), lang=tag.lower())
        case URIRef() | BNode() | Literal():
            return term
    raise StreamError(
        f"{shortened(repr(term))} is not an RDF term",
        hint="use rdflib's URIRef, BNode or Literal",
    )


def anonymous(label: str) -> Variable:
    """The variable standing for a blank node of a query: matched, joined, never projected.

    Streaming SPARQL, Def. 6, lets a mapping σ_ext give every blank node of a pattern a term,
    and Def. 11 asks the patterns of one group for the same σ_ext.  A variable says both.  Its
    name starts with "_:", which no name in a query can.
    """
    return Variable(f"_:{label}")


def is_anonymous(variable: Variable) -> bool:
    """Whether `variable` stands for a blank node, so that SELECT * leaves it out."""
    return variable.startswith("_:")


def n3(term: Term | Variable) -> str:
    """N-Triples text of a term, or ?name of a variable.

    >>> n3(Literal("say \\"hi\\"", lang="en"))
    '"say \\\\"hi\\\\""@en'
    """
    match term:
        case Variable():
            return str(term) if is_anonymous(term) else f"?{term}"
        case URIRef():
            return f"<{term}>"
        case BNode():
            return f"_:{term}"
    text = f'"{str(term).translate(_ESCAPES)}"'
    if term.language:
        return f"{text}@{term.language}"
    return f"{text}^^<{term.datatype}>" if term.datatype else text


def parse_term(text: str) -> Term:
    """The term of an N-Triples text: the inverse of `n3`.

    >>> parse_term('"5"^^<http://www.w3.org/2001/XMLSchema#integer>') == Literal(5)
    True
    """
    found = _TERM.fullmatch(text)
    if not found:
        raise StreamError(
            f"{shortened(text)!r} is not an RDF term in N-Triples",
            hint='write <iri>, _:label, "text", "text"@en or "5"^^<datatype>',
        )
    iri, blank, lexical, language, datatype = found.groups()
    if iri is not None:
        return URIRef(_unescape(iri[1:-1]))
    if blank is not None:
        return BNode(blank)
    kind = URIRef(_unescape(datatype[1:-1])) if datatype else None
    return canonical(Literal(_unescape(lexical[1:-1]), lang=language, datatype=kind))


def _unescape(text: str) -> str:
    return _ESCAPED.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    code = escape[0][1:]
    return chr(int(code[1:], 16)) if code[0] in "uU" else _PLAIN[code]


def spell(term: Term | Variable) -> str:
    """SPARQL's own spelling of a term: numbers and booleans bare, the rest as N-Triples.

    >>> spell(Literal("5", datatype=XSD.integer)), spell(Literal("5"))
    ('5', '"5"')
    """
    if isinstance(term, Literal) and term.datatype:
        bare = _BARE.get(term.datatype)
        if bare and bare.fullmatch(term):
            return str(term)
    return n3(term)


@dataclass(frozen=True, slots=True)
class Triple:
    """An RDF statement."""

    subject: URIRef | BNode
    predicate: URIRef
    object: Term

    def __post_init__(self) -> None:
        for role, term in zip(("subject", "predicate", "object"), self, strict=True):
            object.__setattr__(self, role, canonical(term))
        if not isinstance(self.subject, URIRef | BNode):
            raise StreamError(f"{n3(self.subject)} cannot be the subject of a triple")
        if not isinstance(self.predicate, URIRef):
            raise StreamError(f"{n3(self.predicate)} cannot be the predicate of a triple")

    def __iter__(self) -> Iterator[Term]:
        return iter((self.subject, self.predicate, self.object))

    def __str__(self) -> str:
        return " ".join(n3(term) for term in self)


_NO_STAMPS: Final[Mapping[Stamp, int]] = MappingProxyType({})


class Solution(Mapping[Variable, Term]):
    """A solution mapping μ: immutable, equal by content.

    `stamps` are hidden columns for timestamp(): per variable and stream the largest arrival
    time among the triples that bound it.  They take no part in compatibility; merging keeps
    the larger; `visible` drops them.

    >>> x, y = Variable("x"), Variable("y")
    >>> Solution({x: Literal("1")}) | Solution({y: Literal("2")})
    {?x → "1", ?y → "2"}
    """

    __slots__ = ("_bindings", "_hash", "stamps")

    def __init__(
        self,
        bindings: Mapping[Variable, Term] | Iterable[tuple[Variable, Term]] = (),
        stamps: Mapping[Stamp, int] | None = None,
    ) -> None:
        self._bindings = {v: canonical(term) for v, term in dict(bindings).items()}
        self.stamps = MappingProxyType(dict(stamps)) if stamps else _NO_STAMPS
        self._hash: int | None = None  # of most, nobody asks for it

    @classmethod
    def known(cls, bindings: dict[Variable, Term]) -> Solution:
        """A solution of terms that are canonical already; `bindings` are its own from now on."""
        solution = cls.__new__(cls)
        solution._bindings = bindings
        solution.stamps, solution._hash = _NO_STAMPS, None
        return solution

    def __reduce__(self) -> tuple[type[Solution], tuple[dict[Variable, Term], dict[Stamp, int]]]:
        # Not the cached hash: every process salts hashes of strings anew.
        return Solution, (self._bindings, dict(self.stamps))

    def __getitem__(self, variable: Variable) -> Term:
        return self._bindings[variable]

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._bindings)

    def __len__(self) -> int:
        return len(self._bindings)

    def __hash__(self) -> int:
        if self._hash is None:
            items, stamps = self._bindings.items(), self.stamps.items()
            self._hash = hash((frozenset(items), frozenset(stamps)))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Solution):
            return NotImplemented
        return self._bindings == other._bindings and self.stamps == other.stamps

    def __repr__(self) -> str:
        inner = ", ".join(f"{n3(v)} → {spell(self[v])}" for v in sorted(self))
        return f"{{{inner}}}"

    def compatible(self, other: Solution) -> bool:
        """μ1 ≈ μ2: they agree on every variable bound in both."""
        return all(other[v] == term for v, term in self.items() if v in other)

    def __or__(self, other: Solution) -> Solution:
        """merge(μ1, μ2), for compatible solutions only (Streaming SPARQL, before Def. 10)."""
        if not self.compatible(other):
            raise ValueError(f"{self} and {other} are not compatible")
        stamps = dict(self.stamps)
        for stamp, time in other.stamps.items():
            stamps[stamp] = max(time, stamps.get(stamp, time))
        return Solution({**self, **other}, stamps)

    def project(self, variables: Iterable[Variable]) -> Solution:
        """The bindings of `variables` alone, without stamps."""
        return Solution({v: self[v] for v in variables if v in self})

    @property
    def visible(self) -> Solution:
        """The same bindings without stamps."""
        return Solution(self._bindings) if self.stamps else self


__all__ = [
    "RDF",
    "XSD",
    "BNode",
    "Literal",
    "Solution",
    "Stamp",
    "Term",
    "Triple",
    "URIRef",
    "Variable",
    "anonymous",
    "canonical",
    "is_anonymous",
    "n3",
    "parse_term",
    "spell",
]

"""The surface languages that share one algebra."""

from __future__ import annotations

from enum import Enum


class Dialect(Enum):
    """A query language; all contain SPARQL 1.1, and differ in their stream clauses.

    >>> Dialect.of("c-sparql")
    <Dialect.CSPARQL: 'csparql'>
    """

    SPARQL = "sparql"
    STREAMING = "streaming-sparql"
    CSPARQL = "csparql"
    CQELS = "cqels"
    RSPQL = "rspql"
    SPARQLSTREAM = "sparqlstream"

    @property
    def title(self) -> str:
        """The name as its authors write it."""
        return _TITLES[self]

    @classmethod
    def of(cls, name: str | Dialect) -> Dialect:
        """The dialect of that name, in any common spelling; ValueError for others."""
        if isinstance(name, Dialect):
            return name
        plain = "".join(c for c in name.lower() if c.isalnum()).removesuffix("ql")
        for dialect in cls:
            title = "".join(c for c in dialect.title.lower() if c.isalnum()).removesuffix("ql")
            if plain in (title, dialect.value.replace("-", "").removesuffix("ql")):
                return dialect
        known = ", ".join(dialect.value for dialect in cls)
        raise ValueError(f"{name!r} is no dialect; known: {known}")


_TITLES = {
    Dialect.SPARQL: "SPARQL 1.1",
    Dialect.STREAMING: "Streaming SPARQL",
    Dialect.CSPARQL: "C-SPARQL",
    Dialect.CQELS: "CQELS-QL",
    Dialect.RSPQL: "RSP-QL",
    Dialect.SPARQLSTREAM: "SPARQLstream",
}

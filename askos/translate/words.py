"""The words of the languages: which are keywords, in which dialect, and which are functions."""

from __future__ import annotations

from functools import cache
from typing import Final

from askos.translate.dialect import Dialect

_SPARQL: Final = [
    "SELECT",
    "CONSTRUCT",
    "DESCRIBE",
    "ASK",
    "BASE",
    "PREFIX",
    "DISTINCT",
    "REDUCED",
    "AS",
    "FROM",
    "NAMED",
    "WHERE",
    "OPTIONAL",
    "UNION",
    "MINUS",
    "GRAPH",
    "SERVICE",
    "SILENT",
    "FILTER",
    "BIND",
    "VALUES",
    "UNDEF",
    "GROUP",
    "BY",
    "HAVING",
    "ORDER",
    "ASC",
    "DESC",
    "LIMIT",
    "OFFSET",
    "EXISTS",
    "NOT",
    "IN",
    "SEPARATOR",
    "NOW",
]

_STREAMS: Final = {word: word for word in ("STREAM", "WINDOW", "RANGE")} | {
    "SLIDE": "SLIDE",
    "STEP": "SLIDE",
    "ADVANCE": "SLIDE",
    "FIXED": "FIXED",
    "TUMBLING": "FIXED",
    "ELEMS": "ELEMS",
    "ELEMENTS": "ELEMS",
    "TRIPLES": "ELEMS",
}
_REGISTER: Final = {"REGISTER": "REGISTER"}
_REPORTS: Final = dict.fromkeys(("RSTREAM", "ISTREAM", "DSTREAM"), "REPORT")
_CSPARQL: Final = {w: w for w in ("QUERY", "COMPUTED", "EVERY", "AGGREGATE")}
_PREDICATE: Final = {w: w for w in ("START", "END", "WHEN", "WITHIN")}
_PAST: Final = {"TO": "TO"}

_OWN: Final = {
    Dialect.SPARQL: {},
    Dialect.STREAMING: _STREAMS | _PREDICATE,
    Dialect.CSPARQL: _STREAMS | _REGISTER | _CSPARQL,
    Dialect.CQELS: _STREAMS | _REGISTER | _CSPARQL | {"ALL": "ALL"},
    Dialect.RSPQL: _STREAMS | _REGISTER | _REPORTS | {"ON": "ON"} | _CSPARQL,
    Dialect.SPARQLSTREAM: _STREAMS | _REPORTS | _PAST,
}

AGGREGATES: Final = frozenset(["COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"])

# How many arguments each built-in call takes (SPARQL 1.1, 19.8, BuiltInCall); None: any number.
ARITY: Final[dict[str, tuple[int, int | None]]] = {
    **dict.fromkeys(["RAND", "NOW", "UUID", "STRUUID"], (0, 0)),
    "BNODE": (0, 1),
    **dict.fromkeys(
        [
            "STR",
            "LANG",
            "DATATYPE",
            "BOUND",
            "IRI",
            "URI",
            "ABS",
            "CEIL",
            "FLOOR",
            "ROUND",
            "STRLEN",
            "UCASE",
            "LCASE",
            "ENCODE_FOR_URI",
            "YEAR",
            "MONTH",
            "DAY",
            "HOURS",
            "MINUTES",
            "SECONDS",
            "TIMEZONE",
            "TZ",
            "MD5",
            "SHA1",
            "SHA256",
            "SHA384",
            "SHA512",
            "ISIRI",
            "ISURI",
            "ISBLANK",
            "ISLITERAL",
            "ISNUMERIC",
        ],
        (1, 1),
    ),
    **dict.fromkeys(
        [
            "LANGMATCHES",
            "CONTAINS",
            "STRSTARTS",
            "STRENDS",
            "STRBEFORE",
            "STRAFTER",
            "STRLANG",
            "STRDT",
            "SAMETERM",
        ],
        (2, 2),
    ),
    "SUBSTR": (2, 3),
    "REGEX": (2, 3),
    "REPLACE": (3, 4),
    "IF": (3, 3),
    "COALESCE": (0, None),
    "CONCAT": (0, None),
    "TIMESTAMP": (1, 2),  # C-SPARQL's
}


@cache
def terminals(dialect: Dialect) -> dict[str, str]:
    """The terminal of each word that means something in `dialect`, by the word in upper case."""
    words = {word: word for word in _SPARQL} | _OWN[dialect]
    words |= dict.fromkeys(AGGREGATES, "AGG") | {"TRUE": "BOOLEAN", "FALSE": "BOOLEAN"}
    own = ARITY.keys() - {"NOW"} - ({"TIMESTAMP"} if dialect is not Dialect.CSPARQL else set())
    return words | dict.fromkeys(own, "BUILTIN")


@cache
def stream_words() -> frozenset[str]:
    """The words that are keywords in some stream dialect, and in SPARQL 1.1 are none."""
    return frozenset(word for own in _OWN.values() for word in own) - frozenset(_SPARQL)

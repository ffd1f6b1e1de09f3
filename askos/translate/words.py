"""The words of the languages: which are keywords, in which dialect, and which are functions."""

from __future__ import annotations

from functools import cache
from typing import Final

from askos.terms import URIRef
from askos.translate.dialect import Dialect


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _keywords(text: str) -> dict[str, str]:
    """Words that are terminals of their own, or, written word=TERMINAL, share one."""
    pairs = (word.partition("=") for word in text.split())
    return {word: terminal or word for word, _, terminal in pairs}


_SPARQL: Final = _keywords(
    """
    SELECT CONSTRUCT DESCRIBE ASK BASE PREFIX DISTINCT REDUCED AS FROM NAMED WHERE OPTIONAL UNION
    MINUS GRAPH SERVICE SILENT FILTER BIND VALUES UNDEF GROUP BY HAVING ORDER ASC DESC LIMIT OFFSET
    EXISTS NOT IN SEPARATOR NOW TRUE=BOOLEAN FALSE=BOOLEAN
    """
)
_STREAMS: Final = _keywords(
    """
    STREAM WINDOW RANGE SLIDE STEP=SLIDE ADVANCE=SLIDE FIXED TUMBLING=FIXED
    ELEMS ELEMENTS=ELEMS TRIPLES=ELEMS
    """
)
_REPORTS: Final = _keywords("RSTREAM=REPORT ISTREAM=REPORT DSTREAM=REPORT")
_REGISTER: Final = _keywords("REGISTER QUERY COMPUTED EVERY AGGREGATE")
_OWN: Final = {
    Dialect.SPARQL: {},
    Dialect.STREAMING: _STREAMS | _REPORTS | _keywords("START END WHEN WITHIN TO"),
    Dialect.CSPARQL: _STREAMS | _REGISTER,
    Dialect.CQELS: _STREAMS | _REGISTER | _keywords("ALL"),
    Dialect.RSPQL: _STREAMS | _REGISTER | _REPORTS | _keywords("ON"),
    Dialect.SPARQLSTREAM: _STREAMS | _REPORTS | _keywords("TO"),
}

AGGREGATES: Final = frozenset(_words("COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT"))

_ONE: Final = _words(
    """
    STR LANG DATATYPE BOUND IRI URI ABS CEIL FLOOR ROUND STRLEN UCASE LCASE ENCODE_FOR_URI YEAR
    MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ MD5 SHA1 SHA256 SHA384 SHA512 ISIRI ISURI ISBLANK
    ISLITERAL ISNUMERIC
    """
)
_TWO: Final = _words(
    "LANGMATCHES CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER STRLANG STRDT SAMETERM"
)
# How many arguments each built-in call takes (SPARQL 1.1, 19.8, BuiltInCall); None: any number.
ARITY: Final[dict[str, tuple[int, int | None]]] = {
    **dict.fromkeys(_words("RAND NOW UUID STRUUID"), (0, 0)),
    **dict.fromkeys(_ONE, (1, 1)),
    **dict.fromkeys(_TWO, (2, 2)),
    "BNODE": (0, 1),
    "SUBSTR": (2, 3),
    "REGEX": (2, 3),
    "REPLACE": (3, 4),
    "IF": (3, 3),
    "COALESCE": (0, None),
    "CONCAT": (0, None),
    "TIMESTAMP": (1, 3),  # C-SPARQL's
}

TIMESTAMP: Final = URIRef("http://larkc.eu/csparql/sparql/jena/ext#timestamp")
"""timestamp() as the queries of C-SPARQL's engine write it: f:timestamp(?s, ?p, ?o)."""


@cache
def terminals(dialect: Dialect) -> dict[str, str]:
    """The terminal of each word that means something in `dialect`, by the word in upper case."""
    foreign = {"NOW"} if dialect is Dialect.CSPARQL else {"NOW", "TIMESTAMP"}
    functions = dict.fromkeys(ARITY.keys() - foreign, "BUILTIN")
    return _SPARQL | dict.fromkeys(AGGREGATES, "AGG") | functions | _OWN[dialect]


@cache
def homes(word: str) -> tuple[Dialect, ...]:
    """The dialects in which `word` is a keyword, where it is none in all of them."""
    found = tuple(d for d, own in _OWN.items() if word.upper() in own)
    return found if word.upper() not in _SPARQL else ()

"""How terms and durations read in explained plans."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from askos.interval import FOREVER
from askos.terms import Literal, Term, URIRef, Variable, n3, spell

_LOCAL: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_UNITS: Final = (
    ("WEEK", 604_800_000),
    ("DAY", 86_400_000),
    ("HOUR", 3_600_000),
    ("MINUTE", 60_000),
    ("S", 1_000),
)


@dataclass(frozen=True, slots=True)
class Names:
    """Prefixes by which IRIs are shortened; terms otherwise read as in SPARQL.

    >>> Names({"": "http://wind.example/"}).text(URIRef("http://wind.example/power"))
    ':power'
    """

    prefixes: Mapping[str, str] = field(default_factory=dict)

    def text(self, term: Term | Variable | None) -> str:
        """The shortest SPARQL spelling of `term` that reads back as the same term."""
        match term:
            case None:
                return "UNDEF"
            case URIRef():
                return self._iri(term)
            case Literal(datatype=URIRef() as datatype) if spell(term) == n3(term):
                return f"{n3(Literal(str(term)))}^^{self._iri(datatype)}"
        return spell(term)

    def _iri(self, iri: URIRef) -> str:
        for prefix, namespace in self.prefixes.items():
            local = iri.removeprefix(namespace)
            if local != iri and _LOCAL.fullmatch(local):
                return f"{prefix}:{local}"
        return n3(iri)


def duration(milliseconds: int) -> str:
    """A duration in the largest unit of Streaming SPARQL that keeps it whole.

    >>> duration(1_800_000), duration(1_500), duration(FOREVER)
    ('30 MINUTE', '1500 MS', 'FOREVER')
    """
    if milliseconds >= FOREVER:
        return "FOREVER"
    for unit, size in _UNITS:
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size} {unit}"
    return f"{milliseconds} MS"

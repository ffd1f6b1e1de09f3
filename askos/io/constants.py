"""The constants of patterns: which rows and which lines may match at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from askos.io.lines import matcher
from askos.io.statements import Matcher
from askos.terms import XSD, Literal, Term, n3

Constant: TypeAlias = tuple[Term | None, Term | None, Term | None]
"""The terms of a pattern at s, p and o; None for a variable."""


@dataclass(frozen=True, slots=True)
class Constants:
    """Of some patterns, each of which has at least one."""

    patterns: tuple[Constant, ...]

    @property
    def lines(self) -> Matcher:
        """Says which lines may match a pattern."""
        return matcher([frozenset(filter(None, pattern)) for pattern in self.patterns])

    def rows(self, s: Any, p: Any, o: Any) -> pa.Array:
        """Which rows may match a pattern, where terms have no escapes and no language: of these
        only strings have two spellings."""
        columns = (s, p, o)
        found = pa.repeat(pa.scalar(False), len(s))
        for pattern in self.patterns:
            tests = (_may_be(columns[at], term) for at, term in enumerate(pattern) if term)
            found = pc.or_(found, reduce(pc.and_, tests))
        return found


def _may_be(column: Any, term: Term) -> Any:
    def test(texts: Any) -> Any:
        same = pc.equal(texts, n3(term))
        if not isinstance(term, Literal):
            return same
        return pc.or_(same, pc.ends_with(texts, f"^^<{XSD.string}>"))

    return by_text(column, test)


def by_text(column: Any, test: Callable[[Any], Any]) -> Any:
    """A test of texts; where a column has a dictionary, each one there is looked at once."""
    if isinstance(column, pa.DictionaryArray):
        return test(column.dictionary).take(column.indices)
    return test(column)

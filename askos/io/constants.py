"""The constants of patterns: which rows and which lines may match at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from askos.io.lines import matcher
from askos.io.statements import Matcher
from askos.terms import XSD, Literal, Term, n3

_MANY: Final = 8  # texts: to look for more of them in a line takes longer than to read it
Constant: TypeAlias = tuple[Term | None, Term | None, Term | None]
"""The terms of a pattern at s, p and o; None for a variable."""


@dataclass(frozen=True, slots=True)
class Constants:
    """Of some patterns, each of which has at least one."""

    patterns: tuple[Constant, ...]

    @property
    def lines(self) -> Matcher | None:
        """Says which lines may match a pattern; None where there is too much to look for."""
        sets = [frozenset(t for t in pattern if t is not None) for pattern in self.patterns]
        return matcher(sets) if len(frozenset().union(*sets)) <= _MANY else None

    def rows(self, s: Any, p: Any, o: Any) -> pa.Array:
        """Which rows may match a pattern, where terms have no escapes and no language.

        Patterns with constants at the same positions are one test, however many there are: it
        lets more rows pass.
        """
        alike: dict[tuple[int, ...], list[Constant]] = {}
        for pattern in self.patterns:
            places = tuple(at for at, term in enumerate(pattern) if term is not None)
            alike.setdefault(places, []).append(pattern)
        found = pa.repeat(pa.scalar(False), len(s))
        for places, patterns in alike.items():
            tests = (_among((s, p, o)[at], [pattern[at] for pattern in patterns]) for at in places)
            found = pc.or_(found, reduce(pc.and_, tests))
        return found


def _among(column: Any, terms: Sequence[Term | None]) -> Any:
    """Whether texts may stand for one of these terms: only strings have two spellings."""
    spelled = pa.array(sorted({n3(term) for term in terms if term is not None}), pa.string())

    def test(texts: Any) -> Any:
        same = pc.is_in(texts, value_set=spelled)
        if not any(isinstance(term, Literal) for term in terms):
            return same
        return pc.or_(same, pc.ends_with(texts, f"^^<{XSD.string}>"))

    return by_text(column, test)


def by_text(column: Any, test: Callable[[Any], Any]) -> Any:
    """A test of texts; where a column has a dictionary, each one there is looked at once."""
    if isinstance(column, pa.DictionaryArray):
        return test(column.dictionary).take(column.indices)
    return test(column)

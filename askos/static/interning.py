"""Terms as small integers, so that matching and joining compare numbers."""

from __future__ import annotations

from typing import Any

from askos.static.plain import read_plain
from askos.terms import Term, canonical, n3

UNBOUND = 0
"""The id of no term: a variable that a row does not bind."""


class Terms:
    """A dictionary of terms: ids from 1 on, in order of arrival; it only grows.

    Graphs that share one can be joined without translation.  A term that came as a text stays one
    until somebody asks for it: rdflib takes longer to make it than we take to read it, and of a
    large file most is never asked for.
    """

    __slots__ = ("_ids", "_terms", "_texts")

    def __init__(self) -> None:
        self._ids: dict[Term, int] = {}
        self._terms: list[Any] = [""]  # terms, and texts of those that nobody has asked for
        self._texts: dict[str, int] | None = None  # of all terms, once one has come as a text

    def __len__(self) -> int:
        return len(self._terms) - 1

    def __getitem__(self, number: int) -> Term:
        term: Term = self._terms[number]
        if type(term) is str:
            term = self._terms[number] = read_plain(term)
        return term

    def find(self, term: Term) -> int:
        """The id of `term`, or UNBOUND where it has none."""
        known = self._ids.get(term)
        if known is None and self._texts is not None:
            known = self._texts.get(n3(canonical(term)))
        return known or UNBOUND

    def intern(self, term: Term) -> int:
        """The id of `term`, a new one if need be; spellings of one term share their id."""
        known = self._ids.get(term)
        if known is None:
            exact = canonical(term)
            known = self.find(exact) or self._add(exact)
            self._ids[exact] = self._ids[term] = known
        return known

    def intern_text(self, text: str) -> int:
        """The id of a term by its N-Triples text, which is plain (`is_plain`)."""
        if self._texts is None:
            self._texts = {n3(self[number]): number for number in range(1, len(self._terms))}
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = len(self._terms)
            self._terms.append(text)
        return known

    def _add(self, term: Term) -> int:
        number = len(self._terms)
        self._terms.append(term)
        if self._texts is not None:
            self._texts[n3(term)] = number
        return number


class Scratch:
    """The terms of one evaluation: those of a graph, and computed ones with negative ids.

    So an evaluation leaves nothing behind in the dictionary of a graph.
    """

    __slots__ = ("_base", "_own")

    def __init__(self, base: Terms) -> None:
        self._base = base
        self._own = Terms()

    @property
    def base(self) -> Terms:
        """The dictionary whose ids are kept."""
        return self._base

    def __getitem__(self, number: int) -> Term:
        return self._base[number] if number > 0 else self._own[-number]

    def intern(self, term: Term) -> int:
        """The id of `term`, the same for the whole evaluation."""
        # Own ids first: another thread may meanwhile give the term an id in the base.
        return -self._own.find(term) or self._base.find(term) or -self._own.intern(term)

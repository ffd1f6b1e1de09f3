"""Terms as small integers, so that matching and joining compare numbers."""

from __future__ import annotations

from askos.terms import Term, canonical

UNBOUND = 0
"""The id of no term: a variable that a row does not bind."""


class Terms:
    """A dictionary of terms: ids from 1 on, in order of arrival; it only grows.

    Graphs that share one can be joined without translation.
    """

    __slots__ = ("_ids", "_terms")

    def __init__(self) -> None:
        self._ids: dict[Term, int] = {}
        self._terms: list[Term | None] = [None]

    def __len__(self) -> int:
        return len(self._terms) - 1

    def __getitem__(self, number: int) -> Term:
        term = self._terms[number]
        assert term is not None
        return term

    def find(self, term: Term) -> int:
        """The id of `term`, or UNBOUND where it has none."""
        return self._ids.get(term, UNBOUND)

    def intern(self, term: Term) -> int:
        """The id of `term`, a new one if need be; spellings of one term share their id."""
        known = self._ids.get(term)
        if known is None:
            exact = canonical(term)
            known = self._ids.get(exact)
            if known is None:
                known = self._ids[exact] = len(self._terms)
                self._terms.append(exact)
            self._ids[term] = known
        return known


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

"""Batches written as solutions and intervals, and two terms whose hashes collide."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

import numpy as np

from askos.algebra import Element
from askos.columns import Batch, Coder, Dictionary
from askos.interval import Interval
from askos.local.rows import elements
from askos.terms import Solution, Term, URIRef, Variable
from tests.build import EX

KEY = "0123456789abcdef"
CODER = Coder(KEY)
TINY = Coder(KEY, bits=8)
"""So few hashes that terms collide all the time."""

Row = tuple[Solution, int, int]
"""A solution, its start and its end."""


def batch(*rows: Row, coder: Coder = CODER) -> Batch:
    variables = dict.fromkeys(v for mu, _, _ in rows for v in mu)
    columns, dictionary = {}, Dictionary()
    for variable in variables:
        columns[variable], new = _column(variable, [mu for mu, _, _ in rows], coder)
        dictionary |= new
    starts, ends = (np.array([row[i] for row in rows], np.int64) for i in (1, 2))
    return Batch(columns, starts, ends, dictionary)


def _column(
    variable: Variable, solutions: list[Solution], coder: Coder
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], Dictionary]:
    ids = np.zeros(len(solutions), np.int64)
    bound = [place for place, mu in enumerate(solutions) if variable in mu]
    ids[bound], dictionary = coder.terms([solutions[place][variable] for place in bound])
    return ids, dictionary


def rows(given: Batch) -> list[Row]:
    """What a batch holds, in its order."""
    found = []
    for element in elements(given):
        assert isinstance(element.item, Solution)
        found.append((element.item, element.interval.start, element.interval.end))
    return found


def as_elements(given: Iterable[Row]) -> list[Element]:
    return [Element(mu, Interval(start, end)) for mu, start, end in given]


def colliding(coder: Coder = TINY) -> tuple[URIRef, URIRef]:
    """Two IRIs of one id."""
    seen: dict[int, URIRef] = {}
    for number in count():
        term = EX[f"n{number}"]
        (found,), _ = coder.terms([term])
        if int(found) in seen:
            return seen[int(found)], term
        seen[int(found)] = term
    raise AssertionError


def ids_of(*terms: Term, coder: Coder = CODER) -> list[int]:
    found: list[int] = coder.terms(terms)[0].tolist()
    return found

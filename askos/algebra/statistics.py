"""What is known about the data before a plan runs, for rules that choose an order."""

from __future__ import annotations

from typing import Protocol

from askos.algebra.operators import Path, Pattern
from askos.terms import Variable


class Statistics(Protocol):
    """Expected numbers of solutions.  Guesses: no result may depend on them."""

    def count(self, leaf: Pattern | Path, bound: frozenset[Variable] = frozenset()) -> float | None:
        """How many solutions of `leaf` to expect for one binding of the variables `bound`;
        None where nothing is known, as about a stream."""

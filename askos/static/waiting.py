"""The members of a join that wait for their turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from askos.algebra import Operator, Path, Pattern
from askos.static.table import Env, Table
from askos.terms import Variable

if TYPE_CHECKING:
    from askos.static.evaluation import Evaluation


class Waiting:
    """Who is next: of the members that share a variable with the table so far, the one that is
    expected to multiply its rows least, and of equals the first.

    How often a pattern matches depends on which of its variables are bound, and is asked again
    only when one more of them is; of other plans the smallest multiplies least, however many rows
    there are.  Cost: a heap operation for each variable of each member.
    """

    def __init__(self, at: Evaluation, members: Sequence[Operator], env: Env) -> None:
        self._at, self._env, self._members = at, env, members
        self.places = set(range(len(members)))  # of those who wait
        self._mentions: dict[Variable, list[int]] = {}
        for place, member in enumerate(members):
            for variable in at.estimates.variables(member):
                self._mentions.setdefault(variable, []).append(place)
        self._alone: list[tuple[float, int]] = []
        self._begin()

    def _begin(self) -> None:
        self._width = 0  # of the table seen last
        self._unsure: frozenset[Variable] = frozenset()
        self._bound: set[Variable] = set()
        self._near: dict[int, float] = {}  # the neighbours, and what is expected of them
        self._leaves: list[tuple[float, int]] = []  # heaps; what is no longer true stays a while
        self._plans: list[tuple[float, int]] = []

    def first(self, table: Table) -> Operator | None:
        """Who begins: a neighbour of `table`; anyone if there is none."""
        self._begin()
        best = self.next(table)
        if best is not None or not self.places:
            return best
        if not self._alone:
            sizes = ((self._expected(place), place) for place in self.places)
            self._alone = sorted(sizes, reverse=True)
        while self._alone[-1][1] not in self.places:
            self._alone.pop()
        return self._taken(self._alone.pop()[1])

    def next(self, table: Table) -> Operator | None:
        """The best neighbour of `table`, which is the table of before and some columns more."""
        self._look_at(table)
        best = [*self._best(self._leaves, 1), *self._best(self._plans, max(1, table.size))]
        return self._taken(min(best)[1]) if best else None

    def _taken(self, place: int) -> Operator:
        self.places.remove(place)
        return self._members[place]

    def _best(self, heap: list[tuple[float, int]], rows: int) -> Iterable[tuple[float, int]]:
        while heap and (heap[0][1] not in self.places or self._near[heap[0][1]] != heap[0][0]):
            heappop(heap)
        return [(expected / rows, place) for expected, place in heap[:1]]

    def _look_at(self, table: Table) -> None:
        """Take note of neighbours, and of what is bound."""
        new = table.columns[self._width :]
        sure = [v for v in (*new, *self._unsure) if v not in table.optional]
        self._width, self._unsure = table.width, table.optional
        self._bound.update(sure)
        for variable in dict.fromkeys((*new, *sure)):
            for place in self._mentions.get(variable, ()):
                if place in self.places:
                    self._approach(place)

    def _approach(self, place: int) -> None:
        expected = self._expected(place)
        if self._near.get(place) != expected:
            self._near[place] = expected
            leaf = isinstance(self._members[place], Pattern | Path)
            heappush(self._leaves if leaf else self._plans, (expected, place))

    def _expected(self, place: int) -> float:
        """The matches of a pattern for one row, or the solutions of a plan."""
        member = self._members[place]
        if isinstance(member, Pattern | Path):
            return self._at.expected(self._at.leaf(member, self._env), self._bound)
        return self._at.estimates.size(member)

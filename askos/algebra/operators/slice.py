"""LIMIT and OFFSET."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.names import Names
from askos.algebra.node import check_variables
from askos.algebra.operator import Operator, check_input
from askos.algebra.operators.distinct import latest
from askos.errors import require_whole
from askos.terms import Variable, n3


@dataclass(frozen=True, slots=True)
class Slice(Operator):
    """At every instant, the solutions from `offset` on, at most `limit`, of the sorted snapshot.

    Streaming SPARQL, section 4, "slice".  Sorted by the rank of an ORDER BY below, if there is
    one, then by the total order on solutions.  With `by`, of each group of
    solutions that agree on these variables, unbound being a value.  `times` are columns of arrival
    times: they only order solutions that are equal otherwise.
    """

    offset: int
    limit: int | None
    input: Operator
    by: tuple[Variable, ...] = ()
    times: tuple[Variable, ...] = ()

    def __post_init__(self) -> None:
        check_input(self, "input")
        check_variables(self, "by")
        check_variables(self, "times")
        require_whole(self.offset, 0, "Slice: offset")
        if self.limit is not None:
            require_whole(self.limit, 0, "Slice: limit")

    def label(self, names: Names) -> str:
        limit = "" if self.limit is None else f"LIMIT {self.limit}"
        offset = f"OFFSET {self.offset}" if self.offset else ""
        by = " ".join(("BY", *map(n3, self.by))) if self.by else ""
        return " ".join(part for part in (limit, offset, by, latest(self.times)) if part)

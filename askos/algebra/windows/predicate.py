"""The predicate window: opened and closed by what arrives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from askos.algebra.expressions.expression import Expression, check_expression
from askos.algebra.names import Names, duration
from askos.algebra.operators.filter import is_timeless
from askos.algebra.windows.window import Window
from askos.errors import require, require_whole
from askos.interval import FOREVER, Interval, interval
from askos.terms import Solution, Triple, Variable

SUBJECT: Final = Variable("s")
PREDICATE: Final = Variable("p")
OBJECT: Final = Variable("o")


@dataclass(frozen=True, slots=True)
class PredicateWindow(Window):
    """WINDOW START WHEN e1 END WHEN e2 [WITHIN w]: from one event to another.

    Streaming SPARQL, section 8, names it as an outlook; Ghanem et al. 2006.  It opens at an
    element that satisfies `start` (a member) and takes every element up to one that satisfies
    `end` (not a member), or until `within` has passed since it opened.  Members are valid from
    their arrival to the close.  No window opens inside another; the element that closes one may
    open the next.  An error satisfies nothing.

    Over triples the conditions see the triple as ?s ?p ?o.
    """

    start: Expression
    end: Expression
    within: int | None = None

    def __post_init__(self) -> None:
        self.check_raw()
        for part in ("start", "end"):
            timeless = is_timeless(check_expression(self, part))
            require(
                timeless,
                f"PredicateWindow: {part} may use neither EXISTS nor NOW()",
                "it must be decided by the element alone",
            )
        if self.within is not None:
            require_whole(self.within, 1, "PredicateWindow: within")

    def validity(
        self, arrivals: Sequence[int], starts: Sequence[bool], ends: Sequence[bool]
    ) -> list[Interval | None]:
        """When each element is valid, given all in order: when it arrived, and whether it
        satisfies `start` and `end`.  Members: [τ, min(τ_e2, τ_open + w)); others: never."""
        closes = [0] * len(arrivals)  # when the window that holds the element closes
        members: list[int] = []
        limit = FOREVER
        for i, at in enumerate(arrivals):
            if members and (at >= limit or ends[i]):
                for member in members:
                    closes[member] = min(at, limit)
                members = []
            if members or starts[i]:
                limit = limit if members else at + (self.within or FOREVER)
                members.append(i)
        for member in members:
            closes[member] = limit
        return [interval(at, close) for at, close in zip(arrivals, closes, strict=True)]

    def view(self, element: Triple | Solution) -> Solution:
        """What the conditions see of an element."""
        if isinstance(element, Solution):
            return element
        return Solution(zip((SUBJECT, PREDICATE, OBJECT), element, strict=True))

    def label(self, names: Names) -> str:
        within = f" WITHIN {duration(self.within)}" if self.within else ""
        return f"START {self.start.text(names)} END {self.end.text(names)}{within}"

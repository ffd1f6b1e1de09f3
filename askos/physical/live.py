"""What of a plan comes from streams, and what of that needs no state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from askos.algebra import (
    AntiJoin,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Operator,
    SemiJoin,
    StreamAccess,
    Union,
)
from askos.algebra.placement import reloadable, streaming
from askos.physical.made import is_plain
from askos.physical.offers import OFFERS

Over: TypeAlias = Callable[[Operator, int, Operator], Operator]
"""An operator over one line, which is its input of that number."""


class Live:
    """Knows by identity what comes from streams: of a plan, and of what is added later."""

    def __init__(self, plan: Operator) -> None:
        self._plans, self._known = [plan], {*streaming(plan)}  # kept, so that no other has its id

    def __contains__(self, plan: Operator) -> bool:
        return id(plan) in self._known

    def add(self, plan: Operator) -> None:
        """A plan that takes the place of another."""
        self._plans.append(plan)
        self._known |= streaming(plan)

    def wholly(self, plan: Operator) -> bool:
        """Whether everything in a plan comes from streams."""
        return all(node in self for node in plan.walk() if isinstance(node, Operator))

    def linear(self, plan: Operator) -> bool:
        """Whether what an element becomes depends on it alone: it may be spread however it is,
        and everything such distributes over union, time windows included."""
        if isinstance(plan, StreamAccess) or plan not in self:
            return True
        if isinstance(plan, Union):
            return self.linear(plan.left) and self.linear(plan.right)
        side = self._side(plan)
        return side is not None and is_plain(plan) and self.linear(plan.inputs[side])

    def _side(self, plan: Operator) -> int | None:
        """The one input that comes from streams, of an operator that needs no state: linear, or
        a join that only looks up what its partners in a table are."""
        live = [child in self for child in plan.inputs]
        table = [not (up or reloadable(c)) for up, c in zip(live, plan.inputs, strict=True)]
        match plan:
            case Join() if live.count(True) == table.count(True) == 1:
                return live.index(True)
            case LeftJoin() | SemiJoin() | AntiJoin() | MarkJoin() | Minus() if table[1]:
                return 0
        return 0 if OFFERS[type(plan)].linear else None

    def lines(self, plan: Operator, over: Over) -> Iterator[Operator]:
        """A linear plan as a union of lines, each from one source up."""
        if isinstance(plan, StreamAccess) or plan not in self:
            yield plan
        elif isinstance(plan, Union):
            yield from self.lines(plan.left, over)
            yield from self.lines(plan.right, over)
        else:
            side = self._side(plan)
            assert side is not None
            for line in self.lines(plan.inputs[side], over):
                yield over(plan, side, line)


def source_of(line: Operator) -> Operator:
    """Where a line begins."""
    while line.inputs:
        line = line.inputs[0]
    return line

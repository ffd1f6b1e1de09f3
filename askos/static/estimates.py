"""How many solutions to expect of the parts of a plan, before any is evaluated.

Guesses, for choosing an order; no result depends on them.
"""

from __future__ import annotations

from collections.abc import Callable

from askos.algebra import (
    AntiJoin,
    Ask,
    Distinct,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Operator,
    Path,
    Pattern,
    Project,
    Reduced,
    SemiJoin,
    Slice,
    Union,
    Values,
)
from askos.static.given import Given
from askos.static.leaves import Leaf
from askos.terms import Variable


class Estimates:
    """Per operator of a plan, EXISTS included: expected solutions, and variables."""

    def __init__(self, leaf: Callable[[Pattern | Path], Leaf]) -> None:
        self._leaf = leaf
        self._sizes: dict[int, float] = {}
        self._variables: dict[int, frozenset[Variable]] = {}

    def add(self, plan: Operator) -> None:
        """Estimate every operator of `plan`."""
        # From the leaves up, without recursion: a plan may be deeper than Python's stack.
        for node in reversed(list(plan.walk())):
            if isinstance(node, Operator) and id(node) not in self._sizes:
                self._sizes[id(node)] = self._size(node)
                self._variables[id(node)] = self._names(node)

    def size(self, plan: Operator) -> float:
        """The number of solutions to expect."""
        return self._sizes[id(plan)]

    def variables(self, plan: Operator) -> frozenset[Variable]:
        """The variables that some solution may bind, or more."""
        return self._variables[id(plan)]

    def _size(self, plan: Operator) -> float:
        below = [self._sizes[id(child)] for child in plan.inputs]
        match plan:
            case Pattern() | Path():
                return self._leaf(plan).estimate()
            case Values(_, rows):
                return len(rows)
            case Join():
                return min(below)
            case Union():
                return sum(below)
            case LeftJoin() | Minus() | SemiJoin() | AntiJoin() | MarkJoin():
                return below[0]
            case Group(keys):
                return below[0] / 4 if keys else 1
            case Slice(_, int() as limit, by=()):
                return min(limit, below[0])
            case Filter():
                return below[0] / 2
        return max(below, default=1.0)

    def _names(self, plan: Operator) -> frozenset[Variable]:
        below = [self._variables[id(child)] for child in plan.inputs]
        match plan:
            case Pattern() | Path() | Values() | Group() | Given():
                return plan.variables  # these do not look at their input
            case Project(columns):
                return frozenset(columns)
            case Extend(variable) | MarkJoin(variable=variable):
                return below[0] | {variable}
            case Minus() | SemiJoin() | AntiJoin() | Distinct() | Reduced() | Ask():
                return below[0]
        return frozenset().union(*below)

"""Grouping and aggregation."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.aggregates import Aggregate
from askos.algebra.expressions.expression import Expression
from askos.algebra.names import Names
from askos.algebra.operator import Operator, check_input
from askos.algebra.operators.binding import Binding, never_fails
from askos.errors import require
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class Group(Operator):
    """γ: one solution per group and instant, with its keys and aggregates.

    SPARQL 1.1, 18.5; the paper names it as future work.  A key that is an error is unbound,
    and unbound is a key like others.  Without keys there is one group at every instant, empty
    or not.  An aggregate that is an error leaves its variable unbound.
    """

    keys: tuple[Binding, ...]
    aggregates: tuple[Binding, ...]
    input: Operator

    def __post_init__(self) -> None:
        check_input(self, "input")
        check_bindings(self, "keys", Expression)
        check_bindings(self, "aggregates", Aggregate)
        names = [b.variable for b in self.keys + self.aggregates]
        twice = {v for v in names if names.count(v) > 1}
        require(not twice, f"Group: ?{min(twice, default='')} is defined twice")

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(binding.variable for binding in self.keys + self.aggregates)

    @property
    def bound(self) -> frozenset[Variable]:
        bound = self.input.bound
        made = self.keys + self.aggregates
        return frozenset(b.variable for b in made if never_fails(b.value, bound))

    def label(self, names: Names) -> str:
        keys = " ".join(key.text(names) for key in self.keys)
        aggregates = ", ".join(aggregate.text(names) for aggregate in self.aggregates)
        return f"BY {keys or '()'}" + (f": {aggregates}" if aggregates else "")


def check_bindings(owner: Operator, part: str, wanted: type[Expression] | type[Aggregate]) -> None:
    """Refuse the field `part` unless it is a tuple of bindings to what is `wanted`."""
    bindings = getattr(owner, part)
    ok = isinstance(bindings, tuple) and all(
        isinstance(b, Binding) and isinstance(b.value, wanted) for b in bindings
    )
    kind = wanted.__name__.lower()
    message = f"{type(owner).__name__}: {part} must bind variables to {kind}s, not {bindings!r}"
    require(ok, message)

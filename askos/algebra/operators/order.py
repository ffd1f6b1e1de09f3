"""ORDER BY."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.expression import PRIMARY, Expression, check_expression
from askos.algebra.names import Names
from askos.algebra.node import Node
from askos.algebra.operator import Operator, check_input
from askos.errors import require, require_flag


@dataclass(frozen=True, slots=True)
class SortKey(Node):
    """ASC(e) or DESC(e)."""

    expression: Expression
    descending: bool = False

    def __post_init__(self) -> None:
        check_expression(self, "expression")
        require_flag(self.descending, "SortKey: descending")

    def text(self, names: Names) -> str:
        """As SPARQL writes it; ASC goes without saying."""
        if self.descending:
            return f"DESC({self.expression.text(names)})"
        return self.expression.inside(names, PRIMARY)


@dataclass(frozen=True, slots=True)
class OrderBy(Operator):
    """Rank each solution by its sort keys: the bag stays, Slice and reports use the rank.

    Streaming SPARQL, section 4, "order by".  Ties are broken where the rank is used, by the
    total order on the solutions found there; so the result does not depend on variables that
    are projected away.
    """

    keys: tuple[SortKey, ...]
    input: Operator

    def __post_init__(self) -> None:
        check_input(self, "input")
        ok = isinstance(self.keys, tuple) and all(isinstance(k, SortKey) for k in self.keys)
        require(ok and bool(self.keys), "OrderBy: keys must be sort keys, one or more")

    def label(self, names: Names) -> str:
        return " ".join(key.text(names) for key in self.keys)

"""C-SPARQL's AGGREGATE: aggregates beside the solutions, not instead of them."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.aggregates import Aggregate
from askos.algebra.names import Names
from askos.algebra.node import Node, check_variable, check_variables
from askos.algebra.operator import Operator, check_input
from askos.algebra.operators.binding import never_fails
from askos.errors import require
from askos.terms import Variable, n3


@dataclass(frozen=True, slots=True)
class Clause(Node):
    """(?v, f(..), {?g ..}): an aggregate of each group of solutions that agree on ?g .."""

    variable: Variable
    aggregate: Aggregate
    by: tuple[Variable, ...] = ()

    def __post_init__(self) -> None:
        check_variable(self)
        ok = isinstance(self.aggregate, Aggregate)
        require(ok, f"Clause: {self.aggregate!r} is not an aggregate")
        check_variables(self, "by")

    def text(self, names: Names) -> str:
        """The clause as C-SPARQL writes it."""
        by = " ".join(n3(v) for v in self.by)
        return f"({n3(self.variable)}, {self.aggregate.text(names)}, {{{by}}})"


@dataclass(frozen=True, slots=True)
class AggregateClauses(Operator):
    """Extend every solution by the aggregates of its groups; no solution is lost or merged.

    C-SPARQL 2010, section 3.1.  All clauses see the same solutions, those of WHERE; unbound is
    a key.  The clauses' filters are one Filter above, so that none changes what another counts.
    """

    clauses: tuple[Clause, ...]
    input: Operator

    def __post_init__(self) -> None:
        check_input(self, "input")
        ok = isinstance(self.clauses, tuple) and all(isinstance(c, Clause) for c in self.clauses)
        require(ok and bool(self.clauses), "AggregateClauses: clauses must be clauses, one or more")
        seen = set(self.input.variables)
        for clause in self.clauses:
            free = clause.variable not in seen
            require(free, f"AggregateClauses: ?{clause.variable} is bound already")
            seen.add(clause.variable)

    @property
    def variables(self) -> frozenset[Variable]:
        return self.input.variables | {clause.variable for clause in self.clauses}

    @property
    def bound(self) -> frozenset[Variable]:
        bound = self.input.bound
        return bound | {c.variable for c in self.clauses if never_fails(c.aggregate, bound)}

    def label(self, names: Names) -> str:
        return ", ".join(clause.text(names) for clause in self.clauses)

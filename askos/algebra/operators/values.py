"""VALUES, and the empty group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from askos.algebra.names import Names
from askos.algebra.node import check_variables
from askos.algebra.operator import Operator
from askos.errors import require
from askos.terms import Solution, Term, Variable, canonical, n3


@dataclass(frozen=True, slots=True)
class Values(Operator):
    """A table of solutions, a bag, valid always; None is UNDEF.

    SPARQL 1.1, 10.2.
    """

    columns: tuple[Variable, ...]
    rows: tuple[tuple[Term | None, ...], ...]

    def __post_init__(self) -> None:
        width = len(check_variables(self, "columns"))
        require(isinstance(self.rows, tuple), f"Values: rows must be a tuple, not {self.rows!r}")
        for row in self.rows:
            ok = isinstance(row, tuple) and len(row) == width
            require(ok, f"Values: row {row!r} does not have {width} terms")
            stray = [term for term in row if not isinstance(term, Term | None)]
            require(not stray, f"Values: {stray} are not terms, nor None for UNDEF")
        rows = (
            tuple(None if term is None else canonical(term) for term in row) for row in self.rows
        )
        object.__setattr__(self, "rows", tuple(rows))

    @property
    def solutions(self) -> tuple[Solution, ...]:
        """The rows as solution mappings."""
        return tuple(
            Solution({v: t for v, t in zip(self.columns, row, strict=True) if t is not None})
            for row in self.rows
        )

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(self.columns)

    @property
    def bound(self) -> frozenset[Variable]:
        columns = enumerate(self.columns)
        return frozenset(v for i, v in columns if all(row[i] is not None for row in self.rows))

    def label(self, names: Names) -> str:
        columns = " ".join(n3(v) for v in self.columns)
        rows = (f"({' '.join(names.text(term) for term in row)})" for row in self.rows)
        return " ".join((f"({columns})", "{", *rows, "}"))


UNIT: Final = Values((), ((),))
"""The empty group: the one solution that binds nothing."""

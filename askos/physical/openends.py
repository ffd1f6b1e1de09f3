"""Open ends: elements whose end is not known, given once instead of piece by piece.

The end of an element in a count or predicate window, or of a row of a graph that may be reloaded,
is not known when it begins.  To emit it in pieces up to the cut costs every step what is live:
all of it goes through the operators above again.  So, where the operator above can take it, an
element is emitted once, up to the last instant at which it can end, and a *negative* element takes
the rest back when the end is known (`askos.columns.signs`).

A negative element is an element like others.  It begins where the other one ends, which is never
before what has been promised; so watermarks, late elements, exchanges and state know nothing of
it.  What is linear in its input takes it as it is: σ, π, ε, ∪, ν, and ⋈, where the signs of a pair
are multiplied, and whose SweepArea forgets what has been taken back (`OpenArea`).  So do COUNT, SUM
and AVG, to which it is an end (`OpenPassing`).  A left, semi-, anti- or mark join and MINUS take it
on the right: a left element looks up who is there up to the cut.

Everything else wants to know ends, or pieces up to the cut: `Pieces` makes them, above what is
linear and after an exchange, so of as few elements as can be.  What is emitted up to every cut is
what is live there, and no longer what is live below.  A mark says which elements are open: others
pass as they are.

    Pieces
      Project ?t ?v ?limit
        Join
          Exchange BY ?t
            …
          Exchange BY ?t
            OpenEnds
              CountWindow ELEMS 1000
"""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra import Operator, Payload


@dataclass(frozen=True, slots=True)
class _Through(Operator):
    """What changes nothing but how ends are told."""

    input: Operator

    @property
    def payload(self) -> Payload:
        return self.input.payload


@dataclass(frozen=True, slots=True)
class OpenEnds(_Through):
    """A window that needs order, or a table that may be reloaded, whose elements are given once,
    with negative ones to follow."""


@dataclass(frozen=True, slots=True)
class Pieces(_Through):
    """Elements with open ends in pieces up to the cut."""

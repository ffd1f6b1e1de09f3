"""timestamp(?v): when the triples that bound ?v arrived."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.expression import Expression, ExpressionError, Scope
from askos.algebra.names import Names
from askos.algebra.node import check_variable
from askos.errors import require
from askos.terms import XSD, Literal, Term, URIRef, Variable, n3


@dataclass(frozen=True, slots=True)
class Timestamp(Expression):
    """timestamp(?v[, <s>]): the largest arrival time among the stream triples that bound ?v.

    C-SPARQL, section 3.3.  An xsd:integer, milliseconds of event time; unbound where only
    static data, or a property path, bound ?v.  The patterns must keep it: see `Pattern.stamps`.
    """

    variable: Variable
    stream: URIRef | None = None

    def __post_init__(self) -> None:
        check_variable(self)
        ok = self.stream is None or isinstance(self.stream, URIRef)
        require(ok, f"Timestamp: {self.stream!r} is not the IRI of a stream")

    def evaluate(self, scope: Scope) -> Term:
        times = [
            time
            for (variable, stream), time in scope.solution.stamps.items()
            if variable == self.variable and self.stream in (None, stream)
        ]
        if not times:
            raise ExpressionError(f"no stream triple bound ?{self.variable}")
        return Literal(str(max(times)), datatype=XSD.integer)

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset({self.variable})

    @property
    def stamps(self) -> frozenset[Variable]:
        return frozenset({self.variable})

    def text(self, names: Names) -> str:
        stream = f", {names.text(self.stream)}" if self.stream else ""
        return f"timestamp({n3(self.variable)}{stream})"

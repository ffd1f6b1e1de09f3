"""timestamp(?v): when the triples that bound ?v arrived."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.expression import Expression, ExpressionError, Ref, Scope
from askos.algebra.names import Names
from askos.algebra.node import check_variable, check_variables
from askos.errors import require
from askos.terms import XSD, Literal, Term, URIRef, Variable, n3


@dataclass(frozen=True, slots=True)
class Timestamp(Expression):
    """timestamp(?v[, <s> or ?g]): the largest arrival time among the stream triples that bound
    ?v; of those of one stream, if it is named by its IRI, or by a variable that GRAPH binds.

    C-SPARQL, sections 2.7 and 3.3.  An xsd:integer, milliseconds of event time; unbound where only
    static data, or a property path, bound ?v.  The patterns must keep it: see `Pattern.stamps`.
    """

    variable: Variable
    stream: URIRef | Variable | None = None

    def __post_init__(self) -> None:
        check_variable(self)
        ok = self.stream is None or isinstance(self.stream, URIRef | Variable)
        require(ok, f"Timestamp: {self.stream!r} is not the IRI of a stream")

    def evaluate(self, scope: Scope) -> Term:
        wanted: Term | Variable | None = self.stream
        if isinstance(wanted, Variable):
            wanted = Ref(wanted).evaluate(scope)
        times = [
            time
            for (variable, stream), time in scope.solution.stamps.items()
            if variable == self.variable and wanted in (None, stream)
        ]
        if not times:
            raise ExpressionError(f"no stream triple bound ?{self.variable}")
        return Literal(str(max(times)), datatype=XSD.integer)

    @property
    def variables(self) -> frozenset[Variable]:
        named = {self.stream} if isinstance(self.stream, Variable) else set()
        return frozenset({self.variable, *named})

    @property
    def stamps(self) -> frozenset[Variable]:
        return frozenset({self.variable})

    def text(self, names: Names) -> str:
        stream = f", {names.text(self.stream)}" if self.stream else ""
        return f"timestamp({n3(self.variable)}{stream})"


@dataclass(frozen=True, slots=True)
class Latest(Expression):
    """The largest of the arrival times in some columns; an error where none of them has one.

    What timestamp() is where a host has made columns of arrival times.
    """

    columns: tuple[Variable, ...]

    def __post_init__(self) -> None:
        check_variables(self, "columns")

    def evaluate(self, scope: Scope) -> Term:
        times = [scope.solution[column] for column in self.columns if column in scope.solution]
        if not times:
            raise ExpressionError("no stream triple has come")
        return max(times, key=int)

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(self.columns)

    def text(self, names: Names) -> str:
        return f"latest({', '.join(map(n3, self.columns))})"

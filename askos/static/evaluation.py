"""One evaluation of a plan: its graphs, its terms, and the loop that runs the operators."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeAlias

from askos.algebra import Operator, Path, Pattern, Window
from askos.algebra.expressions import Scope
from askos.algebra.expressions.exists import mentioned
from askos.algebra.operators import StreamAccess
from askos.algebra.operators.pattern import Position
from askos.errors import QueryError, StreamError
from askos.static.estimates import Estimates
from askos.static.given import Data
from askos.static.graph import StaticGraph
from askos.static.interning import UNBOUND, Scratch, Terms
from askos.static.leaves import Leaf, PatternLeaf
from askos.static.pathleaf import PathLeaf
from askos.static.scalars import exists_in
from askos.static.table import NO_ENV, Env, Table
from askos.static.walks import Walks
from askos.terms import Solution, URIRef, Variable


@dataclass(frozen=True, slots=True)
class Request:
    """What an operator asks for: the solutions of a plan, given bindings from outside EXISTS.

    `seed` is a hint: solutions that are compatible with none of its rows may be left out, all
    copies of them, and only those.  So is `enough`: if that many are found, in no order, others may
    be left out.  It is never said together with a seed.
    """

    plan: Operator
    env: Env
    seed: Table | None = None
    enough: int | None = None

    def below(self, plan: Operator) -> Request:
        """The same of another plan: for what passes every solution on."""
        return Request(plan, self.env, self.seed, self.enough)

    def all_below(self, plan: Operator) -> Request:
        """The same of another plan, whose solutions are needed all."""
        return Request(plan, self.env, self.seed)


Steps: TypeAlias = Generator[Request, Table, Table]
"""An operator at work: it asks for its inputs, and returns its table."""

Meaning: TypeAlias = Callable[["Evaluation", Any, Request], Steps]
Graphs: TypeAlias = Callable[["Evaluation", Operator], tuple[StaticGraph, ...]]


class Evaluation:
    """The state of evaluating one plan over some graphs."""

    def __init__(
        self,
        plan: Operator,
        graphs: Mapping[URIRef, StaticGraph],
        instant: int,
        meanings: Mapping[type[Operator], Meaning],
        sources: Graphs,
        data: Data | None = None,
    ) -> None:
        used = {source: _graph(source, graphs) for source in _sources(plan)}
        self.terms = Scratch(data.terms if data else _largest(used.values()))
        self.data = data
        self.instant = instant
        self._graphs = {iri: graph.translated(self.terms) for iri, graph in used.items()}
        self._meanings = meanings
        self._sources = sources
        self.merged: dict[frozenset[int], StaticGraph] = {}
        self._known_sources: dict[int, tuple[StaticGraph, ...]] = {}
        self._leaves: dict[tuple[int, bool], Leaf] = {}
        self._mentioned: dict[int, frozenset[Variable]] = {}
        self._settled: dict[tuple[int, int | None], Table] = {}
        self._expected: dict[tuple[int, frozenset[Variable]], float] = {}
        self.estimates = Estimates(self.leaf)
        self.estimates.add(plan)

    # ---- solutions ----------------------------------------------------------------------

    def solve(self, plan: Operator, env: Env = NO_ENV, enough: int | None = None) -> Table:
        """The solutions of `plan`, or `enough` of them; with a stack of our own, since Python's may
        be too short."""
        running = [self._steps(Request(plan, env, None, enough))]
        answer: Table | None = None
        while True:
            try:
                request = running[-1].send(answer)  # type: ignore[arg-type]
            except StopIteration as done:
                running.pop()
                answer = done.value
                if not running:
                    assert isinstance(answer, Table)
                    return answer
            else:
                running.append(self._steps(request))
                answer = None

    def _steps(self, request: Request) -> Steps:
        plan = request.plan
        if request.env and self._mentioned_in(plan).isdisjoint(request.env):
            return self._once(Request(plan, NO_ENV, None, request.enough))
        return self._meaning(plan)(self, plan, request)

    def _once(self, request: Request) -> Steps:
        """A part of EXISTS that no outer binding reaches is the same for every solution."""
        key = id(request.plan), request.enough
        if key not in self._settled:
            meaning = self._meaning(request.plan)
            self._settled[key] = yield from meaning(self, request.plan, request)
        return self._settled[key]

    def _meaning(self, plan: Operator) -> Meaning:
        try:
            return self._meanings[type(plan)]
        except KeyError:
            raise TypeError(f"{type(plan).__name__} does not yield solutions") from None

    def _mentioned_in(self, plan: Operator) -> frozenset[Variable]:
        if id(plan) not in self._mentioned:
            self._mentioned[id(plan)] = frozenset(mentioned(plan))
        return self._mentioned[id(plan)]

    # ---- expressions --------------------------------------------------------------------

    def scope(self, bindings: Env, outer: Env) -> Scope:
        """What an expression sees of one solution, inside EXISTS with the bindings `outer`."""
        solution = Solution({v: self.terms[number] for v, number in bindings.items()})
        return Scope(solution, self.instant, exists_in(self, outer))

    # ---- triples ------------------------------------------------------------------------

    def graph(self, source: URIRef) -> StaticGraph:
        """The graph of that name."""
        return self._graphs[source]

    def sources(self, plan: Operator) -> tuple[StaticGraph, ...]:
        """The graphs whose triples, as a bag, `plan` yields."""
        known = self._known_sources.get(id(plan))
        if known is None:
            known = self._known_sources[id(plan)] = self._sources(self, plan)
        return known

    def leaf(self, plan: Pattern | Path, env: Env = NO_ENV) -> Leaf:
        """A pattern or path, ready to be matched."""
        given = any(not isinstance(p, Variable) or p in env for p in _ends(plan))
        known = self._leaves.get((id(plan), given))
        if known is None:
            known = self._leaves[id(plan), given] = self._new_leaf(plan, given)
        return known

    def expected(self, leaf: Leaf, bound: Set[Variable]) -> float:
        """How many matches of a leaf to expect for one row that binds these variables; asked of it
        once, and not anew for every solution of an EXISTS."""
        key = id(leaf), leaf.variables & bound
        if key not in self._expected:
            self._expected[key] = leaf.estimate(key[1])
        return self._expected[key]

    def _new_leaf(self, plan: Pattern | Path, given: bool) -> Leaf:
        graphs = self.sources(plan.input)
        if isinstance(plan, Pattern):
            return PatternLeaf(plan.positions, self._ids(plan.positions), graphs)
        walks, ends = Walks(plan.path, graphs, self.terms), _ends(plan)
        return PathLeaf(ends, self._ids(ends), graphs, walks=walks, anchored=given)

    def _ids(self, positions: Sequence[Position]) -> tuple[int, ...]:
        known = (UNBOUND if isinstance(p, Variable) else self.terms.intern(p) for p in positions)
        return tuple(known)


def _largest(graphs: Iterable[StaticGraph]) -> Terms:
    """The terms of the largest graph: the others are translated."""
    largest = max(graphs, key=len, default=None)
    return largest.terms if largest and isinstance(largest.terms, Terms) else Terms()


def _ends(plan: Pattern | Path) -> tuple[Position, Position]:
    return plan.subject, plan.object


def _sources(plan: Operator) -> list[URIRef]:
    """The graphs a plan reads; what reads a stream is refused."""
    for node in plan.walk():
        if isinstance(node, StreamAccess | Window):
            raise QueryError(
                f"{type(node).__name__} reads a stream, and there is none here",
                hint="run the query on a host of streams",
            )
    return list(plan.sources)


def _graph(source: URIRef, graphs: Mapping[URIRef, StaticGraph]) -> StaticGraph:
    try:
        return graphs[source]
    except KeyError:
        known = ", ".join(f"<{iri}>" for iri in graphs) or "none"
        message = f"the plan reads <{source}>, for which there is no data"
        raise StreamError(message, hint=f"graphs given: {known}") from None

"""What a plan means at an instant: the judge of everything else.

Written from the definitions alone, one function per operator, in no hurry: windows by which
elements they hold, joins by trying every pair.  Everything but windows works on snapshots, which
is the law that every physical operator has to keep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from askos.algebra.expressions import (
    FALSE,
    TRUE,
    Expression,
    ExpressionError,
    Scope,
    holds,
)
from askos.algebra.expressions.order import Key, solution_key, value_key
from askos.algebra.operator import Operator, Payload
from askos.algebra.operators import (
    AggregateClauses,
    AntiJoin,
    Ask,
    Binding,
    Construct,
    CopyNumber,
    Describe,
    Distinct,
    EmptyGraph,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    OrderBy,
    Path,
    Pattern,
    Project,
    Reduced,
    SemiJoin,
    Slice,
    Static,
    StreamAccess,
    Union,
    Values,
)
from askos.algebra.reference import paths
from askos.algebra.reference.arrivals import Arrival, Streams, arrivals, data_of, extend, match
from askos.algebra.reference.bags import (
    Descending,
    Occurrence,
    Solutions,
    bind,
    by_time,
    later,
    latest,
    merged,
    summed,
    without,
)
from askos.algebra.reference.substitute import substitute
from askos.algebra.reference.triples import construct, describe
from askos.algebra.reference.windows import content
from askos.algebra.streams import Bag, Element, Item
from askos.algebra.windows import Window
from askos.errors import StreamError
from askos.interval import check_instant
from askos.terms import XSD, Literal, Solution, Triple, URIRef, Variable


def evaluate(plan: Operator, streams: Streams, instant: int) -> Bag:
    """The bag that `plan` denotes at `instant`.

    >>> from askos.algebra import Pattern, SlidingWindow, Stamped, StreamAccess
    >>> wind, speed, t, v = URIRef("wind"), URIRef("speed"), Variable("t"), Variable("v")
    >>> plan = Pattern(t, speed, v, SlidingWindow(StreamAccess(wind), 10, 1))
    >>> data = {wind: [Stamped(Triple(URIRef("T1"), speed, Literal("7")), 100)]}
    >>> evaluate(plan, data, 109)
    Counter({{?t → <T1>, ?v → "7"}: 1})
    >>> evaluate(plan, data, 110)
    Counter()
    """
    return Counter(sequence(plan, streams, instant))


def sequence(plan: Operator, streams: Streams, instant: int) -> tuple[Item, ...]:
    """The bag as a sequence: by ORDER BY where the plan has one, then by the total order."""
    at = _Instant(streams, check_instant(instant, "instant"))
    match plan.payload:
        case Payload.BOOLEAN:
            assert isinstance(plan, Ask)
            return (bool(at.solutions(plan.input)),)
        case Payload.TRIPLE:
            return tuple(sorted((triple for triple, _ in at.triples(plan)), key=str))
    return tuple(solution.visible for _, solution in at.sorted(plan))


@dataclass(frozen=True, slots=True)
class _Instant:
    """The evaluation of plans at one instant."""

    streams: Streams
    time: int

    # ---- triples ------------------------------------------------------------------------

    def triples(self, plan: Operator) -> list[Occurrence]:
        match plan:
            case StreamAccess():
                now = [a for a in arrivals(plan, self.streams) if a.at == self.time]
                return _occurrences(now)
            case Window(input):
                members = content(plan, arrivals(input, self.streams), self.time)
                return _occurrences(members)
            case GraphAccess(source):
                return [(triple, ()) for triple in self.graph(source)]
            case EmptyGraph():
                return []
            case Union(left, right):
                return self.triples(left) + self.triples(right)
            case Distinct(input):
                return latest(self.triples(input))
            case Construct():
                return [(triple, ()) for triple in construct(plan, self.solutions(plan.input))]
            case Describe():
                return [(triple, ()) for triple in self.describe(plan)]
        raise TypeError(f"{type(plan).__name__} does not yield triples")

    def graph(self, source: URIRef) -> set[Triple]:
        """A static graph: the set of its triples that are valid now."""
        triples = set()
        for row in data_of(source, self.streams):
            match row:
                case Triple():
                    triples.add(row)
                case Element(Triple() as triple, valid):
                    triples |= {triple} if self.time in valid else set()
                case _:
                    raise StreamError(f"graph <{source}> holds {row!r}, which is no static triple")
        return triples

    def describe(self, plan: Describe) -> set[Triple]:
        named = {resource for resource in plan.resources if isinstance(resource, URIRef)}
        columns = [resource for resource in plan.resources if isinstance(resource, Variable)]
        bound = {mu[v] for mu in self.solutions(plan.input) for v in columns if v in mu}
        return describe(named | bound, {triple for triple, _ in self.triples(plan.graph)})

    # ---- solutions ----------------------------------------------------------------------

    def solutions(self, plan: Operator) -> Solutions:
        evaluate = _MEANING.get(type(plan))
        if evaluate is None and isinstance(plan, Window):
            evaluate = _Instant.window
        if evaluate is None:
            raise TypeError(f"{type(plan).__name__} does not yield solutions")
        return evaluate(self, plan)

    def holds(self, condition: Expression, solution: Solution) -> bool:
        return holds(condition, self.scope(solution))

    def scope(self, solution: Solution) -> Scope:
        return Scope(solution, self.time, self.exists)

    def exists(self, pattern: Operator, solution: Solution) -> bool:
        return bool(self.solutions(substitute(pattern, solution)))

    def pattern(self, plan: Pattern) -> Solutions:
        """Def. 7."""
        matched = (match(plan, triple, dict(stamps)) for triple, stamps in self.triples(plan.input))
        return Counter(solution for solution in matched if solution is not None)

    def path(self, plan: Path) -> Solutions:
        return paths.solutions(plan, (triple for triple, _ in self.triples(plan.input)))

    def window(self, plan: Window) -> Solutions:
        members = content(plan, arrivals(plan.input, self.streams), self.time)
        return Counter(a.item for a in members if isinstance(a.item, Solution))

    def filter(self, plan: Filter) -> Solutions:
        """Def. 8."""
        bag = self.solutions(plan.input)
        return Counter({mu: n for mu, n in bag.items() if self.holds(plan.condition, mu)})

    def union(self, plan: Union) -> Solutions:
        """Def. 9."""
        return self.solutions(plan.left) + self.solutions(plan.right)

    def join(self, plan: Join) -> Solutions:
        """Def. 10."""
        left, right = self.solutions(plan.left), self.solutions(plan.right)
        return merged(left, right, lambda merged: True)

    def leftjoin(self, plan: LeftJoin) -> Solutions:
        """Def. 13: the joined part, and the lonely part."""
        left, right = self.solutions(plan.left), self.solutions(plan.right)
        joined = merged(left, right, lambda merged: self.holds(plan.condition, merged))
        return joined + self._partnered(left, right, plan.condition, False)

    def semijoin(self, plan: SemiJoin) -> Solutions:
        left, right = self.solutions(plan.left), self.solutions(plan.right)
        return self._partnered(left, right, plan.condition, True)

    def antijoin(self, plan: AntiJoin) -> Solutions:
        left, right = self.solutions(plan.left), self.solutions(plan.right)
        return self._partnered(left, right, plan.condition, False)

    def _partnered(
        self, left: Solutions, right: Solutions, condition: Expression, wanted: bool
    ) -> Solutions:
        """Those of `left` that have, or do not have, a compatible partner in `right`."""

        return Counter(
            {mu: n for mu, n in left.items() if self._has(mu, right, condition) is wanted}
        )

    def _has(self, mu: Solution, right: Solutions, condition: Expression) -> bool:
        """Whether mu has a compatible partner that satisfies the condition."""
        return any(mu.compatible(nu) and self.holds(condition, mu | nu) for nu in right)

    def markjoin(self, plan: MarkJoin) -> Solutions:
        left, right = self.solutions(plan.left), self.solutions(plan.right)

        def marked(mu: Solution) -> Solution:
            mark = (TRUE if self._has(mu, right, plan.condition) else FALSE).term
            return Solution({**mu, plan.variable: mark}, mu.stamps)

        return summed((marked(mu), n) for mu, n in left.items())

    def minus(self, plan: Minus) -> Solutions:
        left, right = self.solutions(plan.left), self.solutions(plan.right)

        def removes(nu: Solution, mu: Solution) -> bool:
            together = mu.project(plan.by) == nu.project(plan.by)
            return together and mu.compatible(nu) and bool((mu.keys() & nu.keys()) - {*plan.by})

        def removed(mu: Solution) -> bool:
            return any(removes(nu, mu) for nu in right)

        return Counter({mu: n for mu, n in left.items() if not removed(mu)})

    def extend(self, plan: Extend) -> Solutions:
        bag = self.solutions(plan.input)
        return summed((extend(plan, self.scope(mu)), n) for mu, n in bag.items())

    def project(self, plan: Project) -> Solutions:
        return summed((mu.project(plan.columns), n) for mu, n in self.solutions(plan.input).items())

    def values(self, plan: Values) -> Solutions:
        return Counter(plan.solutions)

    def distinct(self, plan: Distinct) -> Solutions:
        return Counter(solution for _, solution in self.ranked(plan))

    def same(self, plan: Reduced | Static) -> Solutions:
        return self.solutions(plan.input)

    def copynumber(self, plan: CopyNumber) -> Solutions:
        copies: Solutions = Counter()
        numbered: Solutions = Counter()
        bag = self.solutions(plan.input)
        for mu in sorted(bag.elements(), key=by_time(bag, plan.times)):
            same = without(mu, plan.times)
            number = Literal(str(copies[same]), datatype=XSD.integer)
            numbered[Solution({**mu, plan.variable: number}, mu.stamps)] += 1
            copies[same] += 1
        return numbered

    def orderby(self, plan: OrderBy) -> Solutions:
        return self.solutions(plan.input)

    def slice(self, plan: Slice) -> Solutions:
        return Counter(solution for _, solution in self.ranked(plan))

    # ---- groups -------------------------------------------------------------------------

    def group(self, plan: Group) -> Solutions:
        groups: dict[Solution, list[Scope]] = {} if plan.keys else {Solution(): []}
        for mu in self.solutions(plan.input).elements():
            scope = self.scope(mu)
            groups.setdefault(bind(Solution(), plan.keys, [scope]), []).append(scope)
        return Counter(bind(key, plan.aggregates, group) for key, group in groups.items())

    def aggregateclauses(self, plan: AggregateClauses) -> Solutions:
        """C-SPARQL 2010, section 3.1: every clause looks at all solutions of WHERE."""
        bag = self.solutions(plan.input)
        extended = {mu: mu for mu in bag}
        for clause in plan.clauses:
            groups: dict[Solution, list[Scope]] = {}
            for mu in bag.elements():
                groups.setdefault(mu.project(clause.by), []).append(self.scope(mu))
            binding = (Binding(clause.variable, clause.aggregate),)
            for mu in bag:
                extended[mu] = bind(extended[mu], binding, groups[mu.project(clause.by)])
        return summed((extended[mu], n) for mu, n in bag.items())

    # ---- sequences ----------------------------------------------------------------------

    def sorted(
        self, plan: Operator, times: tuple[Variable, ...] = ()
    ) -> list[tuple[Key, Solution]]:
        columns = sorted(plan.variables - {*times})
        ranked = self.ranked(plan)
        late = by_time((mu for _, mu in ranked), times)

        def place(ranked: tuple[Key, Solution]) -> Key:
            rank, mu = ranked
            return rank, solution_key(mu, columns), late(mu)

        return sorted(ranked, key=place)

    def ranked(self, plan: Operator) -> list[tuple[Key, Solution]]:
        """Each solution with its rank under ORDER BY, which outlives what comes after it."""
        match plan:
            case OrderBy(keys, input):
                bag = self.solutions(input).elements()
                return [(tuple(self._sort_key(key, mu) for key in keys), mu) for mu in bag]
            case Project(columns, input):
                return [(rank, mu.project(columns)) for rank, mu in self.ranked(input)]
            case Distinct(input, times):
                # Every solution once: at its first rank, with its latest arrival times.
                first: dict[Solution, tuple[Key, Solution]] = {}
                for rank, mu in self.sorted(input, times):
                    same = without(mu, times)
                    best, kept = first.get(same, (rank, mu))
                    first[same] = best, later(kept, mu, times)
                return list(first.values())
            case Reduced(input) | Static(input):
                return self.ranked(input)
            case Slice(offset, limit, input, by, times):
                end = None if limit is None else offset + limit
                groups: dict[Solution, list[tuple[Key, Solution]]] = {}
                for rank, mu in self.sorted(input, times):
                    groups.setdefault(mu.project(by), []).append((rank, mu))
                return [one for group in groups.values() for one in group[offset:end]]
        return [((), mu) for mu in self.solutions(plan).elements()]

    def _sort_key(self, key: Any, solution: Solution) -> Any:
        try:
            value = value_key(key.expression.evaluate(self.scope(solution)))
        except ExpressionError:
            value = value_key(None)
        return Descending(value) if key.descending else value


_MEANING: dict[type[Operator], Callable[[_Instant, Any], Solutions]] = {
    AggregateClauses: _Instant.aggregateclauses,
    AntiJoin: _Instant.antijoin,
    CopyNumber: _Instant.copynumber,
    Distinct: _Instant.distinct,
    Extend: _Instant.extend,
    Filter: _Instant.filter,
    Group: _Instant.group,
    Join: _Instant.join,
    LeftJoin: _Instant.leftjoin,
    MarkJoin: _Instant.markjoin,
    Minus: _Instant.minus,
    OrderBy: _Instant.orderby,
    Path: _Instant.path,
    Pattern: _Instant.pattern,
    Project: _Instant.project,
    Reduced: _Instant.same,
    SemiJoin: _Instant.semijoin,
    Slice: _Instant.slice,
    Static: _Instant.same,
    Union: _Instant.union,
    Values: _Instant.values,
}


def _occurrences(arrived: Iterable[Arrival]) -> list[Occurrence]:
    return [
        (arrival.item, ((arrival.source, arrival.at),))
        for arrival in arrived
        if isinstance(arrival.item, Triple)
    ]

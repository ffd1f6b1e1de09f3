"""Random plans the hosts offer, and how their data may be delivered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from hypothesis import strategies as st

from askos.algebra import (
    And,
    Ask,
    Avg,
    Binding,
    Bound,
    Call,
    Constant,
    Construct,
    Count,
    Describe,
    Expression,
    Filter,
    GraphAccess,
    Group,
    Join,
    LeftJoin,
    Not,
    Operator,
    Or,
    Pattern,
    Project,
    Ref,
    Stamped,
    StreamAccess,
    Sum,
    Template,
    Union,
    Window,
)
from askos.algebra.reference import Streams
from askos.sources import Catalogue
from askos.terms import BNode, Term, Triple, URIRef, Variable
from tests.build import EX, G1, S1, S2, W, X, Y, Z
from tests.strategies import plans as anything
from tests.strategies import sliding, stamped, stepped, terms, triples, windows

LATENESS = 5
Windows: TypeAlias = Callable[[Operator], st.SearchStrategy[Window]]


def conditions() -> st.SearchStrategy[Expression]:
    operands = st.one_of(
        st.sampled_from([X, Y, Z]).map(Ref),
        terms().map(lambda term: Constant(term)),
        st.builds(Call, st.just("+"), st.tuples(st.just(Ref(X)), st.just(Ref(Y)))),
    )
    names = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
    leaves = st.builds(Call, names, st.tuples(operands, operands)) | st.builds(
        Bound, st.sampled_from([X, Y, Z])
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(And, inner, inner), st.builds(Or, inner, inner), st.builds(Not, inner)
        ),
        max_leaves=3,
    )


@st.composite
def shapes(draw: st.DrawFn, input: Operator) -> Pattern:
    """Mostly ?x p ?y: patterns that match often, so that something happens above them."""
    subjects: list[Term | Variable] = [X, X, X, Y, EX.a]
    predicates: list[Term | Variable] = [EX.p, EX.p, EX.q, W]
    objects: list[Term | Variable] = [Y, Y, Z, Z, X, EX.b]
    s, p, o = (draw(st.sampled_from(place)) for place in (subjects, predicates, objects))
    return Pattern(s, p, o, input)


def time_windows(input: Operator) -> st.SearchStrategy[Window]:
    return st.one_of(sliding(input), stepped(input))


@st.composite
def leaves(draw: st.DrawFn, windows: Windows = windows) -> Operator:
    """A pattern under a window, a window over a pattern, or over a union of streams."""
    access: Operator = StreamAccess(draw(st.sampled_from([S1, S1, S2])))
    match draw(st.integers(0, 4)):
        case 0 | 1:
            return draw(shapes(draw(windows(access))))
        case 2 | 3:
            return draw(windows(draw(shapes(access))))
    return draw(shapes(draw(windows(Union(StreamAccess(S1), StreamAccess(S2))))))


@st.composite
def _larger(draw: st.DrawFn, inner: st.SearchStrategy[Operator]) -> Operator:
    plan, other = draw(inner), draw(inner)
    columns = sorted(plan.variables)
    match draw(st.integers(0, 7)):
        case 0 | 1:
            return Join(plan, other)
        case 2 | 3:
            return LeftJoin(plan, other, draw(conditions()))
        case 4:
            return Union(plan, other)
        case 5 if columns:
            return Project(tuple(draw(st.lists(st.sampled_from(columns), unique=True))), plan)
        case 6:
            return draw(groups(plan))
    return Filter(draw(conditions()), plan)


@st.composite
def groups(draw: st.DrawFn, input: Operator) -> Operator:
    keys = draw(st.lists(st.sampled_from([X, Y]), unique=True))
    values = st.sampled_from([Ref(Y), Ref(Z), Call("*", (Ref(Y), Ref(Y)))])
    made = st.one_of(
        st.just(Count()), st.builds(Count, values), st.builds(Sum, values), st.builds(Avg, values)
    )
    names = [W, Variable("v")]
    aggregates = tuple(Binding(v, draw(made)) for v in names[: draw(st.integers(1, 2))])
    return Group(tuple(Binding(v, Ref(v)) for v in keys), aggregates, input)


def plans(max_leaves: int = 4, windows: Windows = windows) -> st.SearchStrategy[Operator]:
    return st.recursive(leaves(windows), _larger, max_leaves=max_leaves)


def every_plan(max_leaves: int = 4) -> st.SearchStrategy[Operator]:
    """Plans of all operators, windows and expressions, but NOW()."""
    return anything(max_leaves)


@st.composite
def queries(draw: st.DrawFn) -> Operator:
    """A plan, or a query of another form over one."""
    plan = draw(every_plan())
    names: list[URIRef | Variable] = [*sorted(plan.variables), EX.a]
    parts = st.sampled_from(names)
    match draw(st.integers(0, 9)):
        case 0:
            return Ask(plan)
        case 1:
            ends: list[URIRef | Variable | BNode] = [*names, BNode("n")]
            template = Template(draw(parts), EX.q, draw(st.sampled_from(ends)))
            return Construct((template,), plan, "q/1")
        case 2:
            window = draw(windows(StreamAccess(S1)))
            return Describe((draw(parts),), plan, Union(window, GraphAccess(G1)))
    return plan


@dataclass(frozen=True)
class Delivery:
    """Rows of both streams in the order they are delivered, cut into micro-batches; `rows` are
    those that each stream is expected to bring at a time."""

    batches: tuple[tuple[URIRef, tuple[Stamped, ...]], ...]
    graph: tuple[Triple, ...] = ()
    rows: int | None = None

    @property
    def streams(self) -> dict[URIRef, list[Stamped]]:
        found: dict[URIRef, list[Stamped]] = {S1: [], S2: []}
        for source, rows in self.batches:
            found[source] += rows
        return found

    @property
    def data(self) -> Streams:
        """The data of all sources, as the reference takes it."""
        return {**self.streams, G1: list(self.graph)}

    @property
    def sources(self) -> Catalogue:
        """What hosts know of the sources."""
        streams = Catalogue()
        for iri in (S1, S2):
            streams = streams.stream(iri, lateness_ms=LATENESS, rows_per_batch=self.rows)
        return streams.graph(G1, self.graph)


@st.composite
def deliveries(draw: st.DrawFn, most: int = 12) -> Delivery:
    """Out of order within LATENESS, in batches of any size, the streams in any turn; joined one
    by one, or by columns."""
    batches: list[tuple[int, URIRef, tuple[Stamped, ...]]] = []
    for source, least in ((S1, most // 3), (S2, 0)):
        rows = draw(st.lists(stamped(), min_size=least, max_size=most))
        late = draw(st.lists(st.integers(0, LATENESS), min_size=len(rows), max_size=len(rows)))
        order = sorted(range(len(rows)), key=lambda i: rows[i].at + late[i])
        while order:
            taken = draw(st.integers(1, len(order)))
            turn = draw(st.integers(0, 20))
            batches.append((turn, source, tuple(rows[i] for i in order[:taken])))
            order = order[taken:]
    # A stream's own batches keep their order; how the streams interleave is free.
    turns = {source: sorted(t for t, s, _ in batches if s == source) for source in (S1, S2)}
    ordered = [(turns[source].pop(0), source, rows) for _, source, rows in batches]
    ordered.sort(key=lambda batch: batch[0])
    graph = tuple(draw(st.lists(triples(), max_size=4)))
    few = draw(st.sampled_from([None, 1]))
    return Delivery(tuple((source, rows) for _, source, rows in ordered), graph, few)

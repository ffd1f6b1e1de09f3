"""The physical plan: stages, what feeds them, and by which keys their rows are spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from askos.algebra import (
    Clock,
    GraphAccess,
    Intervals,
    Node,
    Operator,
    Payload,
    Periodic,
    Report,
    StreamAccess,
)
from askos.algebra.names import Names
from askos.algebra.placement import reloadable
from askos.physical.choices import Way
from askos.physical.cut import Cut
from askos.static.given import Leaf
from askos.terms import URIRef, Variable

INTERVALS: Final = Intervals()


@dataclass(frozen=True, slots=True)
class Port(Leaf):
    """Where elements enter a stage; numbered throughout the plan."""

    @property
    def raw(self) -> bool:
        return True  # where a window stands over it; build knows


@dataclass(frozen=True, slots=True)
class Based(Operator):
    """An input that rests on a table: rows that hold always, beside those that come from `below`,
    if any do.  The operator above probes the table, or has its `share` of it where each of its
    rows is told of; either way it is no state."""

    table: int
    columns: tuple[Variable, ...]
    certain: tuple[Variable, ...]
    triples: bool = False
    below: tuple[Operator, ...] = ()
    share: bool = False

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.below

    @property
    def payload(self) -> Payload:
        return Payload.TRIPLE if self.triples else Payload.SOLUTION

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset() if self.triples else frozenset(self.columns)

    @property
    def bound(self) -> frozenset[Variable]:
        return frozenset() if self.triples else frozenset(self.certain)

    @property
    def raw(self) -> bool:
        return True  # as of a Port

    def label(self, names: Names) -> str:
        return f"{self.table}{' BY SHARES' * self.share}"


@dataclass(frozen=True, slots=True)
class Reloadable(Leaf):
    """The rows of the table of that number, which may be reloaded: each bucket emits its share of
    them, in pieces up to the cut."""

    def label(self, names: Names) -> str:
        return f"table {self.number + 1}"


def is_static(plan: Operator) -> bool:
    """Whether an input is a table alone: nothing ever comes."""
    return isinstance(plan, Based) and not plan.below


@dataclass(frozen=True, slots=True)
class Feed(Node):
    """What of one stream enters a port: a line of operators without state, above the access.

    `order` is the place of the stream in the query, where the port's window sees elements in
    order.  `timed`: something asks when its triples came."""

    plan: Operator
    port: int
    order: int | None = None
    timed: bool = False

    @property
    def line(self) -> tuple[Operator, ...]:
        """The operators, from the access up; those inside EXISTS are none of them."""
        chain = [self.plan]
        while chain[-1].inputs:
            chain.append(chain[-1].inputs[0])
        return tuple(reversed(chain))

    @property
    def source(self) -> URIRef:
        """The stream."""
        access = self.line[0]
        assert isinstance(access, StreamAccess)
        return access.source


@dataclass(frozen=True, slots=True)
class Table(Node):
    """A part of the plan that reads no stream: evaluated once, and kept by the variables by which
    it is probed.  Where it reads a graph that may be reloaded, it is evaluated anew with each
    version."""

    plan: Operator
    key: tuple[Variable, ...] = ()

    @property
    def graphs(self) -> tuple[URIRef, ...]:
        """The graphs that it is made of."""
        nodes = self.plan.walk()
        return tuple(dict.fromkeys(n.source for n in nodes if isinstance(n, GraphAccess)))


@dataclass(frozen=True, slots=True)
class TableFeed(Node):
    """What of a table enters a port, when a bucket begins: its share by the key, or all of it.
    For operators that cannot probe a table."""

    table: int
    port: int
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Stage(Node):
    """Operators with state that share one key: each bucket of the key runs by itself.

    An empty key means that there is one bucket.  What comes through the ports `open` has open ends:
    see `askos.physical.openends`.
    """

    number: int
    key: tuple[Variable, ...]
    plan: Operator
    feeds: tuple[Feed, ...]
    upstream: tuple[tuple[int, int], ...]  # (stage, the port its output enters here)
    tables: tuple[TableFeed, ...] = ()
    open: tuple[int, ...] = ()

    @property
    def ports(self) -> tuple[Port, ...]:
        """The leaves, in order."""
        return tuple(node for node in self.plan.walk() if isinstance(node, Port))


@dataclass(frozen=True, slots=True)
class PhysicalPlan(Node):
    """Stages, each after those it reads; the last one gives the result.

    `tables` are the parts that read no stream, evaluated once, when the query first starts.
    """

    columns: tuple[Variable, ...]
    stages: tuple[Stage, ...]
    cut: Cut
    tables: tuple[Table, ...] = ()
    payload: Payload = Payload.SOLUTION
    cuts: bool = False  # whether answers come in pieces that may be joined
    report: Report = INTERVALS
    clock: Clock | None = None  # when a periodic report begins and ends
    ways: tuple[str, ...] = ()  # that were taken where there was a choice: see `choices`

    @property
    def sources(self) -> tuple[URIRef, ...]:
        """The streams read, each once, in the order of the plan; those too that only move the
        clock of a periodic report."""
        found = (feed.source for stage in self.stages for feed in stage.feeds)
        return tuple(dict.fromkeys([*found, *(self.clock.streams if self.clock else ())]))

    @property
    def reloadable(self) -> Mapping[int, Table]:
        """The tables that may be reloaded, by number."""
        return {n: table for n, table in enumerate(self.tables) if reloadable(table.plan)}

    @property
    def hashed(self) -> bool:
        """Whether triples are looked up among the constants of patterns."""
        return Way.HASH in self.ways

    @property
    def grid(self) -> Periodic | None:
        """The instants that matter, where only some do."""
        return self.report if isinstance(self.report, Periodic) else None

"""The physical plan: stages, what feeds them, and by which keys their rows are spread."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra import Group, LeftJoin, Node, Operator, StreamAccess
from askos.algebra.names import Names
from askos.physical.cut import Cut
from askos.terms import URIRef, Variable, n3


@dataclass(frozen=True, slots=True)
class Port(Operator):
    """Where elements enter a stage; numbered throughout the plan."""

    number: int
    columns: tuple[Variable, ...]
    certain: tuple[Variable, ...]

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(self.columns)

    @property
    def bound(self) -> frozenset[Variable]:
        return frozenset(self.certain)

    def label(self, names: Names) -> str:
        return str(self.number)


@dataclass(frozen=True, slots=True)
class Exchange(Operator):
    """Rows are sent to the bucket of their key: only how `explain` shows it."""

    key: tuple[Variable, ...]
    inputs_: tuple[Operator, ...]

    def label(self, names: Names) -> str:
        return f"BY {' '.join(n3(v) for v in self.key)}" if self.key else "TO ONE BUCKET"


@dataclass(frozen=True, slots=True)
class Feed(Node):
    """What of one stream enters a port: a line of operators without state, above the access."""

    plan: Operator
    port: int

    @property
    def source(self) -> URIRef:
        """The stream."""
        access = next(node for node in self.plan.walk() if isinstance(node, StreamAccess))
        return access.source


@dataclass(frozen=True, slots=True)
class Stage(Node):
    """Operators with state that share one key: each bucket of the key runs by itself.

    An empty key means that there is one bucket.
    """

    number: int
    key: tuple[Variable, ...]
    plan: Operator
    feeds: tuple[Feed, ...]
    upstream: tuple[tuple[int, int], ...]  # (stage, the port its output enters here)

    @property
    def ports(self) -> tuple[Port, ...]:
        """The leaves, in order."""
        return tuple(node for node in self.plan.walk() if isinstance(node, Port))


@dataclass(frozen=True, slots=True)
class PhysicalPlan(Node):
    """Stages, each after those it reads; the last one gives the result."""

    columns: tuple[Variable, ...]
    stages: tuple[Stage, ...]
    cut: Cut

    @property
    def sources(self) -> tuple[URIRef, ...]:
        """The streams read, each once, in the order of the plan."""
        found = (feed.source for stage in self.stages for feed in stage.feeds)
        return tuple(dict.fromkeys(found))

    @property
    def cuts(self) -> bool:
        """Whether answers come in pieces that may be joined: those of left joins and groups."""
        nodes = (node for stage in self.stages for node in stage.plan.walk())
        return any(isinstance(node, LeftJoin | Group) for node in nodes)

    def tree(self) -> Operator:
        """The whole plan as one tree, with an Exchange wherever rows change buckets."""
        done: dict[int, Operator] = {}
        for stage in self.stages:
            done[stage.number] = stage.plan.transform(_Grafts(stage, done))
        return done[self.stages[-1].number]


@dataclass(frozen=True, slots=True)
class _Grafts:
    """Puts what enters a port in the place of the port."""

    stage: Stage
    done: dict[int, Operator]

    def __call__(self, plan: Operator) -> Operator:
        if not isinstance(plan, Port):
            return plan
        feeds = [feed.plan for feed in self.stage.feeds if feed.port == plan.number]
        below = [self.done[n] for n, port in self.stage.upstream if port == plan.number]
        return Exchange(self.stage.key, tuple(feeds + below))

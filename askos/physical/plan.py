"""The physical plan: stages, what feeds them, and by which keys their rows are spread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from askos.algebra import Construct, Node, Operator, Payload, Static, StreamAccess, Template
from askos.algebra.names import Names
from askos.physical.cut import Cut
from askos.static.given import Given, Leaf
from askos.terms import BNode, URIRef, Variable, n3


@dataclass(frozen=True, slots=True)
class Port(Leaf):
    """Where elements enter a stage; numbered throughout the plan."""


@dataclass(frozen=True, slots=True)
class Snapshot(Operator):
    """One operator that has no kernel, evaluated by the law at every instant at which an input
    changed: `plan` is that operator over given rows, with the patterns of its EXISTS; a slice comes
    with all that it ranks by."""

    plan: Operator
    below: tuple[Operator, ...]

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.below

    @property
    def payload(self) -> Payload:
        return self.plan.payload

    @property
    def variables(self) -> frozenset[Variable]:
        return self.plan.variables

    @property
    def bound(self) -> frozenset[Variable]:
        return self.plan.bound

    def label(self, names: Names) -> str:
        return " < ".join(_line(node, names) for node in _chain(self.plan))


def _chain(plan: Operator) -> Iterator[Operator]:
    while not isinstance(plan, Given):
        yield plan
        if not plan.inputs:
            return
        plan = plan.inputs[0]


def _line(plan: Operator, names: Names) -> str:
    return f"{type(plan).__name__} {plan.label(names)}".rstrip()


@dataclass(frozen=True, slots=True)
class Instances(Operator):
    """The triples of a CONSTRUCT template, not yet a set; `copy` numbers equal solutions where
    the template has blank nodes."""

    template: tuple[Template, ...]
    site: str
    copy: Variable | None
    input: Operator

    @property
    def payload(self) -> Payload:
        return Payload.TRIPLE

    @property
    def blanks(self) -> frozenset[BNode]:
        """The blank nodes of the template."""
        return Construct(self.template, self.input, self.site).blanks

    def label(self, names: Names) -> str:
        return f"{{ {' . '.join(triple.text(names) for triple in self.template)} }}"


@dataclass(frozen=True, slots=True)
class Exchange(Operator):
    """Rows are sent to the bucket of their key: only how `explain` shows it."""

    key: tuple[Variable, ...]
    inputs_: tuple[Operator, ...]
    everywhere: bool = False

    @property
    def payload(self) -> Payload:
        return self.inputs_[0].payload

    def label(self, names: Names) -> str:
        if self.everywhere:
            return "TO EVERY BUCKET"
        return f"BY {' '.join(n3(v) for v in self.key)}" if self.key else "TO ONE BUCKET"


@dataclass(frozen=True, slots=True)
class Feed(Node):
    """What of one stream enters a port: a line of operators without state, above the access."""

    plan: Operator
    port: int

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
class TableFeed(Node):
    """What of a table enters a port, when a bucket begins: its share by the key, or all of it."""

    table: int
    port: int
    everywhere: bool = False


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
    tables: tuple[TableFeed, ...] = ()

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
    tables: tuple[Operator, ...] = ()
    payload: Payload = Payload.SOLUTION
    cuts: bool = False  # whether answers come in pieces that may be joined

    @property
    def sources(self) -> tuple[URIRef, ...]:
        """The streams read, each once, in the order of the plan."""
        found = (feed.source for stage in self.stages for feed in stage.feeds)
        return tuple(dict.fromkeys(found))

    def tree(self) -> Operator:
        """The whole plan as one tree, with an Exchange wherever rows change buckets."""
        done: dict[int, Operator] = {}
        for stage in self.stages:
            done[stage.number] = stage.plan.transform(_Grafts(stage, done, self.tables))
        return done[self.stages[-1].number]


@dataclass(frozen=True, slots=True)
class _Grafts:
    """Puts what enters a port in the place of the port."""

    stage: Stage
    done: dict[int, Operator]
    tables: tuple[Operator, ...]

    def __call__(self, plan: Operator) -> Operator:
        if not isinstance(plan, Port):
            return plan
        feeds = [feed.plan for feed in self.stage.feeds if feed.port == plan.number]
        mine = [feed for feed in self.stage.tables if feed.port == plan.number]
        static = [_marked(self.tables[feed.table]) for feed in mine]
        below = [self.done[n] for n, port in self.stage.upstream if port == plan.number]
        copied = any(feed.everywhere for feed in mine)
        return Exchange(self.stage.key, tuple(feeds + static + below), copied)


def _marked(plan: Operator) -> Operator:
    return Static(plan) if plan.payload is Payload.SOLUTION else plan

"""The physical plan as one tree, to look at."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra import Operator, Payload, Periodic, Static, Window
from askos.algebra.names import Names
from askos.physical.nodes import when
from askos.physical.plan import Based, PhysicalPlan, Port, Reloadable, Stage, Table
from askos.terms import Variable, n3


def tree(plan: PhysicalPlan) -> Operator:
    """The whole plan, with an Exchange wherever rows change buckets, and the Grid above every
    window where there is one."""
    done: dict[int, Operator] = {}
    for stage in plan.stages:
        done[stage.number] = stage.plan.transform(_Grafts(stage, done, plan.tables))

    def gridded(node: Operator) -> Operator:
        return Grid(plan.grid, node) if plan.grid and isinstance(node, Window) else node

    return done[plan.stages[-1].number].transform(gridded)


@dataclass(frozen=True, slots=True)
class Exchange(Operator):
    """Rows are sent to the bucket of their key: only how `explain` shows it."""

    key: tuple[Variable, ...]
    inputs_: tuple[Operator, ...]
    everywhere: bool = False

    @property
    def raw(self) -> bool:
        return True  # as of a Port

    @property
    def payload(self) -> Payload:
        return self.inputs_[0].payload

    def label(self, names: Names) -> str:
        if self.everywhere:
            return "TO EVERY BUCKET"
        return f"BY {' '.join(n3(v) for v in self.key)}" if self.key else "TO ONE BUCKET"


@dataclass(frozen=True, slots=True)
class BasedOn(Operator):
    """A table that the operator above probes by its key, beside what comes: only how `explain`
    shows it."""

    key: tuple[Variable, ...]
    table: Operator
    below: tuple[Operator, ...]
    share: bool

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (*self.below, self.table)

    @property
    def payload(self) -> Payload:
        return self.table.payload

    @property
    def raw(self) -> bool:
        return True  # as of a Port

    def label(self, names: Names) -> str:
        if self.share:
            return "BY SHARES"
        return f"BY {' '.join(n3(v) for v in self.key)}" if self.key else "AS A WHOLE"


@dataclass(frozen=True, slots=True)
class Grid(Operator):
    """Validity is moved to the instants of a periodic report: only how `explain` shows it."""

    report: Periodic
    input: Operator

    @property
    def payload(self) -> Payload:
        return self.input.payload

    def label(self, names: Names) -> str:
        return when(self.report)


@dataclass(frozen=True, slots=True)
class _Grafts:
    """Puts what enters a port in the place of the port."""

    stage: Stage
    done: dict[int, Operator]
    tables: tuple[Table, ...]

    def __call__(self, plan: Operator) -> Operator:
        if isinstance(plan, Based):
            return self._base(plan)
        if isinstance(plan, Reloadable):
            return Exchange(self.stage.key, (_marked(self.tables[plan.number].plan),))
        if not isinstance(plan, Port):
            return plan
        feeds = [feed.plan.transform(self) for feed in self.stage.feeds if feed.port == plan.number]
        mine = [feed for feed in self.stage.tables if feed.port == plan.number]
        static = [_marked(self.tables[feed.table].plan) for feed in mine]
        below = [self.done[n] for n, port in self.stage.upstream if port == plan.number]
        copied = any(feed.everywhere for feed in mine)
        return Exchange(self.stage.key, tuple(feeds + static + below), copied)

    def _base(self, plan: Based) -> Operator:
        table = self.tables[plan.table]
        return BasedOn(table.key, _marked(table.plan), plan.below, plan.share)


def _marked(plan: Operator) -> Operator:
    if isinstance(plan, Static) or plan.payload is not Payload.SOLUTION:
        return plan
    return Static(plan)

"""Running the operators of a plan: a stage in one bucket, and the lines that feed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, Final

from askos.algebra import Operator as LogicalOperator
from askos.algebra import Periodic, Window
from askos.algebra.placement import TRIPLE
from askos.columns.batch import EMPTY, Batch
from askos.columns.coder import Coder
from askos.interval import FOREVER
from askos.physical.cut import Cut
from askos.physical.ends import is_open
from askos.physical.exchange import share
from askos.physical.nodes import Panes
from askos.physical.offers import OFFERS
from askos.physical.onebyone import OneByOneOperator
from askos.physical.openends import OpenEnds
from askos.physical.operator import Operator, Progress
from askos.physical.ordered import marked
from askos.physical.plan import Based, Feed, Port, Reloadable, Stage
from askos.physical.pool import Common, Running
from askos.physical.reloadable import ReloadableOperator
from askos.physical.tables import FIRST, Tables, no_tables
from askos.physical.tally import Tally
from askos.physical.times import timed
from askos.physical.timing import Timing
from askos.physical.window import on_grid
from askos.sweeparea import Base, Fetch, Saved

NOTHING: Final = -1
"""The port of an input into which nothing comes: it is a table alone."""
_KNOWN: Final = 256  # ports and watermarks of which it is remembered what they let in


def operator(plan: LogicalOperator, coder: Coder, timing: Timing) -> Operator:
    """The physical operator of the root of `plan`."""
    make = OFFERS[type(plan)].make
    if make is None:
        raise TypeError(f"{type(plan).__name__} has no physical operator")
    return make(plan, coder, timing)


def rest(made: Operator, plan: LogicalOperator, tables: Tables) -> None:
    """Give an operator the tables that it probes."""
    for port, below in enumerate(plan.inputs):
        if isinstance(below, Based) and not below.share:
            made.rest_on(port, partial(tables, below.table))


class Line:
    """The operators of a feed, from arrivals up to the `ports` that it enters.

    Windows come late: nothing else but panes depends on validity, and there are fewer elements.
    """

    def __init__(
        self,
        feed: Feed,
        ports: Sequence[int],
        coder: Coder,
        grid: Periodic | None = None,
        tables: Tables = no_tables,
    ) -> None:
        self.feed, self.source, self.ports = feed, feed.source, ports
        self._order = feed.order
        self._timed = feed.source if feed.timed else None
        self._coder = coder
        timing = Timing(Cut((1,)), grid)
        late = (Window, Panes)
        nodes = sorted(feed.line[1:], key=lambda n: [isinstance(n, kind) for kind in late][::-1])
        self._operators = [operator(node, coder, timing) for node in nodes]
        for node, made in zip(nodes, self._operators, strict=True):
            rest(made, node, tables)
        # What no window has put onto the grid: all but what a window waits for.
        windows = any(isinstance(node, Window) for node in nodes)
        self._grid = None if windows or feed.order is not None else grid

    def process(self, triples: Batch) -> Batch:
        """What becomes of arrivals."""
        order = self._order
        batch = triples.project(TRIPLE) if order is None else marked(triples, order)
        if self._timed is not None:  # before a window or the grid moves them
            batch = timed(batch, self._timed, self._coder)
        for step in self._operators:
            if not len(batch):
                return batch
            batch = step.process(0, batch)
        return on_grid(batch, self._grid)

    def entering(self, watermark: int) -> Progress:
        """The earliest start of what arrives at or after `watermark`."""
        for step in self._operators:
            watermark = step.advance(watermark)[1]
        return watermark if self._grid is None else self._grid.next(watermark)


def lines(
    feeds: Iterable[Feed],
    coder: Coder,
    grid: Periodic | None = None,
    tables: Tables = no_tables,
) -> list[Line]:
    """The lines of feeds: those that differ in their port alone share one."""
    ports: dict[Feed, list[int]] = {}
    for entry in feeds:
        ports.setdefault(replace(entry, port=0), []).append(entry.port)
    return [Line(entry, entered, coder, grid, tables) for entry, entered in ports.items()]


class Fragment:
    """The operators of a stage in one bucket, as one operator with many ports.

    Some it may have in `common` with other fragments, which are given the same steps: whoever comes
    first in a step runs them, and the others find what they gave.
    """

    def __init__(
        self,
        stage: Stage,
        coder: Coder,
        timing: Timing,
        tables: Tables = no_tables,
        buckets: int = 1,
        common: Common | None = None,
    ) -> None:
        self._numbered = common.numbered if common else None
        self._pooled = common.pool(timing).made if common else {}
        ports = common.numbered.ports if common else {}
        self._ports = {number: port for port, number in ports.items()}  # others have other ones
        self._steps = 0
        self._operators: list[Operator] = []
        self._nodes: list[Running] = []
        self.tallies: list[Tally] = []  # of each operator
        self.kept: list[int] = []  # how many elements each has, as of the last snapshot
        self._moved = 0  # how many have come or gone since
        self._reloadable: list[tuple[int, ReloadableOperator]] = []
        self._stage, self._tables = stage, tables
        self._place, self._buckets = timing.place, buckets
        self._root = self._node(stage.plan, coder, timing)
        self._holding = [made for made in self._operators if isinstance(made, OneByOneOperator)]
        self._lines: dict[int, list[Line]] = {}  # by port
        for line in lines(stage.feeds, coder, timing.grid):
            for port in line.ports:
                self._lines.setdefault(port, []).append(line)
        self._entering: dict[tuple[int, int], Progress] = {}
        self._static = {NOTHING, *(feed.port for feed in stage.tables)}

    def _node(self, plan: LogicalOperator, coder: Coder, timing: Timing) -> Running:
        match plan:
            case Port():
                known = self._numbered
                return Running(None, known.ports[plan.number] if known else plan.number, [])
            case Based():  # the operator above has the table
                below = [self._node(live, coder, timing) for live in plan.below]
                return below[0] if below else Running(None, NOTHING, [])
            case Reloadable():
                return self._leaf(plan, plan.number, timing)
            case OpenEnds(Reloadable() as leaf):
                return self._leaf(plan, leaf.number, timing, open_ends=True)
        source = plan.input if isinstance(plan, OpenEnds) else plan
        inputs = [self._node(below, coder, timing) for below in source.inputs]
        if self._numbered is None:
            return self._running(self._new(plan, inputs, coder, timing))
        number = self._numbered.number(plan)
        if number not in self._pooled:
            self._pooled[number] = self._new(plan, inputs, coder, timing)
        return self._running(self._pooled[number])

    def _new(
        self, plan: LogicalOperator, inputs: list[Running], coder: Coder, timing: Timing
    ) -> Running:
        made = operator(plan, coder, timing)
        rest(made, plan, self._looked_up)
        self._rest_on_shares(made, plan)
        self._open_on(made, plan.input if isinstance(plan, OpenEnds) else plan)
        return Running((made, Tally(plan)), NOTHING, inputs)

    def _open_on(self, made: Operator, plan: LogicalOperator) -> None:
        if OFFERS[type(plan)].linear:
            return
        for port, below in enumerate(plan.inputs):
            if is_open(below, {*self._stage.open}):
                made.open_on(port)

    def _leaf(
        self, plan: LogicalOperator, table: int, timing: Timing, *, open_ends: bool = False
    ) -> Running:
        made = ReloadableOperator(
            lambda version: self._share(table, version), timing, open_ends=open_ends
        )
        self._reloadable.append((table, made))
        return self._running(Running((made, Tally(plan)), NOTHING, []))

    def _running(self, node: Running) -> Running:
        """An operator that is among those of this stage, and maybe of others."""
        assert node.operator is not None
        made, tally = node.operator
        self._operators.append(made)
        self._nodes.append(node)
        self.tallies.append(tally)
        return node

    def look_up(self, tables: Tables) -> None:
        """Go on with other tables: what arrives from now on looks these up."""
        self._tables = tables

    def _looked_up(self, number: int, version: str = FIRST) -> Base[Batch]:
        return self._tables(number, version)

    def _share(self, table: int, version: str) -> Batch:
        """The rows of a version that belong into this bucket."""
        rows = self._tables(table, version).rows
        return share(rows, self._stage.key, self._place, self._buckets)

    def reload(self, versions: Sequence[tuple[int, Mapping[int, str]]]) -> None:
        """Other versions of the tables, each from its instant on."""
        for table, made in self._reloadable:
            made.reload([(start, tables[table]) for start, tables in versions])

    def _rest_on_shares(self, made: Operator, plan: LogicalOperator) -> None:
        for port, below in enumerate(plan.inputs):
            if isinstance(below, Based) and below.share:
                whole = self._tables(below.table)
                mine = share(whole.rows, self._stage.key, self._place, self._buckets)
                made.rest_on(port, partial(replace, whole, rows=mine))

    def step(self, inputs: Mapping[int, Batch], watermark: int) -> tuple[Batch, Progress]:
        """Take new elements per port, all with ts at or after the last watermark, and the
        new watermark; give what follows, and the watermark of that."""
        self._steps += 1
        return self._step(self._root, inputs, watermark)

    def _step(
        self, node: Running, inputs: Mapping[int, Batch], watermark: int
    ) -> tuple[Batch, Progress]:
        if node.operator is None:
            port = self._ports.get(node.port, node.port)
            return inputs.get(port, EMPTY), self.entering(port, watermark)
        if node.step >= self._steps:  # another query has asked
            return node.given, node.told
        below = [self._step(part, inputs, watermark) for part in node.inputs]
        progress = min([reached for _, reached in below], default=watermark)
        given = [(port, batch) for port, (batch, _) in enumerate(below) if len(batch.ts)]
        made, tally = node.operator
        node.step, node.given = self._steps, EMPTY
        if not given and progress == node.heard and made.rests:
            return EMPTY, node.told
        begun = perf_counter()
        found = [made.process(port, batch) for port, batch in given]
        last, node.told = made.advance(progress)
        node.heard = progress
        batch = Batch.concat([*found, last])
        taken = sum([len(rows) for _, rows in given])
        tally.add(taken, len(batch), perf_counter() - begun, made.take_switches())
        self._moved += taken + len(batch)
        if self._numbered is not None:
            node.given = batch
        return batch, node.told

    def entering(self, port: int, watermark: int) -> Progress:
        """The earliest start of what arrives at or after `watermark` and enters `port`; tables
        have entered when a bucket began."""
        known = self._entering.get((port, watermark))
        if known is None:
            entering = [line.entering(watermark) for line in self._lines.get(port, ())]
            known = min(entering, default=FOREVER if port in self._static else watermark)
            if len(self._entering) > _KNOWN:
                self._entering.clear()
            self._entering[port, watermark] = known
        return known

    @property
    def most(self) -> int:
        """No more elements than this are kept: those of the last snapshot, and what has come and
        gone since."""
        return sum(self.kept) + self._moved + sum(made.held for made in self._holding)

    def snapshot(self) -> Saved[Batch]:
        """The state of all operators."""
        saved = [made.snapshot() for made in self._operators]
        self.kept, self._moved = [sum(map(len, part.runs.values())) for part in saved], 0
        runs = {name: run for part in saved for name, run in part.runs.items()}
        return Saved([part.manifest for part in saved], runs)

    def restore(self, manifest: list[Any], fetch: Fetch[Batch]) -> None:
        """Continue from a snapshot; what is in common with others, as the first of them does."""
        for made, node, part in zip(self._operators, self._nodes, manifest, strict=True):
            if not node.restored:
                made.restore(part, fetch)
            node.restored = self._numbered is not None
        self.snapshot()  # tells what is kept

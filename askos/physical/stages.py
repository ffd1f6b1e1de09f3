"""From the logical plan to the physical one: which operators share an exchange."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace

from askos.algebra import (
    Clock,
    Constant,
    Construct,
    CopyNumber,
    CountWindow,
    Distinct,
    Extend,
    Join,
    Kind,
    OnChange,
    Operator,
    Payload,
    Periodic,
    PredicateWindow,
    Report,
    Slice,
    StreamAccess,
    Timestamp,
    Union,
)
from askos.algebra.answer import answer_columns
from askos.algebra.depth import check_depth
from askos.algebra.expressions.instant import uses_instant
from askos.algebra.placement import (
    ONE_BUCKET,
    Fused,
    Keys,
    Spread,
    below,
    constants,
    fuse,
    fuse_by,
    own_patterns,
    ranking,
    streaming,
)
from askos.errors import UnsupportedError
from askos.physical.arrivals import times_as_columns
from askos.physical.cut import Cut
from askos.physical.made import made, shape, uses_now, with_inputs
from askos.physical.offers import OFFERS
from askos.physical.plan import (
    INTERVALS,
    Feed,
    Instances,
    PhysicalPlan,
    Port,
    Reporting,
    Snapshot,
    Stage,
    TableFeed,
)
from askos.terms import Variable, anonymous


def build(
    plan: Operator,
    report: Report | None = None,
    columns: tuple[Variable, ...] | None = None,
    clock: Clock | None = None,
) -> PhysicalPlan:
    """Cut a logical plan into stages.

    What needs no state runs where the data enters; what reads no stream is a table, evaluated
    once.  Operators with state are fused into one stage as long as some variable is a key of all
    of them: equal keys meet in one bucket, so a star of joins on ?turbine needs one exchange.
    Where no key is left, the rows of the input go through an exchange into a further stage; an
    operator without any key gets one bucket.

    `clock` says when a periodic report begins and ends, where `plan` is not canonical.
    """
    report = report or INTERVALS
    check(plan, report)
    columns = answer_columns(plan) if columns is None else columns
    cut, payload = Cut.of(plan, report), plan.payload
    clock = (clock or Clock.of(plan)) if isinstance(report, Periodic) else None
    plan = times_as_columns(plan).transform(_expanded)
    check_depth(plan)
    told = report if isinstance(report, Periodic | OnChange) else None
    plan = ranked(plan) if told else plan
    builder = _Builder(streaming(plan))
    part = builder.reported(plan, told, columns) if told else builder.part(plan)
    keys = frozenset(columns) if part.spread.keys is None else part.spread.keys
    builder.close(replace(part, spread=Spread(keys)))
    stages = tuple(_timed(builder.stages))
    nodes = [node for stage in stages for node in stage.plan.walk() if isinstance(node, Operator)]
    cuts = any(OFFERS[type(node)].cuts for node in nodes if type(node) in OFFERS)
    return PhysicalPlan(columns, stages, cut, tuple(builder.tables), payload, cuts, report, clock)


# ---- what is refused -------------------------------------------------------------------------


def check(plan: Operator, report: Report = INTERVALS) -> None:
    """Refuse, before anything starts, what no host can run."""
    check_depth(plan)
    if uses_instant(plan) and not isinstance(report, Periodic):
        raise UnsupportedError(
            f"NOW() has no value in {report!r}",
            hint="NOW() is the instant of a report: ask for a periodic one",
        )


def ranked(plan: Operator) -> Operator:
    """A plan whose rows have an order as a slice of all of them: only slices know ranks."""
    whole = Slice(0, None, plan) if plan.payload is Payload.SOLUTION else plan
    return whole if ranking(whole) and not isinstance(plan, Slice) else plan


def _expanded(plan: Operator) -> Operator:
    """A ⋈ {{?g → name}} binds constants: no join is needed."""
    found = constants(plan) if isinstance(plan, Join) else None
    if found is None:
        return plan
    rows, table = found
    for variable, term in zip(table.columns, table.rows[0], strict=True):
        if term is not None:
            rows = Extend(variable, Constant(term), rows)
    return rows


# ---- cutting ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Part:
    """Part of a stage to be: a plan with ports for leaves, and how it may be spread."""

    plan: Operator
    spread: Spread


@dataclass(slots=True)
class _Builder:
    streams: Set[int]
    stages: list[Stage] = field(default_factory=list)
    tables: list[Operator] = field(default_factory=list)
    feeds: dict[int, tuple[Feed, ...]] = field(default_factory=dict)
    static: dict[int, tuple[TableFeed, ...]] = field(default_factory=dict)
    upstream: dict[int, int] = field(default_factory=dict)
    ports: int = 0

    def part(self, plan: Operator) -> _Part:
        if id(plan) not in self.streams:
            return _Part(self._fed(plan, [plan]), Spread(static=True))
        lines = list(self._lines(plan))
        if None not in lines:
            return _Part(self._fed(plan, [line for line in lines if line is not None]), Spread())
        if isinstance(plan, Construct):
            return self._construct(plan)
        if isinstance(plan, CountWindow | PredicateWindow):
            return self._window(plan)
        inputs = [self.part(child) for child in below(plan)]
        fused = fuse(plan, [part.spread for part in inputs])
        partial = OFFERS[type(plan)].partial
        if partial and fused.exchanged == (True,):
            inputs = [replace(part, plan=partial(part.plan)) for part in inputs]
        return _Part(made(plan, self._joined(inputs, fused)), fused.spread)

    def reported(
        self, plan: Operator, report: Periodic | OnChange, columns: tuple[Variable, ...]
    ) -> _Part:
        """What is told of the plan's rows: a difference, where equal rows meet; on change, where
        all rows meet, since any may change; in order, likewise."""
        if ranking(plan):
            parts = [self.part(child) for child in below(plan)]
            fused = fuse_by(ONE_BUCKET, plan, [part.spread for part in parts])
            whole = made(plan, self._joined(parts, fused))
            assert isinstance(whole, Snapshot)
            return _Part(Reporting(report, columns, whole.below, whole.plan), fused.spread)
        part = self.part(plan)
        keys: Keys = None
        if report.kind is not Kind.RSTREAM:
            keys = frozenset(columns)
        elif isinstance(report, OnChange):
            keys = ONE_BUCKET
        fused = fuse_by(keys, plan, [part.spread])
        return _Part(Reporting(report, columns, tuple(self._joined([part], fused))), fused.spread)

    def _window(self, plan: CountWindow | PredicateWindow) -> _Part:
        """Elements in order, in one bucket: the streams below say where each one stands."""
        port = self._fed(plan.input, [line for line in self._lines(plan.input) if line is not None])
        places = {source: place for place, source in reversed([*enumerate(plan.input.sources)])}
        feeds = self.feeds[port.number]
        self.feeds[port.number] = tuple(replace(f, order=places[f.source]) for f in feeds)
        fused = fuse(plan, [Spread()])
        return _Part(with_inputs(plan, [port]), fused.spread)

    def _construct(self, plan: Construct) -> _Part:
        """The triples of the template, wherever solutions are; then as a set."""
        copy = anonymous("#copy.template") if plan.blanks else None
        below = self.part(plan.input) if copy is None else self._numbered(copy, plan.input)
        triples = Instances(plan.template, plan.site, copy, below.plan)
        spread = replace(below.spread, shown=frozenset())
        fused = fuse(Distinct(triples), [spread])
        (root,) = self._joined([_Part(triples, spread)], fused)
        return _Part(Distinct(root), fused.spread)

    def _numbered(self, copy: Variable, solutions: Operator) -> _Part:
        """Blank nodes of a template tell equal solutions apart."""
        numbered, below = CopyNumber(copy, solutions), self.part(solutions)
        fused = fuse(numbered, [below.spread])
        return _Part(made(numbered, self._joined([below], fused)), fused.spread)

    def _joined(self, parts: Sequence[_Part], fused: Fused) -> list[Operator]:
        """The inputs as the operator above finds them: in this stage, or after an exchange."""
        roots: list[Operator] = []
        for part, away, copied in zip(parts, fused.exchanged, fused.everywhere, strict=True):
            roots.append(self.close(part) if away else part.plan)
            if copied:
                assert isinstance(part.plan, Port)
                feeds = self.static[part.plan.number]
                self.static[part.plan.number] = tuple(replace(f, everywhere=True) for f in feeds)
        return roots

    def _lines(self, plan: Operator) -> Iterator[Operator | None]:
        """The plan as a union of lines, each from one source up; None where it needs state.

        Everything linear distributes over union, time windows included: what an element becomes
        depends on it alone.
        """
        offer = OFFERS[type(plan)]
        if isinstance(plan, StreamAccess) or id(plan) not in self.streams:
            yield plan
        elif isinstance(plan, Union):
            yield from self._lines(plan.left)
            yield from self._lines(plan.right)
        elif offer.linear and not any(own_patterns(plan)) and not uses_now(plan):
            for line in self._lines(plan.inputs[0]):
                yield None if line is None else with_inputs(plan, [line])
        else:
            yield None

    def _fed(self, plan: Operator, lines: Sequence[Operator]) -> Port:
        """Nothing here needs state: a port that streams and tables feed directly."""
        port = self._port(plan)
        feeds = [Feed(line, port.number) for line in lines]
        self.feeds[port.number] = tuple(f for f in feeds if isinstance(f.line[0], StreamAccess))
        static = [f.plan for f in feeds if not isinstance(f.line[0], StreamAccess)]
        self.static[port.number] = tuple(TableFeed(self._table(p), port.number) for p in static)
        return port

    def _table(self, plan: Operator) -> int:
        if plan not in self.tables:
            self.tables.append(plan)
        return self.tables.index(plan)

    def close(self, part: _Part) -> Port:
        """Make the part a stage; the port stands for its output in the next one."""
        number = len(self.stages)
        ports = [node.number for node in part.plan.walk() if isinstance(node, Port)]
        self.stages.append(
            Stage(
                number,
                tuple(sorted(part.spread.keys or ())),
                part.plan,
                tuple(feed for port in ports for feed in self.feeds.get(port, ())),
                tuple((self.upstream[port], port) for port in ports if port in self.upstream),
                tuple(feed for port in ports for feed in self.static.get(port, ())),
            )
        )
        port = self._port(part.plan)
        self.upstream[port.number] = number
        return port

    def _port(self, plan: Operator) -> Port:
        self.ports += 1
        return Port(self.ports - 1, *shape(plan))


# ---- arrival times ---------------------------------------------------------------------------


def _timed(stages: Sequence[Stage]) -> Iterator[Stage]:
    """The stages with feeds that tell when triples came, where something asks: what is matched
    before it enters a port is asked there."""
    asked = any(_asks_times(stage.plan) for stage in stages)
    for stage in stages:
        feeds = (
            replace(f, timed=_asks_times(f.plan) or (asked and f.plan.payload is Payload.TRIPLE))
            for f in stage.feeds
        )
        yield replace(stage, feeds=tuple(feeds))


def _asks_times(plan: Operator) -> bool:
    own = isinstance(plan, Extend) and isinstance(plan.expression, Timestamp)
    return own or any(map(_asks_times, plan.inputs))

"""From the logical plan to the physical one: which operators share an exchange."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from askos.algebra import (
    Constant,
    Construct,
    CopyNumber,
    Distinct,
    Exists,
    Extend,
    Intervals,
    Join,
    Node,
    Operator,
    Payload,
    Report,
    StreamAccess,
    Timestamp,
    Union,
)
from askos.algebra.answer import answer_columns
from askos.algebra.depth import check_depth
from askos.algebra.expressions.instant import uses_instant
from askos.algebra.operators import Pattern
from askos.algebra.placement import (
    TRIPLE,
    Fused,
    Spread,
    below,
    constants,
    fuse,
    inputs_below,
    leaves_below,
    own_patterns,
    streaming,
)
from askos.errors import UnsupportedError
from askos.physical.cut import Cut
from askos.physical.offers import LATER, OFFERS
from askos.physical.plan import (
    Feed,
    Instances,
    PhysicalPlan,
    Port,
    Snapshot,
    Stage,
    TableFeed,
)
from askos.static.given import Given
from askos.terms import Variable, anonymous


def build(
    plan: Operator, report: Report | None = None, columns: tuple[Variable, ...] | None = None
) -> PhysicalPlan:
    """Cut a logical plan into stages.

    What needs no state runs where the data enters; what reads no stream is a table, evaluated
    once.  Operators with state are fused into one stage as long as some variable is a key of all
    of them: equal keys meet in one bucket, so a star of joins on ?turbine needs one exchange.
    Where no key is left, the rows of the input go through an exchange into a further stage; an
    operator without any key gets one bucket.
    """
    check(plan)
    columns = answer_columns(plan) if columns is None else columns
    cut, payload = Cut.of(plan, report), plan.payload
    plan = plan.transform(_expanded)
    builder = _Builder(streaming(plan))
    part = builder.part(plan)
    keys = frozenset(columns) if part.spread.keys is None else part.spread.keys
    builder.close(replace(part, spread=Spread(keys)))
    stages = tuple(builder.stages)
    nodes = [node for stage in stages for node in stage.plan.walk() if isinstance(node, Operator)]
    cuts = any(OFFERS[type(node)].cuts for node in nodes if type(node) in OFFERS)
    return PhysicalPlan(columns, stages, cut, tuple(builder.tables), payload, cuts)


# ---- what is refused -------------------------------------------------------------------------


def check_report(report: Report | None) -> Report | None:
    """Refuse the reports that no host gives yet: a plan can be cut for them already."""
    if report is not None and not isinstance(report, Intervals):
        raise UnsupportedError(
            f"{type(report).__name__} reports are not offered by the hosts yet",
            hint="ask for intervals: each answer with the time [ts, te) during which it holds",
        )
    return report


def check(plan: Operator) -> None:
    """Refuse, before anything starts, what no host can run."""
    check_depth(plan)
    for node in plan.walk():
        if isinstance(node, Operator) and OFFERS.get(type(node)) is LATER:
            _refuse(type(node).__name__)
        if isinstance(node, Timestamp) or (isinstance(node, Pattern) and node.stamps):
            _refuse("timestamp()")
    if uses_instant(plan):
        _refuse("NOW()")


def _refuse(what: str) -> None:
    raise UnsupportedError(
        f"{what} is not offered by the hosts yet",
        hint="the reference evaluation, askos.algebra.reference, offers everything",
    )


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
        inputs = [self.part(child) for child in below(plan)]
        fused = fuse(plan, [part.spread for part in inputs])
        partial = OFFERS[type(plan)].partial
        if partial and fused.exchanged == (True,):
            inputs = [replace(part, plan=partial(part.plan)) for part in inputs]
        return _Part(_made(plan, self._joined(inputs, fused)), fused.spread)

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
        return _Part(_made(numbered, self._joined([below], fused)), fused.spread)

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
        elif offer.linear and not any(own_patterns(plan)):
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
        return Port(self.ports - 1, *_shape(plan))


def _shape(plan: Operator) -> tuple[tuple[Variable, ...], tuple[Variable, ...], bool]:
    """Columns, those that are surely bound, and whether they are those of triples."""
    if plan.payload is Payload.TRIPLE:
        return TRIPLE, TRIPLE, True
    return tuple(sorted(plan.variables)), tuple(sorted(plan.bound)), False


# ---- operators in a stage --------------------------------------------------------------------


def _made(plan: Operator, inputs: Sequence[Operator]) -> Operator:
    """The operator over what its inputs have become: itself, or a Snapshot of it."""
    offer = OFFERS[type(plan)]
    if offer.make and offer.native(plan) and not any(own_patterns(plan)):
        return with_inputs(plan, inputs)
    outside, inside = inputs_below(plan), leaves_below(plan)
    given = {id(node): Given(number, *_shape(node)) for number, node in enumerate(outside)}
    leaves = {
        id(node): Given(number, *_shape(node)) for number, node in enumerate(inside, len(outside))
    }

    def over(node: Node, known: Mapping[int, Given]) -> Node:
        within = leaves if isinstance(node, Exists) else known
        return known.get(id(node)) or node.map_children(lambda child: over(child, within))

    return Snapshot(plan.map_children(lambda child: over(child, given)), tuple(inputs))


def with_inputs(plan: Operator, inputs: Sequence[Operator]) -> Operator:
    """`plan` over other inputs."""
    new = iter(inputs)
    return plan.map_children(lambda child: next(new) if isinstance(child, Operator) else child)

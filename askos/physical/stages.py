"""Cutting a plan into stages: which operators share an exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from askos.algebra import (
    AntiJoin,
    Avg,
    Construct,
    CopyNumber,
    Count,
    CountWindow,
    Distinct,
    Group,
    Join,
    Kind,
    LeftJoin,
    MarkJoin,
    Minus,
    OnChange,
    Operator,
    Path,
    Periodic,
    PredicateWindow,
    SemiJoin,
    SteppedWindow,
    StreamAccess,
    Sum,
    Union,
    Window,
)
from askos.algebra.chains import chained
from askos.algebra.expansion import steps
from askos.algebra.placement import (
    ONE_BUCKET,
    TRIPLE,
    Fused,
    Keys,
    Spread,
    below,
    fuse,
    fuse_by,
    plain_keys,
    ranking,
    reloadable,
)
from askos.physical import estimates
from askos.physical.arranging import Arranging
from askos.physical.choices import Chooser, Way
from askos.physical.ends import in_pieces, is_open, takes_open
from askos.physical.factoring import Factored, factored, pairs_a_row
from askos.physical.live import Live, source_of
from askos.physical.made import is_plain, made, shape, with_inputs
from askos.physical.merge import Pairing
from askos.physical.nodes import (
    Closure,
    GroupOfPanes,
    Instances,
    Panes,
    Products,
    Reporting,
    Snapshot,
    Top,
)
from askos.physical.offers import OFFERS
from askos.physical.openends import OpenEnds
from askos.physical.plan import (
    Based,
    Feed,
    Port,
    Reloadable,
    Stage,
    Table,
    TableFeed,
    is_static,
)
from askos.terms import Variable, anonymous


def _in_order(
    report: Periodic | OnChange, columns: tuple[Variable, ...], rows: Operator
) -> Reporting:
    """A report whose rows have places."""
    if isinstance(rows, Top):
        descending = tuple(key.descending for key in rows.keys)
        return Reporting(report, columns, (replace(rows, keyed=True),), descending=descending)
    assert isinstance(rows, Snapshot)
    return Reporting(report, columns, rows.below, rows.plan)


_Preserving: TypeAlias = LeftJoin | SemiJoin | AntiJoin | MarkJoin | Minus


@dataclass(frozen=True, slots=True)
class _Part:
    """Part of a stage to be: a plan with ports for leaves, and how it may be spread; beside it
    what of it reads no stream, the base.  One of the two may be missing."""

    plan: Operator | None
    spread: Spread
    base: Operator | None = None


@dataclass(slots=True)
class Builder:
    """Cuts a plan into stages, from the leaves up.  `live` knows what comes from streams,
    `chooser` which of several ways things run."""

    live: Live
    chooser: Chooser
    gridded: bool = False  # whether only the instants of a report matter
    stages: list[Stage] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    feeds: dict[int, tuple[Feed, ...]] = field(default_factory=dict)
    static: dict[int, tuple[TableFeed, ...]] = field(default_factory=dict)
    upstream: dict[int, int] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)  # ports through which open ends come
    ports: int = 0

    def part(self, plan: Operator) -> _Part:
        if plan not in self.live:
            return _Part(None, Spread(static=not reloadable(plan)), plan)
        if self.live.linear(plan):
            return self._fed(plan)
        if isinstance(plan, Construct):
            return self._construct(plan)
        if isinstance(plan, Path):
            return self._closure(plan)
        if isinstance(plan, CountWindow | PredicateWindow):
            return self._window(plan)
        if isinstance(plan, Group) and (found := self._otherwise(plan)):
            return found
        inputs = [self.part(child) for child in below(plan)]
        if not (OFFERS[type(plan)].linear and is_plain(plan)):
            inputs = [self._settled(part) for part in inputs]
        fused = fuse(plan, [part.spread for part in inputs])
        if any(part.base for part in inputs) and is_plain(plan):
            match plan:
                case Distinct() if not plan.times:
                    return self._distinct(plan, inputs[0], fused)
                case Join():
                    return self._join(plan, inputs, fused)
                case LeftJoin() | SemiJoin() | AntiJoin() | MarkJoin() | Minus():
                    return self._partners(plan, inputs, fused)
            if OFFERS[type(plan)].linear:
                return self._beside(plan, inputs, fused)
        partial = OFFERS[type(plan)].partial
        if partial and fused.exchanged == (True,):
            assert inputs[0].plan is not None
            inputs = [replace(inputs[0], plan=partial(in_pieces(inputs[0].plan, self.open)))]
        return _Part(made(plan, self._joined(inputs, fused, takes_open(plan))), fused.spread)

    # ---- what reads no stream ----------------------------------------------------------------
    #
    # An input is S ∪ G: what comes from streams, and a base.  As long as operators can tell the
    # two apart, G is evaluated once, and is no state.  A base that may be reloaded is a base only
    # up to the first operator that needs state: its rows are elements, whose ends are unknown.

    def _settled(self, part: _Part) -> _Part:
        """With a base that may be reloaded among what comes."""
        if part.base is None or not reloadable(part.base):
            return part
        leaf = OpenEnds(Reloadable(self._table(part.base), *shape(part.base)))
        return _Part(leaf if part.plan is None else Union(part.plan, leaf), part.spread)

    def _beside(self, plan: Operator, inputs: Sequence[_Part], fused: Fused) -> _Part:
        """f(S ∪ G) = f(S) ∪ f(G), for what needs no state; the union of two likewise."""
        lives = [live for live in self._lives(inputs, fused, takes_open(plan)) if live]
        bases = [part.base for part in inputs if part.base]
        if not isinstance(plan, Union):
            return _Part(
                with_inputs(plan, lives), fused.spread, with_inputs(plan, bases) if bases else None
            )
        return _Part(chained(Union, lives), fused.spread, chained(Union, bases))

    def _distinct(self, plan: Distinct, part: _Part, fused: Fused) -> _Part:
        """δ(S ∪ G) = δ(G) ∪ (δ(S) ▷ G)."""
        (live,), base = self._lives([part], fused), part.base
        assert base is not None
        columns, _, _ = shape(plan.input)
        rows = self._based(plan.input, live, base, columns)
        return _Part(with_inputs(plan, [rows]), fused.spread, with_inputs(plan, [base]))

    def _join(self, plan: Join, inputs: Sequence[_Part], fused: Fused) -> _Part:
        """(S ∪ G) ⋈ (S′ ∪ G′): each side probes the other's base; G ⋈ G′ is the next base."""
        key = Pairing.of(plan.left, plan.right).key
        sides = [
            self._based(side, live, part.base, key)
            for side, live, part in zip(
                plan.inputs, self._lives(inputs, fused, takes_open(plan)), inputs, strict=True
            )
        ]
        bases = [part.base for part in inputs if part.base]
        base = with_inputs(plan, bases) if len(bases) == 2 else None
        # What comes on the left: a join has no sides.
        return _Part(with_inputs(plan, sorted(sides, key=is_static)), fused.spread, base)

    def _partners(self, plan: _Preserving, inputs: Sequence[_Part], fused: Fused) -> _Part:
        """The right side's base is probed.  The left one's is told of, with what comes from the
        right; if nothing does, it is evaluated once."""
        left, right = inputs
        live, partners = self._lives(inputs, fused, takes_open(plan))
        key = Pairing.of(plan.left, plan.right).key
        base = None
        if left.base and partners is None:
            assert right.base is not None
            base = with_inputs(plan, [left.base, right.base])
        sides = [
            self._based(plan.left, live, None if base else left.base, (), share=True),
            self._based(plan.right, partners, right.base, key),
        ]
        return _Part(with_inputs(plan, sides), fused.spread, base)

    def _based(
        self,
        plan: Operator,
        live: Operator | None,
        base: Operator | None,
        key: tuple[Variable, ...],
        *,
        share: bool = False,
    ) -> Operator:
        """The input `plan` as what comes of it, on its base."""
        if base is None:
            assert live is not None
            return live
        below = () if live is None else (live,)
        return Based(self._table(base, key), *shape(plan), below, share)

    def _whole(self, live: Operator | None, base: Operator | None, everywhere: bool) -> Operator:
        """S ∪ G for an operator that cannot tell them apart: the base enters as elements."""
        if base is None:
            assert live is not None
            return live
        if reloadable(base):
            leaf = Reloadable(self._table(base), *shape(base))
            return leaf if live is None else Union(live, leaf)
        port = self._port(base)
        self.static[port.number] = (TableFeed(self._table(base), port.number, everywhere),)
        return port if live is None else Union(live, port)

    def _table(self, plan: Operator, key: tuple[Variable, ...] = ()) -> int:
        table = Table(plan, key)
        if table not in self.tables:
            self.tables.append(table)
        return self.tables.index(table)

    # ---- stages ------------------------------------------------------------------------------

    def reported(
        self, plan: Operator, report: Periodic | OnChange, columns: tuple[Variable, ...]
    ) -> _Part:
        """What is told of the plan's rows: a difference, where equal rows meet; on change, where
        all rows meet, since any may change; in order, likewise."""
        if ranking(plan):
            parts = [self.part(child) for child in below(plan)]
            fused = fuse_by(ONE_BUCKET, plan, [part.spread for part in parts])
            whole = made(plan, self._joined(parts, fused))
            return _Part(_in_order(report, columns, whole), fused.spread)
        part = self.part(plan)
        keys: Keys = None
        if report.kind is not Kind.RSTREAM:
            keys = frozenset(columns)
        elif isinstance(report, OnChange):
            keys = ONE_BUCKET
        fused = fuse_by(keys, plan, [part.spread])
        return _Part(Reporting(report, columns, tuple(self._joined([part], fused))), fused.spread)

    def whole(self, plan: Operator) -> _Part:
        """A plan whose answers are told as they are."""
        part = self.part(plan)
        (live,) = self._ended([part.plan])
        return _Part(self._whole(live, part.base, everywhere=False), part.spread)

    def _window(self, plan: CountWindow | PredicateWindow) -> _Part:
        """Elements in order, in one bucket: the streams below say where each one stands."""
        port = self._fed(plan.input).plan
        assert isinstance(port, Port)
        places = {source: place for place, source in reversed([*enumerate(plan.input.sources)])}
        feeds = self.feeds[port.number]
        self.feeds[port.number] = tuple(replace(f, order=places[f.source]) for f in feeds)
        fused = fuse(plan, [Spread()])
        return _Part(OpenEnds(with_inputs(plan, [port])), fused.spread)

    def _closure(self, plan: Path) -> _Part:
        """The steps, wherever they are found, in one bucket."""
        assert isinstance(plan.object, Variable)
        found, *ends = steps(plan)
        self.live.add(found)
        part = self._settled(self.part(found))
        fused = fuse(plan, [part.spread])
        below = tuple(self._joined([part], fused))
        return _Part(Closure(plan.subject, plan.object, (ends[0], ends[1]), below), fused.spread)

    def _otherwise(self, plan: Group) -> _Part | None:
        """A group that is better off without the pairs of the joins below, or with sums of what
        comes and goes together."""
        found, rows = self._factored(plan), self.chooser.rows
        if found is not None:
            options = estimates.groups_of_pairs(pairs_a_row(found), len(found.inputs), rows)
            products = self.chooser.choose("Group", list(options)) is Way.PRODUCTS
            return self._products(plan, found) if products else None
        if self._has_panes(plan):
            options = estimates.groups_of_elements(rows)
            panes = self.chooser.choose("Group", list(options)) is Way.PANES
            return self._panes(plan) if panes else None
        return None

    def _factored(self, plan: Group) -> Factored | None:
        """A group over joins that can do without their pairs, and of which everything comes from
        streams."""
        found = factored(plan) if is_plain(plan) else None
        return found if found and all(map(self.live.wholly, found.inputs)) else None

    def _has_panes(self, plan: Group) -> bool:
        """A group over what needs no state, whose elements begin and end together: as a report or
        steps will have it; and all aggregates add up."""
        plain = len(plain_keys(plan)) == len(plan.keys) and is_plain(plan)
        made = [binding.value for binding in plan.aggregates]
        adds = all(isinstance(a, Count | Sum | Avg) and not (a.distinct or a.stamps) for a in made)
        windows = [node for node in plan.input.walk() if isinstance(node, Window)]
        aligned = self.gridded or all(isinstance(window, SteppedWindow) for window in windows)
        fits = plain and adds and aligned
        return fits and self.live.linear(plan.input) and self.live.wholly(plan.input)

    def _panes(self, plan: Group) -> _Part:
        """Partial sums where rows enter, before they are sent and stored."""
        keys = tuple(key.variable for key in plan.keys)
        panes = Panes(keys, plan.aggregates, plan.input)
        self.live.add(panes)
        part = self._fed(panes)
        fused = fuse(plan, [part.spread])
        below = tuple(self._joined([part], fused))
        made = GroupOfPanes(keys, plan.aggregates, tuple(sorted(plan.bound)), below)
        return _Part(made, fused.spread)

    def _products(self, plan: Group, found: Factored) -> _Part:
        """Partial groups of every input, which meet by what all of them share."""
        parts = [self.part(child) for child in found.inputs]
        fused = fuse_by(frozenset(found.shared), plan, [part.spread for part in parts])
        keys = tuple(key.variable for key in plan.keys)
        whole = Products(keys, plan.aggregates, found.shared, found.inputs)
        below = tuple(self._joined(parts, fused, takes_open(whole)))
        return _Part(replace(whole, below=below), fused.spread)

    def _construct(self, plan: Construct) -> _Part:
        """The triples of the template, wherever solutions are; then as a set."""
        if plan.blanks:
            copy = anonymous("#copy.template")
            return self._instances(plan, self._numbered(copy, plan.input), copy)
        return self._instances(plan, self.part(plan.input))

    def _instances(self, plan: Construct, below: _Part, copy: Variable | None = None) -> _Part:
        below = self._settled(below)
        assert below.plan is not None
        triples = Instances(plan.template, plan.site, copy, in_pieces(below.plan, self.open))
        spread = replace(below.spread, shown=frozenset())
        fused = fuse(Distinct(triples), [spread])
        live = self.close(_Part(triples, spread)) if fused.exchanged[0] else triples
        if below.base is None:
            return _Part(Distinct(live), fused.spread)
        base = with_inputs(plan, [below.base])  # a set already
        return _Part(Distinct(self._based(triples, live, base, TRIPLE)), fused.spread, base)

    def _numbered(self, copy: Variable, solutions: Operator) -> _Part:
        """Blank nodes of a template tell equal solutions apart."""
        numbered, below = CopyNumber(copy, solutions), self.part(solutions)
        fused = fuse(numbered, [below.spread])
        return _Part(made(numbered, self._joined([below], fused)), fused.spread)

    def _lives(
        self, parts: Sequence[_Part], fused: Fused, takes: Sequence[bool] = ()
    ) -> list[Operator | None]:
        """What comes from streams, in this stage or after an exchange; in pieces, where ends are
        open and the operator above does not take them so."""
        lives = [
            self.close(part) if away else part.plan
            for part, away in zip(parts, fused.exchanged, strict=True)
        ]
        return self._ended(lives, takes)

    def _ended(
        self, lives: Sequence[Operator | None], takes: Sequence[bool] = ()
    ) -> list[Operator | None]:
        takes = takes or (False,) * len(lives)
        return [
            live if taken or live is None else in_pieces(live, self.open)
            for live, taken in zip(lives, takes, strict=True)
        ]

    def _joined(
        self, parts: Sequence[_Part], fused: Fused, takes: Sequence[bool] = ()
    ) -> list[Operator]:
        """The inputs, each as a whole, as the operator above finds them."""
        lives = self._lives(parts, fused, takes)
        return [
            self._whole(live, part.base, copied)
            for live, part, copied in zip(lives, parts, fused.everywhere, strict=True)
        ]

    # ---- what needs no state -----------------------------------------------------------------

    def _line(self, plan: Operator, side: int, line: Operator) -> Operator:
        """`plan` over one line; what it looks up is a table, but for a line that is static too."""
        if len(plan.inputs) == 1:
            return with_inputs(plan, [line])
        table = plan.inputs[1 - side]
        if isinstance(source_of(line), StreamAccess):
            table = self._based(table, None, table, Pairing.of(*plan.inputs).key)
        return with_inputs(plan, [line, table])

    def _fed(self, plan: Operator) -> _Part:
        """Nothing here needs state: a port that streams feed directly, and a base."""
        port = self._port(plan)
        lines = list(self.live.lines(plan, self._line))
        live = [line for line in lines if isinstance(source_of(line), StreamAccess)]
        static = [line for line in lines if not isinstance(source_of(line), StreamAccess)]
        self.feeds[port.number] = tuple(Feed(line, port.number) for line in live)
        return _Part(port, Spread(), chained(Union, static) if static else None)

    def close(self, part: _Part) -> Port:
        """Make what comes from streams a stage; the port stands for its output in the next one,
        where the base is."""
        assert part.plan is not None
        number = len(self.stages)
        ports = [node.number for node in part.plan.walk() if isinstance(node, Port)]
        self.stages.append(
            Stage(
                number,
                tuple(sorted(part.spread.keys or ())),
                Arranging(self.open, self.chooser)(part.plan),
                tuple(feed for port in ports for feed in self.feeds.get(port, ())),
                tuple((self.upstream[port], port) for port in ports if port in self.upstream),
                tuple(feed for port in ports for feed in self.static.get(port, ())),
                tuple(port for port in ports if port in self.open),
            )
        )
        port = self._port(part.plan)
        self.upstream[port.number] = number
        if is_open(part.plan, self.open):
            self.open.add(port.number)
        return port

    def _port(self, plan: Operator) -> Port:
        self.ports += 1
        return Port(self.ports - 1, *shape(plan))

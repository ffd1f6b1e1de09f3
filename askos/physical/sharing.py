"""Equal sub-plans of several queries: which operators do the same work on the same elements.

Plans are values, so a dictionary finds them: an operator has the number of whoever is equal to it
and has inputs of equal numbers; a port has the number of what enters it.  Operators of one number
whose stages are of one pool are one operator.  That is so below whatever tops: no plan is made
otherwise for it, no stage is cut for it, and so it costs nobody anything.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from askos.algebra import Operator
from askos.algebra.node import parts_of
from askos.physical.offers import OFFERS
from askos.physical.plan import Based, Feed, PhysicalPlan, Port, Stage, is_static


class Numbers:
    """A number for each thing, the same for equal ones."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], int] = {}

    def __call__(self, *thing: object) -> int:
        return self._known.setdefault(thing, len(self._known))


@dataclass(frozen=True, eq=False)
class Numbered:
    """A stage whose operators have numbers, by identity, and its ports, by theirs.

    Stages of one `pool` hear the same of the time, and spread rows alike: where their operators
    are equal, so is what these are given and give, in every step.
    """

    stage: Stage
    pool: int
    operators: Mapping[int, int]
    ports: Mapping[int, int]

    def number(self, operator: Operator) -> int:
        """That of an operator of the stage."""
        return self.operators[id(operator)]

    @cached_property
    def kept(self) -> dict[int, Operator]:
        """The operators that keep state, by number."""
        return {self.number(node): node for node in operators(self.stage.plan) if keeps_state(node)}


class Sharing:
    """Numbers the plans of queries that begin together: only these have been given the same.

    They share under equal streams, cut, grid and clock, and where tables are the same, which
    `known` tells; a query whose graphs may be reloaded shares nothing.  `buckets` are those of each
    stage: with one, keys do not matter.
    """

    def __init__(self, buckets: int) -> None:
        self._buckets = buckets
        self._numbers = Numbers()

    def stages(self, plan: PhysicalPlan, known: Hashable = None) -> list[Numbered]:
        """The stages of a plan, in its order."""
        own = id(plan) if plan.reloadable else None
        under = self._numbers(plan.cut, plan.grid, plan.clock, plan.sources, known, own)
        done: dict[int, int] = {}
        return [self._stage(plan, stage, under, done) for stage in plan.stages]

    def _stage(
        self, plan: PhysicalPlan, stage: Stage, under: int, done: dict[int, int]
    ) -> Numbered:
        """A stage after those it reads, whose numbers are in `done`."""
        before = frozenset(done[number] for number, _ in stage.upstream)
        pool = self._numbers(under, stage.key if self._buckets > 1 else (), before)
        entering = {port.number: self._entering(plan, stage, port, done) for port in stage.ports}
        operators: dict[int, int] = {}
        root = self._operator(stage.plan, plan, entering, operators)
        done[stage.number] = self._numbers("stage", pool, root)
        return Numbered(stage, pool, operators, entering)

    def _entering(
        self, plan: PhysicalPlan, stage: Stage, port: Port, done: Mapping[int, int]
    ) -> int:
        """What comes through a port: from streams, tables, or a stage before."""
        feeds = [feed for feed in stage.feeds if feed.port == port.number]
        tables = [feed for feed in stage.tables if feed.port == port.number]
        return self._numbers(
            replace(port, number=0),
            port.number in stage.open,
            tuple(self._feed(feed, plan) for feed in feeds),
            tuple((plan.tables[feed.table], feed.everywhere) for feed in tables),
            tuple(done[number] for number, at in stage.upstream if at == port.number),
        )

    def _feed(self, feed: Feed, plan: PhysicalPlan) -> int:
        return self._numbers(self._operator(feed.plan, plan, {}, {}), feed.order, feed.timed)

    def _operator(
        self,
        node: Operator,
        plan: PhysicalPlan,
        ports: Mapping[int, int],
        done: dict[int, int],
    ) -> int:
        """The number of an operator, which stands in `done` with those below it."""
        if isinstance(node, Port):
            number = ports[node.number]
        else:
            below = {id(part): self._operator(part, plan, ports, done) for part in node.inputs}
            table = plan.tables[node.table] if isinstance(node, Based) else None
            number = self._numbers(type(node), table, *_own(node, below))
        done[id(node)] = number
        return number


def _own(node: Operator, below: Mapping[int, int]) -> Iterator[object]:
    """What an operator is, with a number in the place of each input; a table has been named."""

    def part(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(part, value))
        return ("input", below[id(value)]) if id(value) in below else value

    names = (name for name in parts_of(node) if not (isinstance(node, Based) and name == "table"))
    return (part(getattr(node, name)) for name in names)


def operators(plan: Operator) -> Iterator[Operator]:
    """The operators of a stage, inputs first; those inside EXISTS are none of them."""
    for part in plan.inputs:
        yield from operators(part)
    yield plan


def keeps_state(node: Operator) -> bool:
    """Whether something that comes is kept: not by what only looks into a table."""
    offer = OFFERS.get(type(node))
    return offer is not None and not (offer.linear or any(map(is_static, node.inputs[1:])))


def shared(stages: Iterable[Numbered]) -> list[list[Numbered]]:
    """Stages of one pool that have an operator with state in common, directly or by others
    between them: those that are to run in the same buckets.  In their order."""
    groups: dict[tuple[int, int], list[Numbered]] = {}
    for one in stages:
        names = [(one.pool, number) for number in one.kept]
        found = {id(groups[name]): groups[name] for name in names if name in groups}
        mine, *others = [*found.values(), [one]]
        for other in others:
            mine += other
        groups |= dict.fromkeys(((each.pool, n) for each in mine for n in each.kept), mine)
    unique = {id(group): group for group in groups.values()}
    return [group for group in unique.values() if len(group) > 1]

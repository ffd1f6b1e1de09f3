"""What the operators of a stage do in one bucket: elements in and out, what is kept, the time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from askos.algebra import Operator
from askos.algebra.names import Names
from askos.physical.openends import OpenEnds
from askos.physical.plan import Based, Port, Stage


@dataclass(slots=True)
class Tally:
    """Of one operator, since it was last asked: elements that came and went, seconds, and how often
    it changed its order."""

    plan: Operator
    rows_in: int = 0
    rows_out: int = 0
    seconds: float = 0.0
    switches: int = 0

    def add(self, rows_in: int, rows_out: int, seconds: float, switches: int = 0) -> None:
        """Count a step."""
        self.switches += switches
        self.rows_in += rows_in
        self.rows_out += rows_out
        self.seconds += seconds

    def take(self) -> Tally:
        """What was counted; from now on nothing is."""
        told = replace(self)
        self.rows_in, self.rows_out, self.seconds, self.switches = 0, 0, 0.0, 0
        return told


@dataclass(frozen=True, slots=True)
class OperatorProfile:
    """What an operator has done so far, in all buckets together.

    `stage` counts from 1 on, as `explain` does, and `number` the operators of the stage, inputs
    before what reads them.  `elements` is what it keeps now, `switches` how often an adaptive join
    went on in another order.
    """

    stage: int
    number: int
    name: str
    rows_in: int = 0
    rows_out: int = 0
    elements: int = 0
    milliseconds: float = 0.0
    switches: int = 0


def named(plan: Operator, prefixes: Mapping[str, str] | None = None) -> str:
    """An operator, as a line of `explain`."""
    if isinstance(plan, OpenEnds):
        return f"{named(plan.input, prefixes)}, open ends"
    return f"{type(plan).__name__} {plan.label(Names(prefixes or {}))}".rstrip()


def profiled(
    stage: int, buckets: Iterable[Sequence[tuple[Tally, int]]], prefixes: Mapping[str, str]
) -> list[OperatorProfile]:
    """The operators of a stage, counted together from its buckets; see `Bucket.counts`."""
    return [
        OperatorProfile(
            stage,
            number,
            named(counts[0][0].plan, prefixes),
            sum(tally.rows_in for tally, _ in counts),
            sum(tally.rows_out for tally, _ in counts),
            sum(kept for _, kept in counts),
            sum(tally.seconds for tally, _ in counts) * 1000,
            sum(tally.switches for tally, _ in counts),
        )
        for number, counts in enumerate(zip(*buckets, strict=True))
    ]


def operators_of(stage: Stage) -> Iterator[Operator]:
    """What runs in a stage, in the order in which `Fragment` makes it: inputs first."""
    return _running(stage.plan)


def _running(plan: Operator) -> Iterator[Operator]:
    source = plan.input if isinstance(plan, OpenEnds) else plan  # one operator makes both
    for part in source.inputs:
        yield from _running(part)
    if not isinstance(plan, Port | Based):
        yield plan

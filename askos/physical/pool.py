"""Operators as they run in a bucket, and which of them several queries have in common."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from askos.columns.batch import EMPTY, Batch
from askos.physical.operator import Operator, Progress
from askos.physical.plan import PhysicalPlan
from askos.physical.sharing import Numbered, Sharing
from askos.physical.tally import Tally
from askos.physical.timing import Timing


@dataclass(slots=True)
class Running:
    """An operator, its inputs and what it has done, or a port; what it heard and told of the time
    last; in which step it was `given` out; and whether its state has been restored."""

    operator: tuple[Operator, Tally] | None
    port: int
    inputs: list[Running]
    heard: Progress = -1
    told: Progress = 0
    step: int = 0
    given: Batch = EMPTY
    restored: bool = False


@dataclass(slots=True)
class Pool:
    """What stages have in common in one bucket: what is known of time, and operators by number."""

    timing: Timing
    made: dict[int, Running] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Common:
    """A stage that may have operators in common with others: their numbers, and all pools."""

    numbered: Numbered
    pools: dict[tuple[int, int], Pool]

    def pool(self, timing: Timing) -> Pool:
        """That of a bucket; who comes first has made it."""
        return self.pools.setdefault((self.numbered.pool, timing.place), Pool(timing))


class Together:
    """Queries that begin together, and are given the same steps: see `askos.physical.sharing`."""

    def __init__(self, buckets: int) -> None:
        self._sharing = Sharing(buckets)
        self._pools: dict[tuple[int, int], Pool] = {}

    def stages(self, plan: PhysicalPlan, known: Hashable = None) -> list[Common]:
        """The stages of one of them, in the order of its plan."""
        return [Common(each, self._pools) for each in self._sharing.stages(plan, known)]

"""How many exchanges a plan needs, by the variables its operators can be spread over."""

from __future__ import annotations

from askos.algebra import Operator, Path, Window
from askos.algebra.expansion import steps, without_paths
from askos.algebra.placement import Spread, below, fuse, reloadable, streaming


def exchanges(plan: Operator) -> int:
    """The number of times that rows have to be spread anew between operators with state.

    Operators with state can run side by side as long as some variable is a key of all of them:
    equal keys meet in one place.  So a star of joins on ?turbine needs none.  What reads no
    stream is evaluated once, before; but if it may be reloaded, it comes and goes like a stream.
    """
    plan = plan.transform(without_paths)
    return _Count({*streaming(plan)}, [plan]).fragment(plan)[0]


class _Count:
    def __init__(self, streams: set[int], alive: list[Operator]) -> None:
        self._streams, self._alive = streams, alive  # the plans whose parts `streams` names by id

    def fragment(self, plan: Operator) -> tuple[int, Spread]:
        """The exchanges below, and how what comes out is spread."""
        if id(plan) not in self._streams:
            return 0, Spread(static=not reloadable(plan))
        if isinstance(
            plan, Window
        ):  # one that counts needs one bucket, in whatever order joins are
            return 0, Spread()
        inputs = [self.fragment(child) for child in self._below(plan)]
        fused = fuse(plan, [spread for _, spread in inputs])
        return sum(count for count, _ in inputs) + sum(fused.exchanged), fused.spread

    def _below(self, plan: Operator) -> tuple[Operator, ...]:
        if not isinstance(plan, Path):
            return below(plan)
        found, *_ = steps(plan)
        self._streams |= streaming(found)
        self._alive.append(found)
        return (found,)

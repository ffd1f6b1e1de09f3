"""How many exchanges a plan needs, by the variables its operators can be spread over."""

from __future__ import annotations

from collections.abc import Set

from askos.algebra import Operator, Window
from askos.algebra.placement import Spread, below, fuse, reloadable, streaming


def exchanges(plan: Operator) -> int:
    """The number of times that rows have to be spread anew between operators with state.

    Operators with state can run side by side as long as some variable is a key of all of them:
    equal keys meet in one place.  So a star of joins on ?turbine needs none.  What reads no
    stream is evaluated once, before; but if it may be reloaded, it comes and goes like a stream.
    """
    return _fragment(plan, streaming(plan))[0]


def _fragment(plan: Operator, streams: Set[int]) -> tuple[int, Spread]:
    if id(plan) not in streams:
        return 0, Spread(static=not reloadable(plan))
    if isinstance(plan, Window):  # one that counts needs one bucket, in whatever order joins are
        return 0, Spread()
    inputs = [_fragment(child, streams) for child in below(plan)]
    fused = fuse(plan, [spread for _, spread in inputs])
    return sum(count for count, _ in inputs) + sum(fused.exchanged), fused.spread

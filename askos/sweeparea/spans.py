"""Candidates that lie side by side, a bounded number at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from askos.sweeparea.rows import Ints

_PAIRS: Final = 1 << 21  # candidates looked at together, to bound memory under skew


def spans(low: Ints, counts: Ints, names: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Every probe i, by its name, with each of its candidates, `counts[i]` of them from `low[i]`
    on; a bounded number at a time."""
    for part in bounded(counts):
        few = counts[part]
        probe = names[part].repeat(few)
        begin: Ints = low[part] - few.cumsum() + few
        stored = begin.repeat(few)
        stored += np.arange(len(stored))
        yield probe, stored


def few(count: int) -> bool:
    """Whether so many candidates may be looked at together."""
    return count <= _PAIRS


def bounded(counts: Ints) -> Iterator[slice]:
    """Neighbours that together count a bounded number, or one that alone counts more."""
    total = counts.cumsum()
    begin, before = 0, 0
    while begin < len(counts) and total[-1] > before:
        end = len(counts)
        if total[-1] - before > _PAIRS:
            end = max(int(total.searchsorted(before + _PAIRS, "right")), begin + 1)
        yield slice(begin, end)
        begin, before = end, int(total[end - 1])

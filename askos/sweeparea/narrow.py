"""Of candidates with an equal key, those that overlap in time: few, where a key has many elements
one after the other, as the steps of an aggregate."""

from __future__ import annotations

from typing import Final

import numpy as np

from askos.sweeparea.rows import Ints, R

_ROOM: Final = 1 << 62


def narrow(
    rows: R, stops: Ints, probes: R, mine: Ints, low: Ints
) -> tuple[Ints, Ints, Ints] | None:
    """Where the candidates of each probe begin that may overlap it, how many these are, and the
    order of `rows` in which they are so; None where the times are too far apart.

    `rows` are in segments of equal keys, which end at `stops`; probe `mine[i]` has those of the
    segment at `low[i]`.  In order of start, those before the end of a probe are the first ones of
    its segment; and of these the first whose end, or that of one before it, is after its start is
    where they begin.  Where elements end in the order in which they start, all of them overlap.
    Cost: two binary searches a probe, and a sort of `rows`.
    """
    first, last = int(rows.ts.min()), int(rows.ts.max())
    early, late = int(probes.ts.min()), int(probes.ts.max())
    across, along = last - first + 2, late - early + 2
    if (len(rows) + 1) * max(across, along) >= _ROOM:
        return None
    starts = stops * across + (rows.ts - first)
    order = starts.argsort(kind="stable")
    ends = stops * along + (rows.te.clip(early, late + 1) - early)
    reached = np.maximum.accumulate(ends[order])
    segment = stops[low]
    until = segment * across + (probes.te[mine].clip(first, last + 1) - first)
    begin = reached.searchsorted(segment * along + (probes.ts[mine] - early), "right")
    counts = starts[order].searchsorted(until) - begin
    return begin, counts.clip(0), order

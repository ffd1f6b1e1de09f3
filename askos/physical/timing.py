"""What the operators of a bucket know of time, beside their watermark, and of their bounds."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra import Periodic
from askos.physical.cut import Cut
from askos.physical.limits import STATE_LIMIT


@dataclass(slots=True)
class Timing:
    """The cut; under a periodic report its grid, once something has arrived the first report
    instant, and `until`: what the streams have promised, at their end the last report.  No later
    one is told, even where the windows let it be known.  `place` is the bucket's own: one of them
    speaks for all.  No operator makes more than `limit` elements that it must keep."""

    cut: Cut
    grid: Periodic | None = None
    place: int = 0
    first: int | None = None
    until: int = 0
    limit: int = STATE_LIMIT

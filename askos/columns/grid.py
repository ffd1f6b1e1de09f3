"""The grid of report instants: under a periodic report nothing else matters."""

from __future__ import annotations

from typing import Final

import numpy as np

from askos.algebra.report import Periodic
from askos.columns.ids import Ids
from askos.interval import FOREVER

_FAR: Final = FOREVER // 4  # beyond it, sums of times and periods could overflow


def onto_grid(times: Ids, report: Periodic) -> Ids:
    """g(t), the first report instant at or after t; FOREVER stays what it is.

    >>> from askos.algebra import Kind
    >>> onto_grid(np.array([0, 3, 10, 11]), Periodic(Kind.RSTREAM, (10,))).tolist()
    [0, 10, 10, 20]
    """
    far = np.asarray(times >= _FAR) | (max(*report.every, report.origin) >= _FAR)
    elapsed = np.maximum(np.where(far, 0, times) - report.origin, 0)
    steps = [-(-elapsed // period) * period for period in report.every]
    result = report.origin + np.minimum.reduce(steps)
    if far.any():
        result[far] = [report.next(time) for time in times[far].tolist()]
    return np.asarray(result, np.int64)


def instants(start: int, stop: int, report: Periodic) -> Ids:
    """The report instants from `start` up to, not including, `stop`.

    >>> from askos.algebra import Kind
    >>> instants(1, 13, Periodic(Kind.RSTREAM, (4, 6))).tolist()
    [4, 6, 8, 12]
    """
    first = report.next(start)
    if first >= stop:
        return np.empty(0, np.int64)
    each = [
        _multiples(period, first - report.origin, stop - report.origin) for period in report.every
    ]
    every = each[0] if len(each) == 1 else np.unique(np.concatenate(each))
    return np.asarray(report.origin + every, np.int64)


def _multiples(period: int, begin: int, end: int) -> Ids:
    """The multiples of a period from `begin` up to, not including, `end`; near FOREVER the next
    one may be none that 64 bits can hold."""
    count = -(-end // period) - -(-begin // period)
    if count <= 0:
        return np.empty(0, np.int64)
    return -(-begin // period) * period + period * np.arange(count)

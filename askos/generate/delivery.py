"""How rows arrive: some late, some twice, some not at all; one upload hours late, one clock wrong.

A `Mask` has a row for each turbine and a column for each minute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from askos.generate.park import MINUTE, Flags, Integers, Park
from askos.generate.planning import Plan, marked
from askos.generate.rows import Rows
from askos.generate.truth import SILENT

LATE: Final = 6 * 60 * MINUTE
AHEAD: Final = 3650 * 24 * 60 * MINUTE  # ten years
_GAPS: Final = 5  # a turbine and day
_LONGEST: Final = 4  # minutes of a gap
_WRONG: Final = 8  # minutes that the clock is wrong
_MOMENT: Final = 2000  # ms that most rows are under way, at most
_SLOW, _TWICE, _LOST = 0.1, 0.005, 0.002  # parts of all rows


@dataclass(frozen=True, slots=True)
class Reception:
    """Who is heard when, and whose rows are kept for later, or have a wrong time."""

    heard: Flags
    gaps: Flags
    buffered: Flags
    ahead: Flags


@dataclass(frozen=True, slots=True)
class Delivered:
    """A stream in order of delivery, and what strayed: upload and wrong clock."""

    rows: Rows
    at: Integers
    late: Rows
    late_at: Integers
    ahead: Rows
    ahead_at: Integers


def reception(park: Park, plans: list[Plan], shape: tuple[int, ...]) -> Reception:
    """By the plans who is silent, by chance who has gaps."""
    heard = ~marked(plans, SILENT, shape)
    if park.joining:
        heard[-1, : park.minutes // 2] = False
    silences = sorted((p for p in plans if p.kind == SILENT), key=lambda plan: plan.begin)
    buffered = marked(silences[:1], SILENT, shape)
    ahead = np.zeros(shape, np.bool_)
    others = np.flatnonzero(heard.all(axis=1))
    if len(others):
        who, when = park.uniform("wrong clock", 2)
        first = int(when * max(shape[1] - _WRONG, 1))
        ahead[others[int(who * len(others))], first : first + _WRONG] = True
    return Reception(heard, _gaps(park, shape), buffered, ahead)


def _gaps(park: Park, shape: tuple[int, ...]) -> Flags:
    """Minutes in which all sensors of a turbine say nothing: too few to call it silent."""
    count = round(_GAPS * shape[0] * park.hours / 24)
    who, when, long = park.uniform("gaps", 3, count)
    turbine, first = (who * shape[0]).astype(np.int64), (when * shape[1]).astype(np.int64)
    gaps = np.zeros(shape, np.bool_)
    for more in range(_LONGEST):
        lasts = more <= long * (_LONGEST - 1)
        gaps[turbine[lasts], np.minimum(first[lasts] + more, shape[1] - 1)] = True
    # Two gaps in a row, or one before the clock goes wrong, are still shorter than a silence.
    return gaps


def deliver(park: Park, rows: Rows, stream: str, heard: Reception, sensors: bool) -> Delivered:
    """The rows of a stream on their way; only those of sensors get lost in gaps."""
    here = rows.subject, np.minimum(rows.ms // MINUTE, heard.heard.shape[1] - 1)
    kept, ahead = heard.heard[here] & ~heard.ahead[here], heard.ahead[here]
    if sensors:
        kept &= ~heard.gaps[here] & (park.uniform(f"{stream} lost", len(rows)) >= _LOST)
    late = rows.take(heard.buffered[here])
    upload = np.full(len(late), (late.ms.max() if len(late) else 0) + LATE)
    wrong = rows.take(ahead)
    arrived = rows.take(kept)
    again = arrived.take(park.uniform(f"{stream} twice", len(arrived)) < _TWICE)
    every = Rows.together([arrived, again])
    at = every.ms + _delays(park, f"{stream} delay", len(every))
    order = np.argsort(at, kind="stable")
    return Delivered(
        every.take(order), at[order], late, upload, wrong.later(AHEAD), wrong.ms + _MOMENT
    )


def _delays(park: Park, purpose: str, count: int) -> Integers:
    """Most rows are under way for a moment, some for as long as the lateness."""
    slow, length = park.uniform(purpose, 2, count)
    lateness = park.lateness * 1000
    most = np.where(slow < _SLOW, lateness, min(_MOMENT, lateness))
    delays: Integers = np.floor(most * length).astype(np.int64)
    return delays

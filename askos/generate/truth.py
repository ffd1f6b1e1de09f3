"""What really happened in a park: the file `truth.csv`, against which alerts are judged.

Columns `turbine,kind,begin,end,fault`: the local name of the turbine (`T07`), what happened, from
when until when (`[begin, end)`, ISO 8601, UTC, to the millisecond), and whether it is a fault.  A
fault begins when what was injected can be seen by the definition of its kind, not when it was
injected: a ramp begins when it crosses the threshold.  Curtailment, derating and maintenance are
no faults: an alert of theirs is a false one.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

OVERTEMPERATURE: Final = "gearbox-overtemperature"
PITCH: Final = "pitch-deviation"
YAW: Final = "yaw-misalignment"
UNDERPERFORMANCE: Final = "underperformance"
STUCK: Final = "stuck-sensor"
SILENT: Final = "silent"
ICE: Final = "ice"
FLAPPING: Final = "flapping"
FAULTS: Final = (OVERTEMPERATURE, PITCH, YAW, UNDERPERFORMANCE, STUCK, SILENT, ICE, FLAPPING)
CURTAILMENT: Final = "curtailment"
DERATING: Final = "derating"
MAINTENANCE: Final = "maintenance"
KINDS: Final = (*FAULTS, CURTAILMENT, DERATING, MAINTENANCE)

COLUMNS: Final = ("turbine", "kind", "begin", "end", "fault")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, order=True)
class Episode:
    """Something that happened to a turbine in `[begin, end)`, in milliseconds."""

    begin: int
    end: int
    turbine: str
    kind: str

    @property
    def fault(self) -> bool:
        """Whether an alert should have told it."""
        return self.kind in FAULTS


def write_truth(path: str | Path, episodes: Iterable[Episode]) -> None:
    """Write the file, in order of time."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        for each in sorted(episodes):
            fault = "true" if each.fault else "false"
            rows.writerow((each.turbine, each.kind, _text(each.begin), _text(each.end), fault))


def _text(ms: int) -> str:
    """ISO 8601 to the millisecond.

    >>> _text(1780272000500)
    '2026-06-01T00:00:00.500Z'
    """
    time = (_EPOCH + timedelta(milliseconds=ms)).replace(tzinfo=None)
    return time.isoformat(timespec="milliseconds") + "Z"

"""The time of one micro-batch, shared out among its parts.

Tasks that do the same run side by side: packing, and the buckets of a stage.  The time
from the beginning of the first to the end of the last is shared out as they spent theirs.  What
lies between two such groups is the shuffle, and what follows the last one the sink.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from askos.spark.records import Record

PARTS: Final = ("source", "packing", "shuffle", "operators", "state", "sink", "rest")
"""What a micro-batch spends its time on."""

# What the parts of tasks are told as.
_TOLD: Final = {
    "source": "source",
    "packing": "packing",
    "sending": "shuffle",
    "reading": "shuffle",
    "loading": "state",
    "operators": "operators",
    "giving": "sink",
    "storing": "state",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Tasks that ran side by side: when, and the seconds of all of them, by part and operator."""

    began: float
    ended: float
    parts: Mapping[str, float]
    operators: Mapping[tuple[int, int], float]

    @classmethod
    def of(cls, stage: int, records: Sequence[Record]) -> Group:
        """Of what tasks of one stage have noted; operators are known by stage, counted from 1 on,
        and number."""
        parts: dict[str, float] = {}
        operators: dict[tuple[int, int], float] = {}
        for record in records:
            for part, seconds in record["parts"].items():
                parts[_TOLD[part]] = parts.get(_TOLD[part], 0.0) + seconds
            for number, (_, _, _, seconds, *_) in record.get("operators", {}).items():
                key = stage + 1, int(number)
                operators[key] = operators.get(key, 0.0) + seconds
        began = min(record["began"] for record in records)
        return cls(began, max(record["ended"] for record in records), parts, operators)

    def scale(self, seconds: float) -> float:
        """What a second of a task is worth, if all of them took that long."""
        spent = sum(self.parts.values())
        return seconds / spent if spent else 0.0


@dataclass(slots=True)
class Spent:
    """Seconds of a micro-batch, by part and by operator."""

    began: float
    seconds: float
    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    operators: dict[tuple[int, int], float] = field(default_factory=dict)

    def add(self, group: Group, after: float) -> None:
        """The time of a group from that instant on."""
        scale = group.scale(max(group.ended - max(group.began, after), 0.0))
        for part, seconds in group.parts.items():
            self.parts[part] += seconds * scale
        for operator, seconds in group.operators.items():
            self.operators[operator] = self.operators.get(operator, 0.0) + seconds * scale


def shared_out(report: Record, groups: Iterable[Group]) -> Spent:
    """What a micro-batch spent its time on: `report` is Spark's own, as it was noted."""
    ms: Mapping[str, float] = report["ms"]
    spent = Spent(datetime.fromisoformat(report["at"]).timestamp(), ms["triggerExecution"] / 1000)
    parts, reached = spent.parts, 0.0
    parts["source"] = (ms.get("latestOffset", 0) + ms.get("getBatch", 0)) / 1000
    for group in sorted(groups, key=lambda group: group.began):
        if reached:
            parts["shuffle"] += max(group.began - reached, 0.0)
        spent.add(group, reached)
        reached = max(reached, group.ended)
    if reached:
        written = spent.began + spent.seconds - ms.get("commitOffsets", 0) / 1000
        parts["state"] += (commit := report["commit"] / 1000)
        parts["sink"] += max(written - reached - commit, 0.0)
    parts["rest"] = max(spent.seconds - sum(parts.values()), 0.0)
    return spent

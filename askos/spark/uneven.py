"""Hot keys, and buckets that keep most of a stage's state: what was noted of them, told once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from askos.physical.skew import FEW, MANY, HotKey
from askos.spark.records import Record, last

_MOST: Final = 0.5  # of the state, and half as much again as would be fair


class Uneven:
    """Looks at what the stages have noted in a folder; what has been told is not told again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._told = set[object]()

    def news(self) -> Iterator[str]:
        """What is uneven now, and was not before."""
        for stage, buckets in sorted(self._stages().items()):
            for record in buckets.values():
                if record["hot"] and self._is_new(record["hot"]["key"]):
                    hot = HotKey(**record["hot"])
                    yield f"a hot key: {hot} in its bucket, and others wait for it"
            kept = {place: _kept(record) for place, record in buckets.items()}
            most = max(kept, key=lambda place: kept[place])
            # While a micro-batch runs, some buckets have noted it, and others have not.
            alike = len({record["batch"] for record in buckets.values()}) == 1
            several = buckets[most].get("different", 0) >= FEW
            uneven = alike and several and _is_uneven(kept, most)
            if uneven and self._is_new((stage, most)):
                total = sum(kept.values())
                share = f"{kept[most] / total:.0%} of {total:,} elements of stage {stage + 1}"
                yield f"bucket {most + 1} keeps {share}, and others wait for it"

    def _stages(self) -> dict[int, dict[int, Record]]:
        """The last records of buckets, by stage and bucket."""
        found: dict[int, dict[int, Record]] = {}
        for file in self._folder.glob("stage-*.jsonl"):
            record = last(file)
            if record is not None:
                _, stage, place = file.stem.split("-")
                found.setdefault(int(stage), {})[int(place)] = record
        return found

    def _is_new(self, what: object) -> bool:
        new = what not in self._told
        self._told.add(what)
        return new


def _kept(record: Record) -> int:
    return sum(counts[2] for counts in record["operators"].values())


def _is_uneven(kept: Mapping[int, int], most: int) -> bool:
    """Whether one of several buckets has much, at least half of all, and by far more than its
    share."""
    total = sum(kept.values())
    least = max(_MOST, 1.5 / len(kept))
    return len(kept) > 1 and kept[most] >= MANY and kept[most] >= least * total

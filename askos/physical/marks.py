"""Promises: what every channel says of the time, and the watermark that follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from askos.interval import FOREVER
from askos.physical.plan import PhysicalPlan, Stage

IDLE: Final = -1
"""The mark of a source that is left out until it speaks again."""

END: Final = "end of input"
"""The channel on which the end of all input is told: kept apart from what streams promise."""


def stage_channel(number: int) -> str:
    """The channel on which a stage tells its progress."""
    return f"stage {number}"


def stream_channels(plan: PhysicalPlan) -> tuple[str, ...]:
    """On which the streams tell their progress: to every stage all of them, also those that feed
    other stages only, for where its own are idle, they tell the time."""
    return tuple(str(source) for source in plan.sources)


def stage_channels(stage: Stage) -> tuple[str, ...]:
    """On which the stages before a stage tell theirs."""
    return tuple(stage_channel(number) for number, _ in stage.upstream)


@dataclass(frozen=True, slots=True)
class Mark:
    """A channel's promise: what it still sends arrived at `time` or later.  IDLE: nothing
    waits for it, whatever else it says at the same moment; FOREVER: it has ended.

    Of a stream, `smallest` and `largest` are the arrival times that came with it, matching or
    not: the clock of a periodic report needs them.
    """

    channel: str
    time: int
    smallest: int | None = None
    largest: int | None = None


class Marks:
    """The promises of all channels; the watermark is the least of them, and never falls.

    After the end of input streams are not waited for, but the stages before this one are.  Where
    a periodic report ends with its last instant, so does the watermark: `end` says when, given
    the largest arrival time of each stream and what all of them had promised before the end.
    `until` is the watermark of the streams alone, `promised` what they had promised before their
    end.
    """

    def __init__(
        self,
        streams: Iterable[str],
        stages: Iterable[str] = (),
        end: Callable[[Mapping[str, int], int], int] = lambda largest, promised: FOREVER,
    ) -> None:
        self._stages = tuple(stages)
        self._times = dict.fromkeys([*streams, *self._stages], 0)
        self._idle: set[str] = set()
        self._end = end
        self.promised = 0
        self.until = 0
        self.smallest: dict[str, int] = {}
        self.largest: dict[str, int] = {}
        self.ended = False
        self.watermark = 0

    def note(self, mark: Mark) -> None:
        """Hear a promise; one that says less than an earlier one is no news."""
        if mark.channel == END:
            self.ended = True
            return
        if mark.smallest is not None and mark.largest is not None:
            self._arrived(mark.channel, mark.smallest, mark.largest)
        if mark.time == IDLE:
            self._idle.add(mark.channel)
            return
        self._idle.discard(mark.channel)
        self._times[mark.channel] = max(self._times[mark.channel], mark.time)

    def _arrived(self, channel: str, smallest: int, largest: int) -> None:
        """What came after its time had passed moves the clock back no further than that."""
        smallest = max(smallest, self.promised)
        self.smallest[channel] = min(smallest, self.smallest.get(channel, smallest))
        self.largest[channel] = max(largest, self.largest.get(channel, largest))

    def advance(self) -> int:
        """The watermark, after all news."""
        streams = self._times.keys() - set(self._stages) - self._idle
        self.promised = max(self.promised, self._least(streams, self.promised))
        self.until = self._end(self.largest, self.promised) if self.ended else self.promised
        least = self._least(self._stages, self.until)
        if not self.ended:
            least = min(least, self.promised)
        self.watermark = max(self.watermark, least)
        return self.watermark

    def slowest(self) -> str | None:
        """The stream that all others are waiting for: None where nothing is waited for, or for
        all alike."""
        live = {name: self._times[name] for name in self._times.keys() - self._idle}
        behind = sorted(name for name in live if live[name] < max(live.values()))
        return None if self.ended else min(behind, key=live.__getitem__, default=None)

    def _least(self, channels: Iterable[str], otherwise: int) -> int:
        return min((self._times[name] for name in channels), default=otherwise)

    def snapshot(self) -> Any:
        """As plain data."""
        return {
            "times": dict(self._times),
            "idle": sorted(self._idle),
            "promised": self.promised,
            "smallest": dict(self.smallest),
            "largest": dict(self.largest),
            "ended": self.ended,
            "watermark": self.watermark,
        }

    def restore(self, manifest: Any) -> None:
        """Continue from a snapshot."""
        self._times = dict(manifest["times"])
        self._idle = set(manifest["idle"])
        self.promised = self.until = manifest["promised"]
        self.smallest, self.largest = dict(manifest["smallest"]), dict(manifest["largest"])
        self.ended = manifest["ended"]
        self.watermark = manifest["watermark"]

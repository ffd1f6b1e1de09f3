"""The clock: when a periodic query reports, first and last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from askos.algebra.chains import chained
from askos.algebra.node import Node
from askos.algebra.operator import Operator
from askos.algebra.operators import StreamAccess, Union
from askos.algebra.report import Periodic
from askos.algebra.windows import (
    CountWindow,
    PredicateWindow,
    SlidingWindow,
    SteppedWindow,
    Window,
)
from askos.errors import require
from askos.interval import FOREVER
from askos.terms import URIRef


@dataclass(frozen=True, slots=True)
class Clock(Node):
    """The streams a query reads, and the windows over them, those inside EXISTS too.

    Made from the canonical plan, so that no rewrite changes when a query reports.  It needs two
    numbers per stream, the smallest and the largest τ, of matching triples or not; streams
    without arrivals are left out of the mappings.  `windows` stand over nothing but their streams.

    docs/semantics.md, "Reports".
    """

    streams: tuple[URIRef, ...]
    windows: tuple[Window, ...] = ()

    def __post_init__(self) -> None:
        ok = isinstance(self.streams, tuple) and all(isinstance(s, URIRef) for s in self.streams)
        require(ok, f"Clock: streams must be a tuple of IRIs, not {self.streams!r}")
        ok = isinstance(self.windows, tuple) and all(isinstance(w, Window) for w in self.windows)
        require(ok, f"Clock: windows must be a tuple of windows, not {self.windows!r}")

    @classmethod
    def of(cls, plan: Operator) -> Clock:
        """The clock of a canonical plan.

        >>> from askos.algebra import Pattern
        >>> from askos.explaining import explain
        >>> from askos.terms import Variable
        >>> wind = SlidingWindow(StreamAccess(URIRef("wind")), 10, 1)
        >>> clock = Clock.of(Pattern(Variable("t"), URIRef("power"), Variable("p"), wind))
        >>> print(*(explain(window) for window in clock.windows))
        SlidingWindow RANGE 10 MS SLIDE 1 MS
          StreamAccess <wind>
        """
        windows = (node for node in plan.walk() if isinstance(node, Window))
        return cls(streams_of(plan), tuple(dict.fromkeys(_bare(window) for window in windows)))

    def first(self, report: Periodic, smallest: Mapping[URIRef, int]) -> int | None:
        """The first report instant ≥ the smallest τ of any stream; None where nothing arrived.
        Without streams, the first of all.

        >>> from askos.algebra import Kind
        >>> Clock((URIRef("wind"),)).first(Periodic(Kind.RSTREAM, (10,)), {URIRef("wind"): 12})
        20
        """
        if not self.streams:
            return report.next(0)
        arrived = self._of_streams(smallest)
        instant = report.next(min(arrived)) if arrived else FOREVER
        return instant if instant < FOREVER else None

    def end(self, largest: Mapping[URIRef, int]) -> int | None:
        """E: when the last element has left its window; None where nothing arrived.

        The largest over the windows of the end that its formula gives to the largest τ of its
        streams, even if that validity is empty; where it is FOREVER, that τ, as for a count
        window; for a predicate window τ + WITHIN.  A stream under no window ends with its τ.

        >>> wind = URIRef("wind")
        >>> Clock((wind,), (SlidingWindow(StreamAccess(wind), 30, 10),)).end({wind: 12})
        40
        """
        ends = (_end(window, largest) for window in self.windows)
        return max([*self._of_streams(largest), *filter(None, ends)], default=None)

    def last(
        self, report: Periodic, largest: Mapping[URIRef, int], progress: int = 0
    ) -> int | None:
        """At end of input: the later of the first report instant ≥ E and the last one below W,
        the `progress` promised before the end; None where nothing arrived.

        >>> from askos.algebra import Kind
        >>> wind, every = URIRef("wind"), Periodic(Kind.RSTREAM, (10,))
        >>> clock = Clock((wind,), (SlidingWindow(StreamAccess(wind), 30, 10),))
        >>> clock.last(every, {wind: 12}), clock.last(every, {wind: 12}, progress=75)
        (40, 70)
        """
        if not self.streams:
            return report.next(0)
        end = self.end(largest)
        if end is None:
            return None
        settled = report.next(end)
        if settled == FOREVER:  # no instant sees the end: the last there is
            return report.before(FOREVER)
        return max(settled, report.before(progress) or 0)

    def _of_streams(self, times: Mapping[URIRef, int]) -> list[int]:
        """The times of the streams that have one."""
        return [times[stream] for stream in self.streams if stream in times]


def streams_of(plan: Operator) -> tuple[URIRef, ...]:
    """The streams a plan reads, EXISTS included, in the order of its text."""
    read = (node.source for node in plan.walk() if isinstance(node, StreamAccess))
    return tuple(dict.fromkeys(read))


def _bare(window: Window) -> Window:
    """The window over its streams alone: what else it stands over does not move the clock."""
    accesses: Iterator[Operator] = map(StreamAccess, streams_of(window))
    return replace(window, input=chained(Union, accesses))


def _end(window: Window, largest: Mapping[URIRef, int]) -> int | None:
    """What the window adds to E; None where its streams have no arrivals."""
    arrived = [largest[stream] for stream in streams_of(window) if stream in largest]
    if not arrived:
        return None
    last = max(arrived)
    match window:
        case SlidingWindow() | SteppedWindow():
            end = int(window.bounds(last)[1])
        case CountWindow():
            end = last
        case PredicateWindow(within=within):
            end = last + (within or 0)
        case _:
            raise TypeError(f"{type(window).__name__} has no place on the clock")
    return end if end < FOREVER else last

"""Time stamps from the future: which rows are refused for theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from askos.columns.ids import Ids
from askos.errors import StreamError
from askos.interval import moment
from askos.sources import Source, Stream


@dataclass(frozen=True, slots=True)
class Limit:
    """How late rows of a stream may be stamped: not after `not_after`, and at most `ahead`
    milliseconds after they were recorded.

    A row beyond it is refused, and moves neither the watermark nor the clock.  Where `ahead` is
    set, so is a row that was not recorded: no time at all would be too late for it.
    """

    not_after: int | None = None
    ahead: int | None = None

    @classmethod
    def of(cls, known: Source | None) -> Limit:
        """What is declared of a stream."""
        return cls(known.not_after, known.ahead_ms) if isinstance(known, Stream) else NO_LIMIT

    def __bool__(self) -> bool:
        return self != NO_LIMIT

    def faults(self, times: Ids, recorded: Ids | None) -> Iterator[tuple[int, str]]:
        """Which rows are beyond it, each with both times."""
        if self.not_after is not None:
            last = moment(self.not_after)
            for row in np.flatnonzero(times > self.not_after).tolist():
                yield row, f"stamped {moment(int(times[row]))}, but not_after is {last}"
        if self.ahead is None:
            return
        if recorded is None:
            raise StreamError(
                "a stream that declares ahead_ms needs a column `arrived`",
                hint="give when each row was recorded, in milliseconds or as a timestamp; or"
                " declare not_after",
            )
        # So written, neither side can overflow.
        for row in np.flatnonzero((times - self.ahead > recorded) | (recorded < 0)).tolist():
            yield row, self._ahead(int(times[row]), int(recorded[row]))

    def _ahead(self, time: int, recorded: int) -> str:
        if recorded < 0:
            return f"stamped {moment(time)}, but it has no time `arrived` that ahead_ms asks for"
        return (
            f"stamped {moment(time)}, but it arrived at {moment(recorded)}, and ahead_ms is"
            f" {self.ahead}"
        )


NO_LIMIT: Final = Limit()

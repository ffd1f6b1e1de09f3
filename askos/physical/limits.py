"""How much state a bucket may keep: a query that needs more stops with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askos.errors import StreamError, require_whole
from askos.physical.tally import Tally

STATE_LIMIT: Final = 10_000_000
"""Elements that the operators of a stage may keep in one bucket, unless somebody says otherwise."""

_HINT: Final = (
    "shorten the windows, declare streams idle that are silent, or say how late rows may be"
    " (lateness); or raise the limit (state_limit, --state-limit) where there is memory for it: a"
    " checkpoint then goes on where it stopped"
)


def state_limit_of(said: int | None) -> int:
    """What somebody said, refused if it is no limit; or the default."""
    limit = STATE_LIMIT if said is None else said
    require_whole(limit, 1, "state_limit")
    return limit


def too_much(tallies: Sequence[Tally], kept: Sequence[int], bucket: str, limit: int) -> StreamError:
    """Why a query stops: who keeps most, in which bucket, and what to do."""
    most, tally = max(zip(kept, tallies, strict=True), key=lambda pair: pair[0])
    return StreamError(
        f"bucket {bucket} keeps {sum(kept):,} elements, {most:,} of them for"
        f" {type(tally.plan).__name__}, and state_limit is {limit:,}",
        hint=_HINT,
    )


def too_many_pairs(pairs: int, limit: int) -> StreamError:
    """Why a closure stops in the middle of a step."""
    return StreamError(
        f"Closure has found {pairs:,} pairs in one step, and state_limit is {limit:,}", hint=_HINT
    )

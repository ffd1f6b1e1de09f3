"""What the commands share."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from argparse import _SubParsersAction

Command: TypeAlias = Callable[[Namespace], int]
Commands: TypeAlias = "_SubParsersAction[ArgumentParser]"

DONE: Final = 0
INTERRUPTED: Final = 130  # 128 and the number of the signal, as shells say it
UNREAD: Final = 141
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def choice(parser: ArgumentParser, what: str) -> Commands:
    """A choice among commands below `parser`."""
    return parser.add_subparsers(title=f"{what}s", metavar=what.upper(), required=True)


def instant(text: str) -> int:
    """Milliseconds from ISO 8601 (UTC unless it says otherwise) or from digits.

    >>> instant("2026-06-01T02:00:00+02:00") == instant("1780272000000")
    True
    """
    if text.isdecimal():
        return int(text)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(
            f"{text!r} is no time; write 2026-06-01T00:00:00Z or 1780272000000"
        ) from None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return (time - EPOCH) // timedelta(milliseconds=1)

"""What the commands share."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from argparse import _SubParsersAction

Command: TypeAlias = Callable[[Namespace], int]
Commands: TypeAlias = "_SubParsersAction[ArgumentParser]"

DONE: Final = 0
CANNOT_WRITE: Final = 4


def choice(parser: ArgumentParser, what: str) -> Commands:
    """A choice among commands below `parser`."""
    return parser.add_subparsers(title=f"{what}s", metavar=what.upper(), required=True)

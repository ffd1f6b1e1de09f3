"""What is told on stderr while a query runs, and after it."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from askos.errors import shortened
from askos.screen import visible

_SHOWN: Final = 5


def warn(message: str) -> None:
    """Something odd that the command goes on with."""
    print(f"askos: warning: {message}", file=sys.stderr)


def lost(what: str, notes: Sequence[str]) -> None:
    """How many rows were left out, and the first few with their reasons."""
    if not notes:
        return
    rows = "1 row" if len(notes) == 1 else f"{len(notes)} rows"
    more = [f"… and {len(notes) - _SHOWN} more"] if len(notes) > _SHOWN else []
    shown = (visible(shortened(note, 1000)) for note in notes[:_SHOWN])
    warn("\n  ".join([f"{rows} {what}", *shown, *more]))


class Live:
    """One line at a terminal that says how far things are; elsewhere, and if quiet, nothing."""

    def __init__(self, *, quiet: bool) -> None:
        self.shown = not quiet and sys.stderr.isatty()

    def say(self, text: str) -> None:
        """Put `text` in place of what the line says."""
        if self.shown:
            print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Leave no trace of the line."""
        self.say("")


@contextmanager
def told_warnings(live: Live) -> Iterator[None]:
    """What a host warns of, or logs as a warning, as a command warns."""

    class Logged(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            show(record.getMessage())

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        live.clear()
        warn(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)  # a command tells it, whatever Python was told
        warnings.showwarning = show
        handler = Logged(logging.WARNING)
        logging.getLogger("askos").addHandler(handler)
        try:
            yield
        finally:
            logging.getLogger("askos").removeHandler(handler)

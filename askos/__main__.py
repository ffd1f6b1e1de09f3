"""The command `askos`, and `python -m askos`, from its first moment on.

Ctrl-C while it is still being loaded ends it as it does later: with one line and code 130.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import NoReturn


def main() -> int:
    """Load the command, and run it; until it has begun, Ctrl-C ends the process at once."""
    listening = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if listening:  # in the background it is ignored
        signal.signal(signal.SIGINT, _end)
    from askos.cli import main as command

    try:
        if listening:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return command()
    except KeyboardInterrupt:  # that came just before its first step
        _end()


def _end(number: int = signal.SIGINT, frame: FrameType | None = None) -> NoReturn:
    os.write(2, b"askos: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())

"""Java for an embedded Spark: it starts in time, or not at all, and outlives no start that failed.

Pyspark starts Java and waits, without end, for a file that says where it listens; until then nobody
else knows the process.  Where that file cannot be written, both would wait for ever; where Ctrl-C
ends the waiting, Java would stay behind.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import Popen, TimeoutExpired
from time import monotonic
from typing import Any, Final

from pyspark import SparkContext, java_gateway

from askos.errors import SetupError

PATIENCE: Final = 180.0
"""Seconds: a busy machine takes half a minute."""
_GRACE: Final = 5.0  # in which Java removes its files
_ROOM: Final = 2**16  # for the file, and for what Java notes of itself


def check_room() -> None:
    """Refuse to start where the temporary folder is full: OSError, which names it."""
    folder = tempfile.gettempdir()
    try:
        with tempfile.TemporaryFile() as file:
            file.write(bytes(_ROOM))
    except OSError as error:
        raise OSError(error.errno, error.strerror, folder) from error


@contextmanager
def starting() -> Iterator[None]:
    """Inside, Spark may start Java; if it never hears from it, whatever the reason, that ends."""
    module: Any = java_gateway
    made: list[_Java] = []
    own, module.Popen = module.Popen, lambda *given, **more: _Java(made, *given, **more)
    try:
        yield
    except BaseException:
        if SparkContext._gateway is None:
            for process in made:
                process.end()
        raise
    finally:
        module.Popen = own
        for process in made:
            process.until = None


class _Java(Popen[bytes]):
    """A process that pyspark polls until it has heard from it."""

    def __init__(self, made: list[_Java], *given: Any, **more: Any) -> None:
        self.until: float | None = monotonic() + PATIENCE
        made.append(self)  # before it starts: Ctrl-C may come in the middle of that
        super().__init__(*given, **more)

    def poll(self) -> int | None:
        """Raises, when it takes too long."""
        if self.until is not None and monotonic() > self.until:
            folder = tempfile.gettempdir()
            hint = f"wait until the machine is less busy, or make room in {folder}; then try again"
            raise SetupError(f"Spark's Java said nothing for {PATIENCE:.0f} s", hint=hint)
        return super().poll()

    def end(self) -> None:
        """End it, and wait until it has."""
        if getattr(self, "pid", None) is None:
            return
        self.until = None  # signals poll too
        self.terminate()
        try:
            self.wait(_GRACE)
        except TimeoutExpired:
            self.kill()
            self.wait()

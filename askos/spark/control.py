"""The control stream: what the driver tells all buckets, as a replayable source.

A directory of small JSON files under the checkpoint, which Spark reads as one more stream.  Its
log of files read makes a restart repeat exactly what was told, and no worker ever asks a clock.

    {"source": "http://wind.example/scada", "mark": 1780272000000}    no earlier row will come
    {"source": "http://wind.example/scada", "idle": true}             do not wait for it
    {"end": true}                                                      end of input, for ever
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from askos.interval import FOREVER, check_instant
from askos.physical.bucket import IDLE
from askos.terms import URIRef

_END: Final = "end.json"


class Control:
    """The driver's end of the control stream."""

    def __init__(self, checkpoint: Path) -> None:
        self.folder = checkpoint / "control"
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def ended(self) -> bool:
        """Whether the end of input has been told."""
        return (self.folder / _END).exists()

    def end(self) -> None:
        """End of input: everything flushes, and nothing may come after it."""
        self._write({"end": True}, _END)

    def mark(self, source: URIRef, time: int) -> None:
        """No row of `source` before `time` will come any more."""
        self._write({"source": str(source), "mark": check_instant(time)})

    def idle(self, source: URIRef) -> None:
        """Nothing waits for `source` until it speaks again."""
        self._write({"source": str(source), "idle": True})

    def _write(self, entry: dict[str, Any], name: str | None = None) -> None:
        name = name or f"{uuid.uuid4().hex}.json"
        hidden = self.folder / f".{name}"
        hidden.write_text(json.dumps(entry) + "\n", encoding="utf-8")
        os.replace(hidden, self.folder / name)  # Spark never sees half a file


def read_control(text: str) -> Iterator[tuple[str | None, int]]:
    """The marks in a line of the control stream: of a channel, or of all (None)."""
    match json.loads(text):
        case {"end": True}:
            yield None, FOREVER
        case {"source": str(source), "mark": int(time)}:
            yield source, time
        case {"source": str(source), "idle": True}:
            yield source, IDLE
        case entry:
            raise ValueError(f"unknown control entry {entry}")

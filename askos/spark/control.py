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
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from askos.errors import StreamError
from askos.interval import FOREVER, check_instant
from askos.physical.marks import END, IDLE
from askos.terms import URIRef, n3

_END: Final = "end.json"
FILE: Final = "askos.json"
"""What a checkpoint says of its query; see `askos.spark.checkpoint`."""


class Control:
    """The driver's end of the control stream."""

    def __init__(self, checkpoint: str | Path) -> None:
        self._checkpoint = Path(checkpoint)
        self.folder = self._checkpoint / "control"
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
        self._write({"source": self._known(source), "mark": check_instant(time)})

    def idle(self, source: URIRef) -> None:
        """Nothing waits for `source` until it speaks again."""
        self._write({"source": self._known(source), "idle": True})

    def _known(self, source: URIRef) -> str:
        """The stream's name, refused if the query does not read it."""
        file = self._checkpoint / FILE
        streams = json.loads(file.read_text("utf-8"))["streams"] if file.exists() else []
        if str(source) not in streams:
            raise StreamError(
                f"the query of checkpoint {self._checkpoint} does not read {n3(source)}",
                hint=f"it reads {', '.join(streams) or 'nothing yet'}",
            )
        return str(source)

    def _write(self, entry: dict[str, Any], name: str | None = None) -> None:
        name = name or f"{uuid.uuid4().hex}.json"
        hidden = self.folder / f".{name}"
        hidden.write_text(json.dumps(entry) + "\n", encoding="utf-8")
        os.replace(hidden, self.folder / name)  # Spark never sees half a file


def read_control(text: str, channels: Sequence[str]) -> list[tuple[str, int]]:
    """The marks that a file of the control stream tells, of one of the `channels` or of END."""
    match _entry(text):
        case {"end": True, **rest} if not rest:
            return [(END, FOREVER)]
        case {"source": str(source), "mark": time, **rest} if not rest:
            return [(_read(source, channels), _instant(time))]
        case {"source": str(source), "idle": True, **rest} if not rest:
            return [(_read(source, channels), IDLE)]
    raise StreamError("this is no entry of a control stream")


def _entry(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StreamError(f"an entry of a control stream must be JSON: {error}") from None


def _read(source: str, channels: Sequence[str]) -> str:
    if source not in channels:
        raise StreamError(f"the query does not read the stream <{source}>")
    return source


def _instant(time: object) -> int:
    if type(time) is not int or not 0 <= time < FOREVER:
        raise StreamError(f"{time!r} is not a whole number of milliseconds from 0 on")
    return time

"""The control stream: what the driver tells all buckets, as a replayable source.

A directory of small JSON files under the checkpoint, which Spark reads as one more stream.  Its
log of files read makes a restart repeat exactly what was told, and no worker ever asks a clock.

    {"source": "http://wind.example/scada", "mark": 1780272000000}    no earlier row will come
    {"source": "http://wind.example/scada", "idle": true}             do not wait for it
    {"end": true}                                                      end of input, for ever
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from askos.errors import SetupError, StreamError
from askos.interval import FOREVER, check_instant
from askos.physical.marks import END, IDLE
from askos.spark.files import write_whole
from askos.terms import URIRef, n3

_END: Final = "end.json"
FILE: Final = "askos.json"
"""What a checkpoint says of its query; see `askos.spark.checkpoint`."""


class Control:
    """The driver's end of the control stream of a checkpoint, which a query has begun already."""

    def __init__(self, checkpoint: str | Path) -> None:
        self._checkpoint = Path(checkpoint)
        if not (self._checkpoint / FILE).exists():
            raise SetupError(
                f"{checkpoint} is no checkpoint of askos",
                hint="give the folder that askos.spark.start or run was given; they make it",
            )
        self.folder = self._checkpoint / "control"
        self.folder.mkdir(exist_ok=True)

    @property
    def ended(self) -> bool:
        """Whether the end of input has been told."""
        return any(_says_end(file) for file in self.folder.glob("end*.json"))

    def end(self) -> None:
        """End of input: everything flushes, and nothing may come after it."""
        # Spark reads no name twice: what has the name, and is no end, cannot be replaced.
        taken = (self.folder / _END).exists() and not self.ended
        self._write({"end": True}, f"end-{uuid.uuid4().hex}.json" if taken else _END)

    def mark(self, source: URIRef, time: int) -> None:
        """No row of `source` before `time` will come any more."""
        self._write({"source": self._known(source), "mark": check_instant(time)})

    def idle(self, source: URIRef) -> None:
        """Nothing waits for `source` until it speaks again."""
        self._write({"source": self._known(source), "idle": True})

    def _known(self, source: URIRef) -> str:
        """The stream's name, refused if the query does not read it."""
        streams = self._streams()
        if str(source) not in streams:
            raise StreamError(
                f"the query of checkpoint {self._checkpoint} does not read {n3(source)}",
                hint=f"it reads {', '.join(streams) or 'nothing yet'}",
            )
        return str(source)

    def _streams(self) -> list[str]:
        """Those that the query reads."""
        file = self._checkpoint / FILE
        try:
            return [str(name) for name in json.loads(file.read_text("utf-8"))["streams"]]
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise SetupError(
                f"{file} cannot be read: {error}",
                hint="restore it from a copy, or start with an empty checkpoint",
            ) from error

    def _write(self, entry: dict[str, Any], name: str | None = None) -> None:
        name = name or f"{uuid.uuid4().hex}.json"
        write_whole(self.folder / name, json.dumps(entry) + "\n")


def _says_end(file: Path) -> bool:
    try:
        return read_control(file.read_bytes(), ()) == [(END, FOREVER)]
    except (OSError, StreamError):
        return False


def read_control(text: str | bytes, channels: Sequence[str]) -> list[tuple[str, int]]:
    """The marks that a file of the control stream tells, of one of the `channels` or of END."""
    match _entry(text):
        case {"end": True, **rest} if not rest:
            return [(END, FOREVER)]
        case {"source": str(source), "mark": time, **rest} if not rest:
            return [(_read(source, channels), _instant(time))]
        case {"source": str(source), "idle": True, **rest} if not rest:
            return [(_read(source, channels), IDLE)]
    raise StreamError("this is no entry of a control stream")


def _entry(text: str | bytes) -> Any:
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

"""The control stream: what the driver tells all buckets, as a replayable source.

A directory of small JSON files under the checkpoint, which Spark reads as one more stream.  Its
log of files read makes a restart repeat exactly what was told, and no worker ever asks a clock.

    {"source": "http://wind.example/scada", "mark": 1780272000000}    no earlier row will come
    {"source": "http://wind.example/scada", "idle": true}             do not wait for it
    {"reload": {"": {"number": 1, ..}}}              other versions of static data, for each query
    {"end": true}                                                      end of input, for ever
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from askos.errors import SetupError, StreamError
from askos.interval import FOREVER, check_instant
from askos.physical.marks import END, IDLE, Mark
from askos.physical.versions import Reload
from askos.sources import Data
from askos.spark.files import write_whole
from askos.terms import URIRef, n3

_END: Final = "end"
_RELOAD: Final = "reload-"
FILE: Final = "askos.json"
"""What a checkpoint says of its query; see `askos.spark.checkpoint`."""


def begun(checkpoint: str | Path) -> Path:
    """The folder of a checkpoint, refused if no query has begun with it."""
    if not (Path(checkpoint) / FILE).exists():
        raise SetupError(
            f"{checkpoint} is no checkpoint of askos",
            hint="give the folder that askos.spark.start or run was given; they make it",
        )
    return Path(checkpoint)


class Control:
    """The driver's end of the control stream of a checkpoint, which a query has begun already."""

    def __init__(self, checkpoint: str | Path) -> None:
        self.checkpoint = begun(checkpoint)
        self.folder = self.checkpoint / "control"
        self.folder.mkdir(exist_ok=True)

    @property
    def ended(self) -> bool:
        """Whether the end of input has been told."""
        return any(_says(file).mark is not None for file in self.folder.glob(f"{_END}*.json"))

    def end(self) -> None:
        """End of input: everything flushes, and nothing may come after it."""
        if not self.ended:
            self._write({"end": True}, _END)

    def mark(self, source: URIRef, time: int) -> None:
        """No row of `source` before `time` will come any more."""
        self._write({"source": self._known(source), "mark": check_instant(time)})

    def idle(self, source: URIRef) -> None:
        """Nothing waits for `source` until it speaks again."""
        self._write({"source": self._known(source), "idle": True})

    def reload(self, graph: str, data: Data, *, at: int | None = None) -> int:
        """Give a graph other triples while the query runs: those of a file, or triples.

        It must have been declared `reloadable`.  The new triples count from `at` on, an instant of
        the streams; not before what has been told already; without `at`, as soon as they may.  A
        row with `output` = reload tells the instant.  Gives the number of the reload.

        They are read here, and tables made of them, while the query goes on with the old ones.
        """
        from askos.spark.reload import reload

        return reload(self, URIRef(graph), data, at)

    def update(
        self, graph: str, *, insert: Data = (), delete: Data = (), at: int | None = None
    ) -> int:
        """Take triples from a graph and add others, as `reload` does with all of them."""
        from askos.spark.reload import update

        return update(self, URIRef(graph), insert, delete, at)

    def write_reload(self, number: int, told: Mapping[str, Reload]) -> None:
        """Other versions of static data, for each query by its name."""
        entry = {"reload": {name: reload.plain() for name, reload in told.items()}}
        self._write(entry, f"{_RELOAD}{number:06}")

    def reloads(self, query: str) -> list[Reload]:
        """What was told to a query, in order."""
        files = sorted(self.folder.glob(f"{_RELOAD}*.json"))
        told = [_says(file).reloads for file in files]
        return [each[query] for each in told if query in each]

    def _known(self, source: URIRef) -> str:
        """The stream's name, refused if the query does not read it."""
        streams = self._streams()
        if str(source) not in streams:
            raise StreamError(
                f"the query of checkpoint {self.checkpoint} does not read {n3(source)}",
                hint=f"it reads {', '.join(streams) or 'nothing yet'}",
            )
        return str(source)

    def _streams(self) -> list[str]:
        """Those that the query reads."""
        file = self.checkpoint / FILE
        try:
            return [str(name) for name in json.loads(file.read_text("utf-8"))["streams"]]
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise SetupError(
                f"{file} cannot be read: {error}",
                hint="restore it from a copy, or start with an empty checkpoint",
            ) from error

    def _write(self, entry: dict[str, Any], name: str = "") -> None:
        """An entry in a file so called; Spark reads no name twice, so not if a stray file is."""
        if not name or (self.folder / f"{name}.json").exists():
            name = "-".join(filter(None, (name, uuid.uuid4().hex)))
        write_whole(self.folder / f"{name}.json", json.dumps(entry) + "\n")


@dataclass(frozen=True, slots=True)
class Told:
    """What a file of the control stream tells: a mark, or reloads by the name of their query."""

    mark: Mark | None = None
    reloads: Mapping[str, Reload] = field(default_factory=dict)


_NOTHING: Final = Told()


def _says(file: Path) -> Told:
    """What a file tells that is not about streams; nothing, if it is stray."""
    try:
        return read_control(file.read_bytes(), ())
    except (OSError, StreamError):
        return _NOTHING


def read_control(text: str | bytes, channels: Sequence[str]) -> Told:
    """What a file of the control stream tells, of one of the `channels`, of END, or of graphs."""
    match _entry(text):
        case {"end": True, **rest} if not rest:
            return Told(Mark(END, FOREVER))
        case {"source": str(source), "mark": time, **rest} if not rest:
            return Told(Mark(_read(source, channels), _instant(time)))
        case {"source": str(source), "idle": True, **rest} if not rest:
            return Told(Mark(_read(source, channels), IDLE))
        case {"reload": dict(told), **rest} if not rest:
            return Told(reloads={name: Reload.read(each) for name, each in told.items()})
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

"""The control stream: what the driver tells all buckets, as a replayable source.

A directory of small JSON files under the checkpoint, which Spark reads as one more stream.  Its
log of files read makes a restart repeat exactly what was told, and no worker ever asks a clock.

    {"source": "http://wind.example/scada", "mark": 1780272000000}    no earlier row will come
    {"source": "http://wind.example/scada", "idle": true}             do not wait for it
    {"reload": {"": {"number": 1, ..}}}              other versions of static data, for each query
    {"register": {"number": 1, "kinds": {..}}}        queries that join others of their kind
    {"end": true}                                                      end of input, for ever
"""

from __future__ import annotations

import fcntl
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

from askos.errors import SetupError, StreamError
from askos.interval import FOREVER, check_instant
from askos.physical.marks import END, IDLE, Mark
from askos.physical.versions import Reload
from askos.sources import Catalogue, Data
from askos.spark.files import write_whole
from askos.spark.registration import Registration
from askos.terms import URIRef, n3

if TYPE_CHECKING:  # workers read the control stream, and no queries
    from askos.prepared import Options
    from askos.queries import Text, Texts

_END: Final = "end"
_LOCK: Final = ".reload.lock"
_RELOAD: Final = "reload-"
REGISTER: Final = "register-"
"""How the names of files begin that tell of queries which join."""
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


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One reload or registration at a time, whatever processes ask for it."""
    with (folder / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


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

    def register(
        self,
        query: Text,
        *,
        name: str | None = None,
        sources: Catalogue | None = None,
        **options: Unpack[Options],
    ) -> str:
        """Let a query join others of its kind while they run: it sees what arrives from the
        micro-batch on that hears of it.

        It must differ in constants only from queries that run as one, and is read as they are:
        `options` are those that they were started with, and so is `sources`, which need not be
        given where the text says all that it reads.  It is called `name`, or what it is registered
        as, or `query-1` and so on; gives the name.  QueryError if it cannot join, and nothing has
        changed.
        """
        (made,) = self._register([(name, query)], sources, options)
        return made

    def register_all(
        self, queries: Texts, *, sources: Catalogue | None = None, **options: Unpack[Options]
    ) -> list[str]:
        """The same of several, in a list or by name: all of them join in one micro-batch, or none
        does.  Gives their names."""
        named = queries if isinstance(queries, Mapping) else None
        given = list(named.items()) if named else [(None, each) for each in queries]
        return self._register(given, sources, options)

    def _register(
        self,
        given: Sequence[tuple[str | None, Text]],
        sources: Catalogue | None,
        options: Options,
    ) -> list[str]:
        from askos.spark.register import register

        return register(self, given, sources, options)

    def write_registration(self, told: Registration) -> None:
        """Queries that join."""
        self._write({"register": told.plain()}, f"{REGISTER}{told.number:06}")

    def write_reload(self, number: int, told: Mapping[str, Reload]) -> None:
        """Other versions of static data, for each query by its name."""
        entry = {"reload": {name: reload.plain() for name, reload in told.items()}}
        self._write(entry, f"{_RELOAD}{number:06}")

    def reloads(self, query: str) -> list[Reload]:
        """What was told to a query, in order."""
        files = sorted(self.folder.glob(f"{_RELOAD}*.json"))
        told = [_says(file).reloads for file in files]
        return [each[query] for each in told if query in each]

    @property
    def registered(self) -> Registration:
        """Who has joined so far."""
        return last_registration(self.folder.glob(f"{REGISTER}*.json"))

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
    """What a file of the control stream tells: a mark, reloads by the name of their query, or who
    has joined, which concerns no stage: workers look it up (see `askos.spark.rolls`)."""

    mark: Mark | None = None
    reloads: Mapping[str, Reload] = field(default_factory=dict)
    registered: Registration | None = None


_NOTHING: Final = Told()


def _says(file: Path) -> Told:
    """What a file tells that is not about streams; nothing, if it is stray."""
    try:
        return read_control(file.read_bytes(), ())
    except (OSError, StreamError):
        return _NOTHING


def last_registration(files: Iterable[Path]) -> Registration:
    """The last that files tell of queries which join; of nobody, if they do not."""
    told = (_says(file).registered for file in files)
    found = (each for each in told if each is not None)
    return max(found, key=lambda each: each.number, default=Registration(0, {}))


def read_control(text: str | bytes, channels: Sequence[str]) -> Told:
    """What a file of the control stream tells, of one of the `channels`, of END, of graphs, or of
    queries."""
    match _entry(text):
        case {"end": True, **rest} if not rest:
            return Told(Mark(END, FOREVER))
        case {"source": str(source), "mark": time, **rest} if not rest:
            return Told(Mark(_read(source, channels), _instant(time)))
        case {"source": str(source), "idle": True, **rest} if not rest:
            return Told(Mark(_read(source, channels), IDLE))
        case {"reload": dict(told), **rest} if not rest:
            return Told(reloads={name: Reload.read(each) for name, each in told.items()})
        case {"register": told, **rest} if not rest:
            return Told(registered=Registration.read(told))
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

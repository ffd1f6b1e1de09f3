"""A checkpoint whose folders are one source goes on with each as a source of its own.

That happens where the Java of another session does not have the class for one, or somebody else
reads the files of a stream than before.  Both keep the same logs of files; what differs is where,
and that one keeps a list of how far they are read and the others a number each:

    sources       0/0, 0/1                       0, 1
    offsets/7     v1 .. [5, -1]                  v1 .. {"logOffset":5} -

Which sources there are is written down when the checkpoint begins:

    folders.json  [[1, 0], [0, 2]]: a stream with a folder of the one source; one with two of others

The control stream's folder is the last of the one source.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from askos.errors import SetupError
from askos.spark.faults import other_sources
from askos.spark.files import write_whole
from askos.spark.logs import batch_number, last_in

_FOLDERS: Final = ("sources", "offsets")
_BEGUN: Final = "folders.json"
_SETTLED: Final = "sources.json"


class Read(NamedTuple):
    """How a stream is read: its folders that are of the one source, and its other sources."""

    folders: int
    others: int


def begin_with(checkpoint: Path, streams: Sequence[Read]) -> None:
    """Write down which sources a new checkpoint has."""
    checkpoint.mkdir(parents=True, exist_ok=True)
    write_whole(checkpoint / _BEGUN, json.dumps(streams))


def begun_with(checkpoint: Path) -> list[Read]:
    """Which a checkpoint with one source of folders has begun with; none if that was lost."""
    file = checkpoint / _BEGUN
    return [Read(*each) for each in json.loads(file.read_text("utf-8"))] if file.exists() else []


def unfold(checkpoint: Path, now: Sequence[int]) -> None:
    """Make every folder a source; `now` is how many sources each stream has by itself.

    What was not so, or another query has changed meanwhile, is left as it is.
    """
    streams = begun_with(checkpoint)
    if [sum(each) for each in streams] != [*now]:
        raise other_sources()
    places, last = [*_places(streams)], last_in(checkpoint / "offsets")
    for folder in _FOLDERS:
        shutil.rmtree(checkpoint / f"{folder}.new", ignore_errors=True)
        (checkpoint / f"{folder}.new").mkdir()
    for number, place in enumerate(places):
        log, new = checkpoint / "sources" / place, checkpoint / "sources.new" / str(number)
        if log.exists():  # not every source has one
            shutil.copytree(log, new)
    for file in (checkpoint / "offsets").iterdir():
        if batch_number(file.name) is not None:
            text = _reordered(file.read_text("utf-8"), places)
            write_whole(checkpoint / "offsets.new" / file.name, text)
    if any(last_in(checkpoint / log) > last for log in ("offsets", "commits")):
        raise running(checkpoint)
    write_whole(checkpoint / _SETTLED, json.dumps(places))  # from here on there is no way back
    settle(checkpoint)


def running(checkpoint: Path) -> SetupError:
    """Somebody writes to the checkpoint now."""
    return SetupError(
        f"a query is running with the checkpoint {checkpoint}, and reads its files otherwise",
        hint="stop it first, or let this one read them as that one does",
    )


def settle(checkpoint: Path) -> None:
    """Do what has been settled, also by a start before this one, which could not end it."""
    if not (checkpoint / _SETTLED).exists():
        return
    for folder in _FOLDERS:
        new = checkpoint / f"{folder}.new"
        if new.exists():
            shutil.rmtree(checkpoint / folder, ignore_errors=True)
            new.rename(checkpoint / folder)
    (checkpoint / _SETTLED).unlink()


def _places(streams: Sequence[Read]) -> Iterator[str]:
    """The logs of all sources, in their order as sources of their own: where those of files are one
    source, it is the first."""
    folder, number = count(), count(1)
    for read in streams:
        yield from (f"0/{next(folder)}" for _ in range(read.folders))
        yield from (str(next(number)) for _ in range(read.others))
    yield f"0/{next(folder)}"  # the control stream's


def _reordered(offsets: str, places: Sequence[str]) -> str:
    version, conf, first, *others = offsets.splitlines()
    lines = {f"0/{number}": _offset(read) for number, read in enumerate(_list(first))}
    lines |= {str(number): line for number, line in enumerate(others, 1)}
    return "\n".join([version, conf, *(lines.get(place, _NOTHING) for place in places)])


_NOTHING: Final = "-"  # of a source that has not been read


def _list(line: str) -> list[int]:
    return [] if line == _NOTHING else list(map(int, json.loads(line)))


def _offset(read: int) -> str:
    return _NOTHING if read < 0 else json.dumps({"logOffset": read}, separators=(",", ":"))

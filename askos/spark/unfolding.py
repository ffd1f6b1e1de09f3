"""A checkpoint whose folders are one source goes on with each as a source of its own.

That happens where the Java of another session does not have the class for one, or somebody else
reads the files of a stream than before.  Both keep the same logs of files; what differs is where,
and that one keeps a list of how far they are read and the others a number each:

    sources       0/0, 0/1                       0, 1
    offsets/7     v1 .. [5, -1]                  v1 .. {"logOffset":5} -
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from askos.spark.files import write_whole
from askos.spark.logs import batch_number

_FOLDERS: Final = ("sources", "offsets")
_SETTLED: Final = "sources.json"


def unfold(checkpoint: Path, places: Sequence[str]) -> None:
    """Make each of `places`, which are those of logs, a source, in this order."""
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
    write_whole(checkpoint / _SETTLED, json.dumps(places))  # from here on there is no way back
    settle(checkpoint)


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

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

_NEW: Final = "sources.new"
_PLACES: Final = "sources.json"


def unfold(checkpoint: Path, places: Sequence[str]) -> None:
    """Make each of `places`, which are those of logs, a source, in this order."""
    shutil.rmtree(checkpoint / _NEW, ignore_errors=True)
    for number, place in enumerate(places):
        shutil.copytree(checkpoint / "sources" / place, checkpoint / _NEW / str(number))
    write_whole(checkpoint / _PLACES, json.dumps(places))  # from here on it is settled
    settle(checkpoint)


def settle(checkpoint: Path) -> None:
    """Do what has been settled, also by a start before this one, which could not end it."""
    if not (checkpoint / _PLACES).exists():
        return
    places = json.loads((checkpoint / _PLACES).read_text("utf-8"))
    if (checkpoint / _NEW).exists():
        shutil.rmtree(checkpoint / "sources", ignore_errors=True)
        (checkpoint / _NEW).rename(checkpoint / "sources")
    for file in (checkpoint / "offsets").iterdir():
        if batch_number(file.name) is not None:
            _rewrite(file, places)
    (checkpoint / _PLACES).unlink()


def _rewrite(offsets: Path, places: Sequence[str]) -> None:
    version, conf, first, *others = offsets.read_text("utf-8").splitlines()
    if first.startswith("[") or len(others) + 1 < len(places):
        lines = {f"0/{number}": _offset(read) for number, read in enumerate(_list(first))}
        lines |= {str(number): line for number, line in enumerate(others, 1)}
        found = (lines.get(place, _NOTHING) for place in places)
        write_whole(offsets, "\n".join([version, conf, *found]))


_NOTHING: Final = "-"  # of a source that has not been read


def _list(line: str) -> list[int]:
    return [] if line == _NOTHING else list(map(int, json.loads(line)))


def _offset(read: int) -> str:
    return _NOTHING if read < 0 else json.dumps({"logOffset": read}, separators=(",", ":"))

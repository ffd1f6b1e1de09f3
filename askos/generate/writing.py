"""The folder of a simulated park: streams as N-Quads and Parquet, static graph, truth, summary."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow.parquet as pq

from askos.errors import require, require_whole
from askos.generate.exports import LAYOUTS, write_layout
from askos.generate.model import joining_turtle, park_turtle
from askos.generate.park import Integers, Park
from askos.generate.rows import Rows
from askos.generate.simulate import Simulation
from askos.generate.truth import write_truth
from askos.generate.vocabulary import WIND
from askos.io import write_nquads
from askos.io.files import naming

FORMATS: Final = ("nquads", "parquet")
STREAMS: Final = ("scada", "events")
OWN: Final = (*FORMATS, "strays", *LAYOUTS, "park.ttl", "joining.ttl", "truth.csv", "park.json")
"""What a park's folder may hold."""
_MOST_FILES: Final = 100_000  # part-00000 to part-99999


@dataclass(frozen=True, slots=True)
class Written:
    """What was made of one stream in one format; first and last are its extreme timestamps."""

    stream: str
    iri: str
    format: str
    folder: Path
    files: int
    rows: int
    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to write: in which formats, in how many files, in which layouts of CSV.

    With `strays`, what strayed is in the streams, where it would have arrived.
    """

    formats: Sequence[str] = FORMATS
    files: int = 24
    layouts: Sequence[str] = ()
    strays: bool = False

    def __post_init__(self) -> None:
        for form in self.formats:
            hint = f"choose from {', '.join(FORMATS)}"
            require(form in FORMATS, f"{form!r} is not a format", hint)
        for layout in self.layouts:
            hint = f"choose from {', '.join(LAYOUTS)}"
            require(layout in LAYOUTS, f"{layout!r} is not a layout", hint)
        require_whole(self.files, 1, "files")
        require(self.files <= _MOST_FILES, f"files must be at most {_MOST_FILES}")


def write_park(made: Simulation, folder: str | Path, wanted: Wanted | None = None) -> list[Written]:
    """Write all of a park into a folder, which may exist, but has none of it yet."""
    wanted, folder = wanted or Wanted(), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = [
        _write_stream(made, name, form, folder / form / name, wanted)
        for form in wanted.formats
        for name in STREAMS
    ]
    if not wanted.strays:
        for form in wanted.formats:
            _write_strays(made, form, folder / "strays" / form)
    for layout in wanted.layouts:
        write_layout(made, layout, folder / layout)
    write_around(made, folder, written)
    return written


def write_around(made: Simulation, folder: Path, written: Sequence[Written]) -> None:
    """Write what belongs to the streams: the static graph, the truth, and what was written."""
    graph = park_turtle(made.layout, made.sensors.plans)
    (folder / "park.ttl").write_text(graph, encoding="utf-8")
    if made.park.joining:
        (folder / "joining.ttl").write_text(joining_turtle(made.layout), encoding="utf-8")
    write_truth(folder / "truth.csv", made.truth)
    text = json.dumps(summary(made.park, written, folder), indent=2)
    (folder / "park.json").write_text(text + "\n", encoding="utf-8")


def summary(park: Park, written: Sequence[Written], folder: Path) -> dict[str, object]:
    """What `park.json` says; folders are told as they are seen from there."""
    streams = [{**asdict(each), "folder": str(each.folder.relative_to(folder))} for each in written]
    return {
        **asdict(park),
        "end": park.end,
        "lateness_ms": park.lateness * 1000,
        "joins_at": park.joins_at if park.joining else None,
        "streams": streams,
    }


def write_file(made: Simulation, rows: Rows, stem: Path, form: str) -> Path:
    """Write rows into one file; its name gets the ending of the format."""
    path = stem.with_suffix(".nq" if form == "nquads" else ".parquet")
    with naming(path):
        if form == "nquads":
            write_nquads(rows.table(made.texts, made.park.start), path)
        else:
            # Columns are written as they are encoded, and read back as plain strings.
            pq.write_table(rows.encoded(made.texts, made.park.start), path, store_schema=False)
    return path


def parts(park: Park, at: Integers, files: int) -> Iterator[tuple[int, slice]]:
    """Which rows are delivered in each of `files` equal spans of time, where there are any.

    What is delivered after the last span is in it.
    """
    span = park.end - park.start + park.lateness * 1000
    numbers = np.minimum(at * files // span, files - 1)
    edges = np.searchsorted(numbers, np.arange(files + 1))
    for number in range(files):
        if edges[number] < edges[number + 1]:
            yield number, slice(edges[number], edges[number + 1])


def delivered(made: Simulation, name: str, strays: bool) -> tuple[Rows, Integers]:
    """The rows of a stream in order of delivery, with what strayed or without, and when."""
    stream = made.streams[name]
    if not strays:
        return stream.rows, stream.at
    rows = Rows.together([stream.rows, stream.late, stream.ahead])
    at = np.concatenate([stream.at, stream.late_at, stream.ahead_at])
    order = np.argsort(at, kind="stable")
    return rows.take(order), at[order]


def _write_stream(made: Simulation, name: str, form: str, folder: Path, wanted: Wanted) -> Written:
    folder.mkdir(parents=True)
    rows, at = delivered(made, name, wanted.strays)
    count = 0
    for number, some in parts(made.park, at, wanted.files):
        path = write_file(made, rows.take(some), folder / f"part-{number:05d}", form)
        # As old as its number says, since Spark reads the oldest first.
        modified = (made.park.start + number * 1000) * 1_000_000
        os.utime(path, ns=(modified, modified))
        count += 1
    return written_of(made, name, form, folder, rows, count)


def written_of(
    made: Simulation, name: str, form: str, folder: Path, rows: Rows, count: int
) -> Written:
    """What there is to say of a stream that was written."""
    times = rows.ms + made.park.start
    extremes = (int(times.min()), int(times.max())) if len(times) else (None, None)
    return Written(name, WIND + name, form, folder, count, len(rows), *extremes)


def _write_strays(made: Simulation, form: str, folder: Path) -> None:
    """What arrives hours late, and what a wrong clock stamped, in files of their own."""
    for name in STREAMS:
        stream = made.streams[name]
        for kind, rows in (("late", stream.late), ("ahead", stream.ahead)):
            if len(rows):
                (folder / name).mkdir(parents=True, exist_ok=True)
                write_file(made, rows, folder / name / kind, form)


def live(
    made: Simulation, folder: Path, form: str, files: int, wait: Callable[[float], None]
) -> Iterator[tuple[int, int]]:
    """Deliver the park part by part; before each, `wait` until so many of its seconds have passed.

    A part appears at once, as a whole; what strayed comes when it comes.  Yields after each part
    its number and how many rows it had.  The folder has all but the streams from the start.
    """
    streams = {name: delivered(made, name, strays=True) for name in STREAMS}
    spans = {name: dict(parts(made.park, at, files)) for name, (_, at) in streams.items()}
    coming = []
    for name, (rows, _) in streams.items():
        own = folder / form / name
        own.mkdir(parents=True)
        coming.append(written_of(made, name, form, own, rows, len(spans[name])))
    write_around(made, folder, coming)
    span = (made.park.end - made.park.start) / 1000 + made.park.lateness
    for number in range(files):
        wait(span * (number + 1) / files)
        count = 0
        for name, (rows, _) in streams.items():
            if number in spans[name]:
                some = rows.take(spans[name][number])
                _appear(made, some, folder / form / name, f"part-{number:05d}", form)
                count += len(some)
        yield number, count


def _appear(made: Simulation, rows: Rows, folder: Path, stem: str, form: str) -> None:
    """A file that is there only when it is whole: readers leave out names with a dot in front."""
    path = write_file(made, rows, folder / f".{stem}", form)
    path.rename(folder / path.name.removeprefix("."))

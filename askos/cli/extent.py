"""From when to when streams in files are, without running anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from askos.cli.streams import Streams
from askos.interval import FOREVER

if TYPE_CHECKING:
    from askos.cli.streams import Place
    from askos.io.csvmap import CsvMap

_LABEL: Final = r"(?P<label><urn:ms:-?[0-9]+>|\"[^\"]*\"\^\^[^ \t]+)[ \t]*\.[ \t]*(?:#[^\n]*)?\n?$"


def extent(streams: Streams, latest: Mapping[str, int] | None = None) -> tuple[int, int] | None:
    """The first and the last instant of streams; None where there is none.  Rows that are beyond
    the `latest` instant of their stream do not count; what is said of no stream holds for all.

    Of Parquet the times are read, of N-Quads the labels, and of CSV all of it.
    """
    known = latest or {}
    found = [
        pair
        for iri, places in streams.items()
        for place in places
        for times in _times(place)
        for pair in _least_and_most(times, known.get(str(iri), known.get("", FOREVER)))
    ]
    if not found:
        return None
    return min(first for first, _ in found), max(last for _, last in found)


def _times(place: Place) -> Iterator[Any]:
    """The instants of each file, or of each part of one."""
    for file in place.lines:
        yield from _of_lines(file)
    for file in place.parquet:
        yield from _of_parquet(file)
    if place.map is not None:
        for file in place.csv:
            yield from _of_csv(file, place.map)


def _of_lines(file: Path) -> Iterator[Any]:
    import pyarrow.compute as pc

    from askos.io.files import blocks
    from askos.io.instants import instants
    from askos.io.statements import split_lines

    for block, _ in blocks(file):
        labels = pc.struct_field(pc.extract_regex(split_lines(block), _LABEL), "label")
        yield instants(pc.drop_null(labels).cast("string"))[0]


def _of_csv(file: Path, said: CsvMap) -> Iterator[Any]:
    from askos.io.csvrows import read_csv

    for statements, _ in read_csv(file, said):
        yield statements["ts"]


def _of_parquet(file: Path) -> Iterator[Any]:
    import pyarrow.parquet as pq

    from askos.io.streams import millis

    for batch in pq.ParquetFile(file).iter_batches(columns=["ts"]):
        yield millis(batch.column("ts"))


def _least_and_most(times: Any, latest: int) -> Iterator[tuple[int, int]]:
    import pyarrow.compute as pc

    good = pc.and_(pc.greater_equal(times, 0), pc.less_equal(times, latest))
    found = pc.min_max(times.filter(good))
    if found["min"].is_valid:
        yield found["min"].as_py(), found["max"].as_py()

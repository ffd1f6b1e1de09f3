"""From when to when streams in files are, without running anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from askos.cli.streams import Streams

if TYPE_CHECKING:
    from askos.cli.streams import Place
    from askos.io.csvmap import CsvMap

_LABEL: Final = r"(?P<label><urn:ms:-?[0-9]+>|\"[^\"]*\"\^\^[^ \t]+)[ \t]*\.[ \t\r]*$"


def extent(streams: Streams, not_after: int | None = None) -> tuple[int, int] | None:
    """The first and the last instant of streams, up to `not_after`; None where there is none.

    Of Parquet the times are read, of N-Quads the labels, and of CSV all of it.
    """
    found = [pair for places in streams.values() for place in places for pair in _pairs(place)]
    kept = [pair for pair in found if not_after is None or pair[0] <= not_after]
    if not kept:
        return None
    last = max(pair[1] for pair in kept)
    return min(pair[0] for pair in kept), last if not_after is None else min(last, not_after)


def _pairs(place: Place) -> Iterator[tuple[int, int]]:
    """The first and last instant of each file, or of each part of one."""
    for file in place.lines:
        yield from _of_lines(file)
    for file in place.parquet:
        yield from _of_parquet(file)
    if place.map is not None:
        for file in place.csv:
            yield from _of_csv(file, place.map)


def _of_lines(file: Path) -> Iterator[tuple[int, int]]:
    import pyarrow.compute as pc

    from askos.io.files import blocks
    from askos.io.instants import instants
    from askos.io.nquads import split_lines

    for block, _ in blocks(file):
        labels = pc.struct_field(pc.extract_regex(split_lines(block), _LABEL), "label")
        yield from _least_and_most(instants(pc.drop_null(labels).cast("string"))[0])


def _of_csv(file: Path, said: CsvMap) -> Iterator[tuple[int, int]]:
    from askos.io.csvrows import read_csv

    for statements, _ in read_csv(file, said):
        yield from _least_and_most(statements["ts"])


def _of_parquet(file: Path) -> Iterator[tuple[int, int]]:
    import pyarrow.parquet as pq

    from askos.cli.on_local import millis

    for batch in pq.ParquetFile(file).iter_batches(columns=["ts"]):
        yield from _least_and_most(millis(batch.column("ts")))


def _least_and_most(times: Any) -> Iterator[tuple[int, int]]:
    import pyarrow.compute as pc

    found = pc.min_max(times)
    if found["min"].is_valid:
        yield found["min"].as_py(), found["max"].as_py()

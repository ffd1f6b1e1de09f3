"""CSV files as Parquet that Spark reads: written once, before it starts, beside the checkpoint."""

from __future__ import annotations

import csv
import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from askos.cli.streams import Place
    from askos.io.csvmap import CsvMap

REFUSED: Final = "refused.csv"
"""What of the files was no triple: file, line, reason and text."""
_TICK: Final = 1_000_000  # of what tells files in order, in nanoseconds: Spark sees milliseconds


def tabled(folder: Path, place: Place) -> Path:
    """Where the triples of a place's CSV files are."""
    name = hashlib.sha256(os.fsencode(place.path.absolute())).hexdigest()[:16]
    return folder / "csv" / name


def tabulate(folder: Path, place: Place) -> list[str]:
    """Write them, unless an earlier run has; what was refused, with file and line."""
    target = tabled(folder, place)
    if place.map is not None and place.csv and not target.exists():
        part = target.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        _write(part, place.csv, place.map)
        part.rename(target)
    return _notes(target / REFUSED)


def _write(folder: Path, files: Sequence[Path], said: CsvMap) -> None:
    """A file of Parquet for each block.  Spark reads the oldest first: that is in the order of age
    of the CSV files, then of their names, then of their lines."""
    import pyarrow.parquet as pq

    age = 0
    with (folder / REFUSED).open("w", encoding="utf-8", newline="") as text:
        refused = csv.writer(text, lineterminator="\n")
        ordered = sorted(files, key=lambda file: (file.stat().st_mtime_ns, file))
        for number, (file, triples, rejected) in enumerate(_blocks(ordered, said)):
            part = folder / f"{number:07}.parquet"
            pq.write_table(triples.select(["s", "p", "o", "ts"]), part)
            age = max(age + _TICK, file.stat().st_mtime_ns)
            os.utime(part, ns=(age, age))
            refused.writerows(
                (file, row["line"], row["reason"], row["text"]) for row in rejected.to_pylist()
            )


def _blocks(files: Sequence[Path], said: CsvMap) -> Iterator[tuple[Path, Any, Any]]:
    from askos.io.csvrows import read_csv

    for file in files:
        for triples, rejected in read_csv(file, said):
            yield file, triples, rejected


def _notes(file: Path) -> list[str]:
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as text:
        return [f"{name}, line {line}: {reason}" for name, line, reason, _ in csv.reader(text)]

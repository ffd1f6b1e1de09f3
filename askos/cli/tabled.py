"""CSV files as Parquet that Spark reads: each is written once, before it starts."""

from __future__ import annotations

import csv
import hashlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
    """Write them, of each file that no earlier run has; what was refused, with file and line."""
    target = tabled(folder, place)
    if place.map is None or not place.csv:
        return []
    target.mkdir(parents=True, exist_ok=True)
    for file in sorted(place.csv, key=lambda file: (file.stat().st_mtime_ns, file)):
        known = target / hashlib.sha256(os.fsencode(file.absolute())).hexdigest()[:16]
        if not known.exists():
            _write(known, file, place.map)
    return [note for file in sorted(target.glob(f"*/{REFUSED}")) for note in _notes(file)]


def forget(folder: Path) -> None:
    """Remove them: a run that never began may have been given other files, or another map."""
    shutil.rmtree(folder / "csv", ignore_errors=True)


def _write(folder: Path, file: Path, said: CsvMap) -> None:
    """A file of Parquet for each block, all or nothing.  Spark reads the oldest first: that is in
    the order of age of the CSV files, then of their names, then of their lines."""
    import pyarrow.parquet as pq

    from askos.io.csvrows import read_csv

    part = folder.parent.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    age = max(_latest(folder.parent), file.stat().st_mtime_ns)
    with (part / REFUSED).open("w", encoding="utf-8", newline="") as text:
        refused = csv.writer(text, lineterminator="\n")
        for number, (triples, rejected) in enumerate(read_csv(file, said)):
            block = part / f"{number:07}.parquet"
            pq.write_table(triples.select(["s", "p", "o", "ts"]), block)
            age += _TICK
            os.utime(block, ns=(age, age))
            refused.writerows(
                (file, row["line"], row["reason"], row["text"]) for row in rejected.to_pylist()
            )
    part.rename(folder)


def _latest(folder: Path) -> int:
    """The age of what was written last."""
    return max((block.stat().st_mtime_ns for block in folder.glob("*/*.parquet")), default=0)


def _notes(file: Path) -> list[str]:
    with file.open(encoding="utf-8", newline="") as text:
        return [f"{name}, line {line}: {reason}" for name, line, reason, _ in csv.reader(text)]

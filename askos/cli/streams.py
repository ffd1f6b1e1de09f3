"""Streams in files: which files they are, and whether they can be read at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from askos.errors import StreamError
from askos.io.folders import files_below

if TYPE_CHECKING:
    from askos.io.csvmap import CsvMap
    from askos.terms import URIRef

Streams: TypeAlias = "Mapping[URIRef, list[Place]]"

PARQUET: Final = (".parquet",)
CSV: Final = (".csv", ".csv.gz")
LINES: Final = {"data": (".nq",), "arrival": (".nq", ".nt")}
"""Files of statements, by where their times come from."""

_COLUMNS: Final = "s, p and o are N-Triples texts, ts is milliseconds as int64, or a timestamp"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stream, or part of it, is: a file, or a folder and the files below it, by name."""

    path: Path
    files: tuple[Path, ...]
    stamp: str
    map: CsvMap | None = None
    """What its CSV files mean."""
    most: int | None = None
    """How many files of it Spark reads at a time, where that was said."""

    @property
    def csv(self) -> tuple[Path, ...]:
        """Its files of CSV."""
        return tuple(file for file in self.files if file.name.endswith(CSV))

    @property
    def lines(self) -> tuple[Path, ...]:
        """Its files of N-Quads, or of N-Triples."""
        return tuple(file for file in self.files if file.suffix in LINES[self.stamp])

    @property
    def parquet(self) -> tuple[Path, ...]:
        """Its files of Parquet."""
        return tuple(file for file in self.files if file.suffix in PARQUET)

    @property
    def columns(self) -> list[str]:
        """The columns that its Parquet files need."""
        return ["s", "p", "o", *(["ts"] if self.stamp == "data" else [])]

    @property
    def numbered(self) -> bool:
        """Whether its Parquet files have sequence numbers, in a column seq."""
        import pyarrow.parquet as pq

        return any("seq" in pq.read_schema(file).names for file in self.parquet)

    def times(self) -> dict[Path, Any]:
        """The type of the column ts in each Parquet file, None where it is not read; refused is
        a file that is no Parquet or lacks a column."""
        return {file: _time(file, self.columns) for file in self.parquet}


def find(
    iri: URIRef, path: Path, stamp: str, said: CsvMap | None = None, most: int | None = None
) -> Place:
    """The place of a stream; StreamError if there is nothing to read.  Files of CSV are read if it
    is said what they mean."""
    kinds = (*LINES[stamp], *PARQUET, *(CSV if said else ()))
    inside = [path] if path.is_file() else sorted(files_below(path)) if path.is_dir() else []
    files = tuple(file for file in inside if file.name.endswith(kinds) and not _hidden(file, path))
    if said is not None and path.is_dir():  # exports have other tables beside those of readings
        files = tuple(file for file in files if said.reads(file) or not file.name.endswith(CSV))
    if not files:
        message = f"stream <{iri}>: {path} is neither a stream nor a folder that has some"
        hint = f"files of streams end with {' or '.join(kinds)}"
        if said is None and any(file.name.endswith(CSV) for file in inside):
            hint = "say with --csv-map what the columns of CSV files mean"
        raise StreamError(message, hint=hint)
    for file in files:
        _check_readable(file)
    return Place(path, files, stamp, said, most)


def _check_readable(file: Path) -> None:
    try:
        file.open("rb").close()
    except OSError as error:
        hint = "mend the file, or take it out of the folder"
        raise StreamError(f"{file}: {error.strerror}", hint=hint) from error


def _hidden(file: Path, folder: Path) -> bool:
    """Spark leaves out such files and folders, so the local host does too."""
    return any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)


def _time(file: Path, columns: list[str]) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(file)
    except (pa.ArrowException, OSError) as error:
        raise StreamError(f"{file} is no Parquet: {error}", hint=_COLUMNS) from error
    if missing := [name for name in columns if name not in schema.names]:
        raise StreamError(f"{file} lacks the columns {', '.join(missing)}", hint=_COLUMNS)
    for name in columns[:3]:
        kind = schema.field(name).type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise StreamError(f"{file}: the column {name} holds {kind}", hint=_COLUMNS)
    kind = schema.field("ts").type if "ts" in columns else None
    if kind is not None and not (pa.types.is_integer(kind) or pa.types.is_timestamp(kind)):
        raise StreamError(f"{file}: the column ts holds {kind}", hint=_COLUMNS)
    return kind

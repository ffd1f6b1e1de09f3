"""Tables beside the checkpoint: what reads no stream, evaluated when the query first starts.

A table is a file named by the hash of its content, which never changes: 8 bytes that say how many
entries the directory of its base has, the entries, and the rows as a batch.  Workers map it.  What
may be reloaded has more files: one for each version of a table, and of the graphs it is made of.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from askos.columns import Batch
from askos.errors import StreamError
from askos.physical.graphs import Graphs
from askos.physical.plan import Table
from askos.physical.tables import FIRST, Tables, by
from askos.physical.tabulate import as_base
from askos.spark.registration import Joined
from askos.spark.rolls import Roll
from askos.sweeparea import Base
from askos.terms import Variable


def write_tables(shelf: TableShelf, tables: Sequence[Table], graphs: Graphs) -> tuple[str, ...]:
    """Evaluate the tables, once: a restart goes on with those it began with.  Gives their names."""
    return tuple(shelf.put(as_base(table, graphs)) for table in tables)


@dataclass(frozen=True, slots=True)
class TableShelf:
    """Where the driver puts tables: see `askos.physical.reloading.Shelf`."""

    folder: Path

    def put(self, base: Base[Batch]) -> str:
        """Write a table; gives its name."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return _write(self.folder, base)

    def get(self, name: str) -> Base[Batch]:
        """What was written; StreamError if it is gone."""
        return opened(self.folder, name, ())


def _write(folder: Path, base: Base[Batch]) -> str:
    directory = np.asarray(base.directory, np.int64)
    parts = (len(directory).to_bytes(8, "little"), directory.tobytes(), base.rows.to_bytes())
    digest, hidden = hashlib.sha256(), folder / ".new"
    with hidden.open("wb") as file:
        for part in parts:
            digest.update(part)
            file.write(part)
    name = digest.hexdigest()
    os.replace(hidden, table_file(folder, name))
    return name


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The tables of a query, by number: as they were when it first started, or as a reload made
    them; of a kind that others may join, its `roll` says which there are in a micro-batch."""

    folder: str
    names: tuple[str, ...]
    keys: tuple[tuple[Variable, ...], ...]
    roll: Roll | None = None

    def __call__(self, number: int, version: str = FIRST) -> Base[Batch]:
        name = self.names[number] if version == FIRST else version
        return opened(Path(self.folder), name, self.keys[number])

    def joined(self, micro_batch: Callable[[], int]) -> Joined | None:
        """Who has joined by a micro-batch, which is only asked for where somebody may."""
        return None if self.roll is None else self.roll(micro_batch())

    def at(self, micro_batch: Callable[[], int]) -> TableFiles:
        """Those that are looked up in a micro-batch."""
        joined = self.joined(micro_batch)
        return self if joined is None else replace(self, names=joined.tables)


NO_FILES: Final = TableFiles("", (), ())
"""Of a query that has no tables."""


def tables_at(tables: Tables, micro_batch: Callable[[], int]) -> Tables:
    """Those that are looked up in a micro-batch."""
    return tables.at(micro_batch) if isinstance(tables, TableFiles) else tables


def opened(folder: Path, name: str, key: tuple[Variable, ...]) -> Base[Batch]:
    """A table that was written; StreamError if it is gone."""
    try:
        return _opened(folder, name, key)
    except FileNotFoundError as error:
        raise StreamError(
            f"{folder} has lost part of its static data: {name}",
            hint="restore the folder from a copy, or start with an empty checkpoint",
        ) from error


@lru_cache(maxsize=64)
def _opened(folder: Path, name: str, key: tuple[Variable, ...]) -> Base[Batch]:
    """What `write_tables` wrote, as views of the file: all workers of a machine share its pages."""
    data = memoryview(pa.memory_map(str(table_file(folder, name))).read_buffer())
    border = 8 + 8 * int.from_bytes(data[:8], "little")
    directory = np.frombuffer(data[8:border], np.int64)
    return Base(Batch.from_bytes(data[border:]), by(key), directory)


def table_file(folder: Path, name: str) -> Path:
    """Where a table is."""
    return folder / f"{name}.table"

"""Tables beside the checkpoint: what reads no stream, evaluated when the query first starts.

A table is a file named by the hash of its content, which never changes: 8 bytes that say how many
entries the directory of its base has, the entries, and the rows as a batch.  Workers map it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from askos.columns import Batch
from askos.physical.graphs import Graphs
from askos.physical.plan import Table
from askos.physical.tables import by
from askos.physical.tabulate import as_base
from askos.sweeparea import Base
from askos.terms import Variable


def write_tables(folder: Path, tables: Sequence[Table], graphs: Graphs) -> tuple[str, ...]:
    """Evaluate the tables, once: a restart goes on with those it began with.  Gives their names."""
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(_write(folder, as_base(table, graphs)) for table in tables)


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
    """The tables of a query, by number, as they were when it first started."""

    folder: str
    names: tuple[str, ...]
    keys: tuple[tuple[Variable, ...], ...]

    def __call__(self, number: int) -> Base[Batch]:
        return _opened(Path(self.folder), self.names[number], self.keys[number])


NO_FILES: Final = TableFiles("", (), ())
"""Of a query that has no tables."""


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

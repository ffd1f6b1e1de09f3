"""Answers as Parquet files that the stages write themselves.

Only the names of files go through Spark.  Every attempt of a task writes files of its own, since
their names have a random part; those whose names arrive at the driver are put into the log of the
sink (`askos.spark.sinklog`), and no others are ever read.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from askos.errors import SetupError
from askos.spark.answers import Told
from askos.spark.measuring import current_batch

_NAME: Final = re.compile(r"\.?part-([0-9]+)-[0-9]+-[0-9a-f]{16}\.parquet")
_SPECIAL: Final = re.compile(r"""[\x01-\x1f"#%'*/:=?\\\x7f{[\]^]""")
_BLOCK: Final = 32 << 20  # what Hadoop's local file system says of every file
_SAMPLE: Final = 1000
CODECS: Final = {
    "none": "none",
    "uncompressed": "none",
    "snappy": "snappy",
    "gzip": "gzip",
    "zstd": "zstd",
    "lz4_raw": "lz4",
    "brotli": "brotli",
}
"""How Parquet is compressed: by Spark's names, as Arrow calls it."""


def micro_batch() -> int:
    """The number of the micro-batch that this task is part of, as Spark tells all its tasks."""
    number = current_batch()
    if number is None:
        raise SetupError(
            "Spark does not tell its workers the number of the micro-batch",
            hint="leave PYSPARK_PIN_THREAD as it is by default: true",
        )
    return number


def batch_of(file: str) -> int | None:
    """The micro-batch that a part was written in; None if it is no part of ours.

    >>> batch_of("part-00012-1-0123456789abcdef.parquet"), batch_of("part-00012-c000.parquet")
    (12, None)
    """
    found = _NAME.fullmatch(file)
    return int(found[1]) if found else None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of answers, as the stages see it."""

    path: str
    codec: str = "snappy"

    def write(self, told: Iterable[Told], batch: int, place: int) -> Iterator[bytes]:
        """Write what a bucket tells in a micro-batch, a file for each kind of rows; how the log
        names each of them."""
        kinds: dict[str, list[pa.RecordBatch]] = {}
        for each in told:
            kinds.setdefault(_below(each), []).append(each.rows)
        for below, rows in kinds.items():
            name = f"part-{batch:05}-{place}-{secrets.token_hex(8)}.parquet"
            yield self._part(Path(self.path, below), name, pa.Table.from_batches(rows))

    def _part(self, folder: Path, name: str, rows: pa.Table) -> bytes:
        """One file, hidden until it is whole."""
        hidden, file = folder / f".{name}", folder / name
        folder.mkdir(parents=True, exist_ok=True)
        try:
            # Without Arrow's own schema: the file says what Spark's files say.
            pq.write_table(
                rows,
                hidden,
                compression=self.codec,
                use_dictionary=repetitive(rows),
                store_schema=False,
                write_page_index=True,
            )
            os.replace(hidden, file)
        except OSError:
            with suppress(OSError):
                hidden.unlink(missing_ok=True)
            raise
        return json.dumps(_entry(file), separators=(",", ":")).encode()


def repetitive(rows: pa.Table) -> list[str] | bool:
    """The columns whose values are worth a dictionary, by a sample: looking up values most of which
    come once takes as long as all the rest of writing them, and makes the file larger.  Where
    columns are nested, all.

    >>> repetitive(pa.table({"x": [1, 2, 3, 4], "y": [1, 1, 1, 2]}))
    ['y']
    """
    if any(pa.types.is_nested(column.type) for column in rows.columns):
        return True
    sample = rows.slice(0, _SAMPLE)
    distinct = (pc.count_distinct(column, mode="all").as_py() for column in sample.columns)
    return [
        name
        for name, count in zip(rows.column_names, distinct, strict=True)
        if 2 * count <= len(sample)
    ]


def _below(told: Told) -> str:
    """Where Spark would put rows that it partitions by query and output.

    >>> _below(Told("late", "a/b", pa.record_batch({})))
    'query=a%2Fb/output=late'
    """
    named = f"query={_escaped(told.query)}/" if told.query else ""
    return f"{named}output={told.output}"


def _escaped(name: str) -> str:
    """The name of a folder, as Hive writes it."""
    return _SPECIAL.sub(lambda found: f"%{ord(found[0]):02X}", name)


def _entry(file: Path) -> dict[str, Any]:
    """What Spark's log says of a file."""
    found = file.stat()
    return {
        "path": file.as_uri(),
        "size": found.st_size,
        "isDir": False,
        "modificationTime": found.st_mtime_ns // 1_000_000,
        "blockReplication": 1,
        "blockSize": _BLOCK,
        "action": "add",
    }

"""Files of a stream, read by columns: Parquet and N-Quads, plain or compressed.

A reader gives rows as texts, with the number of each in its file, and judges none of them.  Rows
that no pattern can match give nothing but their times, if they are triples at sight: what is wrong
with a row does not depend on what a query looks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from askos.errors import StreamError
from askos.interval import FOREVER
from askos.io.constants import Constants, by_text
from askos.io.files import blocks
from askos.io.statements import PLAIN_TERMS, Ints, Mask, Statements, count_lines

NUMBERS: Final = {"nquads": "line", "parquet": "row"}
"""What rows are numbered by, from 1 on: the name of that column."""

_ROWS: Final = 100_000
_BLOCK: Final = 1 << 24  # bytes: about so many rows
_BOM: Final = b"\xef\xbb\xbf"
_REPEATED: Final = ("s", "p")  # whose dictionaries are small, and read as they are
_MEND: Final = "put a whole file in its place, then start it again: it goes on where it stopped"
_FOREIGN: Final = frozenset((".bz2", ".deflate", ".lz4", ".snappy", ".zst"))
"""Names of files that Spark unpacks, and Python does not."""
_OWN: Final = {"seq": pa.int64(), "arrived": pa.int64()}


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Some rows, and the times of others that no pattern can match."""

    table: pa.Table
    passing: Ints

    @property
    def batch(self) -> pa.RecordBatch:
        """The rows as one batch."""
        table = self.table.combine_chunks()
        columns = [_flat(column) for column in table.columns]
        return pa.RecordBatch.from_arrays(columns, names=table.column_names)

    def __len__(self) -> int:
        """How many there were in all."""
        return len(self.table) + len(self.passing)


@dataclass(frozen=True, slots=True)
class StreamFiles:
    """How the files of a stream are read.

    `columns` are those that are wanted beside s, p, o and ts: `seq`, `arrived`, `file`; where a
    file lacks one, it is null.  Rows that are `stamped` have the time of their arrival, which
    whoever reads them says.  `constants` say what may be left out, up to the instant `last`.
    """

    kind: str
    stamped: bool = False
    columns: frozenset[str] = frozenset()
    constants: Constants | None = None
    last: int = FOREVER - 1

    @property
    def number(self) -> str:
        """The column with a row's place in its file."""
        return NUMBERS[self.kind]

    def read(self, file: Path, at: int) -> Iterator[Rows]:
        """The rows of a file; `at` is when they arrive, where they are stamped so.

        Memory: a block of lines, or about as many rows of Parquet.
        """
        reader = self._lines if self.kind == "nquads" else self._parquet
        try:
            for rows in reader(file, at):
                yield Rows(self._completed(rows.table, file, at), rows.passing)
        except StreamError as error:
            raise StreamError(error.message, hint=error.hint or _MEND) from error
        except (pa.ArrowException, OSError) as error:
            raise StreamError(f"{file} cannot be read: {error}", hint=_MEND) from error

    def _completed(self, table: pa.Table, file: Path, at: int) -> pa.Table:
        """With all columns that are wanted."""
        size = len(table)
        if "file" in self.columns:
            places = pa.array(np.zeros(size, np.int32))
            table = table.append_column("file", pa.DictionaryArray.from_arrays(places, [str(file)]))
        for name, kind in _OWN.items():
            if name in self.columns and name not in table.column_names:
                value = at if name == "arrived" and self.stamped else None
                table = table.append_column(name, pa.repeat(pa.scalar(value, kind), size))
        return table

    # ---- N-Quads -----------------------------------------------------------------------------

    def _lines(self, file: Path, at: int) -> Iterator[Rows]:
        if file.suffix in _FOREIGN:
            raise StreamError(
                f"{file} cannot be read: of what is compressed, only .gz is read here",
                hint="have it read by Spark: askos.spark.nquads(…, reader='spark')",
            )
        wanted = self.constants.lines if self.constants else None
        reader = Statements(at if self.stamped else None, wanted, self.last)
        first = 1
        for block, _ in blocks(file, first=_BLOCK):
            found = reader.read(block.removeprefix(_BOM) if first == 1 else block, first)
            yield Rows(found.rows, found.passing)
            first += count_lines(block)

    # ---- Parquet -----------------------------------------------------------------------------

    def _parquet(self, file: Path, at: int) -> Iterator[Rows]:
        if not file.stat().st_size:  # no Parquet, and no rows: Spark passes over it too
            return
        known = pq.read_metadata(file)
        schema = known.schema.to_arrow_schema()
        names, first = self._names(schema.names), 1
        columns = list(names.values())
        coded = [
            names[n] for n in _REPEATED if n in names and _stringy(schema.field(names[n]).type)
        ]
        with pq.ParquetFile(
            file, metadata=known, read_dictionary=coded, pre_buffer=False
        ) as source:
            for batch in source.iter_batches(_ROWS, columns=columns, use_threads=False):
                table = pa.table([batch[name] for name in columns], [*names])
                yield self._kept(self._whole(table, file, first, at))
                first += len(batch)

    def _names(self, there: Sequence[str]) -> dict[str, str]:
        """What the columns are called in a file; to Spark, capitals do not matter."""
        times = () if self.stamped else ("ts",)
        asked = ("s", "p", "o", *times, *sorted(self.columns & _OWN.keys()))
        named = {name.lower(): name for name in reversed(there)} | {name: name for name in there}
        return {name: named[name] for name in asked if name in named}

    def _whole(self, table: pa.Table, file: Path, first: int, at: int) -> pa.Table:
        """With all of s, p, o and ts, times in milliseconds, and the numbers of rows."""
        size = len(table)
        columns = {name: table[name] for name in table.column_names}
        for name in "spo":
            columns.setdefault(name, pa.nulls(size, pa.string()))
            _check(_textual(columns[name].type), columns[name], name, file)
        arrival = pa.scalar(at if self.stamped else None, pa.int64())
        columns.setdefault("ts", pa.repeat(arrival, size))
        for name in columns.keys() & {"ts", "arrived"}:
            _check(_temporal(columns[name].type), columns[name], name, file)
            columns[name] = millis(columns[name])
        return pa.table({**columns, self.number: np.arange(first, first + size)})

    def _kept(self, table: pa.Table) -> Rows:
        """Rows that a pattern may match, or that are no triples at sight."""
        terms = [_flat(table[name]) for name in "spo"]
        if self.constants is None or not all(_stringy(term.type) for term in terms):
            return Rows(table, np.empty(0, np.int64))
        others = np.flatnonzero(~_mask(self.constants.rows(*terms)))
        if not len(others):
            return Rows(table, others)
        times = _flat(table["ts"]).take(pa.array(others))
        plain = self._in_time(times)
        for column, pattern in zip(terms, PLAIN_TERMS, strict=True):
            test = partial(pc.match_substring_regex, pattern=pattern)
            plain &= _mask(by_text(column.take(pa.array(others)), test))
        kept = np.ones(len(table), np.bool_)
        kept[others[plain]] = False
        passing = times.filter(pa.array(plain)).to_numpy(zero_copy_only=False)
        return Rows(table.filter(pa.array(kept)), passing)

    def _in_time(self, times: pa.Array) -> Mask:
        good = pc.and_(pc.greater_equal(times, 0), pc.less_equal(times, self.last))
        return _mask(good)


def _flat(column: Any) -> Any:
    """A column as one array."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _mask(values: Any) -> Mask:
    return np.asarray(pc.fill_null(_flat(values), False).to_numpy(zero_copy_only=False))


def _check(fits: bool, column: Any, name: str, file: Path) -> None:
    if not fits:
        raise StreamError(
            f"{file} cannot be read: its column {name} holds {column.type}",
            hint="s, p and o are N-Triples texts, ts is milliseconds as int64, or a timestamp",
        )


def _textual(kind: Any) -> bool:
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    known = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.null())
    return inner in known


def _stringy(kind: Any) -> bool:
    return bool((kind.value_type if pa.types.is_dictionary(kind) else kind) == pa.string())


def _temporal(kind: Any) -> bool:
    tests = (pa.types.is_integer, pa.types.is_timestamp, pa.types.is_null)
    return any(bool(test(kind)) for test in tests)


def millis(times: Any) -> Any:
    """Times as integers: of what is finer, the milliseconds that it is in, also before 1970.

    >>> millis(pa.array([-1, 1999], pa.timestamp("us"))).to_pylist()
    [-1, 1]
    """
    if pa.types.is_timestamp(times.type):
        zoneless = pc.cast(times, pa.timestamp(times.type.unit))
        whole = pc.floor_temporal(zoneless, unit="millisecond")
        times = pc.cast(whole, pa.timestamp("ms"), safe=False)
    return pc.cast(times, pa.int64())


def gathered(parts: Iterable[Rows], size: int = _ROWS) -> Iterator[Rows]:
    """The same rows in fewer parts, of about that size: each one costs."""
    waiting, count = list[Rows](), 0
    for part in parts:
        waiting.append(part)
        count += len(part.table)
        if count >= size:
            yield _joined(waiting)
            waiting, count = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(parts: list[Rows]) -> Rows:
    if len(parts) == 1:
        return parts[0]
    tables = pa.concat_tables([part.table for part in parts], promote_options="permissive")
    return Rows(tables, np.concatenate([part.passing for part in parts]))

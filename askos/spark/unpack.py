"""Unpacking: batches become rows of N-Triples texts again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from askos.errors import QueryError
from askos.physical import Batch
from askos.spark.messages import LATE, REFUSED, RESULT, Message
from askos.terms import Variable

RESULTS, LATE_ROWS, REFUSED_ROWS = "result", "late", "refused"
_OWN: Final = {"ts": pa.int64(), "te": pa.int64(), "output": pa.string(), "note": pa.string()}


@dataclass(frozen=True, slots=True)
class Unpack:
    """The rows of an answer, and those that came late or were refused; a function for
    mapInArrow.

    A row has the variables of the query, its interval [ts, te), `output` (result, late or
    refused) and, where it is no result, a `note` that says what it was.
    """

    variables: tuple[Variable, ...]

    def __post_init__(self) -> None:
        for name in self.variables:
            if str(name).lower() in _OWN:
                raise QueryError(
                    f"?{name} has the name of a column that every answer has",
                    hint="rename the variable",
                )

    @property
    def schema(self) -> str:
        """The columns, as Spark writes schemas."""
        names = "".join(f"`{name}` string, " for name in self.variables)
        return f"{names}ts bigint, te bigint, output string, note string"

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in batches:
            for port, payload in zip(rows["port"].to_pylist(), rows["payload"], strict=True):
                message = Message(0, port, payload=payload.as_buffer())
                if port == RESULT:
                    yield self._rows(message.batch, RESULTS, None)
                elif port == LATE:
                    yield self._rows(message.batch, LATE_ROWS, _bindings(message.batch))
                elif port == REFUSED:
                    yield self._refused(json.loads(bytes(message.payload)))

    def _rows(self, batch: Batch, output: str, notes: Sequence[str] | None) -> pa.RecordBatch:
        texts = [batch.dictionary.texts(batch.column(v)) for v in self.variables]
        noted: Sequence[str | None] = notes or [None] * len(batch)
        return self._batch(texts, [batch.ts, batch.te, [output] * len(batch), noted])

    def _refused(self, entries: list[dict[str, str]]) -> pa.RecordBatch:
        nothing = [None] * len(entries)
        notes = [f"{entry['reason']}: {entry['row']}" for entry in entries]
        own = [nothing, nothing, [REFUSED_ROWS] * len(entries), notes]
        return self._batch([pa.nulls(len(entries), pa.string()) for _ in self.variables], own)

    def _batch(self, texts: list[Any], own: list[Any]) -> pa.RecordBatch:
        arrays = [pa.array(values, kind) for values, kind in zip(own, _OWN.values(), strict=True)]
        return pa.RecordBatch.from_arrays(
            texts + arrays, [*(str(v) for v in self.variables), *_OWN]
        )


def _bindings(batch: Batch) -> list[str]:
    """Each element as JSON: late rows may have other variables than the answer."""
    columns = {str(v): batch.dictionary.texts(ids).to_pylist() for v, ids in batch.columns.items()}
    return [
        json.dumps({name: column[row] for name, column in columns.items()}, ensure_ascii=False)
        for row in range(len(batch))
    ]

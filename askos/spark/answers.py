"""Answers as rows: batches become N-Triples texts again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
import pyarrow as pa

from askos.columns import Batch
from askos.errors import QueryError
from askos.spark.messages import LATE, Message
from askos.terms import Variable

RESULTS, LATE_ROWS, REFUSED_ROWS = "result", "late", "refused"
_OWN: Final = {"ts": pa.int64(), "te": pa.int64(), "output": pa.string(), "note": pa.string()}


@dataclass(frozen=True, slots=True)
class Answers:
    """The rows of an answer, and those that came late or were refused.

    A row has the variables of the query, its interval [ts, te), `output` (result, late or
    refused) and, where it is no result, a `note` that says what it was.
    """

    variables: tuple[Variable, ...]

    def __post_init__(self) -> None:
        taken = dict.fromkeys(_OWN, "a column that every answer has")
        for name in self.variables:
            if str(name).lower() in taken:
                raise QueryError(
                    f"?{name} has the name of {taken[name.lower()]}: Spark ignores case",
                    hint="rename the variable",
                )
            taken[str(name).lower()] = f"?{name}"

    @property
    def schema(self) -> str:
        """The columns, as Spark writes schemas."""
        names = "".join(f"`{name}` string, " for name in self.variables)
        return f"{names}ts bigint, te bigint, output string, note string"

    def results(self, batch: Batch) -> pd.DataFrame:
        """The answer itself."""
        return self._rows(batch, RESULTS, pa.nulls(len(batch), pa.string()))

    def others(self, message: Message) -> pd.DataFrame:
        """What came late or was refused."""
        if message.port == LATE:
            return self._rows(message.batch, LATE_ROWS, _bindings(message.batch))
        entries = json.loads(bytes(message.payload))
        nothing = [None] * len(entries)
        notes = [f"{entry['reason']}: {entry['row']}" for entry in entries]
        texts = [pa.nulls(len(entries), pa.string()) for _ in self.variables]
        return self._frame(texts, [nothing, nothing, [REFUSED_ROWS] * len(entries), notes])

    def _rows(self, batch: Batch, output: str, notes: Any) -> pd.DataFrame:
        texts = [batch.dictionary.texts(batch.column(v)) for v in self.variables]
        return self._frame(texts, [batch.ts, batch.te, pa.repeat(output, len(batch)), notes])

    def _frame(self, texts: list[Any], own: list[Any]) -> pd.DataFrame:
        arrays = [pa.array(values, kind) for values, kind in zip(own, _OWN.values(), strict=True)]
        names = [*(str(v) for v in self.variables), *_OWN]
        table = pa.Table.from_arrays(texts + arrays, names)
        return table.to_pandas(types_mapper=pd.ArrowDtype)  # the columns stay Arrow's, uncopied


def _bindings(batch: Batch) -> list[str]:
    """Each element as JSON: late rows may have other variables than the answer."""
    columns = {str(v): batch.dictionary.texts(ids).to_pylist() for v, ids in batch.columns.items()}
    return [
        json.dumps({name: column[row] for name, column in columns.items()}, ensure_ascii=False)
        for row in range(len(batch))
    ]

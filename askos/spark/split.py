"""Answers of several queries as rows of one table.

Their columns are other ones for each query, so a row has them as a map.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from askos.columns.hidden import HEADER, PLACE, values, visible
from askos.spark.answers import (
    LATE_ROWS,
    REFUSED_ROWS,
    RELOADS,
    REMARKS,
    REPORTS,
    RESULTS,
    bindings,
)
from askos.spark.messages import ANSWER, LATE, RELOADED, REMARK, Message
from askos.terms import Variable

SPLIT_SCHEMA: Final = (
    "query string, at bigint, ts bigint, te bigint, columns map<string,string>, place bigint,"
    " output string, note string"
)
"""`query` names it; `at` is the instant of a report, [ts, te) else the interval of an answer;
`columns` are the variables that are bound; the rest is as for one query (`Answers`)."""
_NAMES: Final = ("query", "at", "ts", "te", "columns", "place", "output", "note")


def split_answers(message: Message) -> pd.DataFrame:
    """What is told of one query: rows of its answer, or what came late, was refused or is odd."""
    if message.port == ANSWER:
        return _results(message)
    if message.port == LATE:
        late = message.batch
        times = {"ts": late.ts.tolist(), "te": late.te.tolist()}
        return _frame(message, len(late), times, output=LATE_ROWS, note=bindings(late))
    if message.port == REMARK:
        return _frame(message, 1, output=REMARKS, note=[bytes(message.payload).decode()])
    if message.port == RELOADED:
        note, at = [bytes(message.payload).decode()], [int(message.mark)]
        return _frame(message, 1, {"at": at, "ts": at}, output=RELOADS, note=note)
    entries = json.loads(bytes(message.payload))
    notes = [f"{each['reason']}: {each['row']}" for each in entries]
    return _frame(message, len(notes), output=REFUSED_ROWS, note=notes)


def _results(message: Message) -> pd.DataFrame:
    batch = message.batch
    starts, ends = batch.ts.tolist(), batch.te.tolist()
    times = {"at": starts} if message.mark else {"ts": starts, "te": ends}
    output = np.where(batch.column(HEADER) != 0, REPORTS, RESULTS).tolist()
    shown = visible(batch).columns.items()
    texts = {str(v): batch.dictionary.texts(ids).to_pylist() for v, ids in shown}
    rows = [
        {name: column[row] for name, column in texts.items() if column[row] is not None}
        for row in range(len(batch))
    ]
    own: dict[str, Any] = {"columns": rows, "output": output}
    if PLACE in batch.columns:
        places = batch.column(PLACE)
        pairs = zip(values(places).tolist(), places.tolist(), strict=True)
        own["place"] = [place if known else None for place, known in pairs]
    return _frame(message, len(batch), times, **own)


def as_alone(row: Mapping[str, Any], columns: Iterable[Variable]) -> dict[str, Any]:
    """A row of one query among several, as it would be without the others."""
    said = dict(row["columns"] or ())
    own = {name: row[name] for name in _NAMES if name not in ("query", "columns")}
    if own["place"] is None:
        del own["place"]
    return {**{str(v): said.get(str(v)) for v in columns}, **own}


def _frame(
    message: Message, count: int, times: Mapping[str, Sequence[int]] | None = None, **own: Any
) -> pd.DataFrame:
    """Rows; what is one text holds for all of them."""
    given: dict[str, Any] = {"query": message.channel, **(times or {}), **own}
    columns: dict[str, Any] = {}
    for name in _NAMES:
        value = given.get(name, {} if name == "columns" else None)
        column = list(value) if isinstance(value, list) else [value] * count
        kind = "Int64" if name in ("at", "ts", "te", "place") else object
        columns[name] = pd.Series(column, dtype=kind)
    return pd.DataFrame(columns)

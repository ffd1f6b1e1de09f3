"""Answers as rows: batches become N-Triples texts again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa

from askos.columns import Batch
from askos.columns.hidden import HEADER, PLACE, tellable, values
from askos.errors import QueryError
from askos.physical.nodes import Reporting
from askos.physical.plan import PhysicalPlan
from askos.spark.messages import LATE, RELOADED, REMARK, Message
from askos.terms import Variable

RESULTS, REPORTS, LATE_ROWS, REFUSED_ROWS = "result", "report", "late", "refused"
REMARKS: Final = "remark"
RELOADS: Final = "reload"
_TIMES: Final = ("ts", "te")
_LAST: Final = ("output", "note")


@dataclass(frozen=True, slots=True)
class Answers:
    """The rows of an answer, and those that came late or were refused, or are remarked on.

    A row has the variables of the query, its interval [ts, te), `output` (result, late, refused,
    remark or reload) and, where it is no result, a `note` that says what it was; a reload has the
    instant from which it counts as ts.  Where reports are
    `told`, it has their instant, `at`, instead of the interval; where they are `ordered`, its
    `place` among the rows of its report; and each report has a row `output` = report, so that one
    without results is known too.
    """

    variables: tuple[Variable, ...]
    told: bool = False
    ordered: bool = False

    @classmethod
    def of(cls, plan: PhysicalPlan) -> Answers:
        """What the last stage of a plan gives."""
        root = plan.stages[-1].plan
        if isinstance(root, Reporting):
            return cls(plan.columns, told=True, ordered=root.has_order)
        return cls(plan.columns)

    def __post_init__(self) -> None:
        taken = dict.fromkeys(self.own, "a column that every answer has")
        for name in self.variables:
            if str(name).lower() in taken:
                raise QueryError(
                    f"?{name} has the name of {taken[name.lower()]}: Spark ignores case",
                    hint="rename the variable",
                )
            taken[str(name).lower()] = f"?{name}"

    @property
    def own(self) -> tuple[str, ...]:
        """The columns that are no variables."""
        return (*(("at",) if self.told else _TIMES), *(("place",) * self.ordered), *_LAST)

    @property
    def schema(self) -> str:
        """The columns, as Spark writes schemas."""
        names = [f"`{name}` string" for name in self.variables]
        own = [f"{name} {'string' if name in _LAST else 'bigint'}" for name in self.own]
        return ", ".join(names + own)

    def results(self, batch: Batch) -> pd.DataFrame:
        """The answer itself."""
        header = batch.column(HEADER) != 0
        output = pa.array(np.where(header, REPORTS, RESULTS))
        return self._rows(batch, output, pa.nulls(len(batch), pa.string()))

    def others(self, message: Message) -> pd.DataFrame:
        """What came late, was refused, or is odd."""
        if message.port == LATE:
            late = message.batch
            return self._rows(late, pa.repeat(LATE_ROWS, len(late)), bindings(late))
        if message.port == REMARK:
            return self._notes(REMARKS, [bytes(message.payload).decode()])
        if message.port == RELOADED:
            at = [int(message.mark)]
            return self._notes(RELOADS, [bytes(message.payload).decode()], {"ts": at, "at": at})
        entries = json.loads(bytes(message.payload))
        return self._notes(REFUSED_ROWS, [f"{each['reason']}: {each['row']}" for each in entries])

    def _notes(
        self, output: str, notes: list[str], times: Mapping[str, list[int]] | None = None
    ) -> pd.DataFrame:
        texts = [pa.nulls(len(notes), pa.string()) for _ in self.variables]
        own = {"output": [output] * len(notes), "note": notes, **(times or {})}
        return self._frame(texts, own, len(notes))

    def _rows(self, batch: Batch, output: Any, notes: Any) -> pd.DataFrame:
        texts = [batch.dictionary.texts(batch.column(v)) for v in self.variables]
        own = {"ts": batch.ts, "te": batch.te, "at": batch.ts, "output": output, "note": notes}
        if self.ordered:
            place = batch.column(PLACE)
            own["place"] = pa.array(values(place), mask=place == 0)
        return self._frame(texts, own, len(batch))

    def _frame(self, texts: list[Any], own: Mapping[str, Any], count: int) -> pd.DataFrame:
        nothing = pa.nulls(count)
        arrays = [
            pa.array(own.get(name, nothing)).cast(pa.string() if name in _LAST else pa.int64())
            for name in self.own
        ]
        table = pa.Table.from_arrays(texts + arrays, [*map(str, self.variables), *self.own])
        return table.to_pandas(types_mapper=pd.ArrowDtype)  # the columns stay Arrow's, uncopied


def bindings(batch: Batch) -> list[str]:
    """Each element as JSON: late rows may have other variables than the answer."""
    seen = tellable(batch).columns.items()
    columns = {str(v): batch.dictionary.texts(ids).to_pylist() for v, ids in seen}
    return [
        json.dumps({name: column[row] for name, column in columns.items()}, ensure_ascii=False)
        for row in range(len(batch))
    ]

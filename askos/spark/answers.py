"""Answers as rows: batches become N-Triples texts again, column by column."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from askos.columns import Batch
from askos.columns.hidden import HEADER, PLACE, tellable, values
from askos.errors import QueryError
from askos.physical.nodes import Reporting
from askos.physical.plan import PhysicalPlan
from askos.spark.messages import ANSWER, LATE, READ, RELOADED, REMARK, Message
from askos.terms import Variable

RESULTS, REPORTS, LATE_ROWS, REFUSED_ROWS = "result", "report", "late", "refused"
REMARKS: Final = "remark"
RELOADS: Final = "reload"
_TIMES: Final = ("ts", "te")
_LAST: Final = ("output", "note")
_ROWS: Final = 1 << 16  # that Spark is given at once


@dataclass(frozen=True, slots=True)
class Told:
    """Rows of one `output`, and of one `query` where there are several; their other columns."""

    output: str
    query: str
    rows: pa.RecordBatch


class Table(ABC):
    """What is told of queries, as rows of a table."""

    __slots__ = ()

    @property
    @abstractmethod
    def schema(self) -> str:
        """The columns, as Spark writes schemas."""

    @property
    @abstractmethod
    def kinds(self) -> Mapping[str, Any]:
        """The types of the columns, in order, as Arrow has them."""

    @abstractmethod
    def _element(self, batch: Batch, reported: bool) -> Mapping[str, Any]:
        """The columns of elements, of reports or with intervals."""

    @abstractmethod
    def _late(self, batch: Batch) -> Mapping[str, Any]:
        """The columns of elements that came late, but for their note."""

    def told(self, message: Message) -> Iterator[Told]:
        """What a message has to tell."""
        query = message.channel
        if message.port == READ:  # Spark has counted it
            return
        if message.port == ANSWER:
            yield from self.results(message.batch, query, reported=bool(message.mark))
        elif message.port == LATE:
            late = message.batch
            given = {**self._late(late), "note": bindings(late)}
            yield self._told(LATE_ROWS, query, len(late), given)
        elif message.port == REMARK:
            yield self._told(REMARKS, query, 1, {"note": [_text(message)]})
        elif message.port == RELOADED:
            at = [int(message.mark)]
            yield self._told(RELOADS, query, 1, {"note": [_text(message)], "ts": at, "at": at})
        else:
            notes = [f"{each['reason']}: {each['row']}" for each in json.loads(_text(message))]
            yield self._told(REFUSED_ROWS, query, len(notes), {"note": notes})

    def results(self, batch: Batch, query: str = "", *, reported: bool = False) -> Iterator[Told]:
        """The answer itself, apart from rows that only say that there is a report."""
        header = batch.column(HEADER) != 0
        for output, which in ((RESULTS, ~header), (REPORTS, header)):
            if which.any():
                chosen = batch.where(which)
                yield self._told(output, query, len(chosen), self._element(chosen, reported))

    def rows(self, told: Told) -> Iterator[pa.RecordBatch]:
        """With all columns, as Spark takes them."""
        count = len(told.rows)
        same = {"output": told.output, "query": told.query}
        known = dict(zip(told.rows.schema.names, told.rows.columns, strict=True))
        arrays = [
            known[name] if name in known else pa.repeat(same[name], count) for name in self.kinds
        ]
        whole = pa.RecordBatch.from_arrays(arrays, list(self.kinds))
        yield from (whole.slice(start, _ROWS) for start in range(0, count, _ROWS))

    def _told(self, output: str, query: str, count: int, given: Mapping[str, Any]) -> Told:
        """Rows with the columns that are given; the others are null."""
        own = {name: kind for name, kind in self.kinds.items() if name not in self._same}
        arrays = [
            pa.array(given[name]).cast(kind) if name in given else pa.nulls(count, kind)
            for name, kind in own.items()
        ]
        return Told(output, query, pa.RecordBatch.from_arrays(arrays, list(own)))

    @property
    def _same(self) -> Sequence[str]:
        """The columns that are no part of `Told.rows`."""
        return ("output",)


@dataclass(frozen=True, slots=True)
class Answers(Table):
    """The rows of an answer, and those that came late or were refused, or are remarked on.

    A row has the variables of the query, its interval [ts, te), `output` (result, late, refused,
    remark or reload) and, where it is no result, a `note` that says what it was; a reload has the
    instant from which it counts as ts.  Where reports are
    `reported`, it has their instant, `at`, instead of the interval; where they are `ordered`, its
    `place` among the rows of its report; and each report has a row `output` = report, so that one
    without results is known too.
    """

    variables: tuple[Variable, ...]
    reported: bool = False
    ordered: bool = False

    @classmethod
    def of(cls, plan: PhysicalPlan) -> Answers:
        """What the last stage of a plan gives."""
        root = plan.stages[-1].plan
        if isinstance(root, Reporting):
            return cls(plan.columns, reported=True, ordered=root.has_order)
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
        return (*(("at",) if self.reported else _TIMES), *(("place",) * self.ordered), *_LAST)

    @property
    def schema(self) -> str:
        """The columns, as Spark writes schemas."""
        names = [f"`{name}` string" for name in self.variables]
        own = [f"{name} {'string' if name in _LAST else 'bigint'}" for name in self.own]
        return ", ".join(names + own)

    @property
    def kinds(self) -> Mapping[str, Any]:
        """Texts and numbers."""
        own = {name: pa.string() if name in _LAST else pa.int64() for name in self.own}
        return {**{str(v): pa.string() for v in self.variables}, **own}

    def _element(self, batch: Batch, reported: bool) -> Mapping[str, Any]:
        texts = {str(v): batch.dictionary.texts(batch.column(v)) for v in self.variables}
        place = {"place": places(batch)} if self.ordered else {}
        times = {"at": batch.ts} if reported else {"ts": batch.ts, "te": batch.te}
        return {**texts, **times, **place}

    def _late(self, batch: Batch) -> Mapping[str, Any]:
        return self._element(batch, self.reported)


def places(batch: Batch) -> pa.Array:
    """The places of rows in their reports, null where they have none."""
    place = batch.column(PLACE)
    return pa.array(values(place), mask=place == 0)


def bindings(batch: Batch) -> list[str]:
    """Each element as JSON: late rows may have other variables than the answer."""
    seen = tellable(batch).columns.items()
    columns = {str(v): batch.dictionary.texts(ids).to_pylist() for v, ids in seen}
    return [
        json.dumps({name: column[row] for name, column in columns.items()}, ensure_ascii=False)
        for row in range(len(batch))
    ]


def _text(message: Message) -> str:
    return bytes(message.payload).decode()

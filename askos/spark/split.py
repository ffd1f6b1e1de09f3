"""Answers of several queries as rows of one table.

Their columns are other ones for each query, so a row has them as a map.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from askos.columns import Batch, Coder
from askos.columns.hidden import HEADER, PLACE, visible
from askos.spark.answers import Table, Told, places
from askos.terms import Literal, Variable, parse_term
from askos.translate.kinds import WHOSE

SPLIT_SCHEMA: Final = (
    "query string, at bigint, ts bigint, te bigint, columns map<string,string>, place bigint,"
    " output string, note string"
)
"""`query` names it; `at` is the instant of a report, [ts, te) else the interval of an answer;
`columns` are the variables that are bound; the rest is as for one query (`Answers`).  Queries of
one kind have the name of their kind, and in `columns` their own, as `_:#whose`."""
_TEXTS: Final = pa.map_(pa.string(), pa.string())
_KINDS: Final = {
    "query": pa.string(),
    "at": pa.int64(),
    "ts": pa.int64(),
    "te": pa.int64(),
    "columns": _TEXTS,
    "place": pa.int64(),
    "output": pa.string(),
    "note": pa.string(),
}


@dataclass(frozen=True, slots=True)
class SplitAnswers(Table):
    """The rows of several queries' answers, with the columns of `SPLIT_SCHEMA`."""

    @property
    def schema(self) -> str:
        """Whatever the queries are."""
        return SPLIT_SCHEMA

    @property
    def kinds(self) -> Mapping[str, Any]:
        """Texts, numbers, and a map."""
        return _KINDS

    def _element(self, batch: Batch, reported: bool) -> Mapping[str, Any]:
        times = {"at": batch.ts} if reported else {"ts": batch.ts, "te": batch.te}
        place = {"place": places(batch)} if PLACE in batch.columns else {}
        return {"columns": bound(batch), **times, **place}

    def _late(self, batch: Batch) -> Mapping[str, Any]:
        return {"ts": batch.ts, "te": batch.te}

    def _told(self, output: str, query: str, count: int, given: Mapping[str, Any]) -> Told:
        given = {"columns": pa.array([[]] * count, _TEXTS), **given}
        return Table._told(self, output, query, count, given)

    @property
    def _same(self) -> Sequence[str]:
        return ("query", "output")


def bound(batch: Batch) -> pa.Array:
    """The variables of each element that are bound, with their texts, as a column of maps."""
    shown, count = visible(batch).columns, len(batch)
    if not shown:
        return pa.array([[]] * count, _TEXTS)
    known = np.stack([ids != 0 for ids in shown.values()], axis=1)
    rows, columns = known.nonzero()
    texts = pa.concat_arrays([batch.dictionary.texts(ids) for ids in shown.values()])
    names = pa.array([str(v) for v in shown]).take(pa.array(columns))
    ends = np.cumsum(known.sum(axis=1))
    offsets = pa.array(np.concatenate([[0], ends]), pa.int32())
    return pa.MapArray.from_arrays(offsets, names, texts.take(pa.array(columns * count + rows)))


def to_all(batch: Batch, members: Sequence[str], coder: Coder) -> Batch:
    """Reports of queries of one kind: that there is one is told to each of them."""
    header = batch.column(HEADER) != 0
    headers, count = batch.where(header), len(members)
    if not len(headers):
        return batch
    ids, texts = coder.terms(map(Literal, members))
    told = headers.take(np.arange(len(headers)).repeat(count))
    columns = {HEADER: told.column(HEADER), WHOSE: np.tile(ids, len(headers))}
    return Batch.concat([batch.where(~header), Batch(columns, told.ts, told.te, texts)])


def whose(row: Mapping[str, Any]) -> str:
    """The query that a row belongs to; of those that run as one, it says so itself."""
    said = dict(row["columns"] or ()).get(str(WHOSE))
    return row["query"] if said is None else str(parse_term(said))


def as_alone(row: Mapping[str, Any], columns: Iterable[Variable]) -> dict[str, Any]:
    """A row of one query among several, as it would be without the others."""
    said = dict(row["columns"] or ())
    own = {name: row[name] for name in _KINDS if name not in ("query", "columns")}
    if own["place"] is None:
        del own["place"]
    return {**{str(v): said.get(str(v)) for v in columns}, **own}

"""Batches: many elements at once, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa

from askos.columns.dictionary import Dictionary, Part
from askos.columns.ids import Ids, Mask, is_hashed
from askos.columns.segments import by_time
from askos.terms import Variable

_PARTS: Final = 8  # of a dictionary that is kept for long
_SMALL: Final = 256  # texts of a dictionary that many batches share
_START: Final = " ts"  # no variable has a space in its name
_END: Final = " te"


@dataclass(frozen=True, eq=False)
class Batch:
    """Elements (μ, [ts, te)): one id per variable, 0 where unbound, and the interval.

    `dictionary` holds the text of every hashed id in `columns`, and maybe of others.
    """

    columns: Mapping[Variable, Ids]
    ts: Ids
    te: Ids
    dictionary: Dictionary

    @classmethod
    def empty(cls, variables: Sequence[Variable] = ()) -> Batch:
        """No elements."""
        return cls(dict.fromkeys(variables, _NONE), _NONE, _NONE, _NO_TEXTS) if variables else EMPTY

    def __len__(self) -> int:
        return len(self.ts)

    def column(self, variable: Variable) -> Ids:
        """The ids of a variable; all unbound where the batch does not have it."""
        found = self.columns.get(variable)
        return np.zeros(len(self), np.int64) if found is None else found

    def meet(self, other: Batch) -> None:
        """Refuse two batches that give one id different texts."""
        self.dictionary.meet(other.dictionary)

    # ---- choosing rows ------------------------------------------------------------------

    def take(self, rows: Ids) -> Batch:
        """The elements at `rows`, in that order."""
        columns = {variable: ids.take(rows) for variable, ids in self.columns.items()}
        return Batch(columns, self.ts.take(rows), self.te.take(rows), self.dictionary)

    def take_on(self, rows: Ids, ts: Ids, te: Ids) -> Batch:
        """The elements at `rows`, in that order, each on another interval."""
        columns = {variable: ids.take(rows) for variable, ids in self.columns.items()}
        return Batch(columns, ts, te, self.dictionary)

    def slice(self, start: int, stop: int) -> Batch:
        """The elements from `start` up to `stop`, without copying."""
        if start == 0 and stop == len(self):
            return self
        columns = {variable: ids[start:stop] for variable, ids in self.columns.items()}
        return Batch(columns, self.ts[start:stop], self.te[start:stop], self.dictionary)

    def where(self, kept: Mask) -> Batch:
        """The elements for which `kept` is true."""
        rows = kept.nonzero()[0]
        return self if len(rows) == len(kept) else self.take(rows)

    def with_interval(self, ts: Ids, te: Ids) -> Batch:
        """Other intervals; elements whose interval is empty do not exist."""
        return Batch(self.columns, ts, te, self.dictionary).where(ts < te)

    def with_columns(self, columns: Mapping[Variable, Ids]) -> Batch:
        """The same elements, other columns."""
        return Batch(columns, self.ts, self.te, self.dictionary)

    def sorted(self) -> Batch:
        """In the order of ts."""
        order = by_time(self.ts)
        return self if order is None else self.take(order)

    def compact(self) -> Batch:
        """The same elements, with little more of the dictionary than they mention.

        Afterwards it has at most two texts for every hashed id in the columns, or a small number of
        those that the process keeps anyway, in few parts.
        Cost: trimming forgets at least half, so what it costs has been paid by what it forgets.
        """
        if not self.dictionary.parts:
            return self
        dictionary = self.dictionary.lean()
        if len(dictionary.parts) > _PARTS or not self._needs(dictionary):
            dictionary = dictionary.restrict(self.columns.values())
        return self if dictionary is self.dictionary else replace(self, dictionary=dictionary)

    def _needs(self, dictionary: Dictionary) -> bool:
        """Whether half of what a dictionary holds may be mentioned, or little is gained by
        forgetting it; seldom is more than one column looked through."""
        held = len(dictionary)
        if held <= _SMALL and dictionary.family is not None:
            return True
        least = held / 2
        for column in self.columns.values():
            least -= np.count_nonzero(is_hashed(column))
            if least <= 0:
                return True
        return least <= 0

    # ---- columns ------------------------------------------------------------------------

    def project(self, variables: Sequence[Variable]) -> Batch:
        """Exactly these columns, unbound where there was none."""
        return self.with_columns({variable: self.column(variable) for variable in variables})

    def without(self, *variables: Variable) -> Batch:
        """The other columns."""
        return self.with_columns({v: ids for v, ids in self.columns.items() if v not in variables})

    @classmethod
    def concat(cls, batches: Sequence[Batch]) -> Batch:
        """One after the other; a variable that one has, all have."""
        full = [batch for batch in batches if len(batch.ts)]
        if len(full) <= 1:
            return full[0] if full else (batches[0] if batches else cls.empty())
        variables = dict.fromkeys(v for batch in full for v in batch.columns)
        return cls(
            {v: np.concatenate([batch.column(v) for batch in full]) for v in variables},
            np.concatenate([batch.ts for batch in full]),
            np.concatenate([batch.te for batch in full]),
            Dictionary.union([batch.dictionary for batch in full]),
        )

    # ---- as bytes -----------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """As two Arrow IPC streams, the columns and what of the dictionary they mention.

        Not compressed: Spark's shuffles do that themselves, and so does who stores it.
        """
        columns: dict[str, Any] = {str(v): ids for v, ids in self.columns.items()}
        columns |= {_START: self.ts, _END: self.te}
        ids, texts, _ = self.dictionary.restrict(self.columns.values()).merged
        body = _write(columns)
        return len(body).to_bytes(8, "little") + body + _write({"id": ids, "text": texts})

    @classmethod
    def from_bytes(cls, data: Any) -> Batch:
        """What `to_bytes` wrote; the columns are views of `data`."""
        view = memoryview(data)
        border = 8 + int.from_bytes(view[:8], "little")
        columns = {name: ids.to_numpy() for name, ids in _read(view[8:border]).items()}
        ts, te = columns.pop(_START), columns.pop(_END)
        entries = _read(view[border:])
        ids = entries["id"].to_numpy()
        dictionary = Dictionary((Part(ids, entries["text"]),)) if len(ids) else Dictionary()
        return cls({Variable(name): ids for name, ids in columns.items()}, ts, te, dictionary)


_NONE: Final = np.empty(0, np.int64)
_NO_TEXTS: Final = Dictionary()
EMPTY: Final = Batch({}, _NONE, _NONE, _NO_TEXTS)
"""No elements, of no columns."""


def _write(columns: Mapping[Any, Any]) -> bytes:
    batch = pa.RecordBatch.from_arrays([pa.array(c) for c in columns.values()], list(columns))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    result: bytes = sink.getvalue().to_pybytes()
    return result


def _read(data: memoryview) -> dict[str, Any]:
    (batch,) = pa.ipc.open_stream(pa.py_buffer(data))
    return dict(zip(batch.schema.names, batch.columns, strict=True))

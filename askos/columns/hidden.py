"""Hidden columns: what travels with an element and is none of its bindings.

Their names begin with a space, which no variable of a query can; their values are ids like all
others, numbers being inlined, so that every batch, run and message carries them unasked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from askos.columns.batch import Batch
from askos.columns.ids import BOOLEAN, INTEGER, Ids, pack
from askos.terms import URIRef, Variable

SOURCE: Final = Variable(" source")
SEQUENCE: Final = (Variable(" sequence high"), Variable(" sequence low"))
ARRIVED: Final = (Variable(" s"), Variable(" p"), Variable(" o"))
"""Where an element stands among those of its instant: its source's place in the query, the
source's own number for it, and the triple it came as."""

_ARRIVAL: Final = " arrival "
"""Of a triple: when it came; a column for each stream."""

HEADER: Final = Variable(" header")
PLACE: Final = Variable(" place")
"""Of a report: a row that only says that there is one, and a row's place in it."""

ELEMENTS: Final = Variable(" elements")
"""Of a pane: for how many elements it stands."""

OPEN: Final = Variable(" open")
NEGATIVE: Final = Variable(" negative")
"""Of an element: that its end may come earlier; and that it takes back what another one has given
too much: see `columns.signs`."""

_SORTED: Final = " sorted by "
"""Of a row with a rank: the values of its sort keys."""

_HALF: Final = 32


def hidden(batch: Batch) -> dict[Variable, Ids]:
    """The hidden columns of a batch."""
    return {v: ids for v, ids in batch.columns.items() if v[:1] == " "}


def visible(batch: Batch) -> Batch:
    """The batch without them."""
    return batch.project([v for v in batch.columns if v[:1] != " "])


def tellable(batch: Batch) -> Batch:
    """What can be told of elements: the batch without hidden columns; of panes, for how many
    elements each stands."""
    shown = visible(batch)
    if ELEMENTS not in batch.columns:
        return shown
    return shown.with_columns({**shown.columns, Variable("elements"): batch.column(ELEMENTS)})


def arrival(stream: URIRef) -> Variable:
    """The column that says when a triple of a stream came."""
    return Variable(f"{_ARRIVAL}{stream}")


def is_arrival(variable: Variable) -> bool:
    """Whether a column says when triples came."""
    return variable.startswith(_ARRIVAL)


def sort_key(number: int) -> Variable:
    """The column of a row's sort key."""
    return Variable(f"{_SORTED}{number}")


def numbers(values: int | Ids) -> Ids:
    """Small whole numbers as ids."""
    return pack(INTEGER, 0, values)


def values(ids: Ids) -> Ids:
    """The numbers again; 0 where there is none."""
    return np.where(ids == 0, 0, ids - _NUMBER)


_NUMBER: Final = int(numbers(0))


def flags(count: int) -> Ids:
    """A column that is true."""
    return np.full(count, pack(BOOLEAN, 0, 1))


def sequence_columns(sequence: Ids) -> Mapping[Variable, Ids]:
    """Sequence numbers, in halves: a whole one may not fit into an id."""
    high, low = SEQUENCE
    return {high: numbers(sequence >> _HALF), low: numbers(sequence & (1 << _HALF) - 1)}

"""Triple pattern matching."""

from __future__ import annotations

from functools import reduce
from operator import and_

from askos.algebra import Pattern
from askos.algebra.placement import TRIPLE
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.hidden import hidden
from askos.columns.ids import Ids, Mask
from askos.columns.vocabulary import vocabulary
from askos.physical.operator import Operator
from askos.terms import Variable


class PatternOperator(Operator):
    """ν: one solution for each triple that matches; snapshot-equivalent to `algebra.Pattern`.

    Streaming SPARQL, section 6, Alg. 3, with a solution for each triple and repeated variables
    compared (the printed algorithm does neither).  State: none.
    """

    def __init__(self, pattern: Pattern, coder: Coder) -> None:
        self._positions = pattern.positions
        constants = [p for p in pattern.positions if not isinstance(p, Variable)]
        ids, texts = coder.terms(constants)
        self._dictionary = vocabulary(coder).adopt(texts)
        self._ids = dict(zip(constants, ids.tolist(), strict=True))

    def process(self, port: int, batch: Batch) -> Batch:
        batch.dictionary.meet(self._dictionary)
        equal = list[Mask]()
        columns: dict[Variable, Ids] = {}
        for position, place in zip(self._positions, TRIPLE, strict=True):
            ids = batch.column(place)
            if not isinstance(position, Variable):
                equal.append(ids == self._ids[position])
            elif position in columns:
                equal.append(ids == columns[position])
            else:
                columns[position] = ids
        found = batch.with_columns(columns | hidden(batch))
        return found.where(reduce(and_, equal)) if equal else found

"""Mark join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from askos.algebra import MarkJoin
from askos.columns.batch import Batch
from askos.columns.ids import BOOLEAN, pack
from askos.columns.mark import Parts
from askos.physical.cut import Cut
from askos.physical.existence import ExistenceOperator
from askos.physical.merge import Pairing, Pairs
from askos.physical.plan import is_static


class MarkJoinOperator(ExistenceOperator):
    """Each left element with ?variable := whether it has a partner that satisfies the condition;
    where that changes inside its interval, it is cut; snapshot-equivalent to `algebra.MarkJoin`.

    Not in the papers: EXISTS anywhere in an expression becomes such a boolean.  State and cost:
    as `PartnerOperator` tells.
    """

    def __init__(self, plan: MarkJoin, cut: Cut) -> None:
        pairing = Pairing.of(plan.left, plan.right)
        super().__init__(pairing, plan.condition, cut, static=is_static(plan.right))
        self._variable = plan.variable

    def pieces(self, left: Batch, parts: Parts, pairs: Sequence[Pairs]) -> Iterator[Batch]:
        cut = parts.of(left, np.ones(len(parts.row), np.bool_))
        marks = {self._variable: pack(BOOLEAN, 0, parts.inside.astype(np.int64))}
        yield cut.with_columns({**cut.columns, **marks})

"""MINUS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from askos.algebra import TRUE, Minus
from askos.columns.batch import Batch
from askos.columns.ids import Ids
from askos.columns.mark import Parts
from askos.physical.cut import Cut
from askos.physical.existence import ExistenceOperator
from askos.physical.join import RIGHT
from askos.physical.merge import Pairing, Pairs
from askos.physical.operator import Opened
from askos.physical.plan import is_static


class MinusOperator(ExistenceOperator):
    """∖: each left element on exactly the parts of its interval where no compatible solution of
    the right has a bound variable in common with it; snapshot-equivalent to `algebra.Minus`.

    SPARQL 1.1, 18.5; the papers predate it.  An anti-join in which a pair counts only if both
    bind a variable other than those of `by`, which must be equal, unbound being a value.  Where
    such a variable is certainly bound on both sides, every compatible pair counts.  State and
    cost: as `PartnerOperator` tells.
    """

    gaps_only = True

    def __init__(self, plan: Minus, cut: Cut) -> None:
        pairing = Pairing.of(plan.left, plan.right)
        super().__init__(pairing, TRUE, cut, static=is_static(plan.right))
        self._by = sorted(set(plan.by) - set(pairing.key))
        self._always = bool(set(pairing.key) - set(plan.by))
        self._common = sorted(set(pairing.maybe) - set(plan.by))

    def rest_on(self, port: int, base: Opened) -> None:
        if port != RIGHT or self._removes:
            super().rest_on(port, base)

    def process(self, port: int, batch: Batch) -> Batch:
        return super().process(port, batch) if port != RIGHT or self._removes else Batch.empty()

    @property
    def _removes(self) -> bool:
        """Whether there is anything that two solutions can have in common."""
        return self._always or bool(self._common)

    def _satisfying(self, left: Batch, mine: Ids, right: Batch, theirs: Ids) -> Pairs:
        counts = np.full(len(mine), self._always)
        for variable in () if self._always else self._common:
            counts |= (left.column(variable)[mine] != 0) & (right.column(variable)[theirs] != 0)
        for variable in self._by:  # unbound is a value of its own
            counts &= left.column(variable)[mine] == right.column(variable)[theirs]
        return super()._satisfying(left, mine[counts], right, theirs[counts])

    def pieces(self, left: Batch, parts: Parts, pairs: Sequence[Pairs]) -> Iterator[Batch]:
        yield parts.of(left, ~parts.inside)

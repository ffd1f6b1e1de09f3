"""Anti-join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askos.algebra import AntiJoin
from askos.columns.batch import Batch
from askos.columns.mark import Parts
from askos.physical.cut import Cut
from askos.physical.existence import ExistenceOperator
from askos.physical.merge import Pairing, Pairs
from askos.physical.plan import is_static


class AntiJoinOperator(ExistenceOperator):
    """▷: each left element on exactly the parts of its interval without a partner that satisfies
    the condition; snapshot-equivalent to `algebra.AntiJoin`.

    Streaming SPARQL, section 6, Algs. 4 and 5, of which these are the gaps.  State and cost: as
    `PartnerOperator` tells.
    """

    gaps_only = True

    def __init__(self, plan: AntiJoin, cut: Cut) -> None:
        pairing = Pairing.of(plan.left, plan.right)
        super().__init__(pairing, plan.condition, cut, static=is_static(plan.right))

    def pieces(self, left: Batch, parts: Parts, pairs: Sequence[Pairs]) -> Iterator[Batch]:
        yield parts.of(left, ~parts.inside)

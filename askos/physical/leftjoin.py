"""Left join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askos.algebra import LeftJoin
from askos.columns.batch import Batch
from askos.columns.mark import Parts
from askos.physical.cut import Cut
from askos.physical.merge import Pairing, Pairs
from askos.physical.met import still_joined
from askos.physical.partners import PartnerOperator
from askos.physical.plan import is_static
from askos.physical.written import Piece


class LeftJoinOperator(PartnerOperator):
    """⟕: joined pieces that satisfy the condition, and each left element alone on exactly the
    parts of its interval without a partner; snapshot-equivalent to `algebra.LeftJoin`.

    Streaming SPARQL, section 6, Algs. 4 and 5, as `PartnerOperator` tells.
    """

    gaps_only = True

    def __init__(self, plan: LeftJoin, cut: Cut) -> None:
        pairing = Pairing.of(plan.left, plan.right)
        super().__init__(pairing, plan.condition, cut, static=is_static(plan.right))

    def pieces(self, left: Batch, parts: Parts, pairs: Sequence[Pairs]) -> Iterator[Piece]:
        yield from still_joined(len(left), pairs)
        if len(parts.row):
            yield parts.of(left, ~parts.inside)

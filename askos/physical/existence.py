"""What semi-, anti- and mark joins and MINUS have in common: of partners it matters only whether
there is one."""

from __future__ import annotations

from askos.algebra import Expression
from askos.columns.batch import Batch
from askos.columns.cover import as_set
from askos.columns.hidden import NEGATIVE
from askos.columns.ids import Ids
from askos.physical.cut import Cut
from askos.physical.join import RIGHT
from askos.physical.merge import Pairing
from askos.physical.met import Pairs
from askos.physical.partners import PartnerOperator


class ExistenceOperator(PartnerOperator):
    """A left element with and without a partner, whichever and however many it has.

    Not in the papers; the gaps are those of Algs. 4 and 5.  So of the right side only what pairs
    are told by is kept, and copies that come together are one element.
    """

    def __init__(
        self, pairing: Pairing, condition: Expression, cut: Cut, *, static: bool = False
    ) -> None:
        super().__init__(pairing, condition, cut, static=static)
        self._compared = sorted({*pairing.maybe, *condition.variables})

    def process(self, port: int, batch: Batch) -> Batch:
        if port == RIGHT:
            kept = {*self._pairing.key, *self._compared, NEGATIVE} & batch.columns.keys()
            batch = batch.project(sorted(kept)) if self._open_right else as_set(batch, sorted(kept))
        return super().process(port, batch)

    def _satisfying(self, left: Batch, mine: Ids, right: Batch, theirs: Ids) -> Pairs:
        found = super()._satisfying(self._narrow(left), mine, self._narrow(right), theirs)
        return found._replace(right=right)

    def _narrow(self, batch: Batch) -> Batch:
        """Without what pairs need not be told by: not even the key, which is equal already."""
        return batch.project([v for v in self._compared if v in batch.columns])

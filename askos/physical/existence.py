"""What semi-, anti- and mark joins and MINUS have in common: of partners it matters only whether
there is one."""

from __future__ import annotations

from askos.algebra import Expression
from askos.columns.batch import Batch
from askos.columns.cover import as_set
from askos.columns.hidden import NEGATIVE
from askos.physical.cut import Cut
from askos.physical.join import RIGHT
from askos.physical.merge import Pairing
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
        self._told_by = {*pairing.key, *pairing.maybe, *condition.variables, NEGATIVE}

    def process(self, port: int, batch: Batch) -> Batch:
        if port == RIGHT:
            kept = self._told_by & batch.columns.keys()
            batch = batch.project(sorted(kept)) if self._open_right else as_set(batch, sorted(kept))
        return super().process(port, batch)

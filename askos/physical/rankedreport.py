"""Reports whose rows have an order."""

from __future__ import annotations

import numpy as np

from askos.algebra import Kind
from askos.columns.batch import Batch
from askos.columns.factorize import factorize
from askos.columns.hidden import PLACE, numbers, sort_key
from askos.columns.ids import Ids
from askos.columns.ranks import places
from askos.columns.segments import changes
from askos.physical.nodes import Reporting
from askos.physical.reporting import Changes, ReportOperator, at_instants
from askos.physical.timing import Timing


class RankedReportOperator(ReportOperator):
    """A report of a query with ORDER BY: each row with its place among those of its report.

    Rows bring the values of their sort keys in hidden columns; ranks are worked out for the rows of
    a step.  Of equal rows, ISTREAM and DSTREAM tell those that come last.
    """

    def __init__(self, plan: Reporting, timing: Timing) -> None:
        assert plan.descending is not None
        super().__init__(plan, timing)
        self._keys = [(sort_key(n), down) for n, down in enumerate(plan.descending)]
        self._kept = (*plan.columns, *(name for name, _ in self._keys))

    @property
    def _sees_all(self) -> bool:
        return True

    def _snapshots(self, valid: Batch, instants: Ids) -> Batch:
        return self._placed(at_instants(valid, instants))

    def _differences(self, valid: Batch, changed: Changes, before: Ids) -> Batch:
        now, new = changed.instants, self._report.kind is Kind.ISTREAM
        told, seen = changed.rows(1 if new else -1), now if new else before
        return self._placed(self._last(valid, told, seen, now))

    def _last(self, valid: Batch, told: Batch, seen: Ids, due: Ids) -> Batch:
        """Of the copies of each row that is told, as many, the last in the order.  Copies are those
        of the instant `seen`, and are told at the one that is `due`."""
        rows = at_instants(valid, seen)
        rows = rows.with_interval(*_moved(rows, seen, due))
        both = Batch.concat([told.project(self._kept), rows])
        columns = [both.column(v) for v in self._columns]
        codes, _ = factorize([*columns, both.ts], len(both))
        wanted = np.bincount(codes[: len(told)], minlength=int(codes.max(initial=-1)) + 1)
        codes = codes[len(told) :]
        few = np.flatnonzero(wanted[codes] > 0)
        codes, rows = codes[few], rows.take(few)
        order = np.lexsort((-self._ranks(rows), codes))  # the last ones first
        first = np.flatnonzero(changes(codes[order]))
        size = np.diff(np.append(first, len(order)))
        nth = np.arange(len(order)) - np.repeat(first, size)
        return rows.take(order[nth < wanted[codes[order]]])

    def _ranks(self, rows: Batch) -> Ids:
        keys = [(rows.column(name), down) for name, down in self._keys]
        columns = [rows.column(v) for v in sorted(self._columns)]
        return places(keys, columns, len(rows), rows.dictionary)

    def _placed(self, rows: Batch) -> Batch:
        """Rows with their places, those of each instant from 0 on."""
        rows = rows.take(np.lexsort((self._ranks(rows), rows.ts)))
        first = np.flatnonzero(changes(rows.ts))
        size = np.diff(np.append(first, len(rows)))
        place = np.arange(len(rows)) - np.repeat(first, size)
        shown = rows.project(self._columns)
        return shown.with_columns({**shown.columns, PLACE: numbers(place)})


def _moved(rows: Batch, seen: Ids, due: Ids) -> tuple[Ids, Ids]:
    when = due[np.searchsorted(seen, rows.ts)]
    return when, when + 1

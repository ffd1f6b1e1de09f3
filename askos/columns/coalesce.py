"""Adjacent pieces of one solution become one."""

from __future__ import annotations

import numpy as np

from askos.columns.batch import Batch
from askos.columns.factorize import factorize


def coalesce(batch: Batch) -> Batch:
    """Join pieces of equal solutions where one ends when the next starts.

    What one step emits is cut at events that changed nothing one can see; interval reports
    leave those cuts out.  Equal copies stay as many as they are.  In the order of ts.
    """
    if len(batch) < 2:
        return batch
    if batch.ts.max() < batch.te.min():  # none ends before all have started
        return batch.sorted()
    codes, _ = factorize(list(batch.columns.values()), len(batch))
    order = np.lexsort((batch.te, batch.ts, codes))
    ordered, codes = batch.take(order), codes[order]
    joined = (codes[1:] == codes[:-1]) & (ordered.ts[1:] == ordered.te[:-1])
    if not joined.any():
        return batch.sorted()
    first, last = np.append(True, ~joined), np.append(~joined, True)
    heads = ordered.take(np.flatnonzero(first))
    return heads.with_interval(heads.ts, ordered.te[last]).sorted()

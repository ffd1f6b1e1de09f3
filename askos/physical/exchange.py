"""Exchanges: equal keys go to the same bucket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from askos.columns.batch import Batch
from askos.sweeparea import key_hash
from askos.terms import Variable


def split(batch: Batch, key: Sequence[Variable], buckets: int) -> Iterator[tuple[int, Batch]]:
    """The non-empty parts of a batch, by bucket.  Without a key, everything goes to bucket 0.

    Term ids are the same everywhere, so a key finds the same bucket from wherever it comes.
    """
    if not len(batch):
        return
    if not key or buckets == 1:
        yield 0, batch
        return
    places = key_hash([batch.column(v) for v in key], len(batch)) % buckets
    order = np.argsort(places, kind="stable")
    borders = np.searchsorted(places[order], np.arange(buckets + 1))
    ordered = batch.take(order)
    for bucket, (start, stop) in enumerate(pairwise(borders.tolist())):
        if start < stop:
            yield bucket, ordered.slice(start, stop)


def share(batch: Batch, key: Sequence[Variable], place: int, buckets: int) -> Batch:
    """What of a batch belongs into one bucket."""
    return dict(split(batch, key, buckets)).get(place, Batch.empty())

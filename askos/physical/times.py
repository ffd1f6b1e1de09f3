"""When triples came, as a column that travels with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from askos.algebra import Extend, Operator, Payload, Timestamp
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.hidden import arrival, numbers
from askos.columns.ids import fits
from askos.physical.plan import Stage
from askos.terms import XSD, URIRef


def timed(triples: Batch, stream: URIRef, coder: Coder) -> Batch:
    """Arrivals with their times; whatever window they enter, these stay.

    Cost: an array operation, for times that can be inlined (up to the year 37648).
    """
    ids, dictionary = numbers(triples.ts), triples.dictionary
    far = np.flatnonzero(~fits(triples.ts))
    if len(far):
        texts = [f'"{time}"^^<{XSD.integer}>' for time in triples.ts[far].tolist()]
        ids[far], more = coder.encode(pa.array(texts, pa.string()))
        dictionary |= more
    columns = {**triples.columns, arrival(stream): ids}
    return replace(triples, columns=columns, dictionary=dictionary)


# ---- where they are asked for ----------------------------------------------------------------


def with_times(stages: Sequence[Stage]) -> Iterator[Stage]:
    """The stages with feeds that tell when triples came, where something asks: what is matched
    before it enters a port is asked there."""
    asked = any(_asks_times(stage.plan) for stage in stages)
    for stage in stages:
        feeds = (
            replace(f, timed=_asks_times(f.plan) or (asked and f.plan.payload is Payload.TRIPLE))
            for f in stage.feeds
        )
        yield replace(stage, feeds=tuple(feeds))


def _asks_times(plan: Operator) -> bool:
    own = isinstance(plan, Extend) and isinstance(plan.expression, Timestamp)
    return own or any(map(_asks_times, plan.inputs))

"""When triples came, as a column that travels with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.hidden import arrival, numbers
from askos.columns.ids import fits
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

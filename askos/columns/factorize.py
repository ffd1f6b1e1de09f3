"""Equal rows get equal numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from askos.columns.ids import Ids


def factorize(columns: Sequence[Ids], count: int) -> tuple[Ids, Ids]:
    """A number from 0 for each distinct row of `columns`, and a row that has each number.

    >>> factorize([np.array([7, 7, 9])], 3)
    (array([0, 0, 1]), array([0, 2]))

    Cost: a hash of every value.
    """
    codes, distinct = np.zeros(count, np.int64), min(count, 1)
    for column in columns:
        coded = pa.array(column).dictionary_encode()
        codes = codes * len(coded.dictionary) + coded.indices.to_numpy()
        # Numbered anew after each column, so that the product cannot overflow.
        coded = pa.array(codes).dictionary_encode()
        codes, distinct = coded.indices.to_numpy().astype(np.int64), len(coded.dictionary)
    example = np.empty(distinct, np.int64)
    example[codes[::-1]] = np.arange(count)[::-1]
    return codes, example

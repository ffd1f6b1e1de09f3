"""Hot keys: one that has most of what a bucket keeps makes it slow, and others wait for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from askos.columns.batch import Batch
from askos.sweeparea.rows import key_hash
from askos.terms import Variable, n3

MANY: Final = 10_000
"""Elements: of fewer no key is a burden."""
FEW: Final = 8
"""Different keys of a bucket: fewer are categories, such as states, which nothing can spread."""
_SAMPLE: Final = 1_024  # of which it is looked who they are of
_MOST: Final = 0.5


@dataclass(frozen=True, slots=True)
class HotKey:
    """A key that has at least half of what a bucket keeps, by a sample: the spelling of the key,
    its share, and how many elements the bucket keeps."""

    key: str
    share: float
    elements: int

    def __str__(self) -> str:
        return f"{self.key} has {self.share:.0%} of {self.elements:,} elements"


@dataclass(frozen=True, slots=True)
class Keys:
    """Whose elements a bucket keeps: how many different keys a sample has, none where the bucket
    keeps little; and the hot one."""

    different: int = 0
    hot: HotKey | None = None


def keys_of(runs: Iterable[Batch], key: Sequence[Variable]) -> Keys:
    """The keys of a bucket; of few, none is hot.

    Runs are sorted by key or by time, so rows at equal distances are a fair sample.  Cost: that of
    a thousand rows, however many there are.
    """
    kept = [run for run in runs if key and run.columns.keys() >= set(key)]
    elements = sum(map(len, kept))
    if elements < MANY:
        return Keys()
    step = elements // _SAMPLE
    rows = Batch.concat([run.take(np.arange(0, len(run), step)).project(key) for run in kept])
    hashes = key_hash([rows.column(name) for name in key], len(rows))
    _, first, counts = np.unique(hashes, return_index=True, return_counts=True)
    most = int(counts.argmax())
    share = float(counts[most] / len(rows))
    if share < _MOST or len(counts) < FEW:
        return Keys(len(counts))
    return Keys(len(counts), HotKey(_spelled(rows, int(first[most]), key), share, elements))


def _spelled(rows: Batch, row: int, key: Sequence[Variable]) -> str:
    one = rows.take(np.array([row]))
    texts = (one.dictionary.texts(one.column(name))[0].as_py() for name in key)
    return ", ".join(
        f"{n3(name)} = {text or 'UNDEF'}" for name, text in zip(key, texts, strict=True)
    )

"""What a SweepArea asks of the elements it keeps, and how it tells a host what to store."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from askos.native import flat, native

_native: Final = native("askos.sweeparea._probes")

Ints: TypeAlias = npt.NDArray[np.int64]


class Rows(Protocol):
    """Elements as columns: no more than intervals, and how to choose rows."""

    @property
    def ts(self) -> Ints:
        """Starts of validity."""

    @property
    def te(self) -> Ints:
        """Ends of validity."""

    def __len__(self) -> int: ...

    def take(self, rows: Ints) -> Self:
        """The elements at `rows`, in that order."""

    def take_on(self, rows: Ints, ts: Ints, te: Ints) -> Self:
        """The same, each on another interval."""

    def slice(self, start: int, stop: int) -> Self:
        """The elements from `start` up to `stop`."""

    def compact(self) -> Self:
        """The same, without most of what belongs to elements that are gone."""

    def meet(self, other: Self) -> None:
        """Raise an error if equal keys of the two could mean different things."""

    @classmethod
    def concat(cls, batches: Sequence[Self]) -> Self:
        """One after the other."""


HASH_BITS: Final = 32
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)

R = TypeVar("R", bound=Rows)

Fetch: TypeAlias = Callable[[int], R]
"""The stored rows of a run, by its id."""


@dataclass(frozen=True, slots=True)
class Saved(Generic[R]):
    """State to store: a small manifest of plain data, and the runs it names.

    A run never changes, so a host stores those it has not stored yet, and drops the others.
    """

    manifest: Any = None
    runs: Mapping[int, R] = field(default_factory=dict)


def new_id() -> int:
    """A name for a run that no other run has, whichever process made it."""
    return secrets.randbits(62)


def argsort(keys: Ints, bits: int) -> Ints:
    """The stable order of keys below 2^bits, for fewer than 2^(63 - bits) of them.

    Sorts key and position as one number: several times faster than argsort.
    """
    width = 63 - bits
    packed = keys << width | np.arange(len(keys))
    packed.sort()
    return packed & (1 << width) - 1


def key_hash(keys: Sequence[Ints], count: int) -> Ints:
    """A 32-bit hash of `count` keys given as columns: multiply and shift, column by column."""
    state = np.zeros(count, np.uint64)
    for key in keys:
        state = (state ^ key.view(np.uint64)) * _MIX
        state ^= state >> np.uint64(HASH_BITS)
    return (state & np.uint64((1 << HASH_BITS) - 1)).astype(np.int64)


def by_hash(keys: Sequence[Ints], count: int) -> tuple[npt.NDArray[np.uint32], Ints]:
    """The hashes of `count` keys, ascending, and the row of each.

    Cost: a pass for every key and a few to sort; in numpy a sort.

    >>> keys = np.array([7, 7, 9])
    >>> hashes, order = by_hash([keys], 3)
    >>> bool((hashes == key_hash([keys[order]], 3)).all())
    True
    """
    if _native is not None:
        found, rows = np.empty(count, np.uint32), np.empty(count, np.int64)
        _native.by_hash(flat(keys), found, rows)
        return found, rows
    hashes = key_hash(keys, count)
    order = argsort(hashes, HASH_BITS)
    return hashes[order].astype(np.uint32), order


def bounds(ts: Ints, te: Ints, place: int) -> tuple[int, int, int, int]:
    """The last start, the first end and the last end of intervals, and which end is in that place
    from the first on; of one interval at least.

    >>> bounds(np.array([1, 5, 3]), np.array([9, 6, 7]), 1)
    (5, 6, 9, 7)
    """
    if _native is not None:
        found: tuple[int, int, int, int] = _native.bounds(*flat((ts, te)), place)
        return found
    first, last = int(te.min()), int(te.max())
    there = last if first == last else int(np.partition(te, place)[place])
    return int(ts.max()), first, last, there

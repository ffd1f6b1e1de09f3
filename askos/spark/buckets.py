"""Bucket ids that spread evenly over Spark's shuffle partitions."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import count


@cache
def bucket_ids(buckets: int, partitions: int) -> tuple[int, ...]:
    """An id for each bucket, such that bucket i is shuffled to partition i mod `partitions`.

    Spark sends a row to partition pmod(murmur3(id), n); ids 0, 1, 2.. may all end in one.

    >>> bucket_ids(2, 2)
    (2, 0)
    """
    wanted = [place % partitions for place in range(buckets)]
    missing = Counter(wanted)
    ids: dict[int, list[int]] = {place: [] for place in range(partitions)}
    candidates = count()
    while missing.total():
        candidate = next(candidates)
        place = _murmur3(candidate) % partitions
        if missing[place]:
            missing[place] -= 1
            ids[place].append(candidate)
    return tuple(ids[place].pop(0) for place in wanted)


def _murmur3(value: int, seed: int = 42) -> int:
    """Spark's hash of an int: Murmur3_x86_32 of its four bytes, as a signed number."""
    mask = 0xFFFFFFFF
    k = value * 0xCC9E2D51 & mask
    k = (k << 15 | k >> 17) & mask
    h = seed ^ (k * 0x1B873593 & mask)
    h = (h << 13 | h >> 19) & mask
    h = (h * 5 + 0xE6546B64 & mask) ^ 4
    h = (h ^ h >> 16) * 0x85EBCA6B & mask
    h = (h ^ h >> 13) * 0xC2B2AE35 & mask
    h ^= h >> 16
    return h - (1 << 32) if h >= 1 << 31 else h

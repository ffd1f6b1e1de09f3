"""Bucket ids that spread evenly over Spark's shuffle partitions."""

from __future__ import annotations

from functools import cache
from itertools import count


@cache
def bucket_ids(stage: int, buckets: int, partitions: int) -> tuple[int, ...]:
    """An id for each bucket of a stage, that no other stage has.

    Bucket i is shuffled to partition (i + stage) mod `partitions`: of stages with one bucket, one
    after the other takes the next.

    >>> bucket_ids(0, 2, 2), bucket_ids(1, 2, 2), bucket_ids(2, 2, 2)
    ((2, 0), (1, 4), (5, 3))
    """
    rounds = -(-buckets // partitions)
    taken = [0] * partitions
    ids = list[int]()
    for bucket in range(buckets):
        partition = (bucket + stage) % partitions
        ids.append(_id(stage * rounds + taken[partition], partition, partitions))
        taken[partition] += 1
    return tuple(ids)


def _id(number: int, partition: int, partitions: int) -> int:
    """The id of that number, from 0 on, among those that Spark sends to a partition.

    Spark sends a row to partition pmod(murmur3(id), n); ids 0, 1, 2.. may all end in one.
    """
    known, candidates = _ids(partitions)
    while len(known[partition]) <= number:
        candidate = next(candidates)
        known[_murmur3(candidate) % partitions].append(candidate)
    return known[partition][number]


@cache
def _ids(partitions: int) -> tuple[list[list[int]], count[int]]:
    """The ids that are known by partition, and those that are not."""
    return [[] for _ in range(partitions)], count()


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

"""A compiled query as its workers see it, and how a restart knows that it is the same one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from askos.columns import Batch, Coder
from askos.errors import QueryError
from askos.physical import PhysicalPlan
from askos.spark.buckets import bucket_ids
from askos.spark.tables import read_table

STATE_FORMAT: Final = 5
"""The version of what a stage stores."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What the state of every bucket was made with: the file askos.json could be another's."""

    plan: str
    buckets: int
    partitions: int
    key: str
    format: int = STATE_FORMAT

    def refuse_others(self, other: Mapping[str, Any], where: str) -> None:
        """Raise QueryError, naming what differs, unless `other` is this fingerprint."""
        for part, mine in asdict(self).items():
            if other.get(part) == mine:
                continue
            if part in ("plan", "key"):
                what = f"another {_NAMES[part]}"
            else:
                what = f"{_NAMES[part]} {other.get(part)}, not {mine}"
            raise QueryError(
                f"{where} was made with {what}",
                hint="its state would be read wrongly: go on with what it was made with,"
                " or start with an empty checkpoint",
            )


_NAMES: Final = {
    "plan": "query",
    "key": "hash key",
    "buckets": "a bucket count of",
    "partitions": "a number of shuffle partitions of",
    "format": "a state format of",
}


@dataclass(frozen=True, slots=True)
class Job:
    """A query with its checkpoint's settings."""

    plan: PhysicalPlan
    fingerprint: Fingerprint
    checkpoint: str
    cache: str
    tables: str = ""

    @property
    def coder(self) -> Coder:
        """With the checkpoint's hash key."""
        return Coder(self.fingerprint.key)

    def table(self, number: int) -> Batch:
        """What reads no stream, as it was when the query first started."""
        return read_table(Path(self.tables), number)

    @property
    def buckets(self) -> tuple[int, ...]:
        """The ids of the buckets, as Spark shuffles them."""
        return bucket_ids(self.fingerprint.buckets, self.fingerprint.partitions)

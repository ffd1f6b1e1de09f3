"""A compiled query as its workers see it, and how a restart knows that it is the same one."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from askos.algebra import Operator, Report, to_json
from askos.errors import QueryError
from askos.physical import Coder, PhysicalPlan
from askos.spark.buckets import bucket_ids

STATE_FORMAT: Final = 1
_FILE: Final = "askos.json"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What must be the same for a checkpoint to go on."""

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
    cache: str

    @property
    def coder(self) -> Coder:
        """With the checkpoint's hash key."""
        return Coder(self.fingerprint.key)

    @property
    def buckets(self) -> tuple[int, ...]:
        """The ids of the buckets, as Spark shuffles them."""
        return bucket_ids(self.fingerprint.buckets, self.fingerprint.partitions)


def fingerprint(
    checkpoint: Path, plan: Operator, report: Report | None, buckets: int, partitions: int
) -> Fingerprint:
    """The fingerprint of a checkpoint: written when it is new, compared when it is not.

    The hash key is drawn here, and kept with the checkpoint.
    """
    file = checkpoint / _FILE
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
    meant = json.dumps([to_json(plan), str(report)], sort_keys=True)
    mine = Fingerprint(
        hashlib.sha256(meant.encode()).hexdigest(),
        buckets,
        partitions,
        known["key"] if known else secrets.token_hex(8),
    )
    if known and any((checkpoint / "offsets").glob("*")):
        mine.refuse_others(known, f"checkpoint {checkpoint}")
        return mine
    checkpoint.mkdir(parents=True, exist_ok=True)
    hidden = checkpoint / f".{_FILE}"
    hidden.write_text(json.dumps(asdict(mine), indent=1) + "\n", encoding="utf-8")
    os.replace(hidden, file)
    return mine

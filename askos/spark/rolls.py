"""Who is of a kind in a micro-batch: what workers look up, wherever constants count.

Packing and stages run in tasks that know nothing of each other but the number of their micro-batch.
Spark notes before it begins what of the control stream it reads; so that tells all of them alike
who has joined, also when it is run again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from askos.spark.control import REGISTER, last_registration
from askos.spark.logs import control_files, control_logs
from askos.spark.registration import Joined


@dataclass(frozen=True, slots=True)
class Roll:
    """The roll of a kind; `key` tells its checkpoint from others that were in the same folder.

    Cost: in each micro-batch a worker opens a few small files once.
    """

    checkpoint: str
    key: str
    kind: str

    def __call__(self, batch: int) -> Joined | None:
        """Who has joined by a micro-batch; None if nobody has."""
        return _heard(self.checkpoint, self.key, batch).get(self.kind)


@lru_cache(maxsize=8)
def _heard(checkpoint: str, key: str, batch: int) -> Mapping[str, Joined]:
    return _told(checkpoint, key, control_logs(Path(checkpoint), batch))


@lru_cache(maxsize=8)
def _told(checkpoint: str, key: str, logs: tuple[tuple[Path, int], ...]) -> Mapping[str, Joined]:
    """What was told up to where logs have been read: that never changes."""
    names = {name for log, until in logs for name in control_files(log, until)}
    files = (Path(checkpoint, "control", name) for name in names if name.startswith(REGISTER))
    return last_registration(files).kinds

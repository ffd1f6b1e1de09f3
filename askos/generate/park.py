"""What to simulate: how large a park, for how long, from which seed, delivered how.

Chance comes as uniform numbers only, and each purpose draws from its own sequence, so a new
purpose does not change the old ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askos.errors import require, require_whole

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class Park:
    """A park in the making.  `start` is in milliseconds, `interval` and `lateness` are in seconds.

    With `joining`, a turbine of a third vendor joins halfway.
    """

    turbines: int = 50
    hours: int = 24
    seed: int = 1
    start: int = 1_768_435_200_000
    interval: int = 60
    lateness: int = 120
    joining: bool = False

    def __post_init__(self) -> None:
        for name, least in [("turbines", 1), ("hours", 1), ("interval", 1)]:
            require_whole(getattr(self, name), least, name)
        for name in ("seed", "start", "lateness"):
            require_whole(getattr(self, name), 0, name)
        require(self.turbines < 1000, "turbines must be less than 1000")
        require(self.hours <= 24 * 366, "hours must be at most those of a year")
        require(self.start <= 4_102_444_800_000, "start must be before the year 2100")
        require(self.lateness <= 3600, "lateness must be at most an hour")
        require(60 % self.interval == 0, "interval must divide a minute")

    @property
    def minutes(self) -> int:
        """How long the park runs."""
        return self.hours * 60

    @property
    def end(self) -> int:
        """The first instant after the park; deliveries go on for `lateness` more."""
        return self.start + self.minutes * MINUTE

    @property
    def joins_at(self) -> int:
        """The instant at which the turbine of the third vendor joins, if it does."""
        return self.start + self.minutes // 2 * MINUTE

    @property
    def names(self) -> tuple[str, ...]:
        """The local names of the turbines; the one that joins is the last."""
        return tuple(f"T{number:02d}" for number in range(1, self.turbines + self.joining + 1))

    def uniform(self, purpose: str, *shape: int) -> Numbers:
        """Numbers in [0, 1) for one purpose; the sequence starts anew with each call."""
        bits = np.random.PCG64([self.seed, *purpose.encode()])
        return np.random.Generator(bits).random(shape)

    def noise(self, purpose: str, *shape: int) -> Numbers:
        """Numbers of mean 0 and deviation 1, nearly normal: the sum of four uniform ones."""
        total: Numbers = self.uniform(purpose, *shape, 4).sum(axis=-1)
        return (total - 2.0) * math.sqrt(3.0)

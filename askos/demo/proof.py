"""Answers depend on the data alone: the jobs of a park twice, and no difference between the two.

Once the park is delivered as it was measured.  Once its rows come in another order, as far as their
lateness allows, and in other parts; and in the middle of a micro-batch Spark and its driver are
killed, and started again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from askos.demo.folder import STREAMS, Folder
from askos.errors import SetupError
from askos.generate.park import Park
from askos.generate.simulate import simulate
from askos.generate.writing import Wanted, write_park
from askos.spark.logs import last_in

PARK: Final = Park(turbines=10, hours=4, joining=True, seed=3)
"""Small, and with a fault of every kind."""
PARTS: Final = 2
"""In which the park is delivered as it was measured."""
OTHER_PARTS: Final = 4
ANSWERS: Final = "answers.txt"
_SEED: Final = 17
_LOOK: Final = 0.05  # seconds


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of both runs: their answers in normal form, and where Spark was killed."""

    folder: Folder
    plain: list[str]
    shuffled: list[str]
    killed_in: int

    @property
    def difference(self) -> list[str]:
        """What `diff` says of the two: nothing."""
        return list(unified_diff(self.plain, self.shuffled, "plain", "shuffled", lineterm="", n=0))

    @property
    def answering(self) -> int:
        """How many of the jobs have something to say: of the others, nothing is proved."""
        return len({line.partition(" ")[0] for line in self.plain})

    @property
    def digest(self) -> str:
        """Of the plain answers: equal where all of them are."""
        return hashlib.sha256("\n".join(self.plain).encode()).hexdigest()


def prove(out: Path, tell: Callable[[str], None]) -> Proof:
    """Run the jobs both ways below `out`, each in a process of its own."""
    plain, shuffled = Folder(out / "plain" / "park"), out / "shuffled"
    write_park(simulate(PARK), plain.path, Wanted(("parquet",), PARTS))
    deliver_otherwise(plain, shuffled / "park")
    tell("the jobs, on what was delivered as it was measured")
    _finish(plain.path.parent)
    tell("the jobs, on what was shuffled")
    killed_in = _kill(shuffled)
    tell("killed; the jobs go on")
    _finish(shuffled)
    return Proof(plain, _answers(plain.path.parent), _answers(shuffled), killed_in)


def _answers(folder: Path) -> list[str]:
    return (folder / ANSWERS).read_text(encoding="utf-8").splitlines()


# ---- delivery --------------------------------------------------------------------------------


def deliver_otherwise(folder: Folder, target: Path) -> None:
    """The same park, its rows in another order and in other parts; none of them is late.

    Each row is delivered at a random instant between its own and as much later as its stream may
    be late: whatever was delivered before it is no later than that instant.
    """
    for name in sorted({*STREAMS.values()}):
        (target / "parquet" / name).mkdir(parents=True)
        for number, rows in enumerate(shuffled_parts(folder, name)):
            pq.write_table(rows, target / "parquet" / name / f"part-{number:05}.parquet")
    for file in folder.path.iterdir():
        if file.is_file():
            shutil.copy(file, target)


def shuffled_parts(folder: Folder, name: str) -> Iterator[pa.Table]:
    """The rows of a stream by the span of time in which they are delivered."""
    table = pq.read_table(folder.stream(name))
    times = table["ts"].to_numpy()
    late = np.random.default_rng(_SEED).integers(0, folder.said["lateness_ms"], len(times))
    order = np.argsort(times + late, kind="stable")
    through = (times + late - folder.start) / (folder.end - folder.start)
    part = (through * OTHER_PARTS).astype(np.int64).clip(0, OTHER_PARTS - 1)
    for number in range(OTHER_PARTS):
        yield table.take(order[part[order] == number])


# ---- processes -------------------------------------------------------------------------------


def _start(folder: Path) -> subprocess.Popen[bytes]:
    """The jobs over the park of a folder, in processes that can be killed together."""
    command = [sys.executable, "-m", "askos.demo.child", str(folder)]
    with (folder / "spark.log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)


def _finish(folder: Path) -> None:
    if _start(folder).wait():
        raise SetupError(f"the jobs over {folder} failed", hint=f"{folder / 'spark.log'} says why")


def _kill(folder: Path) -> int:
    """Start, kill -9 in the middle of a micro-batch after the first, and tell its number."""
    process, checkpoint = _start(folder), folder / "checkpoint"
    while process.poll() is None:
        done, begun = last_in(checkpoint / "commits"), last_in(checkpoint / "offsets")
        if 0 <= done < begun:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return begun
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK)
    raise SetupError(
        f"the jobs over {folder} ended before they were killed",
        hint=f"{folder / 'spark.log'} says why",
    )

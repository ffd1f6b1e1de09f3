"""A worker of the fuzzer: draws inputs, and tells what it met."""

from __future__ import annotations

import os
import resource
import signal
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from askos.errors import AskosError
from tests.fuzz.targets import Target, targets

SECONDS: Final = 10
MEMORY: Final = 1 << 30
EVERY: Final = 200  # inputs between two reports to the parent


class HangError(Exception):
    """An input took too long."""


@dataclass
class Report:
    """What a worker has done since its last report."""

    counts: Counter[str] = field(default_factory=Counter)
    defects: dict[str, str] = field(default_factory=dict)


@contextmanager
def limited() -> Iterator[None]:
    """Interrupted after some seconds."""

    def stop(number: int, frame: object) -> None:
        raise HangError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def attempt(target: Target, given: Any) -> tuple[str, str] | None:
    """The kind of defect and its story, if there is one."""
    try:
        with limited():
            target.run(given)
    except AskosError:
        return None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "/askos/" in frame.filename] or frames
        place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
        text = "".join(traceback.format_exception_only(error)).strip()[:300]
        return f"{type(error).__name__} at {place}", f"{text}\n  input: {given!r:.1500}"
    return None


def work(seed: int, chosen: list[str], reports: Any, current: str) -> None:
    """One worker: as long as its parent is there."""
    parent = os.getppid()
    warnings.simplefilter("ignore")
    random = Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        known = targets(Path(folder))
        names = [name for name in chosen or known for _ in range(known[name].share)]
        taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        resource.setrlimit(resource.RLIMIT_DATA, (taken + 2 * MEMORY,) * 2)
        report = Report()
        with open(current, "w", encoding="utf-8", errors="backslashreplace") as log:
            while os.getppid() == parent:
                name = random.choice(names)
                given = known[name].make(random)
                log.seek(0)
                log.write(f"{name}: {given!r}")
                log.truncate()
                log.flush()
                report.counts[name] += 1
                found = attempt(known[name], given)
                if found:
                    report.defects.setdefault(f"{name}: {found[0]}", found[1])
                if sum(report.counts.values()) >= EVERY:
                    reports.put((seed, report))
                    report = Report()

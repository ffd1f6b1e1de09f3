"""Run the fuzzer.

    python -m tests.fuzz [--inputs 1000000] [--seed 1] [--workers 2] [--targets texts files ..]

Each worker draws inputs from a seed of its own, and may take a gigabyte more than it began with; an
input that takes ten seconds is a hang.  Prints a line now and then, at the end how many inputs of
each kind there were, and every kind of defect once, with its input.  Exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import multiprocessing as mp
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from typing import Any, Final

from tests.fuzz.worker import SECONDS, Report, work

STUCK: Final = 8 * SECONDS  # in code that no signal reaches


@dataclass
class Worker:
    """A worker as its parent sees it."""

    seed: int
    process: Any
    current: Path
    heard: float


def main() -> int:
    """Until there were enough inputs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--targets", nargs="*", default=[])
    arguments = parser.parse_args()
    context, total = mp.get_context("spawn"), Report()
    reports = context.Queue()
    folder = Path(tempfile.mkdtemp())
    seeds = iter(range(arguments.seed * 1_000, (arguments.seed + 1) * 1_000))
    began = told = time.monotonic()

    def start() -> Worker:
        seed = next(seeds)
        current = folder / str(seed)
        given = (seed, arguments.targets, reports, str(current))
        process = context.Process(target=work, args=given, daemon=True)
        process.start()
        return Worker(seed, process, current, time.monotonic() + 900)  # it has to begin

    workers = [start() for _ in range(arguments.workers)]
    while total.counts.total() < arguments.inputs:
        try:
            seed, report = reports.get(timeout=1)
        except Empty:
            pass
        else:
            total.counts += report.counts
            for kind in report.defects.keys() - total.defects.keys():
                print(f"- {kind}\n  {report.defects[kind]}", file=sys.stderr, flush=True)
            total.defects = {**report.defects, **total.defects}
            for worker in workers:
                worker.heard = time.monotonic() if worker.seed == seed else worker.heard
        now = time.monotonic()
        for place, worker in enumerate(workers):
            stuck = now - worker.heard > STUCK
            if stuck or not worker.process.is_alive():
                what = "stuck" if stuck else f"died with {worker.process.exitcode}"
                last = worker.current.read_text("utf-8") if worker.current.exists() else ""
                total.defects.setdefault(f"{what} in {last[:12]}", last[:1500])
                worker.process.kill()
                workers[place] = start()
        if now - told > 120:
            told = now
            rate = total.counts.total() / (now - began)
            print(f"{total.counts.total():,} inputs, {rate:,.0f}/s, {len(total.defects)} defects",
                  file=sys.stderr, flush=True)  # fmt: skip
    for worker in workers:
        worker.process.kill()
    tell(total, time.monotonic() - began)
    return 1 if total.defects else 0


def tell(total: Report, seconds: float) -> None:
    """The summary."""
    print(f"{total.counts.total():,} inputs in {seconds:,.0f} s")
    for name, count in sorted(total.counts.items()):
        print(f"  {name}: {count:,}")
    print(f"{len(total.defects)} kinds of defects")
    for kind, story in total.defects.items():
        print(f"- {kind}\n  {story}")


if __name__ == "__main__":
    sys.exit(main())

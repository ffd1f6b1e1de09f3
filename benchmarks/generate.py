"""How fast a wind park is simulated and written: a day of fifty turbines, to Parquet and N-Quads.

    .venv/bin/python benchmarks/generate.py [--turbines N] [--hours N] [--rounds N] [--json]

The park is simulated and written in each format in turns, round by round, in one process.  Figures
are medians, in thousands of triples a second: of the clock, and of the processor, since the machine
may have other work.  With --json the last line is one object.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import tempfile
import time
from pathlib import Path

from askos.generate.park import Park
from askos.generate.simulate import simulate
from askos.generate.writing import FORMATS, Wanted, write_park


def once(park: Park, form: str) -> tuple[int, float, float]:
    """Triples, and seconds of the clock and of the processor that they took."""
    gc.collect()
    with tempfile.TemporaryDirectory() as folder:
        clock, processor = time.perf_counter(), time.process_time()
        written = write_park(simulate(park), Path(folder) / "park", Wanted((form,)))
        took = time.perf_counter() - clock, time.process_time() - processor
    return sum(each.rows for each in written), *took


def measured(park: Park, rounds: int) -> dict[str, dict[str, float]]:
    """Triples, and thousands of them a second, by format."""
    runs: dict[str, list[tuple[int, float, float]]] = {form: [] for form in FORMATS}
    for number in range(rounds):
        for form in FORMATS if number % 2 else reversed(FORMATS):
            runs[form].append(once(park, form))
    return {
        form: {
            "triples": own[0][0],
            "clock": statistics.median(count / clock for count, clock, _ in own) / 1000,
            "processor": statistics.median(count / cpu for count, _, cpu in own) / 1000,
        }
        for form, own in runs.items()
    }


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turbines", type=int, default=50)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    park = Park(turbines=arguments.turbines, hours=arguments.hours)
    found = measured(park, arguments.rounds)
    print(f"{park.turbines} turbines, {park.hours} hours, median of {arguments.rounds} rounds")
    print("format     triples   k/s (clock)   k/s (processor)")
    for form, figures in found.items():
        clock, processor = figures["clock"], figures["processor"]
        print(f"{form:8} {figures['triples']:9.0f} {clock:13.0f} {processor:17.0f}")
    if arguments.json:
        print(json.dumps({"turbines": park.turbines, "hours": park.hours, "formats": found}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

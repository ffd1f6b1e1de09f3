"""LUBM(1, 0) as a finite stream: when the first row comes, against loading first.

    python -m benchmarks.first_row [--suite DIR] [--rounds 7] [--json]

from the project's root.  The queries are those for which Groppe et al. (section 6) report early
answers: Q1, Q3 and Q14.  Each runs over lubm-1.nt.gz, unpacked beforehand, in two ways, in turns,
in one process that has run both before:

- stream: `askos.local.Finite`, as `askos select --stream` does: rows come while the file is read.
  Told: which share of the lines was parsed at all, how much of the file was read before the first
  row, the seconds to it, and to all rows.
- load: `askos.select`, as `askos select --graph` does: the first row comes when all are there.

Of several rounds the median counts.  Every answer is counted against the reference.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

from askos.io.lines import read_lines
from askos.local import Finite
from askos.sources import DEFAULT_GRAPH
from askos.static import Solutions, select
from tests.static import lubm
from tests.suites import FOLDER

QUERIES: Final = ("q01", "q03", "q14")
COLUMNS: Final = ("parsed", "share", "first", "all", "load")


def streamed(text: str, file: Path) -> tuple[dict[str, float], int]:
    """The share of lines parsed, the share of the file before the first row, the seconds to it and
    to all, and how many rows."""
    start = time.perf_counter()
    query, rows, told = Finite(text), 0, dict[str, float]()
    parsed = lines = 0
    for block in read_lines([file], query.wanted):
        parsed, lines = parsed + len(block.triples), block.places
        rows += len(query.push(DEFAULT_GRAPH, block.triples))
        if rows and not told:
            assert block.share is not None
            told = {"share": block.share, "first": time.perf_counter() - start}
    rows += len(query.close())
    return told | {"all": time.perf_counter() - start, "parsed": parsed / lines}, rows


def loaded(text: str, file: Path) -> tuple[dict[str, float], int]:
    """The seconds to all rows, the first among them, and how many."""
    start = time.perf_counter()
    found = select(text, graph=file)
    assert isinstance(found, Solutions)
    return {"load": time.perf_counter() - start}, len(found)


def measure(folder: Path, file: Path, rounds: int) -> dict[str, dict[str, Any]]:
    """Per query the medians, and the number of rows."""
    told: dict[str, dict[str, Any]] = {}
    for name in QUERIES:
        text, expected = lubm.text(folder, name), len(lubm.answers(folder, name, []))
        times: dict[str, list[float]] = {column: [] for column in COLUMNS}
        for turn in range(rounds + 1):
            for way in (streamed, loaded):
                found, rows = way(text, file)
                assert rows == expected, f"{way.__name__}, {name}: {rows}, not {expected}"
                for column, value in found.items():
                    times[column] += [value] * (turn > 0)  # the first round only warms up
        told[name] = {column: median(values) for column, values in times.items()}
        told[name]["rows"] = expected
    return told


def table(told: dict[str, dict[str, Any]]) -> str:
    """The medians as text, a line per query."""
    head = ["rows", "lines parsed", "read before", "to first row", "to all rows", "load, then all"]
    lines = ["".ljust(6) + "".join(name.rjust(16) for name in head)]
    for name, row in told.items():
        seconds = "".join(f"{row[column]:14.3f} s" for column in COLUMNS[2:])
        shares = "".join(f"{row[column]:16.1%}" for column in COLUMNS[:2])
        lines.append(f"{name:6}{row['rows']:16,}{shares}{seconds}")
    return "\n".join(lines)


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", type=Path, default=FOLDER / "lubm")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    arguments = parser.parse_args()
    if not arguments.suite.is_dir():
        sys.exit(f"no suite at {arguments.suite}: name its folder with --suite")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "lubm-1.nt"
        file.write_bytes(gzip.decompress((arguments.suite / "lubm-1.nt.gz").read_bytes()))
        print(f"{file.name}: {file.stat().st_size:,} bytes; medians of {arguments.rounds} rounds")
        told = measure(arguments.suite, file, arguments.rounds)
    print(table(told))
    if arguments.json:
        print(json.dumps({"rounds": arguments.rounds, "queries": told}))


if __name__ == "__main__":
    main()

"""Two questions about a wind park, written as queries, and a demo that answers them.

python examples/windpark.py OUT      generates an hour of a small park, runs both on Spark
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from askos.algebra import Intervals
from askos.generate import windpark
from askos.io.table import table
from askos.prepared import Prepared, prepare
from askos.sources import Catalogue
from askos.terms import URIRef

MINUTE = 60_000
SCADA, EVENTS = URIRef(windpark.SCADA), URIRef(windpark.EVENTS)
PREFIXES = {"": windpark.WIND}
LATENESS = windpark.WindPark().lateness * 1000
EVENT_KINDS = (windpark.START_COUNT, windpark.STOP_COUNT, windpark.ALARM_TIME)
SOURCES = (
    Catalogue()
    .stream(SCADA, (windpark.WIND_SPEED, windpark.ACTIVE_POWER), lateness_ms=LATENESS)
    .stream(EVENTS, EVENT_KINDS, lateness_ms=LATENESS)
)
QUERIES = ("starts-and-stops", "power-and-alarms")


def query(name: str) -> Prepared:
    """The query in the file of that name; each answer with the interval during which it holds."""
    text = Path(__file__).with_name(f"{name}.rq").read_text(encoding="utf-8")
    return prepare(text, sources=SOURCES, report=Intervals())


# ---- the demo --------------------------------------------------------------------------------


def main(arguments: list[str] | None = None, session: Any = None) -> int:
    """Generate, run both queries, show the answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", default="demo-output", type=Path, metavar="OUT")
    out = parser.parse_args(arguments).out
    for name in ("park", *QUERIES):
        shutil.rmtree(out / name, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)

    park = windpark.WindPark()
    written = windpark.write(park, out / "park")
    rows = {part.stream: part.rows for part in written}
    print(f"An hour of a park of {park.turbines} turbines: {rows['scada']} readings, ", end="")
    print(f"{rows['events']} starts, stops and alarms.\n", flush=True)

    from askos import spark

    _progress("starting Spark")
    session = session or spark.session(log=out / "spark.log")
    started = _run(session, "starts-and-stops", out)
    print("Who started in the last half hour, and has stopped in the last five minutes?")
    print("(what holds between 00:50 and 01:00)\n")
    _show(started, park.start + 50 * MINUTE, park.start + 60 * MINUTE)
    means = _run(session, "power-and-alarms", out)
    print("\nMean power (kW) and wind speed (m/s) over ten minutes, and the last alarm?")
    print("(the answer at 00:59)\n")
    _show(means, park.start + 59 * MINUTE, park.start + 59 * MINUTE + 1)

    print(f"\nThe data is in {out}/park, as N-Quads and Parquet; the answers, each with the")
    print(f"interval [ts, te) during which it holds, are Parquet in {out}/*/answers.")
    return 0


def _run(session: Any, name: str, out: Path) -> Any:
    """Run a query over the N-Quads files of the park; the DataFrame of its answers."""
    from askos import spark

    folder = (out / name).absolute()
    park = (out / "park" / "nquads").absolute()
    streams = {
        SCADA: spark.nquads(session, park / "scada", files_per_trigger=4),
        EVENTS: spark.nquads(session, park / "events", files_per_trigger=3),
    }
    begin, seen = time.monotonic(), 0

    def watch(progress: Mapping[str, Any]) -> None:
        nonlocal seen
        seen += progress["numInputRows"]
        seconds = time.monotonic() - begin
        _progress(f"{name}: batch {progress['batchId']}, {seen} triples, {seconds:.0f} s")

    _progress(f"{name}: starting")
    answers, checkpoint = spark.Parquet(folder / "answers"), folder / "checkpoint"
    spark.run(session, query(name), streams, answers, checkpoint, watch=watch)
    _progress("")
    return session.read.parquet(str(folder / "answers"))


def _progress(text: str) -> None:
    """One line on a terminal, written over and over."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _show(answers: Any, start: int, end: int) -> None:
    """The answers that hold sometime in [start, end), as a table."""
    results = answers.where(f"output = 'result' and ts < {end} and te > {start}")
    columns = [name for name in results.columns if name not in ("output", "note")]
    rows = [list(row) for row in results.select(columns).collect()]
    rows.sort(key=lambda row: (row[-2], [str(cell) for cell in row]))
    print(table(columns, rows, PREFIXES))


if __name__ == "__main__":
    sys.exit(main())

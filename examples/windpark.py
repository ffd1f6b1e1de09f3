"""Two questions about a wind park, as plans built by hand, and a demo that answers them.

    python examples/windpark.py OUT      generates an hour of a small park, runs both on Spark

Until queries are parsed from text, their plans are written as the algebra's values.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from askos.algebra import (
    Avg,
    Binding,
    Bound,
    Call,
    Filter,
    Group,
    Join,
    LeftJoin,
    Not,
    Operator,
    Pattern,
    Project,
    Ref,
    SlidingWindow,
    SteppedWindow,
    StreamAccess,
)
from askos.generate import windpark
from askos.io.table import table
from askos.terms import URIRef, Variable

MINUTE = 60_000
SCADA, EVENTS = URIRef(windpark.SCADA), URIRef(windpark.EVENTS)
PREFIXES = {"": windpark.WIND}


def starts_and_stops() -> Operator:
    """Listing 1.1 of Streaming SPARQL, its count window replaced by one of five minutes: the
    turbines that started in the last half hour and, if they have stopped lately, the stop.

        SELECT ?turbine ?starts ?stops
        FROM STREAM :events WINDOW RANGE 30 MINUTE SLIDE
        WHERE {
          ?turbine wtur:StrCnt ?starts .
          OPTIONAL { ?turbine wtur:StopCnt ?stops  WINDOW RANGE 5 MINUTE SLIDE }
        }
    """
    turbine, starts, stops = map(Variable, ("turbine", "starts", "stops"))
    events = StreamAccess(EVENTS)
    recent = SlidingWindow(events, 30 * MINUTE, MINUTE)
    started = Pattern(turbine, URIRef(windpark.START_COUNT), starts, recent)
    stopped = Pattern(turbine, URIRef(windpark.STOP_COUNT), stops, events)
    return Project(
        (turbine, starts, stops),
        LeftJoin(started, SlidingWindow(stopped, 5 * MINUTE, MINUTE)),
    )


def power_and_alarms() -> Operator:
    """Average power and wind speed per turbine over ten minutes, every minute, with the last
    alarm of the past half hour if there is one.

    The last alarm is the one without a later one: an OPTIONAL with a condition, that must fail.
    """
    turbine, power, wind = map(Variable, ("turbine", "power", "wind"))
    means = Join(
        _mean(turbine, URIRef(windpark.ACTIVE_POWER), power),
        _mean(turbine, URIRef(windpark.WIND_SPEED), wind),
    )
    alarm, later = map(Variable, ("alarm", "later"))
    events = SteppedWindow(StreamAccess(EVENTS), 30 * MINUTE, MINUTE)
    raised = Pattern(turbine, URIRef(windpark.ALARM_TIME), alarm, events)
    again = Pattern(turbine, URIRef(windpark.ALARM_TIME), later, events)
    superseded = LeftJoin(raised, again, Call(">", (Ref(later), Ref(alarm))))
    last = Project((turbine, alarm), Filter(Not(Bound(later)), superseded))
    return Project((turbine, power, wind, alarm), LeftJoin(means, last))


def _mean(turbine: Variable, predicate: URIRef, value: Variable) -> Operator:
    reading = Variable(f"{value}_reading")
    window = SteppedWindow(StreamAccess(SCADA), 10 * MINUTE, MINUTE)
    readings = Pattern(turbine, predicate, reading, window)
    return Group((Binding(turbine, Ref(turbine)),), (Binding(value, Avg(Ref(reading))),), readings)


QUERIES = {"starts-and-stops": starts_and_stops, "power-and-alarms": power_and_alarms}


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
    sources = {
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
    lateness = windpark.WindPark().lateness * 1000
    plan = QUERIES[name]()
    spark.run(session, plan, sources, answers, checkpoint, lateness=lateness, watch=watch)
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

"""Questions about a wind park, one or two in each language, and a demo that answers them.

python examples/questions.py OUT      generates an hour of a small park, runs all of them on Spark
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askos.algebra import Intervals
from askos.generate import windpark
from askos.interval import Interval
from askos.io.results import settled, write_reports
from askos.io.table import table
from askos.prepared import Prepared, prepare
from askos.sources import Catalogue
from askos.terms import Solution, URIRef, n3

MINUTE = 60_000
SCADA, EVENTS = URIRef(windpark.SCADA), URIRef(windpark.EVENTS)
REGION = URIRef("http://iec.org/61400-25/root/td.rdf")
"""The stream of the paper's own query: the starts and stops of a whole region."""
KNOWN = URIRef(windpark.WIND + "park")
"""The static graph that says which turbines there are."""
PREFIXES = {"": windpark.WIND}
LATENESS = windpark.WindPark().lateness * 1000
EVENT_KINDS = (windpark.START_COUNT, windpark.STOP_COUNT, windpark.ALARM_TIME)
SOURCES = (
    Catalogue()
    .stream(SCADA, (windpark.WIND_SPEED, windpark.ACTIVE_POWER), lateness_ms=LATENESS)
    .stream(EVENTS, EVENT_KINDS, lateness_ms=LATENESS)
    .stream(REGION, EVENT_KINDS, lateness_ms=LATENESS)
    .graph(KNOWN, Path(__file__).with_name("park.ttl"))
)
PARK = windpark.WindPark()
TURBINES = windpark.WindPark(turbines=1500, interval=600)
FOLDERS = {
    SCADA: Path("park/nquads/scada"),
    EVENTS: Path("park/nquads/events"),
    REGION: Path("region/nquads/events"),
}


@dataclass(frozen=True)
class Question:
    """A query in the file of that name, and which of its answers to show: those that hold
    sometime from `start` up to `end`, in minutes, at `most` so many.  Its OPTIONAL looks for what
    is `optional`."""

    name: str
    language: str
    asked: str
    start: float = 0
    end: float = 60.0
    most: int = 20
    optional: str = ""

    @property
    def query(self) -> Prepared:
        """What hosts run."""
        text = Path(__file__).with_name(f"{self.name}.rq").read_text(encoding="utf-8")
        return prepare(text, sources=SOURCES)


QUESTIONS = (
    Question(
        "silent",
        "Streaming SPARQL, with a static graph",
        "Who has been silent for two minutes, from when to when, and was there an alarm?",
        start=20,
        end=62,
        most=5,
        optional="an alarm",
    ),
    Question(
        "starts-and-stops",
        "Streaming SPARQL",
        "Who started in the last half hour, and has stopped in the last five minutes?",
        start=50,
    ),
    Question(
        "listing-1-1",
        "Streaming SPARQL, Listing 1.1 as printed in 2008",
        "The same of a region of 1500 turbines, if the stop is among its last 1500?",
        start=59,
        end=59.001,
        most=5,
        optional="a stop",
    ),
    Question(
        "power-and-alarms",
        "SPARQLstream, the whole answer every minute",
        "Mean power (kW) and wind speed (m/s) over ten minutes, and the last alarm?",
        start=59,
        end=59.001,
    ),
    Question(
        "stops-again",
        "C-SPARQL, the whole answer every ten minutes",
        "Who stopped more than once in half an hour?",
        start=30,
    ),
    Question(
        "strong-wind",
        "CQELS-QL, what is new, where there is something",
        "Where does the wind blow above 17 m/s, in the mean of ten minutes?",
    ),
    Question(
        "back-again",
        "RSP-QL, what is new every ten minutes",
        "Who is running again, after a stop in the last half hour?",
        start=40,
    ),
)


# ---- the demo --------------------------------------------------------------------------------


def main(arguments: list[str] | None = None, session: Any = None) -> int:
    """Generate, run all queries at once, show the answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", default="demo-output", type=Path, metavar="OUT")
    out = parser.parse_args(arguments).out
    for name in ("park", "region", *(question.name for question in QUESTIONS)):
        shutil.rmtree(out / name, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)

    rows = {part.stream: part.rows for part in windpark.write(PARK, out / "park")}
    more = {part.stream: part.rows for part in windpark.write(TURBINES, out / "region")}
    print(f"An hour of a park of {PARK.turbines} turbines: {rows['scada']} readings, ", end="")
    print(f"{rows['events']} starts, stops and alarms;")
    print(f"of a region of {TURBINES.turbines}: {more['events']}.", flush=True)

    from askos import spark

    _progress("starting Spark")
    session = session or spark.session(log=out / "spark.log")
    watch = _Watch()
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(_run, session, q, out, watch) for q in QUESTIONS]
        for question, answers in zip(QUESTIONS, runs, strict=True):
            found = answers.result()
            _progress("")
            print(f"\n{question.asked}\n({question.language})\n")
            _show(question, found)

    print(f"\nThe data is in {out}/park and {out}/region, as N-Quads and Parquet; the answers")
    print(f"are Parquet in {out}/*/answers.")
    return 0


class _Watch:
    """How many triples the queries have read, together."""

    def __init__(self) -> None:
        self._seen = 0

    def __call__(self, progress: Mapping[str, Any]) -> None:
        self._seen += progress["numInputRows"]
        _progress(f"{self._seen} triples read by {len(QUESTIONS)} queries")


def _run(session: Any, question: Question, out: Path, watch: _Watch) -> list[Any]:
    """Run a query over N-Quads files; its answers, as the sink has them."""
    from askos import spark

    query, folder = question.query, (out / question.name).absolute()
    streams = {
        stream: spark.nquads(session, (out / FOLDERS[stream]).absolute(), files_per_trigger=16)
        for stream in query.streams
    }
    sink = spark.Parquet(folder / "answers")
    spark.run(session, query, streams, sink, folder / "checkpoint", watch=watch)
    read = spark.elements if isinstance(query.report, Intervals) else spark.reports
    return list(read(session, folder / "answers", query))


def _progress(text: str) -> None:
    """One line on a terminal, written over and over."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _show(question: Question, answers: list[Any]) -> None:
    """The answers that hold in the question's time: with their intervals, or by report."""
    start, end = (PARK.start + round(m * MINUTE) for m in (question.start, question.end))
    names = [str(v) for v in question.query.columns]
    if isinstance(question.query.report, Intervals):
        rows = settled((element.item, element.interval) for element in answers)
        asked = Interval(start, end)
        held = [(mu, t) for mu, t in rows if isinstance(t, Interval) and t.intersect(asked)]
        _show_intervals(question, names, held)
        return
    reports = [(answer.at, answer.rows) for answer in answers if start <= answer.at <= end]
    for text in write_reports("table", question.query.columns, reports, PREFIXES):
        print(text, end="")


def _show_intervals(question: Question, names: list[str], held: list[Any]) -> None:
    rows = [[*_cells(item, names), time.start, time.end] for item, time in held]
    print(table([*names, "ts", "te"], rows[: question.most], PREFIXES))
    if len(rows) > question.most:
        without = sum(None in row for row in rows)
        print(f"… {len(rows)} answers in all, {without} of them without {question.optional}")


def _cells(row: Any, names: list[str]) -> list[Any]:
    assert isinstance(row, Solution)
    terms = {str(variable): n3(term) for variable, term in row.items()}
    return [terms.get(name) for name in names]


if __name__ == "__main__":
    sys.exit(main())

"""The jobs of a park, together on an embedded Spark, while its day is delivered part by part.

Halfway a turbine of a vendor that nobody knew joins: some triples of the static graph say what its
tags mean, and the jobs, which go on running, watch it too.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from askos.algebra import Intervals
from askos.backtest import MONTH, Score, Spans, Verdict, judge, spans
from askos.demo.folder import STREAMS, Folder, local
from askos.generate.jobs import Job
from askos.generate.vocabulary import PARK
from askos.interval import Interval
from askos.prepared import Prepared, prepare
from askos.queries import Queries, prepare_all
from askos.sources import Catalogue
from askos.spark import Control, Parquet, elements, parquet, start
from askos.spark.control import FILE
from askos.spark.host import drain, stopping
from askos.spark.logs import has_heard_end
from askos.terms import Solution, Variable

ANSWERS: Final = "answers"
_TURBINE: Final = Variable("turbine")


@dataclass(frozen=True, slots=True)
class Run:
    """What came of the jobs: the alerts by kind, how long it took, and where its checkpoint is.

    A run that was interrupted and went on does not know how long it took.
    """

    folder: Folder
    queries: Queries
    alerts: dict[str, Spans]
    seconds: float | None
    parts: int
    checkpoint: Path

    @property
    def verdicts(self) -> list[Verdict]:
        """Against the truth, by kind."""
        return [judge(kind, told, self.folder.truth) for kind, told in self.alerts.items()]

    @property
    def scores(self) -> list[Score]:
        """In figures."""
        span = self.folder.end - self.folder.start
        months = len(self.folder.turbines) * span / MONTH
        return [Score.of(verdict, months) for verdict in self.verdicts]

    @property
    def rows(self) -> int:
        """How many triples were delivered."""
        return sum(int(stream["rows"]) for stream in self.folder.said["streams"])


def run_jobs(
    session: Any,
    folder: Folder,
    jobs: Sequence[Job],
    checkpoint: Path,
    tell: Callable[[str], None],
) -> Run:
    """Run them over a day, and `tell` how far they are; what was interrupted goes on."""
    known = folder.catalogue
    queries = prepare_all({job.name: _asked(job, known) for job in jobs}, sources=known)
    begun, goes_on = time.monotonic(), (checkpoint / FILE).exists()
    if not (goes_on and has_heard_end(checkpoint)):
        _watch(session, folder, queries, checkpoint, tell)
    alerts = _alerts(session, queries, jobs, checkpoint, folder.end - 1)
    seconds = None if goes_on else time.monotonic() - begun
    return Run(folder, queries, alerts, seconds, len(_parts(folder)), checkpoint)


def _watch(
    session: Any, folder: Folder, queries: Queries, checkpoint: Path, tell: Callable[[str], None]
) -> None:
    """Deliver the parts of the day that have not been, and wait until all is answered."""
    live, parts = checkpoint.parent / "live", _parts(folder)
    for name in STREAMS.values():
        (live / name).mkdir(parents=True, exist_ok=True)
    streams = {
        iri: parquet(session, live / name, files_per_trigger=1000)
        for iri, name in STREAMS.items()
        if iri in queries.given
    }
    given, sink = list(queries.queries), Parquet(checkpoint / ANSWERS)
    tell("starting the jobs")
    started = start(session, given, streams, sink, checkpoint, sources=folder.catalogue)
    with stopping(started):
        for number, files in enumerate(parts):
            if 2 * number == len(parts):
                _join(folder, checkpoint, queries, tell)
            tell(f"part {number + 1} of {len(parts)} of the day")
            _deliver(files, folder, live)
            drain(started)
        tell("the end of the day")
        Control(checkpoint).end()
        drain(started)


def _asked(job: Job, known: Catalogue) -> Prepared | str:
    """The query of a job, with its period if it has one; `known` are the sources."""
    return prepare(job.text, sources=known, every=job.every) if job.every else job.text


def _parts(folder: Folder) -> list[list[Path]]:
    """The files of all streams by the span of time in which they are delivered."""
    found: dict[str, list[Path]] = {}
    for name in {*STREAMS.values()}:
        for file in folder.stream(name).glob("*.parquet"):
            found.setdefault(file.name, []).append(file)
    return [found[name] for name in sorted(found)]


def _deliver(files: Sequence[Path], folder: Folder, live: Path) -> None:
    for file in files:
        target = live / file.relative_to(folder.stream("")).parent / file.name
        if target.exists():  # delivered before an interruption
            continue
        try:
            os.link(file, target)
        except OSError:  # another file system, or one without links
            half = target.with_name(f".{file.name}")  # Spark reads no file whose name begins so
            shutil.copy2(file, half)
            half.replace(target)


def _join(folder: Folder, checkpoint: Path, queries: Queries, tell: Callable[[str], None]) -> None:
    """Nothing stops for it; it counts from halfway on, which no answer has passed yet."""
    told = any(Control(checkpoint).reloads(name) for name in queries.names)
    if folder.joining.exists() and not told:
        tell("a turbine of another vendor joins")
        at = (folder.start + folder.end) // 2
        Control(checkpoint).update(PARK, insert=folder.joining, at=at)


# ---- alerts ----------------------------------------------------------------------------------


def _alerts(
    session: Any, queries: Queries, jobs: Sequence[Job], checkpoint: Path, last: int
) -> dict[str, Spans]:
    """By kind; jobs that detect one kind together.  What begins after the `last` instant is no
    alert: then everybody seems to be silent."""
    held: dict[str, list[tuple[str, Interval]]] = {}
    kinds = {job.name: job.detects for job in jobs}
    for query in queries.queries:
        kind = kinds[query.name or ""]
        if kind is not None and isinstance(query.report, Intervals):
            held.setdefault(kind, []).extend(_held(session, query, checkpoint))
    return {kind: spans(rows, last=last) for kind, rows in sorted(held.items())}


def _held(session: Any, query: Prepared, checkpoint: Path) -> Iterator[tuple[str, Interval]]:
    for element in elements(session, checkpoint / ANSWERS, query, name=query.name):
        assert isinstance(element.item, Solution)
        yield local(element.item[_TURBINE]), element.interval

"""The jobs of examples/windpark: what they tell, on every host, and whether it is true."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession

from askos import spark as host
from askos.algebra import Element, Intervals, Stamped, snapshot
from askos.algebra.reference import evaluate
from askos.generate.jobs import Job, jobs
from askos.generate.model import joining_turtle, park_turtle
from askos.generate.park import MINUTE, Park
from askos.generate.simulate import Simulation, simulate
from askos.generate.truth import FAULTS, FLAPPING, OVERTEMPERATURE, Episode
from askos.generate.vocabulary import CLASSES, EVENTS, PARK, SCADA, VENDORS
from askos.generate.writing import Wanted, write_park
from askos.local import Engine, run
from askos.prepared import Prepared, prepare
from askos.sources import Catalogue
from askos.static import load
from askos.static.graphs import load_graphs
from askos.terms import Triple, URIRef, Variable, parse_term
from askos.translate import parse
from tests.build import triple
from tests.hosts.three import difference

JOBS = jobs()
REGION = URIRef("http://iec.org/61400-25/root/td.rdf")
STREAMS = {URIRef(SCADA): "scada", URIRef(EVENTS): "events", REGION: "events"}
ALERTS = URIRef("http://wind.example/alerts")
JUDGED = {job.detects: job for job in JOBS.values() if job.detects}
SEEDS = (2026, 2027, 2028)


def catalogue(made: Simulation, folder: Path, reloadable: bool = False) -> Catalogue:
    graph = folder / "park.ttl"
    graph.write_text(park_turtle(made.layout, made.sensors.plans), encoding="utf-8")
    known = Catalogue().graph(URIRef(PARK), graph, reloadable=reloadable)
    for stream in STREAMS:
        known = known.stream(stream, lateness_ms=made.park.lateness * 1000)
    return known


def prepared(job: Job, sources: Catalogue) -> Prepared:
    return prepare(job.text, sources=sources.stream(ALERTS), every=job.every)


def test_there_is_a_job_for_every_kind_of_fault() -> None:
    assert set(JUDGED) == set(FAULTS)


@pytest.mark.parametrize("job", JOBS.values(), ids=lambda job: job.name)
def test_a_job_says_what_it_is_for(job: Job) -> None:
    assert job.about.endswith(".")
    assert len(job.about.split()) > 20
    query = prepare(job.text)
    assert not parse(job.text).remarks
    if job.detects:
        assert [str(name) for name in query.columns] == ["turbine"]
        assert isinstance(query.report, Intervals)


def test_listing_1_1_is_as_printed() -> None:
    printed = Path("examples/listing-1-1.rq").read_text(encoding="utf-8")
    assert prepare(JOBS["listing-1-1"].text).canonical == prepare(printed).canonical


# ---- the reference says the same -------------------------------------------------------------


@cache
def small(kind: str) -> tuple[Simulation, int]:
    """Some hours of three turbines, of which one has a fault, and the minute it is seen."""
    for seed in range(20):
        made = simulate(Park(turbines=3, hours=6, seed=seed), faults=(kind,))
        found = [e for e in made.truth if e.kind == kind]
        if found:
            return made, (found[0].begin - made.park.start) // MINUTE
    raise AssertionError(f"no {kind}")


def read_by(job: Job) -> set[str]:
    """The predicates that a job reads of streams, vendors' tags among them."""
    prefixes = dict(re.findall(rf"PREFIX (\w+): +<({CLASSES}\w+#)>", job.text))
    own = {
        prefixes[p] + name for p, name in re.findall(r"\b(\w+):(\w+)", job.text) if p in prefixes
    }
    keys = {iri.removeprefix(CLASSES).replace("#", "_") for iri in own}
    tags = (v.namespace + tag.name for v in VENDORS for tag in v.tags if tag.signal in keys)
    return {f"<{iri}>" for iri in (*own, *tags)}


def excerpt(job: Job, made: Simulation, around: int) -> dict[URIRef, pa.Table]:
    """What a job reads: all events, and readings from a while before a minute to a while after."""
    begin, end = (made.park.start + (around + more) * MINUTE for more in (-60, 45))
    found = {}
    for stream, name in STREAMS.items():
        table = made.tables[name]
        wanted = pc.is_in(table["p"], pa.array(sorted(read_by(job))))
        if name == "scada":
            in_time = pc.and_(pc.greater_equal(table["ts"], begin), pc.less(table["ts"], end))
            wanted = pc.and_(wanted, in_time)
        found[stream] = table.filter(wanted)
    return found


def stamped(table: pa.Table) -> list[Stamped | Element | Triple]:
    """Rows as the reference takes them."""
    return [
        Stamped(triple(*(parse_term(row[place]) for place in "spo")), row["ts"])
        for row in table.to_pylist()
    ]


def snapshots(query: Prepared, told: list[Any]) -> dict[int, Counter[Any]]:
    """What holds at some instants, the first and the last of answers among them."""
    if not isinstance(query.report, Intervals):
        return {answer.at: Counter(answer.rows) for answer in (told[2], told[-3])}
    begins = sorted(element.interval.start for element in told)
    ends = sorted(element.interval.end for element in told)
    instants = {begins[0] - 1, begins[0], begins[len(begins) // 2], ends[0], ends[-1] - 1}
    return {instant: snapshot(told, instant) for instant in instants}


@pytest.mark.parametrize(
    "job",
    [job for job in JOBS.values() if job.name != "affected-feeders"],
    ids=lambda job: job.name,
)
def test_the_reference_says_the_same_of_a_small_park(job: Job, tmp_path: Path) -> None:
    made, around = small(job.detects or FLAPPING)
    query = prepared(job, catalogue(made, tmp_path))
    parts = {s: t for s, t in excerpt(job, made, around).items() if s in query.streams}
    told = list(run(query, parts, batch=500))
    data = {stream: stamped(table) for stream, table in parts.items()}
    for name, graph in load_graphs(query).items():
        data[name] = list(graph)
    for instant, holds in snapshots(query, told).items():
        assert evaluate(query.canonical, data, instant) == holds


# ---- every host says the same ----------------------------------------------------------------


def both(made: Simulation, folder: Path, names: list[str], session: SparkSession) -> None:
    """Jobs together on Spark say what they say on the local host."""
    write_park(made, folder, Wanted(("parquet",), files=2))
    known = catalogue(made, folder)
    texts = {name: prepared(JOBS[name], known) for name in names}
    read = {stream for query in texts.values() for stream in query.streams} & set(STREAMS)
    tables = {stream: made.tables[STREAMS[stream]] for stream in read}
    folders = {stream: folder / "parquet" / STREAMS[stream] for stream in read}
    frames = {stream: host.parquet(session, str(path)) for stream, path in folders.items()}
    sink = host.Parquet(folder / "answers")
    host.run(session, texts, frames, sink, folder / "checkpoint", sources=known)
    told: dict[str, list[Any]] = {name: [] for name in names}
    for name, answer in run(texts, tables, sources=known):
        told[name].append(answer)
    for name, query in texts.items():
        reader = host.elements if isinstance(query.report, Intervals) else host.reports
        found = list(reader(session, folder / "answers", query, name=name))
        assert difference(told[name], found) is None, name


def test_spark_says_what_the_local_host_says(spark: SparkSession, tmp_path: Path) -> None:
    made = simulate(Park(turbines=5, hours=2, seed=3))
    both(made, tmp_path, ["over-temperature", "silent", "power"], spark)


@pytest.mark.soak
def test_all_jobs_together_say_the_same_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    both(simulate(Park(turbines=10, hours=3, seed=5)), tmp_path, list(JOBS), spark)


# ---- and it is true --------------------------------------------------------------------------


def alerts(job: Job, made: Simulation, known: Catalogue) -> list[tuple[str, int, int]]:
    """What a job tells of each turbine while the park runs, pieces put together."""
    query = prepared(job, known)
    tables = {stream: made.tables[STREAMS[stream]] for stream in query.streams}
    spans: dict[str, list[list[int]]] = {}
    for element in sorted(run(query, tables), key=lambda element: element.interval.start):
        begin = max(element.interval.start, made.park.start)
        end = min(element.interval.end, made.park.end)
        own = spans.setdefault(str(element.item[Variable("turbine")]).rpartition("/")[2], [])
        if own and begin <= own[-1][1]:
            own[-1][1] = max(own[-1][1], end)
        elif begin < end:
            own.append([begin, end])
    return [(turbine, begin, end) for turbine, own in spans.items() for begin, end in own]


def matched(told: list[tuple[str, int, int]], truth: list[Episode]) -> int:
    """How many alerts and truths overlap, one to one."""
    left = list(told)
    for episode in truth:
        for alert in left:
            turbine, begin, end = alert
            if turbine == episode.turbine and begin < episode.end and episode.begin < end:
                left.remove(alert)
                break
    return len(told) - len(left)


@cache
def simulated(park: Park) -> Simulation:
    return simulate(park)


def score(kind: str, park: Park, folder: Path) -> tuple[int, int, int]:
    """Hits, misses and false alerts of the job for a kind."""
    made = simulated(park)
    told = alerts(JUDGED[kind], made, catalogue(made, folder))
    truth = [episode for episode in made.truth if episode.kind == kind]
    hits = matched(told, truth)
    return hits, len(truth) - hits, len(told) - hits


@pytest.mark.parametrize("kind", FAULTS)
def test_a_job_finds_its_faults_in_half_a_day_it_was_not_written_for(
    kind: str, tmp_path: Path
) -> None:
    hits, misses, false = score(kind, Park(turbines=16, hours=12, seed=2025), tmp_path)
    assert hits
    assert not misses
    assert not false


@pytest.mark.soak
@pytest.mark.parametrize("kind", FAULTS)
def test_a_job_finds_its_faults_in_days_it_was_not_written_for(kind: str, tmp_path: Path) -> None:
    scores = [score(kind, Park(seed=seed), tmp_path) for seed in SEEDS]
    hits, misses, false = (sum(column) for column in zip(*scores, strict=True))
    assert misses == 0
    assert hits / (hits + false) >= 0.95


@pytest.mark.parametrize(("turbines", "hours"), [(6, 3), (10, 12)])
def test_a_turbine_that_starts_again_after_it_flapped_is_told_as_the_truth_says(
    turbines: int, hours: int, tmp_path: Path
) -> None:
    park = Park(turbines=turbines, hours=hours, seed=1, joining=True)
    hits, misses, false = score(FLAPPING, park, tmp_path)
    assert hits
    assert not misses
    assert not false


def test_who_joins_is_watched_from_the_reload_on(tmp_path: Path) -> None:
    made = simulate(Park(turbines=6, hours=24, seed=1, joining=True), faults=())
    known = catalogue(made, tmp_path, reloadable=True)
    more = tmp_path / "joining.ttl"
    more.write_text(joining_turtle(made.layout), encoding="utf-8")
    joined = [e for e in made.truth if e.kind == OVERTEMPERATURE]
    engine = Engine(sources=known)
    asked = engine.register(JOBS["over-temperature"].text)
    before = np.searchsorted(made.streams["scada"].at, made.park.joins_at - made.park.start)
    for name, stream in (("scada", SCADA), ("events", EVENTS)):
        engine.push(URIRef(stream), made.tables[name].slice(0, int(before)))
    engine.update(URIRef(PARK), insert=list(load(more)), at=made.park.joins_at)
    for name, stream in (("scada", SCADA), ("events", EVENTS)):
        engine.push(URIRef(stream), made.tables[name].slice(int(before)))
    engine.close()
    told = {str(element.item[Variable("turbine")]).rpartition("/")[2] for element in asked.take()}
    assert told == {e.turbine for e in joined} == {"T07"}

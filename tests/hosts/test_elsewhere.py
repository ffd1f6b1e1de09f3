"""A static graph in another engine: hosts say what they would with a file, and ask once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from askos.algebra import Intervals, Operator, Report, Stamped
from askos.errors import StreamError
from askos.local import Engine
from askos.prepared import Prepared, prepare
from askos.sources import Catalogue
from askos.spark.checkpoint import resume
from askos.spark.control import FILE
from askos.terms import n3
from tests.build import EX, G1, S1, triple
from tests.harness.test_checkpoint import begun
from tests.hosts.moments import (
    judge,
    moments,
    on_harness,
    on_local,
    on_spark,
    restarted,
    with_truths,
)
from tests.hosts.strategies import LATENESS, Delivery, deliveries
from tests.hosts.test_bases import plans
from tests.hosts.texts import reports
from tests.hosts.three import difference
from tests.reasoning.closing import DOMAIN, SUBPROPERTY
from tests.static.test_elsewhere import Engine as Other
from tests.static.test_elsewhere import named


@given(
    plans(),
    st.one_of(st.just(Intervals()), reports()),
    deliveries(8),
    st.sampled_from([1, 2]),
    st.randoms(use_true_random=False),
)
def test_hosts_say_what_the_reference_does(
    plan: Operator, report: Report, delivery: Delivery, buckets: int, choices: Random
) -> None:
    (graph,) = named({G1: delivery.graph}).values()
    here = replace(delivery, graph=tuple(graph))
    there = Catalogue(here.sources.streams).graph(G1, evaluate=Other(graph))
    query = Prepared(plan, plan, report, sources=here.sources)
    told = with_truths(moments(here), query.streams, choices)
    want = judge(query, told)
    query = replace(query, sources=there)
    assert difference(want, on_local(query, told, buckets)) is None
    assert difference(want, on_harness(query, told, buckets, choices.random())) is None


# ---- texts -------------------------------------------------------------------------------------

PARK = (
    triple("T1", "site", "north"),
    triple("T2", "site", "south"),
    triple("T3", "site", "north"),
    triple("north", "name", 7),
    triple("T1", "rated", 50),
    triple("T2", "rated", 20),
    triple("ActPwr", SUBPROPERTY, "power"),
    triple("power", DOMAIN, "Turbine"),
)
READINGS = [("T1", "power", 70), ("T2", "ActPwr", 30), ("T1", "power", 20), ("T2", "power", 5)]
ROWS = tuple(Stamped(triple(*row), at, at) for at, row in enumerate(READINGS * 3))
DATA = Delivery(((S1, ROWS[:5]), (S1, ROWS[5:])), PARK)
WINDOW = "FROM STREAM :stream1 WINDOW RANGE 6 SLIDE 2 FROM NAMED :graph1"
STEPPED = "FROM STREAM :stream1 [RANGE 6ms STEP 2ms]"
TEXTS = {
    "a join": f"SELECT ?t ?v {WINDOW} {{ ?t :power ?v GRAPH :graph1 {{ ?t :rated ?r ; :site ?s"
    " OPTIONAL { ?s :name ?n } } FILTER(?v > ?r) }",
    "who is silent": f"SELECT ?t {WINDOW} {{ GRAPH :graph1 {{ ?t :site ?s }}"
    " FILTER NOT EXISTS { ?t :power ?v } }",
    "an engine graph": f"SELECT ?t ?s (COUNT(*) AS ?n) {STEPPED} {{ ?t :power ?v . ?t :site ?s }}"
    " GROUP BY ?t ?s",
    "a slice": f"SELECT ?t ?v {WINDOW} {{ ?t :power ?v"
    " { SELECT ?t { GRAPH :graph1 { ?t :rated ?r } } ORDER BY ?r LIMIT 1 } }",
    "no stream": "SELECT ?s (COUNT(?t) AS ?n) FROM :graph1 { ?t :site ?s } GROUP BY ?s",
}
REASONED = f"SELECT ?t {WINDOW} {{ ?t a :Turbine ; :power ?v }}"


def query(text: str, other: Other | None = None, **options: str) -> Prepared:
    streams = Catalogue().stream(S1, lateness_ms=LATENESS)
    known = streams.graph(G1, evaluate=other) if other else streams.graph(G1, PARK)
    return prepare(f"PREFIX : <{EX}> {text}", sources=known, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", TEXTS)
def test_answers_are_those_of_the_same_graph_in_a_file(name: str) -> None:
    other, told = Other(PARK), moments(DATA)
    want = judge(query(TEXTS[name]), told)
    assert want
    assert difference(want, on_local(query(TEXTS[name], other), told)) is None
    asked = len(other.asked)
    assert asked
    restarts = restarted(told, 1)
    assert difference(want, on_harness(query(TEXTS[name], other), restarts)) is None
    assert len(other.asked) == 2 * asked, "a restart asks nothing"


def test_a_schema_may_be_elsewhere() -> None:
    other, told = Other(PARK), moments(DATA)
    want = judge(query(REASONED, reasoning="rdfs"), told)
    assert want
    found = on_local(query(REASONED, other, reasoning="rdfs"), told)
    assert difference(want, found) is None


def test_a_checkpoint_goes_on_without_the_engine(tmp_path: Path) -> None:
    other = Other(PARK)
    made = begun(tmp_path, query(TEXTS["a join"], other))
    assert made.tables
    assert "evaluate" not in (tmp_path / FILE).read_text()
    other.data = []
    found = resume(tmp_path, query(TEXTS["a join"], other), None)
    assert found
    assert found.tables == made.tables
    assert len(other.asked) == 1


def test_a_graph_beside_it_may_be_reloaded_and_the_engine_is_not_asked_again() -> None:
    """A table of both is made anew of what the engine has said at first."""
    text = f"""PREFIX : <{EX}> SELECT ?t ?v FROM STREAM :stream1 WINDOW RANGE 6 SLIDE 2
        FROM :graph1 FROM :graph2 {{ ?t :power ?v . ?t :site ?s . ?s :limit ?l FILTER(?v > ?l) }}"""
    limits = [triple("north", "limit", 60)]
    other, told = Other(PARK), []
    for known in (Catalogue().graph(G1, PARK), Catalogue().graph(G1, evaluate=other)):
        engine = Engine(sources=known.stream(S1).graph(EX.graph2, limits, reloadable=True))
        running = engine.register(text)
        asked = len(other.asked)
        engine.push(S1, ROWS[:3])
        engine.reload(EX.graph2, [triple("south", "limit", 1), triple("north", "limit", 10)])
        engine.push(S1, ROWS[3:])
        engine.close()
        told.append(running.take())
        assert len(other.asked) == asked
    assert any(EX.T2 in element.item.values() for element in told[0])
    assert difference(*told) is None
    assert "SELECT ?o ?p ?s WHERE { ?s ?p ?o . }" in other.asked


def test_an_engine_that_fails_stops_a_query_before_it_starts(tmp_path: Path) -> None:
    def down(text: str) -> list[dict[str, str]]:
        raise OSError("gone")

    known = Catalogue().stream(S1).graph(G1, evaluate=down)
    text = f"PREFIX : <{EX}> {TEXTS['a join']}"
    engine = Engine(sources=known)
    with pytest.raises(StreamError, match=r"gave no answer: OSError\('gone'\)"):
        engine.register(text)
    with pytest.raises(StreamError, match=r"gave no answer: OSError\('gone'\)"):
        begun(tmp_path, prepare(text, sources=known))
    assert not (tmp_path / FILE).exists()


@pytest.mark.thorough
def test_spark_asks_on_the_driver_and_once(spark: SparkSession) -> None:
    """A store cannot be sent to a worker."""
    store = ox.Store()
    store.load("".join(f"{t} .\n" for t in PARK).encode(), format=ox.RdfFormat.N_TRIPLES)
    asked: list[str] = []

    def evaluate(text: str) -> list[dict[str, object]]:
        asked.append(text)
        found = store.query(text)
        assert isinstance(found, ox.QuerySolutions)
        return [{v.value: row[v] for v in found.variables} for row in found]

    text = f"PREFIX : <{EX}> {TEXTS['a join']}"
    known = Catalogue().stream(S1, lateness_ms=LATENESS).graph(G1, evaluate=evaluate)
    told = moments(DATA)
    want = judge(query(TEXTS["a join"]), told)
    found = on_spark(spark, prepare(text, sources=known), restarted(told, 2))
    assert difference(want, found) is None
    assert len(asked) == 1
    assert n3(EX.rated) in asked[0]

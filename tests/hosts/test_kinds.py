"""Queries that differ in constants only run as one; each is told what it would be told alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from askos import spark as host
from askos.algebra import Element
from askos.errors import QueryError, StreamError
from askos.kinds import Shared, keyed, together
from askos.local import Engine
from askos.prepared import prepare
from askos.sources import Catalogue
from askos.spark.host import stopping
from askos.terms import Literal, Solution, Term, URIRef, Variable, n3
from askos.translate import Dialect
from tests.build import EX, term
from tests.hosts.kinds import check_together, of_one_kind
from tests.hosts.moments import moments, with_truths
from tests.hosts.strategies import Delivery, deliveries
from tests.hosts.test_texts import prepared
from tests.hosts.texts import STREAMING, Text, texts

BUCKETS = st.sampled_from([1, 2, 5])
WIND = URIRef("wind")


@pytest.mark.parametrize(
    "dialect",
    [
        pytest.param(dialect, marks=[pytest.mark.thorough] * (dialect is not Dialect.RSPQL))
        for dialect in STREAMING
    ],
    ids=lambda dialect: dialect.name,
)
def test_each_is_told_what_it_would_be_told_alone(dialect: Dialect) -> None:
    @given(texts(dialect), deliveries(8), BUCKETS, st.randoms(use_true_random=False))
    def agree(text: Text, delivery: Delivery, buckets: int, choices: Random) -> None:
        query = prepared(text, delivery)
        queries = of_one_kind(query, choices)
        if queries is None:
            reject()
        told = with_truths(moments(delivery), query.streams, choices)
        check_together(queries, told, buckets, choices)

    agree()


# ---- by hand ---------------------------------------------------------------------------------

SPEED = "SELECT ?v FROM STREAM <wind> WINDOW RANGE 10 MS FIXED {{ <{}> <speed> ?v }}"


def speeds(*turbines: str) -> dict[str, str]:
    return {turbine: SPEED.format(turbine) for turbine in turbines}


def blow(engine: Engine, at: int, **values: int) -> None:
    engine.push(WIND, [(f"<{t}>", "<speed>", f'"{v}"', at) for t, v in values.items()])


def speed(answer: Element) -> Term:
    assert isinstance(answer.item, Solution)
    return answer.item[Variable("v")]


def told(engine: Engine) -> dict[str, list[str]]:
    return {
        name: [str(speed(answer)) for answer in query.take()]
        for name, query in engine.queries.items()
    }


def test_what_differs_in_constants_is_one_plan_and_nothing_else_is() -> None:
    texts = [*speeds("T1", "T2").values(), SPEED.replace("<{}>", "?t").format()]
    queries = [replace(prepare(text), name=str(n)) for n, text in enumerate(texts)]
    shared, alone = together(queries)
    assert isinstance(shared, Shared)
    assert list(shared.members) == ["0", "1"]
    assert alone is queries[2]
    other = replace(prepare(SPEED.format("T3").replace("10", "20")), name="another window")
    assert shared.joined(other) is None
    assert shared.joined(replace(prepare(SPEED.format("T3")), name="3")) is not None


@pytest.mark.parametrize(
    "text",
    [
        "CONSTRUCT { <T1> <is> ?v } FROM STREAM <wind> WINDOW RANGE 9 SLIDE { <T1> <speed> ?v }",
        "ASK FROM STREAM <wind> WINDOW RANGE 9 SLIDE { <T1> <speed> ?v }",
        "REGISTER STREAM <a> AS CONSTRUCT { <T1> <is> ?v } FROM STREAM <wind> [RANGE 9 STEP 9]"
        " { <T1> <speed> ?v }",
    ],
)
def test_what_tells_no_solutions_runs_alone(text: str) -> None:
    assert keyed(prepare(text)) is None


def test_constants_of_a_window_that_counts_stay_what_they_are() -> None:
    text = "SELECT ?v FROM STREAM <wind> {{ {{ <{}> <speed> ?v }} WINDOW ELEMS 2 }}"
    queries = [replace(prepare(text.format(name)), name=name) for name in ("T1", "T2")]
    assert together(queries) == queries


def test_another_of_the_kind_joins_those_that_run_and_one_leaves() -> None:
    engine = Engine()
    engine.register_all(speeds("T1", "T2"))
    blow(engine, 1, T1=1, T2=2, T3=3)
    third = engine.register(SPEED.format("T3"), name="T3")
    assert third.plan is engine.queries["T1"].plan
    blow(engine, 2, T1=4, T2=5, T3=6)
    assert told(engine) == {"T1": ["1", "4"], "T2": ["2", "5"], "T3": ["6"]}
    blow(engine, 3, T1=7, T2=8)
    stopped = engine.stop("T1")
    blow(engine, 4, T1=9, T2=10)
    assert told(engine) == {"T2": ["8", "10"], "T3": []}
    assert [str(speed(answer)) for answer in stopped.take()] == ["7"]
    for name in ("T2", "T3"):
        engine.stop(name)
    assert not engine.queries


def test_a_name_is_free_again_when_its_query_has_stopped() -> None:
    engine = Engine()
    engine.register_all(speeds("T1", "T2"))
    engine.stop("T2")
    engine.register(SPEED.format("T3"), name="T2")
    blow(engine, 1, T2=2, T3=3)
    assert told(engine)["T2"] == ["3"]


BOTH = "SELECT ?v ?w FROM STREAM <wind> WINDOW RANGE 10 S FIXED {{ <{0}> <p> ?v . <{0}> <q> ?w }}"
COUNT = "SELECT (COUNT(*) AS ?n) FROM STREAM <wind> WINDOW RANGE 10 S FIXED {{ <{0}> <p> ?v }}"


def test_what_a_query_has_left_behind_is_not_told_to_another_of_its_name() -> None:
    engine = Engine()
    engine.register_all({name: BOTH.format(name) for name in ("T1", "T2")})
    engine.push(WIND, [("<T1>", "<p>", '"1"', 1)])
    engine.stop("T1")
    again = engine.register(BOTH.format("T3"), name="T1")
    engine.push(WIND, [("<T3>", "<q>", '"3"', 2), ("<T1>", "<q>", '"1"', 3)])
    assert again.take() == []


@pytest.mark.parametrize("text", [BOTH, COUNT], ids=["a join", "a count, of nothing too"])
def test_a_query_that_has_stopped_is_in_no_table(text: str) -> None:
    engine = Engine()
    engine.register_all({name: text.format(name) for name in ("T1", "T2")})
    engine.push(WIND, [("<T1>", "<p>", '"1"', 1), ("<T2>", "<p>", '"2"', 1)])
    engine.stop("T1")
    engine.push(WIND, [("<T1>", "<q>", '"1"', 2), ("<T2>", "<q>", '"2"', 2)])
    engine.close()
    (table,) = engine.take_tables()
    assert {row["query"] for row in table.to_pylist()} == {"T2"}


def test_a_graph_stays_as_it_was_read_when_another_of_the_kind_is_registered(
    tmp_path: Path,
) -> None:
    park, site = tmp_path / "park.nt", "<x:{0}> <x:at> <x:{1}> .\n<x:{0}> <x:kind> <x:{0}> .\n"
    text = """SELECT ?x FROM STREAM <wind> WINDOW RANGE 10 MS FIXED FROM NAMED <x:park>
        {{ ?t <x:speed> ?v GRAPH <x:park> {{ ?t <x:at> ?x . ?t <x:kind> <x:{0}> }} }}"""
    park.write_text("".join(site.format(name, "north") for name in ("T1", "T2", "T3")))
    engine = Engine(sources=Catalogue().stream(WIND).graph("x:park", park))
    first = engine.register_all({name: text.format(name) for name in ("T1", "T2")})["T1"]
    park.write_text("".join(site.format(name, "south") for name in ("T1", "T2", "T3")))
    third = engine.register(text.format("T3"), name="T3")
    engine.stop("T2")
    engine.push(WIND, [(f"<x:{name}>", "<x:speed>", '"1"', 1) for name in ("T1", "T2", "T3")])
    sites = [[element.item[Variable("x")] for element in one.take()] for one in (first, third)]
    assert sites == [[URIRef("x:north")], [URIRef("x:south")]]


LAST = "SELECT ?y FROM STREAM <wind> {{ {{ ?x <p> ?y WINDOW ELEMS 2 }} FILTER (?y > {}) }}"


def test_who_comes_later_runs_alone_where_ends_are_told_of_what_came_before() -> None:
    engine = Engine()
    first = engine.register_all({str(n): LAST.format(n) for n in (1, 2)})["1"]
    hours = [[("<a>", "<p>", n3(term(n)), 3_600_000 * n)] for n in range(1, 7)]
    for rows in hours[:4]:
        engine.push(WIND, rows)
    third = engine.register(LAST.format(3), name="3")
    assert third.plan is not first.plan
    for rows in hours[4:]:
        engine.push(WIND, rows)
    engine.close()
    assert [len(query.take()) for query in (first, third)] == [5, 2]


def test_nothing_runs_for_queries_of_a_kind_that_have_all_stopped() -> None:
    engine = Engine()
    for _ in range(2):
        engine.register_all({name: COUNT.format(name) for name in ("T1", "T2")})
        for name in ("T1", "T2"):
            engine.stop(name)
    with pytest.raises(StreamError, match="no registered query reads"):
        engine.push(WIND, [])


def test_all_answers_of_a_kind_in_one_table() -> None:
    engine = Engine()
    engine.register_all({'say "T1"': SPEED.format("T1"), **speeds("T2")})
    alone = engine.register("SELECT ?t FROM STREAM <wind> WINDOW RANGE 10 MS FIXED { ?t ?p 1 }")
    blow(engine, 1, T1=1)
    one, other = engine.take_tables()
    assert one.to_pylist() == []
    assert alone.name == "query-1"
    assert other.to_pylist() == [{"query": 'say "T1"', "v": '"1"', "ts": 1, "te": 10}]


def test_late_elements_are_told_to_whom_they_belong() -> None:
    engine = Engine()
    engine.register_all(speeds("T1", "T2"))
    blow(engine, 50, T1=1)
    blow(engine, 1, T2=2)
    assert [len(query.late) for query in engine.queries.values()] == [0, 1]
    (late,) = engine.queries["T2"].late
    assert late.item == Solution({Variable("v"): Literal("2")})


def test_reports_without_rows_are_told_to_all() -> None:
    text = "SELECT ?v FROM STREAM <wind> [RANGE 10ms STEP 10ms] {{ <{}> <speed> ?v }}"
    engine = Engine(sources=Catalogue().stream(WIND))
    both = engine.register_all({t: text.format(t) for t in ("T1", "T2")})
    blow(engine, 5, T1=1)
    blow(engine, 25, T1=2)
    counts = {name: [(a.at, len(a.rows)) for a in query.take()] for name, query in both.items()}
    assert counts == {"T1": [(10, 1), (20, 0)], "T2": [(10, 0), (20, 0)]}


# ---- on Spark --------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_checkpoint_goes_on_with_one_more_of_the_kind(
    spark: SparkSession, tmp_path: Path
) -> None:
    checkpoint, answers, data = tmp_path / "checkpoint", tmp_path / "answers", tmp_path / "wind"
    sink = host.Parquet(answers)
    data.mkdir()

    def blow(number: int, **values: int) -> None:
        lines = (f'<{EX}{t}> <{EX}speed> "{v}" <urn:ms:{number}> .\n' for t, v in values.items())
        (data / f"{number}.nq").write_text("".join(lines), "utf-8")

    def run(**texts: str) -> None:
        frames = {EX.wind: host.nquads(spark, data)}
        query = host.start(spark, texts, frames, sink, checkpoint, base=str(EX))
        with stopping(query):
            host.drain(query)

    def found(name: str) -> list[str]:
        told = host.elements(spark, answers, SPEED.format(name), name=name, base=str(EX))
        return sorted(str(speed(element)) for element in told)

    blow(1, T1=1, T2=2, T3=3)
    run(**speeds("T1", "T2"))
    assert len(list(answers.glob("query=*"))) == 1
    blow(2, T1=4, T2=5, T3=6)
    run(**speeds("T3", "T2", "T1"))
    assert {name: found(name) for name in ("T1", "T2", "T3")} == {
        "T1": ["1", "4"],
        "T2": ["2", "5"],
        "T3": ["6"],
    }
    blow(3, T3=7)
    run(**speeds("T1", "T2"))
    assert found("T3") == ["6", "7"]
    with pytest.raises(QueryError, match="was made with the queries T1, T2, T3, not T1, T3"):
        run(**speeds("T1", "T3"))
    other = SPEED.format("T4").replace("10", "20")
    with pytest.raises(QueryError, match="was made with the queries"):
        run(**speeds("T1", "T2", "T3"), T4=other)
    with pytest.raises(QueryError, match="was made with another query: T2"):
        run(**{**speeds("T1", "T2", "T3"), "T2": SPEED.format("T9")})

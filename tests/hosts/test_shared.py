"""Queries that begin together run once what they have in common; each is told what it would be
told alone."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from askos import spark as host
from askos.algebra import (
    Distinct,
    Filter,
    Intervals,
    Join,
    LeftJoin,
    Operator,
    Report,
    Stamped,
    Union,
)
from askos.api import shared
from askos.local import Engine, Query
from askos.prepared import Prepared
from askos.queries import prepare_all
from askos.sources import Catalogue
from askos.spark.checkpoint import read_document, write_document
from askos.spark.host import stopping
from askos.spark.several import begin_all, read_all
from askos.terms import Literal, Triple, URIRef
from tests.hosts.harness import Harness
from tests.hosts.kinds import check_together
from tests.hosts.moments import moments, with_truths
from tests.hosts.strategies import (
    Delivery,
    conditions,
    deliveries,
    every_plan,
    groups,
    leaves,
    plans,
)
from tests.hosts.texts import reports

BUCKETS = st.sampled_from([1, 2, 5])
WIND = URIRef("wind")


@st.composite
def tops(draw: st.DrawFn, plan: Operator) -> Operator:
    """A query over a plan that others are over as well; or over none of it."""
    match draw(st.integers(0, 7)):
        case 0:
            return plan
        case 1:
            return Distinct(plan)
        case 2:
            return draw(groups(plan))
        case 3:
            return Filter(draw(conditions()), plan)
        case 4:
            return Join(plan, draw(leaves()))
        case 5:
            return LeftJoin(draw(leaves()), plan, draw(conditions()))
        case 6:
            return Union(plan, draw(leaves()))
    return draw(plans())


@st.composite
def several(draw: st.DrawFn) -> list[tuple[Operator, Report]]:
    plan = draw(plans() | every_plan())
    when = st.sampled_from([draw(reports() | st.just(Intervals())), Intervals()])
    return draw(st.lists(st.tuples(tops(plan), when), min_size=2, max_size=4))


@given(several(), deliveries(8), BUCKETS, st.randoms(use_true_random=False))
def test_each_is_told_what_it_would_be_told_alone(
    drawn: list[tuple[Operator, Report]], delivery: Delivery, buckets: int, choices: Random
) -> None:
    queries = [
        Prepared(plan, plan, report, sources=delivery.sources, name=f"query {number}")
        for number, (plan, report) in enumerate(drawn)
    ]
    streams = sorted({stream for query in queries for stream in query.streams})
    told = with_truths(moments(delivery), streams, choices)
    check_together(queries, told, buckets, choices)


# ---- by hand ---------------------------------------------------------------------------------

PAIRS = "SELECT * FROM STREAM <wind> WINDOW RANGE 10 S FIXED { ?t <urn:p> ?v . ?t <urn:q> ?w }"
TOPS = {"pairs": PAIRS, "unequal": PAIRS.replace("?w }", "?w FILTER (?v != ?w) }")}
ROWS = [
    ("<urn:T1>", "<urn:p>", '"1"', 1),
    ("<urn:T1>", "<urn:q>", '"1"', 2),
    ("<urn:T1>", "<urn:q>", '"2"', 3),
]


def counts(engine: Engine) -> dict[str, int]:
    return {name: len(query.take()) for name, query in engine.queries.items()}


def joined(query: Query) -> int:
    """How many elements its join has taken."""
    return sum(each.rows_in for each in query.profile() if "Join" in each.name)


def test_a_query_that_stops_does_not_stop_those_that_share_with_it() -> None:
    for stopped in TOPS:
        engine = Engine()
        engine.register_all(TOPS)
        engine.push(WIND, ROWS[:2])
        assert counts(engine) == {"pairs": 1, "unequal": 0}
        engine.stop(stopped)
        engine.push(WIND, ROWS[2:])
        (left,) = engine.queries.values()
        assert len(left.take()) == 1
        assert joined(left) == 3


def test_a_query_that_is_registered_later_starts_its_own() -> None:
    engine = Engine()
    engine.register_all(TOPS)
    engine.push(WIND, ROWS[:2])
    later = engine.register(PAIRS, name="later")
    engine.push(WIND, ROWS[2:])
    assert counts(engine) == {"pairs": 2, "unequal": 1, "later": 0}
    assert joined(later) == 1


def test_late_elements_are_told_to_all_who_share() -> None:
    engine = Engine()
    engine.register_all(TOPS)
    engine.push(WIND, [("<urn:T1>", "<urn:p>", '"1"', 20_000)])
    engine.push(WIND, ROWS[:1])
    assert [len(query.late) for query in engine.queries.values()] == [1, 1]


def test_answers_of_queries_with_the_same_columns_are_in_one_table() -> None:
    wide, single = PAIRS.replace("10", "20"), PAIRS.replace(" . ?t <urn:q> ?w", "")
    every = {"20 s": wide, 'say "p"': single, **TOPS}
    engine, each = Engine(), Engine()
    for one in (engine, each):
        one.register_all(every)
        one.push(WIND, ROWS)
    tables = list(engine.take_tables())
    assert [len(set(table["query"].to_pylist())) for table in tables] == [3, 1]
    for name, query in each.queries.items():
        (found,) = (t for t in tables if pc.any(pc.equal(t["query"], name)).as_py())
        mine = found.filter(pc.equal(found["query"], name)).drop_columns(["query"])
        assert mine.to_pylist() == query.take_table().to_pylist()


def test_readers_of_a_stream_that_is_registered_between_them_begin_alike() -> None:
    clean = """REGISTER STREAM <clean> AS CONSTRUCT { ?t <urn:p> ?v . ?t <urn:q> ?v }
        FROM STREAM <wind> [RANGE 10ms STEP 10ms] { ?t <urn:speed> ?v }"""
    read = "SELECT * FROM STREAM <clean> [RANGE 10ms STEP 10ms] { ?t <urn:p> ?v . ?t <urn:q> ?w }"
    texts = {"pairs": read, "clean": clean, "equal": read.replace("?w }", "?w FILTER (?v = ?w) }")}
    assert shared(texts).endswith(" Join")
    known = Catalogue().stream(WIND, idle=True)
    made = {query.name: query for query in prepare_all(texts, sources=known).queries}
    engine = Engine(sources=known)
    both = engine.register_all({name: made[name] for name in texts})
    for at in range(0, 50, 10):
        engine.push(WIND, [("<urn:T1>", "<urn:speed>", f'"{at}"', at)])
    engine.close()
    counts = {name: [len(a.rows) for a in both[name].take()] for name in ("pairs", "equal")}
    assert counts["pairs"] == counts["equal"]
    assert sum(counts["pairs"]) == 5


# ---- on Spark --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rows", [1, 1000], ids=["one by one", "in columns"])
def test_a_join_in_common_is_stored_once_and_outlives_faults(rows: int, seed: int) -> None:
    turbine, given = URIRef("urn:T1"), list[Stamped]()
    for at in range(1, 6):
        given += [
            Stamped(Triple(turbine, URIRef(p), Literal(str(at))), at) for p in ("urn:p", "urn:q")
        ]
    known = Catalogue().stream(WIND, rows_per_batch=rows)
    run = Harness(prepare_all(TOPS, sources=known), Random(seed), lateness=0)
    for row in given:
        run.push({WIND: [row]})
    if rows > 1:  # in order, results that wait are state too
        assert sum(map(len, run.stored)) == len(given)
    run.end()
    # Every p meets every q; all but those of one value are unequal.
    assert {name: len(told) for name, told in run.split.items()} == {"pairs": 25, "unequal": 20}


def test_a_checkpoint_remembers_what_is_shared(tmp_path: Path) -> None:
    begun = begin_all(tmp_path, prepare_all(TOPS), 2, 2)
    assert begun.shared == ((0, 1),)
    assert read_all(tmp_path).shared == begun.shared
    document = read_document(tmp_path)
    del document["shared"]
    write_document(tmp_path, document)
    assert read_all(tmp_path).shared == ()


@pytest.mark.thorough
def test_spark_runs_what_is_shared_once_and_goes_on_with_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    data, answers = tmp_path / "wind", tmp_path / "answers"
    data.mkdir()
    for number, (s, p, o, at) in enumerate(ROWS):
        (data / f"{number}.nq").write_text(f"{s} {p} {o} <urn:ms:{at}> .\n", "utf-8")
        frames = {WIND: host.nquads(spark, data)}
        query = host.start(spark, TOPS, frames, host.Parquet(answers), tmp_path / "checkpoint")
        with stopping(query):
            host.drain(query)
    counts = {
        name: len(list(host.elements(spark, answers, text, name=name)))
        for name, text in TOPS.items()
    }
    assert counts == {"pairs": 2, "unequal": 1}
    profile = host.profile(tmp_path / "checkpoint")
    joins = [each for each in profile.operators if each.name.startswith("Join")]
    assert [each.rows_in for each in joins] == [3, 0]

"""Queries that read what others register, on the local engine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Answer
from askos.errors import QueryError, StreamError
from askos.local import Engine, run
from askos.queries import Queries
from askos.sources import Catalogue
from askos.terms import URIRef
from tests.build import EX, term, triple
from tests.hosts.chains import chains, composed, differences, local
from tests.hosts.strategies import Delivery, deliveries

WIND, OTHER, CALM = EX.wind, EX.other, EX.calm
PREFIX = f"PREFIX : <{EX}>\n"
CLEAN = (
    f"{PREFIX} REGISTER STREAM :clean AS CONSTRUCT {{ ?x :ok ?y }}"
    " FROM STREAM :wind [RANGE 10 STEP 10] { ?x :p ?y FILTER (?y < 30) }"
)
LAST = f"{PREFIX} REGISTER QUERY last AS SELECT ?x ?y FROM STREAM :clean [RANGE 20 STEP 20]"
LAST += " { ?x :ok ?y }"
OTHERS = f"{PREFIX} REGISTER QUERY others AS SELECT ?x FROM STREAM :other [RANGE 10 STEP 10]"
OTHERS += " { ?x :p ?y }"
ROWS = [(*triple("a", "p", 7), 3), (*triple("b", "p", 40), 8), (*triple("b", "p", 9), 12)]


def told(answers: list[Answer]) -> dict[int, list[tuple[object, ...]]]:
    return {answer.at: [tuple(row.values()) for row in answer.rows] for answer in answers}  # type: ignore[union-attr]


SEEN = {20: [(EX.a, term(7)), (EX.b, term(9))], 40: [], 60: []}
"""The publisher has a last report at 30, without rows: the reader's clock sees it."""


@given(chains(), deliveries(6), st.sampled_from([1, 2, 5]), st.permutations(range(4)))
def test_a_chain_of_registered_streams_equals_the_reference_composed_by_hand(
    queries: Queries, delivery: Delivery, buckets: int, order: list[int]
) -> None:
    want = composed(queries, delivery)
    assert not differences(want, local(queries, delivery, buckets, order))


@pytest.mark.parametrize("texts", [[CLEAN, LAST], [LAST, CLEAN]])
def test_a_reader_gets_the_triples_of_reports_whoever_is_registered_first(texts: list[str]) -> None:
    engine = Engine()
    queries = {query.name: query for query in map(engine.register, texts)}
    engine.push(WIND, ROWS)
    assert list(engine.queries) == [str(EX.clean), "last"]
    engine.close()
    assert told(queries["last"].take()) == SEEN
    assert [answer.at for answer in queries[str(EX.clean)].take()] == [10, 20, 30]


def test_a_reader_reports_as_soon_as_its_publisher_has() -> None:
    engine = Engine()
    engine.register(CLEAN)
    last = engine.register(LAST)
    engine.push(WIND, ROWS)
    engine.advance(WIND, 20)
    assert not last.take()
    engine.advance(WIND, 21)
    # The next report is at 30, and so is whatever else is published.
    assert last.progress >= 30
    assert told(last.take()) == {20: SEEN[20]}


def test_a_reader_that_comes_later_sees_the_reports_from_then_on() -> None:
    engine = Engine()
    engine.register(CLEAN)
    engine.push(WIND, ROWS[:1])
    engine.advance(WIND, 11)
    last = engine.register(LAST)
    engine.push(WIND, ROWS[1:])
    engine.close()
    assert told(last.take()) == {20: [(EX.b, term(9))], 40: [], 60: []}


def test_run_gives_the_answers_of_several_texts_by_name() -> None:
    answers = list(run([LAST, OTHERS, CLEAN], {WIND: ROWS, OTHER: []}))
    assert told([answer for name, answer in answers if name == "last"]) == SEEN
    assert {name for name, _ in answers} == {"last", str(EX.clean)}
    named = run({"mine": LAST, "its": CLEAN}, {WIND: ROWS})
    assert {name for name, _ in named} == {"mine", "its"}
    with pytest.raises(StreamError, match=r"there are no rows for the stream <\S*wind>"):
        run([LAST, CLEAN], {})


def test_a_silent_stream_of_one_query_stalls_no_other() -> None:
    engine = Engine()
    clean, others = engine.register(CLEAN), engine.register(OTHERS)
    engine.push(WIND, ROWS)
    assert [answer.at for answer in clean.take()] == [10]
    assert not others.take()


def test_queries_are_started_listed_and_stopped() -> None:
    engine = Engine()
    engine.register(CLEAN)
    last = engine.register(LAST)
    assert engine.register(OTHERS, name="mine").name == "mine"
    assert engine.register(OTHERS.replace("REGISTER QUERY others AS", "")).name == "query-1"
    assert list(engine.queries) == [str(EX.clean), "last", "mine", "query-1"]
    assert engine.queries["last"] is last
    engine.push(WIND, ROWS)
    stopped = engine.stop("last")
    assert stopped is last
    assert "last" not in engine.queries
    engine.close()
    assert not last.take()
    with pytest.raises(QueryError, match="no query is called 'last'"):
        engine.stop("last")
    assert engine.register(LAST) is not last


def test_readers_do_not_wait_for_a_query_that_was_stopped() -> None:
    engine = Engine()
    engine.register(CLEAN)
    both = engine.register(
        f"{PREFIX} SELECT ?x FROM STREAM :clean [RANGE 10 STEP 10]"
        " FROM STREAM :other [RANGE 10 STEP 10] { ?x :p ?y }"
    )
    engine.push(OTHER, [(*triple("c", "p", 1), 5)])
    engine.advance(OTHER, 11)
    assert not both.take()
    engine.stop(str(EX.clean))
    assert told(both.take()) == {10: [(EX.c,)]}


def test_two_queries_of_one_name_and_circles_are_refused_and_change_nothing() -> None:
    engine = Engine()
    engine.register(LAST)
    with pytest.raises(QueryError, match="two queries are registered as 'last'"):
        engine.register(LAST)
    engine.register(CLEAN.replace(":clean", ":wind").replace("STREAM :wind [", "STREAM :calm ["))
    with pytest.raises(QueryError, match=r"in a circle: \S*wind → \S*calm → \S*wind"):
        engine.register(CLEAN.replace(":clean", ":calm"))
    assert list(engine.queries) == ["last", str(EX.wind)]


def test_only_its_query_gives_a_registered_stream_rows() -> None:
    engine = Engine(sources=Catalogue().stream(WIND))
    engine.register(CLEAN)
    engine.register(LAST)  # which the catalogue need not declare
    with pytest.raises(StreamError, match="is the stream that the query"):
        engine.push(EX.clean, ROWS)
    with pytest.raises(StreamError, match="is the stream that the query"):
        engine.advance(EX.clean, 5)
    with pytest.raises(StreamError, match="no registered query reads"):
        engine.push(URIRef("nowhere"), ROWS)

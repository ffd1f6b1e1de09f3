"""Queries that join others of their kind while these run on Spark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from askos import prepare
from askos.algebra import Answer, Stamped
from askos.cli import main
from askos.errors import QueryError, StreamError
from askos.physical.plan import Based
from askos.planning import physical
from askos.prepared import Prepared
from askos.queries import Queries, prepare_all
from askos.sources import Catalogue
from askos.spark import Control
from askos.spark.checkpoint import begin
from askos.spark.control import read_control
from askos.spark.several import begin_all, kinds_of, read_all, resume_all
from askos.terms import URIRef, Variable
from askos.translate import Dialect
from tests.build import EX, S1, triple
from tests.hosts.harness import Harness
from tests.hosts.kinds import of_one_kind, together_on_harness, together_on_local
from tests.hosts.moments import Moment, arrivals, judge, moments, with_truths
from tests.hosts.strategies import Delivery, deliveries
from tests.hosts.test_texts import prepared
from tests.hosts.texts import STREAMING, Text, texts
from tests.hosts.three import Told, difference

BUCKETS = st.sampled_from([1, 2, 5])
CHOICES = st.randoms(use_true_random=False)

# ---- the law ---------------------------------------------------------------------------------

KNOWN = Catalogue().stream(S1, lateness_ms=5)
WINDOW = f"PREFIX : <{EX}> SELECT * FROM STREAM <{S1}> WINDOW RANGE 10 MS SLIDE"
STEPS = f"PREFIX : <{EX}> REGISTER QUERY q AS SELECT * FROM STREAM <{S1}> [RANGE 10ms STEP 5ms]"
RESTRICTED = {
    "pattern": f"{WINDOW} {{ :T :p ?v }}",
    "filter": f"{WINDOW.replace('SLIDE', 'FIXED')} {{ :T :p ?v FILTER (?v > 0) }}",
    "optional": f"{WINDOW} {{ :T :p ?v OPTIONAL {{ :T :q ?v }} }}",
    "minus": f"{WINDOW} {{ :T :p ?v MINUS {{ :T :q ?v }} }}",
    "reports": f"{STEPS} {{ :T :p ?v }}",
    "sum": f"{STEPS.replace('*', '?w (SUM(?v) AS ?n)')} {{ :T :p ?v . :T :q ?w }} GROUP BY ?w",
}
"""Constants are looked up where triples enter."""
KEEPING = {
    "join": f"{WINDOW} {{ :T :p ?v . :T :q ?w }}",
    "group": f"{WINDOW.replace('*', '?v (COUNT(*) AS ?n)')} {{ :T :p ?v }} GROUP BY ?v",
}
"""Something is kept before constants are looked up, for all who are there and for who will be."""


def of_three(text: str) -> tuple[Prepared, ...]:
    texts = {name: text.replace(":T ", f":{name} ") for name in "abc"}
    return prepare_all(texts, sources=KNOWN).queries


@pytest.mark.parametrize("text", RESTRICTED.values(), ids=RESTRICTED)
def test_who_joins_is_told_what_it_would_be_told_alone_that_comes_from_then_on(text: str) -> None:
    queries = of_three(text)
    assert looks_up_at_once(queries[:2])

    @given(BUCKETS, CHOICES)
    def agree(buckets: int, choices: Random) -> None:
        told = _drawn(choices)
        at = choices.randrange(len(told))
        spark = together_on_harness(queries[:2], told, buckets, choices.random(), {at: queries[2:]})
        for query in queries[:2]:
            assert difference(judge(query, told), spark[query.name or ""]) is None
        assert _same(judge(queries[2], told[at:]), spark["c"])

    agree()


@pytest.mark.parametrize("text", KEEPING.values(), ids=KEEPING)
def test_who_joins_may_be_told_of_what_is_kept_as_on_the_local_host(text: str) -> None:
    queries = of_three(text)
    assert not looks_up_at_once(queries[:2])

    @given(BUCKETS, CHOICES)
    def agree(buckets: int, choices: Random) -> None:
        told = _drawn(choices)
        joins = {choices.randrange(len(told)): queries[2:]}
        local = together_on_local(queries[:2], told, buckets, joins)
        spark = together_on_harness(queries[:2], told, buckets, choices.random(), joins)
        assert all(difference(local[name], spark[name]) is None for name in "abc")

    agree()


def looks_up_at_once(queries: Sequence[Prepared]) -> bool:
    """Whether all that enters the stages of a kind has whose it is."""
    (shared,) = kinds_of(Queries.of(queries))
    feeds = (feed for stage in physical(shared.prepared).stages for feed in stage.feeds)
    return all(any(isinstance(node, Based) for node in feed.plan.walk()) for feed in feeds)


def _drawn(choices: Random) -> list[Moment]:
    """Rows of three turbines, a little out of order."""

    def row(number: int) -> Stamped:
        s, p, o = choices.choice("abc"), choices.choice("ppq"), choices.randrange(3)
        return Stamped(triple(s, p, o), 2 * number + choices.randrange(5))

    every = range(choices.randint(1, 8))
    return [arrivals(S1, *(row(n) for _ in range(choices.randint(1, 4)))) for n in every]


def _same(alone: Told, joined: Told) -> bool:
    """The clock of those that run goes on: there are reports before and after those of a query
    alone, and nothing is in them."""
    if not any(isinstance(answer, Answer) for answer in (*alone, *joined)):
        return difference(alone, joined) is None
    known = {answer.at for answer in alone}
    others = [answer for answer in joined if answer.at not in known]
    same = [answer for answer in joined if answer.at in known]
    return difference(alone, same) is None and not any(answer.rows for answer in others)


@pytest.mark.thorough
@pytest.mark.parametrize("dialect", STREAMING, ids=lambda dialect: dialect.name)
def test_who_joins_on_spark_is_told_what_it_is_told_on_the_local_host(dialect: Dialect) -> None:
    @given(texts(dialect), deliveries(8), BUCKETS, CHOICES)
    def agree(text: Text, delivery: Delivery, buckets: int, choices: Random) -> None:
        query = prepared(text, delivery)
        queries = of_one_kind(query, choices)
        if queries is None:
            reject()
        *begun, last = queries
        truths = with_truths(moments(delivery), query.streams, choices)
        # Who joins is told what is not decided yet.  What is, hosts know alike after a micro-batch,
        # unless a stream goes idle with its last rows.
        told = [replace(moment, idle=()) for moment in truths]
        joins = {choices.randrange(len(told)): [last]} if told else {}
        local = together_on_local(begun, told, buckets, joins)
        spark = together_on_harness(begun, told, buckets, choices.random(), joins)
        assert local.keys() == spark.keys()
        for name, want in local.items():
            assert difference(want, spark[name]) is None

    agree()


# ---- what is told, and what is refused -------------------------------------------------------

SPEED = "SELECT ?v FROM STREAM <wind> WINDOW RANGE 10 MS FIXED {{ <{}> <speed> ?v }}"
COUNT = "SELECT (COUNT(*) AS ?n) FROM STREAM <wind> WINDOW RANGE 10 MS FIXED {{ <{}> <speed> ?v }}"
WIND = URIRef("wind")


def speeds(*turbines: str) -> dict[str, str]:
    return {turbine: SPEED.format(turbine) for turbine in turbines}


def harness(texts: Mapping[str, str], **options: Any) -> Harness:
    return Harness(prepare_all(texts, **options), Random(1), lateness=0)


def blow(run: Harness, at: int, **values: int) -> None:
    rows = [(f"<{t}>", "<speed>", f'"{v}"', at) for t, v in values.items()]
    run.push({WIND: rows}, run.new_entries())


def found(run: Harness) -> dict[str, list[str]]:
    return {
        name: sorted(str(answer.item[Variable("v")]) for answer in answers)
        for name, answers in run.split.items()
    }


def test_several_join_one_after_the_other_and_each_sees_what_comes_from_then_on() -> None:
    run = harness(speeds("T1", "T2"))
    blow(run, 1, T1=1, T3=3, T4=4, T5=5)
    assert run.control.register(SPEED.format("T3"), name="T3") == "T3"
    assert run.control.register(SPEED.format("T4")) == "query-1"
    blow(run, 2, T1=11, T3=13, T4=14, T5=15)
    run.restart()
    assert run.control.register_all([SPEED.format("T5"), SPEED.format("T1")]) == [
        "query-2",
        "query-3",
    ]
    blow(run, 3, T1=21, T3=23, T4=24, T5=25)
    run.end()
    assert found(run) == {
        "T1": ["1", "11", "21"],
        "T2": [],
        "T3": ["13", "23"],
        "query-1": ["14", "24"],
        "query-2": ["25"],
        "query-3": ["21"],
    }


def test_it_counts_from_the_micro_batch_on_that_hears_it() -> None:
    run = harness(speeds("T1", "T2"))
    run.control.register(SPEED.format("T3"), name="T3")
    run.push({WIND: [("<T3>", "<speed>", '"1"', 1)]})
    assert run.split["T1"] == []
    assert "T3" not in run.split
    blow(run, 2, T3=2)
    assert found(run)["T3"] == ["2"]


def test_queries_of_a_kind_may_read_what_another_publishes() -> None:
    clean = """REGISTER STREAM <clean> AS CONSTRUCT { ?t <fast> ?v }
        FROM STREAM <wind> [RANGE 10ms STEP 10ms] { ?t <speed> ?v }"""
    fast = "SELECT ?v FROM STREAM <clean> [RANGE 10ms STEP 10ms] {{ <{}> <fast> ?v }}"
    run = harness({"clean": clean, "T1": fast.format("T1"), "T2": fast.format("T2")})
    blow(run, 5, T1=1, T3=3)
    blow(run, 15, T1=11, T3=13)
    run.control.register(fast.format("T3"), name="T3")
    blow(run, 25, T1=21, T3=23)
    run.end()
    told = {at: rows for at, rows in ((a.at, len(a.rows)) for a in run.split["T3"]) if rows}
    assert told == {20: 1, 30: 1}
    assert [a.at for a in run.split["T1"] if a.rows] == [10, 20, 30]


def state(folder: Path) -> list[Path]:
    return sorted(file for part in ("control", "tables") for file in (folder / part).rglob("*"))


GRAPH = "FROM NAMED <park> {{ ?t <speed> ?v GRAPH <park> {{ ?t <at> <{}> }} }}"
LAST = "SELECT ?y FROM STREAM <wind> {{ {{ ?x <p> ?y WINDOW ELEMS 2 }} FILTER (?y != <{}>) }}"
JOINED = SPEED.partition("{{")[0] + GRAPH


@pytest.mark.parametrize(
    ("begun", "text", "name", "message"),
    [
        (SPEED, SPEED.replace("10", "20"), None, "query-1 differs in more than constants"),
        (SPEED, SPEED.replace("<wind>", "<wnd>"), None, "there is no source <wnd>"),
        (SPEED, SPEED.replace("<speed>", "<power>"), None, "differs in more than constants"),
        (SPEED, SPEED, "T2", "has a query 'T2' already"),
        (SPEED, SPEED, "urn:askos:kind:1", "has a query 'urn:askos:kind:1' already"),
        (COUNT, COUNT, "T3", "T3 cannot join T1, T2 while they run"),
        (JOINED, JOINED, "T3", "T3 cannot join T1, T2 while they run"),
        (LAST, LAST, "T3", "T3 cannot join T1, T2 while they run"),
        ("ASK" + SPEED[9:], "ASK" + SPEED[9:], None, "no two of them differ in constants only"),
    ],
)
def test_who_cannot_join_is_refused_and_nothing_has_changed(
    begun: str, text: str, name: str | None, message: str
) -> None:
    known = Catalogue().stream(WIND).graph("park", [(URIRef("a"), URIRef("at"), URIRef("T1"))])
    texts = {turbine: begun.format(turbine) for turbine in ("T1", "T2")}
    run = harness(texts, sources=known if begun is JOINED else None)
    before = state(run.checkpoint)
    with pytest.raises(QueryError, match=message):
        run.control.register(text.format("T3"), name=name)
    assert state(run.checkpoint) == before


def test_of_several_all_join_or_none_does() -> None:
    run = harness(speeds("T1", "T2"))
    other = SPEED.replace("10", "20").format("T4")
    with pytest.raises(QueryError, match="T4 differs in more than constants"):
        run.control.register_all({**speeds("T3"), "T4": other})
    blow(run, 1, T3=1)
    assert "T3" not in run.split


def test_the_command_tells_who_joins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = harness(speeds("T1", "T2"))
    files = [tmp_path / f"{name}.rq" for name in ("T3", "T4")]
    for file in files:
        file.write_text(SPEED.format(file.stem))
    command = ["register", str(run.checkpoint), *map(str, files)]
    assert main([*command, "--name", "T3"]) == 2
    assert "2 queries cannot have 1 names" in capsys.readouterr().err
    assert main([*command, "--name", "T3", "--name", "T3"]) == 2
    assert "two queries cannot have one name" in capsys.readouterr().err
    assert main([*command, "--name", "T3", "--name", "T4", "--every", "10ms"]) == 2
    assert "T3 differs in more than constants" in capsys.readouterr().err
    assert main([*command, "--name", "T3", "--name", "T4"]) == 0
    told = [f"{name} joins the queries of {run.checkpoint}" for name in ("T3", "T4")]
    assert capsys.readouterr().out.splitlines() == told
    blow(run, 1, T3=3, T4=4)
    assert found(run) == {"T1": [], "T2": [], "T3": ["3"], "T4": ["4"]}


def test_one_query_alone_is_joined_by_nobody(tmp_path: Path) -> None:
    query = prepare(SPEED.format("T1"))
    begin(tmp_path, query, physical(query), 2, 2)
    with pytest.raises(QueryError, match="no query can join those of checkpoint"):
        Control(tmp_path).register(SPEED.format("T2"))


def test_nobody_joins_what_has_come_to_its_end() -> None:
    run = harness(speeds("T1", "T2"))
    run.control.end()
    with pytest.raises(StreamError, match="has come to its end: no query can join any more"):
        run.control.register(SPEED.format("T3"))


def test_a_restart_goes_on_with_who_has_joined_given_again_or_not() -> None:
    run = harness(speeds("T1", "T2"))
    blow(run, 1, T1=1)
    run.control.register(SPEED.format("T3"), name="T3")
    for names in (("T1", "T2"), ("T3", "T1", "T2")):
        stored = resume_all(run.checkpoint, prepare_all(speeds(*names)), None)
        assert stored is not None
        assert stored.names == ["T1", "T2", "T3"]
    with pytest.raises(QueryError, match="was made with another query: T3"):
        resume_all(
            run.checkpoint, prepare_all({**speeds("T1", "T2"), "T3": SPEED.format("T9")}), None
        )
    with pytest.raises(QueryError, match="was made with the queries T1, T2, T3, not T1, T3"):
        resume_all(run.checkpoint, prepare_all(speeds("T1", "T3")), None)


def test_what_has_never_run_begins_anew_without_who_joined_in_vain(tmp_path: Path) -> None:
    queries = prepare_all(speeds("T1", "T2"))
    begin_all(tmp_path, queries, 2, 2)
    Control(tmp_path).register(SPEED.format("T3"), name="T3")
    with pytest.warns(UserWarning, match="register again who joined, of T1, T2, T3"):
        begin_all(tmp_path, queries, 2, 2)
    assert read_all(tmp_path).names == ["T1", "T2"]


def test_a_restart_does_not_go_on_without_the_tables_of_who_has_joined() -> None:
    run = harness(speeds("T1", "T2"))
    blow(run, 1, T1=1)
    before = state(run.checkpoint)
    run.control.register(SPEED.format("T3"), name="T3")
    for file in set(state(run.checkpoint)) - set(before):
        if file.suffix == ".table":
            file.write_bytes(b"")
    with pytest.raises(StreamError, match="has lost part of its static data"):
        resume_all(run.checkpoint, prepare_all(speeds("T1", "T2")), None)


def test_stray_files_by_the_name_of_registrations_tell_nothing() -> None:
    run = harness(speeds("T1", "T2"))
    (run.control.folder / "register-000001.json").write_text('{"register": {"number": 5}}')
    run.control.register(SPEED.format("T3"), name="T3")
    assert list(run.control.registered.kinds["urn:askos:kind:1"].members) == ["T1", "T2", "T3"]


@pytest.mark.parametrize(
    "told",
    [
        5,
        {"number": 1},
        {"number": 1, "kinds": {"k": {"members": {}, "tables": ["../a"]}}},
        {"number": 1, "kinds": {"k": {"members": {"T1": 5}, "tables": []}}},
        {"number": 1, "kinds": {"k": {"members": {"T1": ["<a>", 5]}, "tables": []}}},
    ],
)
def test_what_tells_of_no_registration_is_refused(told: object) -> None:
    with pytest.raises(StreamError, match="this tells of no queries"):
        read_control(json.dumps({"register": told}), ())

"""Several queries as the Spark host runs them, without Spark."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.errors import QueryError
from askos.queries import Queries, prepare_all
from askos.sources import Catalogue
from askos.spark.checkpoint import resume
from askos.spark.levels import levels
from askos.spark.several import begin_all, read_all, resume_all
from tests.build import EX, stream, term, triple
from tests.hosts.chains import chains, composed, differences
from tests.hosts.harness import Harness, delivered
from tests.hosts.strategies import Delivery, deliveries
from tests.hosts.test_streams import CLEAN, LAST, OTHER, OTHERS, SEEN, WIND, told

ROWS = stream(("a", "p", 7, 3), ("b", "p", 40, 8), ("b", "p", 9, 12))


@given(chains(), deliveries(6), st.sampled_from([1, 2, 5]), st.randoms(use_true_random=False))
def test_a_chain_of_registered_streams_equals_the_reference_composed_by_hand(
    queries: Queries, delivery: Delivery, buckets: int, choices: Random
) -> None:
    want = composed(queries, delivery)
    run = delivered(Harness(queries, choices, buckets), delivery, choices, beyond=0)
    assert not differences(want, run.split)


def test_a_silent_stream_of_one_query_stalls_no_other() -> None:
    run = Harness(prepare_all([OTHERS, LAST, CLEAN]), Random(1), faults=False, lateness=0)
    run.push({WIND: ROWS})
    assert [answer.at for answer in run.split[str(EX.clean)]] == [10]
    run.restart()
    run.tell({"source": WIND, "mark": 21})
    assert told(run.split["last"]) == {20: SEEN[20]}, "in the same micro-batch"
    assert not run.split["others"]
    run.tell({"source": OTHER, "mark": 30}, {"source": EX.clean, "mark": 30})
    (refused,) = run.of("refused")
    assert "does not read the stream" in refused["note"]
    run.end()
    assert told(run.split["last"]) == SEEN


def test_a_reader_looks_into_its_own_tables() -> None:
    """The publisher's last stage does, since there the rows of the reader enter."""
    sited = LAST.replace("?x ?y FROM", "?x ?y ?z FROM").replace(
        ":ok ?y }", ":ok ?y . ?x :site ?z }"
    )
    known = (
        Catalogue().stream(WIND).graph(EX.park, [triple("a", "site", 1), triple("c", "site", 2)])
    )
    run = Harness(prepare_all([sited, CLEAN], sources=known), Random(1), buckets=2, lateness=0)
    run.push({WIND: ROWS})
    run.restart()
    run.end()
    assert told(run.split["last"]) == {20: [(EX.a, term(7), term(1))], 40: [], 60: []}


def test_rows_that_are_late_or_refused_are_told_by_the_query_that_reads_them() -> None:
    run = Harness(prepare_all([LAST, CLEAN]), Random(2), faults=False, lateness=0)
    run.push({WIND: stream(("a", "p", 7, 50))})
    run.push({WIND: [*stream(("a", "p", 7, 3)), ("no triple", None, None, 60)]})
    assert [row["query"] for row in run.of("late")] == [str(EX.clean)]
    assert [row["query"] for row in run.of("refused")] == [str(EX.clean)]


def test_a_query_stands_in_the_levels_after_those_whose_streams_it_reads(tmp_path: Path) -> None:
    jobs = begin_all(tmp_path, prepare_all([OTHERS, LAST, CLEAN]), 2, 2).jobs(tmp_path, "")
    found = levels(jobs)
    names = [{step.job.place.name for step in level.steps} for level in found]
    first = next(at for at, level in enumerate(names) if "last" in level)
    assert all(str(EX.clean) not in level for level in names[first:])
    assert "others" in names[0]
    ids = [bucket for level in found for bucket in level.places]
    assert len(ids) == len(set(ids)) == 2 * sum(len(job.plan.stages) for job in jobs)


def test_a_checkpoint_of_several_queries_says_what_they_are(tmp_path: Path) -> None:
    queries = prepare_all([LAST, CLEAN])
    begun = begin_all(tmp_path, queries, 2, 3)
    document = json.loads((tmp_path / "askos.json").read_text())
    clean = str(EX.clean)
    assert document["edges"] == [[clean, clean, "last"]]
    assert document["streams"] == [str(WIND)]
    assert [part["query"]["name"] for part in document["queries"]] == [clean, "last"]
    assert read_all(tmp_path).parts == begun.parts


def test_another_set_of_texts_is_refused_by_name(tmp_path: Path) -> None:
    queries = prepare_all([LAST, CLEAN])
    assert resume_all(tmp_path, queries, None) is None
    begin_all(tmp_path, queries, 2, 3)
    (tmp_path / "offsets").mkdir()
    (tmp_path / "offsets" / "0").touch()
    found = resume_all(tmp_path, prepare_all([CLEAN, LAST]), None)
    assert found is not None
    assert found.buckets == 2
    with pytest.raises(QueryError, match=r"made with the queries \S+clean, last, not \S+clean\n"):
        resume_all(tmp_path, prepare_all([CLEAN]), None)
    with pytest.raises(QueryError, match="made with another query: last"):
        resume_all(tmp_path, prepare_all([CLEAN, LAST.replace("?x ?y", "?x")]), None)
    with pytest.raises(QueryError, match="made with a bucket count of 2, not 5"):
        resume_all(tmp_path, queries, 5)
    with pytest.raises(QueryError, match=r"made with several queries: \S+clean, last"):
        resume(tmp_path, queries.queries[0], None)

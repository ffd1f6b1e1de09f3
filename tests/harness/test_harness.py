"""The Spark host's code, run without Spark, gives the answers of the reference evaluation."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Binding, Count, Group, Join, Operator, Ref, first_difference
from askos.algebra.reference import intervals
from askos.interval import FOREVER
from tests.build import S1, S2, W, X, Y, Z, pattern, stream
from tests.hosts.cases import CASES, DATA, DELIVERIES, OPTIONAL, RAW1, RAW2, sliding
from tests.hosts.harness import Harness, run_harness
from tests.hosts.hostile import BAD_ROWS, NOT_UTF8, bytes_table
from tests.hosts.strategies import Delivery, deliveries, plans, queries
from tests.hosts.three import as_it_is, run_reference

BUCKETS = st.sampled_from([1, 2, 5])


@given(plans() | queries(), deliveries(8), BUCKETS, st.randoms(use_true_random=False))
def test_the_harness_equals_the_reference(
    plan: Operator, delivery: Delivery, buckets: int, choices: Random
) -> None:
    want = run_reference(plan, delivery)
    assert first_difference(want, run_harness(plan, delivery, buckets, choices)) is None


# In quick runs each case has one number of buckets, in turn.
RUNS = [
    pytest.param(name, buckets, marks=() if place % 3 == turn else pytest.mark.thorough)
    for place, name in enumerate(CASES)
    for turn, buckets in enumerate((1, 2, 5))
]


@pytest.mark.parametrize(("name", "buckets"), RUNS)
def test_every_case_survives_restarts_and_failures(name: str, buckets: int) -> None:
    want = run_reference(CASES[name], DATA)
    got = run_harness(CASES[name], DATA, buckets, Random(name + str(buckets)))
    assert first_difference(want, got) is None


@pytest.mark.parametrize("name", DELIVERIES)
def test_every_delivery_survives_restarts_and_failures(name: str) -> None:
    want = run_reference(OPTIONAL, DELIVERIES[name])
    assert first_difference(want, run_harness(OPTIONAL, DELIVERIES[name], 5, Random(name))) is None


# ---- control and refusals --------------------------------------------------------------------

PLAN = CASES["two stages"]
HUGE = FOREVER - 1
RELOAD = json.dumps(
    {
        "reload": {
            "": {
                "number": 1,
                "graph": "http://example.org/g",
                "versions": [{"at": "AT", "graphs": {}, "tables": {"NUMBER": "a"}}],
            }
        }
    }
).replace('"AT"', "AT")


def harness(plan: Operator = PLAN, **options: Any) -> Harness:
    return Harness(as_it_is(plan), Random(1), **options)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must be JSON"),
        ('{"source": ', "must be JSON"),
        ("[" * 100_000, "must be JSON"),
        (b"\xff\xfe\x00", "must be JSON"),
        (b'{"end": "\xff"}', "must be JSON"),
        ('{"source": "http://example.org/stream1", "mark": ' + "9" * 5000 + "}", "must be JSON"),
        (r'{"source": "\ud800", "mark": 5}', "does not read the stream <?>"),
        ('{"reload": {"": 5}}', "this tells of no reload"),
        (RELOAD.replace("AT", "5").replace("NUMBER", "x"), "is no number of a table"),
        (RELOAD.replace("AT", "5").replace("NUMBER", "9" * 5000), "is no number of a table"),
        (RELOAD.replace("AT", "-1").replace("NUMBER", "0"), "is not an instant"),
        (RELOAD.replace("AT", "9" * 20).replace("NUMBER", "0"), "is not an instant"),
        ("NaN", "no entry of a control stream"),
        ('{"stop": true}', "no entry of a control stream"),
        ('{"end": true, "source": "http://example.org/stream1"}', "no entry of a control stream"),
        ('{"end": false}', "no entry of a control stream"),
        ('{"source": "http://example.org/stream9", "mark": 5}', "does not read the stream"),
        ('{"source": "http://example.org/stream1", "mark": -1}', "-1 is not a whole number"),
        ('{"source": "http://example.org/stream1", "mark": true}', "True is not a whole number"),
        ('{"source": "http://example.org/stream1", "mark": 1e3}', "1000.0 is not a whole number"),
        ('{"source": "http://example.org/stream1", "mark": 10000000000000000000}', "is not a"),
    ],
)
def test_a_control_file_that_says_nothing_known_is_refused_once_and_the_query_goes_on(
    text: str | bytes, reason: str
) -> None:
    run = harness()
    run.push(dict(DATA.batches[:1]), [text, json.dumps({"source": S1, "mark": 0})])
    (refused,) = run.of("refused")
    assert reason in refused["note"]
    assert refused["note"].startswith("control file 0.json: ")
    told = text if isinstance(text, str) else text.decode("utf-8", "replace")
    assert refused["note"].endswith(told[:1000])
    for source, rows in DATA.batches[1:]:
        run.push({source: rows})
    run.end()
    assert len(run.of("refused")) == 1
    assert first_difference(run_reference(PLAN, DATA), run.answers) is None


def test_a_row_that_is_no_triple_is_no_progress_in_any_stage() -> None:
    """The first stage is fed by S2 alone, which is idle: S1 tells it the time."""
    by_z = Group((Binding(Z, Ref(Z)),), (Binding(X, Count()),), pattern(Y, "q", Z, sliding(RAW2)))
    counts = Group((), (Binding(W, Count()),), pattern(X, "p", Y, sliding(RAW1)))
    plan = Join(counts, by_z)
    run = harness(plan, lateness=0)
    assert [{feed.source for feed in stage.feeds} for stage in run.plan.stages] == [{S2}, {S1}]
    data = {S1: stream(("a", "p", 1, 4)), S2: stream(("a", "q", 1, 3), ("a", "q", 1, 9))}
    run.push({S1: data[S1], S2: data[S2][:1]}, [json.dumps({"source": S2, "idle": True})])
    run.push({S1: [("<http://x/a", "<http://x/p>", "<http://x/b>", HUGE)]})
    run.push({S2: data[S2][1:]})
    run.end()
    assert len(run.of("refused")) == 1
    assert not run.of("late")
    assert first_difference(intervals(plan, data), run.answers) is None


def test_bytes_that_are_no_utf8_and_bad_escapes_are_refused_row_by_row() -> None:
    plan = pattern(X, "p", Y, sliding(RAW1))
    run = harness(plan, sampled=False)
    good = stream(("a", "p", 1, 4), ("b", "p", "ü", 6))
    run.push({S1: good[:1]})
    run.push({S1: bytes_table((*row, 5) for row in BAD_ROWS)})
    run.push({S1: good[1:]})
    run.end()
    assert len(run.of("refused")) == len(BAD_ROWS)
    assert sum("is not UTF-8" in row["note"] for row in run.of("refused")) == len(NOT_UTF8)
    assert first_difference(intervals(plan, {S1: good}), run.answers) is None


def test_an_idle_stream_stays_idle_after_a_restart() -> None:
    run = harness(OPTIONAL, lateness=0)
    run.push({S1: stream(("a", "p", 1, 3))}, [json.dumps({"source": S2, "idle": True})])
    run.restart()
    run.push({S1: stream(("b", "p", 2, 50))})
    assert [(e.interval.start, e.interval.end) for e in run.answers] == [(3, 10)]

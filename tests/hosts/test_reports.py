"""When hosts report and what: where one that is nearly right is wrong, from texts, by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Final, TypeAlias

import pytest

from askos import Catalogue, prepare
from askos.algebra import Answer, Kind, Periodic, Report, StreamAccess
from askos.errors import StreamError
from askos.interval import FOREVER
from askos.local import Engine
from askos.prepared import Prepared
from askos.terms import Solution, Variable
from tests.build import EX, S1, S2, stream
from tests.hosts.harness import Harness
from tests.hosts.moments import (
    Moment,
    Moments,
    arrivals,
    harness_steps,
    judge,
    local_steps,
    on_harness,
    on_local,
    restarted,
)
from tests.hosts.three import Told, difference

HEAD: Final = f"PREFIX : <{EX}>\n"
STEPPED: Final = "SELECT ?x FROM STREAM :stream1 [RANGE 10 STEP 10] { ?x :p ?y }"
BOTH: Final = Catalogue().stream(S1).stream(S2)
LATE: Final = Catalogue().stream(S1, lateness_ms=9).stream(S2, lateness_ms=9)
DECLARED: Final = Catalogue().stream(S1, [EX.p, EX.other]).stream(S2, [EX.q])


@dataclass(frozen=True)
class Case:
    """A text, what arrives, and what is to be told: the columns of each row, in a word."""

    text: str
    given: Moments
    told: Mapping[int, list[str]]
    sources: Catalogue = BOTH
    report: Report | None = None

    @property
    def query(self) -> Prepared:
        return prepare(HEAD + self.text, sources=self.sources, report=self.report)


def one(*rows: tuple[object, object, object, int]) -> Moment:
    """A micro-batch of the first stream."""
    return arrivals(S1, *stream(*rows))


def two(*rows: tuple[object, object, object, int]) -> Moment:
    return arrivals(S2, *stream(*rows))


NOISE: Final = ("n", "other", 1, 3)
MATCH: Final = ("a", "p", 1, 23)
COUNTED: Final = [
    two(("a", "q", 1, 4), ("b", "q", 2, 2)),
    one(("a", "p", 1, 9), ("b", "p", 2, 3), ("c", "p", 3, 7), ("a", "p", 4, 1)),
    two(("a", "q", 5, 12), ("b", "q", 6, 11), ("a", "q", 7, 8)),
    one(("b", "p", 5, 14), ("a", "p", 6, 14), ("c", "p", 7, 8), ("a", "p", 8, 17)),
    two(("c", "q", 8, 20), ("c", "q", 8, 17)),
]

CASES: dict[str, Case] = {
    "noise alone moves the clock": Case(
        STEPPED, [one(NOISE), one(MATCH)], {10: [], 20: [], 30: ["a"], 40: []}
    ),
    "noise of a stream that the optimiser drops moves the clock": Case(
        "SELECT ?x FROM STREAM :stream1 [RANGE 10 STEP 10] FROM STREAM :stream2"
        " [RANGE 10 STEP 10] { ?x :p ?y }",
        [two(("n", "q", 1, 3)), one(MATCH), two(("n", "q", 1, 41))],
        {10: [], 20: [], 30: ["a"], 40: [], 50: [], 60: []},
        DECLARED,
    ),
    "a count of nothing is new once": Case(
        "REGISTER ISTREAM <o> AS SELECT (COUNT(*) AS ?n) FROM NAMED WINDOW :w ON :stream1"
        " [RANGE 10 STEP 10] { WINDOW :w { ?x :p ?y } }",
        [one(("n", "other", 1, 23))],
        {30: ["0"], 40: []},
    ),
    "a window with gaps, the last arrival in one": Case(
        "REGISTER RSTREAM <o> AS SELECT ?x FROM NAMED WINDOW :w ON :stream1"
        " [RANGE 2 STEP 10] { WINDOW :w { ?x :p ?y } }",
        [one(("a", "p", 1, 19)), one(("b", "p", 1, 61))],
        {20: ["a"], 30: [], 40: [], 50: [], 60: [], 70: []},
    ),
    "the same in CQELS, told where it has rows": Case(
        "SELECT ?x { STREAM :stream1 [RANGE 2 SLIDE 10] { ?x :p ?y } }",
        [one(("a", "p", 1, 19)), one(("b", "p", 1, 61))],
        {20: ["a"]},
    ),
    "a count window with a step ends with its last arrival": Case(
        "REGISTER QUERY q COMPUTED EVERY 10ms AS"
        " SELECT ?x FROM STREAM :stream1 [RANGE TRIPLES 4 STEP 2] { ?x :p ?y }",
        [
            one(("a", "p", 1, 1), ("b", "p", 1, 5), ("c", "p", 1, 12)),
            one(("d", "p", 1, 31), ("e", "p", 1, 33)),
        ],
        {10: ["a", "b"], 20: ["a", "b"], 30: ["a", "b"], 40: ["a", "b", "c", "d"]},
    ),
    "NOW() over a window that never empties stops all the same": Case(
        "REGISTER QUERY q COMPUTED EVERY 10ms AS"
        " SELECT ?x (SECONDS(NOW()) AS ?t) FROM STREAM :stream1 [RANGE TRIPLES 2] { ?x :p ?y }",
        [one(("a", "p", 1, 3)), one(("b", "p", 1, 13))],
        {10: ["a 0.01"], 20: ["a 0.02", "b 0.02"]},
    ),
    "the end of time, where the next of a long period is none": Case(
        "SELECT ?x FROM STREAM :stream1 WINDOW ELEMS 2 { ?x :p ?y }",
        [one(("a", "p", 1, FOREVER - 2))],
        {FOREVER - 2: ["a"]},
        report=Periodic(Kind.RSTREAM, (1, 60_000)),
    ),
    "count windows below a keyed join": Case(
        "SELECT * { STREAM :stream1 [TRIPLES 3] { ?x :p ?y }"
        " STREAM :stream2 [TRIPLES 4] { ?x :q ?z } }",
        restarted(COUNTED, 1),
        {
            3: ["b 2 2"], 4: ["a 4 1"], 9: ["a 1 1", "a 1 7"], 12: ["a 1 5"],
            14: ["a 6 1", "a 6 5", "a 6 7", "b 5 6"], 17: ["a 8 5", "a 8 7"],
        },
        LATE,
    ),
}  # fmt: skip
MARKED: Final = Case(
    STEPPED, [one(("a", "p", 1, 5))], {10: ["a"], **{at: [] for at in range(20, 991, 10)}}
)
CASES |= {
    "a promise far ahead, with the rows": replace(
        MARKED, given=[replace(MARKED.given[0], marks={S1: 1000})]
    ),
    "a promise far ahead, after the rows": replace(
        MARKED, given=[*MARKED.given, Moment(marks={S1: 1000})]
    ),
}

Host: TypeAlias = Callable[[Prepared, Moments], Told]
Steps: TypeAlias = Callable[[Prepared, Moments, int], Iterator[Told]]
HOSTS: dict[str, Host] = {
    "reference": judge,
    "local, one bucket": lambda query, given: on_local(query, given, 1),
    "local, five buckets": lambda query, given: on_local(query, given, 5),
    "harness": lambda query, given: on_harness(query, given, 2),
    "harness, five buckets and faults": lambda q, given: on_harness(q, given, 5, 7, faults=True),
}


def words(told: Told) -> dict[int, list[str]]:
    """Reports as cases write them."""
    assert all(isinstance(answer, Answer) for answer in told)
    return {answer.at: sorted(map(word, answer.rows)) for answer in told}


def word(row: object) -> str:
    assert isinstance(row, Solution)
    names = [name for name in ("x", "y", "z", "n", "t") if Variable(name) in row]
    return " ".join(str(row[Variable(name)]).removeprefix(str(EX)) for name in names)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", CASES)
def test_a_host_reports_what_is_written_here(name: str, host: str) -> None:
    case = CASES[name]
    assert words(HOSTS[host](case.query, case.given)) == case.told


def test_the_optimiser_does_drop_the_stream_and_it_is_read_all_the_same() -> None:
    query = CASES["noise of a stream that the optimiser drops moves the clock"].query
    read = [node.source for node in query.plan.walk() if isinstance(node, StreamAccess)]
    assert set(read) == {S1}
    assert set(query.streams) == {S1, S2}


@pytest.mark.parametrize("together", [True, False])
def test_rows_a_promise_and_the_end_in_one_micro_batch_or_two(together: bool) -> None:
    run = Harness(MARKED.query, Random(3), 5, 0)
    rows = {S1: stream(("a", "p", 1, 5))}
    told = [json.dumps({"source": S1, "mark": 1000}), json.dumps({"end": True})]
    if together:
        run.push(rows, told)
    else:
        run.push(rows)
        run.push({}, told)
    assert words(run.answers) == MARKED.told


# ---- too many reports ------------------------------------------------------------------------

FEW: Final = Periodic(Kind.RSTREAM, (10,), limit=5)
WIDE: Final = "SELECT ?x FROM STREAM :stream1 WINDOW RANGE 100 MS SLIDE 1 MS { ?x :p ?y }"


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    "case",
    [
        Case(WIDE, [one(("a", "p", 1, 5))], {}, report=FEW),
        Case(STEPPED, [one(("a", "p", 1, 5)), Moment(marks={S1: 1000})], {}, report=FEW),
    ],
    ids=["a wide window", "a promise far ahead"],
)
def test_too_many_reports_are_refused(case: Case, host: str) -> None:
    with pytest.raises(StreamError, match="more than 5 reports would follow the last arrival"):
        HOSTS[host](case.query, case.given)


@pytest.mark.parametrize("buckets", [1, 5])
def test_too_many_reports_are_refused_before_the_first_of_them(buckets: int) -> None:
    engine = Engine(buckets=buckets)
    query = engine.register(HEAD + WIDE, report=FEW)
    engine.push(S1, stream(("a", "p", 1, 5), ("a", "p", 1, 25)))
    assert list(words(query.take())) == [10, 20]
    with pytest.raises(StreamError, match="more than 5 reports"):
        engine.close()
    assert query.take() == []
    run = Harness(prepare(HEAD + WIDE, report=FEW), Random(1), buckets, 0)
    run.push({S1: stream(("a", "p", 1, 5), ("a", "p", 1, 25))})
    with pytest.raises(StreamError, match="more than 5 reports"):
        run.end()
    assert list(words(run.answers)) == [10, 20]


def test_as_many_as_are_allowed_are_told() -> None:
    given = [one(("a", "p", 1, 5))]
    query = Case(WIDE, given, {}, report=replace(FEW, limit=11)).query
    want = judge(query, given)
    assert [answer.at for answer in want] == list(range(10, 120, 10))
    for host in HOSTS.values():
        assert difference(want, host(query, given)) is None


# ---- streams that are silent, late or idle ---------------------------------------------------

JOINED: Final = (
    "SELECT ?x FROM STREAM :stream1 [RANGE 20 STEP 10] FROM STREAM :stream2 [RANGE 20 STEP 10]"
    " { ?x :p ?y }"
)


EARLY, LATER = ("a", "p", 1, 3), ("b", "p", 2, 35)
DECIDED: dict[str, tuple[Case, list[dict[int, list[str]]]]] = {
    "a silent stream holds reports back, and the end sets them free": (
        Case(JOINED, [one(EARLY), one(LATER)], {}),
        [{}, {}, {10: ["a"], 20: ["a"], 30: [], 40: ["b"], 50: ["b"], 60: []}],
    ),
    "a silent stream that promises is not waited for": (
        Case(JOINED, [one(EARLY), one(LATER), Moment(marks={S2: 31})], {}),
        [{}, {}, {10: ["a"], 20: ["a"], 30: []}, {40: ["b"], 50: ["b"], 60: []}],
    ),
    "a stream that starts late": (
        Case(JOINED, [one(EARLY), one(LATER), two(("c", "p", 3, 22))], {}),
        [{}, {}, {10: ["a"], 20: ["a"]}, {30: ["c"], 40: ["b", "c"], 50: ["b"], 60: []}],
    ),
    "a stream told to be idle": (
        Case(JOINED, [one(EARLY), Moment(idle=[S2]), one(LATER)], {}),
        [{}, {}, {10: ["a"], 20: ["a"], 30: []}, {40: ["b"], 50: ["b"], 60: []}],
    ),
    "a stream declared idle is waited for when it has spoken": (
        Case(
            JOINED,
            [one(EARLY), one(LATER), two(("c", "p", 3, 38)), one(("d", "p", 4, 71))],
            {},
            Catalogue().stream(S1).stream(S2, idle=True),
        ),
        [
            {},
            {10: ["a"], 20: ["a"], 30: []},
            {},
            {},
            {40: ["b", "c"], 50: ["b", "c"], 60: [], 70: [], 80: ["d"], 90: ["d"], 100: []},
        ],
    ),
}


@pytest.mark.parametrize("steps", [local_steps, harness_steps])
@pytest.mark.parametrize("name", DECIDED)
def test_reports_come_when_they_are_decided(name: str, steps: Steps) -> None:
    case, told = DECIDED[name]
    assert [words(part) for part in steps(case.query, case.given, 2)] == told
    assert words(judge(case.query, case.given)) == {
        at: r for part in told for at, r in part.items()
    }


@pytest.mark.filterwarnings("ignore:the time of")
@pytest.mark.parametrize("host", [host for host in HOSTS if host != "reference"])
def test_a_row_far_in_the_future_does_not_ask_for_more_reports_than_there_is_memory(
    host: str,
) -> None:
    """With another row behind it, so that these would not follow the last arrival."""
    far = 2**55
    given = [one(("a", "p", 1, at)) for at in (5, far, far + 9)]
    with pytest.raises(StreamError, match="more than 1000000 reports would be due at once"):
        HOSTS[host](prepare(HEAD + STEPPED), given)

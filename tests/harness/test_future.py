"""Rows stamped in the future, in the code Spark runs: refused where that is declared, else told;
whatever restarts and fails."""

from __future__ import annotations

from random import Random

import pytest

from askos.algebra import Join, Kind, Operator, Periodic, Report, Stamped
from askos.algebra.reference import intervals
from askos.interval import FOREVER
from askos.physical.jump import DAY
from askos.prepared import Prepared
from askos.sources import Catalogue
from askos.terms import n3
from tests.build import S1, S2, W, X, Y, Z, pattern, stream, triple
from tests.hosts.cases import CASES, RAW1, RAW2, sliding
from tests.hosts.harness import Harness
from tests.hosts.strategies import Delivery
from tests.hosts.three import as_it_is, difference, run_reference

TWO_STAGES = CASES["two stages"]
YEAR_2100 = 4_102_444_800_000
FUTURE = [
    *stream(("a", "p", 1, YEAR_2100), ("b", "p", 1, FOREVER - 1)),
    *stream(("a", "noise", 1, YEAR_2100)),
]
BATCHES = (
    (S1, tuple(stream(("a", "p", "b", 3), ("c", "p", "d", 4)))),
    (S2, tuple(stream(("b", "q", "c", 5), ("x", "q", "y", 9)))),
    (S1, tuple(stream(("a", "p", "b", 13), ("d", "noise", "d", 14)))),
    (S2, tuple(stream(("b", "q", "c", 12)))),
)
REPORTS = [None, Periodic(Kind.RSTREAM, (5,))]


def prepared(plan: Operator, report: Report | None, known: Catalogue) -> Prepared:
    return Prepared(plan, plan, report, sources=known) if report else as_it_is(plan, known)


@pytest.mark.parametrize("report", REPORTS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_a_row_beyond_not_after_is_refused_once_and_changes_nothing(
    report: Report | None, seed: int
) -> None:
    known = Catalogue().stream(S1, not_after=1000).stream(S2)
    query = prepared(TWO_STAGES, report, known)
    run = Harness(query, Random(seed), buckets=3, lateness=0)
    for source, rows in BATCHES:
        run.push({source: [*rows, *(FUTURE if source == S1 else [])]})
        run.restart()
    run.end()
    assert sorted(row["note"] for row in run.of("refused")) == sorted(2 * [*map(_refused, FUTURE)])
    assert not run.of("late")
    assert not run.of("remark")
    assert difference(run_reference(query, Delivery(BATCHES)), run.answers) is None


def _refused(row: Stamped) -> str:
    at = "2100-01-01T00:00:00Z" if row.at == YEAR_2100 else str(row.at)
    texts = " ".join(map(n3, row.triple))
    return f"stamped {at}, but not_after is 1970-01-01T00:00:01Z: {texts} {row.at}"


@pytest.mark.parametrize("report", REPORTS, ids=str)
def test_a_row_ahead_of_its_arrival_or_without_one_is_refused(report: Report | None) -> None:
    plan = pattern(X, "p", Y, sliding())
    query = prepared(plan, report, Catalogue().stream(S1, ahead_ms=2))
    run = Harness(query, Random(1), lateness=0)
    a, noise = (tuple(map(n3, triple("a", p, 1))) for p in ("p", "noise"))
    run.push({S1: [(*a, 3, 1), (*a, 4, 1), (*noise, 500, 3), (*a, 4, None), (*noise, 4, None)]})
    run.push({S1: [(*a, 5, 900), (*noise, 5, 3)]})
    run.end()
    data = {S1: stream(("a", "p", 1, 3), ("a", "p", 1, 5), ("a", "noise", 1, 5))}
    assert len(run.of("refused")) == 4
    assert not run.of("late")
    delivery = Delivery(((S1, tuple(data[S1])),))
    assert difference(run_reference(query, delivery), run.answers) is None


# ---- remarks ---------------------------------------------------------------------------------

BY_STAGE = Join(
    Join(pattern(X, "p", Y, sliding()), pattern(Y, "q", Z, sliding(RAW2))),
    pattern(Z, "r", W, sliding(RAW1)),
)


@pytest.mark.parametrize("seed", range(6))
def test_a_jump_is_told_once_with_the_row(seed: int) -> None:
    run = Harness(as_it_is(BY_STAGE), Random(seed), buckets=3, lateness=0)
    assert len(run.plan.stages) == 2
    data = [
        stream(("a", "p", "b", 5 * DAY), ("z", "r", "z", 5 * DAY), ("a", "p", "b", 3)),
        stream(("a", "p", "b", 6 * DAY), ("z", "r", "z", 6 * DAY)),  # not more than a day
        stream(("z", "r", "w", 9 * DAY), ("z", "r", "v", 9 * DAY), ("a", "p", "b", 8 * DAY)),
        stream(("a", "p", "b", 9 * DAY + 5), ("z", "r", "z", 9 * DAY + 5)),
        stream(("z", "r", "z", 20 * DAY)),  # seen by the second stage alone
        stream(("a", "p", "b", 20 * DAY)),  # by the first alone
        stream(("a", "p", "b", 30 * DAY)),
        stream(("z", "r", "z", 30 * DAY)),
    ]
    for rows in data:
        run.push({S1: rows})
        run.restart()
    run.end()
    told = [row["note"] for row in run.of("remark")]
    start = f"the time of <{S1}> jumps from "
    assert [note.split(": if")[0] for note in told] == [
        f"{start}1970-01-07T00:00:00Z to 1970-01-10T00:00:00Z with {_text('z', 'r', 'v')}",
        f"{start}1970-01-10T00:00:00.005Z to 1970-01-21T00:00:00Z with {_text('z', 'r', 'z')}",
        f"{start}1970-01-21T00:00:00Z to 1970-01-31T00:00:00Z with {_text('a', 'p', 'b')}",
    ]


def _text(*parts: str) -> str:
    return " ".join(map(n3, triple(*parts)))


def test_a_jump_of_a_row_that_no_pattern_matches_is_told_by_its_time() -> None:
    query = prepared(pattern(X, "p", Y, sliding()), Periodic(Kind.RSTREAM, (DAY,)), Catalogue())
    run = Harness(query, Random(2), lateness=0)
    run.push({S1: stream(("a", "p", "b", 3), ("a", "noise", "b", 4))})
    run.push({S1: stream(("a", "p", "b", 5), ("a", "noise", "b", 3 * DAY))})
    run.end()
    (told,) = run.of("remark")
    assert "to 1970-01-04T00:00:00Z with a row that no pattern of the query matches" in told["note"]


def test_where_a_limit_is_declared_nothing_is_remarked() -> None:
    query = as_it_is(pattern(X, "p", Y, sliding()), Catalogue().stream(S1, not_after=YEAR_2100))
    run = Harness(query, Random(3), lateness=0)
    data = stream(("a", "p", "b", 3), ("a", "p", "b", 30 * DAY))
    for row in data:
        run.push({S1: [row]})
    run.end()
    assert not run.of("remark")
    assert difference(intervals(query.plan, {S1: data}), run.answers) is None

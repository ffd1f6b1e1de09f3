"""Every triple of choices in the harness, every pair on Spark, judged by the reference.

`tests.hosts.combinations` says what the choices are and what they become; `script/soak --thorough
tests/hosts/test_covering.py` runs all of it, other runs a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import combinations, product

import pytest
from pyspark.sql import SparkSession

from askos.algebra import Element
from askos.prepared import Prepared
from askos.translate import Dialect, parse
from tests.hosts.combinations import LEFT_OUT, OWN, PLAN, SPACE, WINDOWS, delivered, query, text
from tests.hosts.covering import Exclusion, Row, Space, cover
from tests.hosts.moments import Moments, in_few, judge, on_harness, on_local, on_spark
from tests.hosts.three import Told, difference

covering = cache(partial(cover, SPACE))

PARTS = {"harness": 96, "spark": 60}
TAKEN = {
    "quick": {"harness": 1, "spark": 1},
    "thorough": {"harness": 8, "spark": 1},
    "soak": PARTS,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    profile = metafunc.config.getoption("--hypothesis-profile")
    taken = TAKEN.get(profile, TAKEN["quick"])
    if "part" in metafunc.fixturenames:
        host = "spark" if "spark" in metafunc.fixturenames else "harness"
        metafunc.parametrize("part", range(taken[host]))


# ---- hosts -----------------------------------------------------------------------------------


def says_something(told: Told) -> bool:
    return any(isinstance(answer, Element) or answer.rows for answer in told)


def check(
    rows: Iterable[Row], host: Callable[[Row, Prepared, Moments], Told], most: int = 99
) -> None:
    """Each row on a host and by the reference, in at most so many micro-batches; where most say
    nothing, little is tested."""
    speaking = []
    for row in rows:
        asked, given = query(row), in_few(delivered(row), most)
        want = judge(asked, given)
        assert difference(want, host(row, asked, given)) is None, row
        speaking.append(says_something(want))
    assert sum(speaking) > len(speaking) / 2


def test_every_triple_of_choices_in_the_harness(part: int) -> None:
    def harness(row: Row, asked: Prepared, given: Moments) -> Told:
        faults = row["restart"] == "at every micro-batch"
        return on_harness(asked, given, int(row["buckets"]), str(row), faults=faults)

    check(covering(3)[part :: PARTS["harness"]], harness)


def test_pairs_of_choices_on_the_local_driver() -> None:
    def local(row: Row, asked: Prepared, given: Moments) -> Told:
        return on_local(asked, given, int(row["buckets"]))

    check(covering(2)[::12], local)


@pytest.mark.thorough
def test_every_pair_of_choices_on_spark(spark: SparkSession, part: int) -> None:
    def session(row: Row, asked: Prepared, given: Moments) -> Told:
        return on_spark(spark, asked, given, int(row["buckets"]))

    check(covering(2)[part :: PARTS["spark"]], session, 4)


# ---- the array -------------------------------------------------------------------------------


@pytest.mark.parametrize("strength", [2, 3])
def test_every_tuple_of_choices_is_in_some_row_or_excluded_for_a_reason(strength: int) -> None:
    rows = covering(strength)
    assert all(SPACE.allows(row) and row.keys() == SPACE.factors.keys() for row in rows)
    covered = {chosen for row in rows for chosen in SPACE.of(row, strength)}
    reasons = set()
    for names in combinations(SPACE.factors, strength):
        for choices in product(*(SPACE.factors[name] for name in names)):
            chosen = tuple(zip(names, choices, strict=True))
            why = [e.reason for e in SPACE.exclusions if e.forbids(dict(chosen))]
            assert bool(why) != (chosen in covered), chosen
            reasons.update(why)
    assert reasons == {exclusion.reason for exclusion in SPACE.exclusions}


def test_the_array_is_the_same_every_time_and_far_smaller_than_all_rows() -> None:
    assert cover(SPACE, 2) == covering(2)
    assert len(covering(2)) < 250
    assert len(covering(3)) < 2_000


def test_a_tuple_that_no_row_can_have_is_not_asked_for() -> None:
    """a with z is excluded, and y with z: so z has no row with a, nor one with y."""
    bad = Exclusion("one", "three", lambda one, three: (one, three) == ("a", "z"), "")
    worse = Exclusion("two", "three", lambda two, three: (two, three) == ("y", "z"), "")
    space = Space({"one": "ab", "two": "xy", "three": "wz"}, (bad, worse))
    rows = cover(space, 2)
    assert {"one": "b", "two": "x", "three": "z"} in rows
    assert {chosen for row in rows for chosen in space.of(row, 2)} == set(space.tuples(2))
    impossible = Space({"one": "a", "two": "x", "three": "z"}, (bad,))
    assert cover(impossible, 2) == []


def test_texts_are_recognised_as_the_dialect_they_are_written_in() -> None:
    base = next(SPACE.completions({"report": OWN, "shape": "pattern"}))
    for window, dialects in WINDOWS.items():
        for dialect in dialects:
            row = {**base, "window": window, "dialect": dialect}
            assert query(row).text == text(row)
            assert parse(text(row)).dialect is Dialect.of(dialect)


def test_what_is_left_out_matters() -> None:
    """Some reports have no rows, so that the two policies differ."""
    row = next(SPACE.completions({"dialect": PLAN, "report": "ISTREAM every 5"}))
    told, left_out = (
        judge(query(chosen), delivered(chosen))
        for chosen in (row, {**row, "without rows": LEFT_OUT})
    )
    assert len(left_out) < len(told)

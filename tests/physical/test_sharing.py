"""Which operators of several queries are one."""

from __future__ import annotations

import pytest

from askos.physical import PhysicalPlan
from askos.physical.bucket import Bucket
from askos.physical.join import JoinOperator
from askos.physical.pool import Together
from askos.physical.sharing import Numbered, Sharing, shared
from askos.planning import physical
from askos.prepared import prepare
from askos.sources import Catalogue
from tests.columns.batches import CODER

WIND = "FROM STREAM <wind> WINDOW RANGE {} SECOND SLIDE"
BOTH = "?t <p> ?v . ?t <q> ?w"
PAIRS = f"SELECT * {WIND.format(10)} {{{{ {BOTH} {{}} }}}}"
PLAIN = PAIRS.format("")


def planned(text: str) -> PhysicalPlan:
    return physical(prepare(text))


def kept_by_both(one: str, other: str, buckets: int = 2) -> list[str]:
    """The operators with state that two queries have in common."""
    sharing = Sharing(buckets)
    left, right = (sharing.stages(planned(text)) for text in (one, other))
    return [name for mine in left for theirs in right for name in _both(mine, theirs)]


def _both(mine: Numbered, theirs: Numbered) -> list[str]:
    same = mine.kept.keys() & theirs.kept.keys() if mine.pool == theirs.pool else set()
    return [type(mine.kept[number]).__name__ for number in sorted(same)]


@pytest.mark.parametrize(
    "top",
    [
        PAIRS.format("FILTER (?v > ?w)"),
        PAIRS.format("OPTIONAL { ?t <r> ?x }"),
        PAIRS.format("MINUS { ?t <r> ?x }"),
        PLAIN.replace("*", "?t (MAX(?v - ?w) AS ?most)") + "GROUP BY ?t",
        PLAIN.replace("*", "?w (MAX(?v - ?t) AS ?most)") + "GROUP BY ?w",
    ],
    ids=["filter", "optional", "minus", "group", "a group in a further stage"],
)
def test_a_join_below_different_tops_is_one(top: str) -> None:
    assert kept_by_both(PLAIN, top) == ["Join"]


@pytest.mark.parametrize(
    "other",
    [
        PLAIN.replace("10 SECOND", "20 SECOND"),
        PLAIN.replace("<wind>", "<rain>"),
        PLAIN.replace("<q>", "<r>"),
        PLAIN.replace("?w", "?u"),
    ],
    ids=["another window", "another stream", "another pattern", "another name"],
)
def test_what_differs_below_is_not(other: str) -> None:
    assert kept_by_both(PLAIN, other) == []


def test_what_hears_of_other_streams_is_not_shared() -> None:
    more = PAIRS.format("GRAPH <rain> { ?t <r> ?x }")
    rain = WIND.format(10).replace("STREAM <wind>", "NAMED STREAM <rain>")
    more = more.replace("{", f"{rain} {{", 1)
    assert planned(more).cut == planned(PLAIN).cut
    assert kept_by_both(PLAIN, more) == []


@pytest.mark.parametrize(("buckets", "common"), [(1, ["Join"]), (2, [])])
def test_who_spreads_rows_otherwise_shares_where_there_is_one_bucket(
    buckets: int, common: list[str]
) -> None:
    wide = f"SELECT * {WIND.format(10)} {{ ?t <p> ?v . ?t ?v ?w }}"
    top = wide.replace("*", "?t (MAX(?w) AS ?most)") + "GROUP BY ?t"
    assert kept_by_both(wide, top, buckets) == common


def test_reports_on_one_grid_share_and_others_do_not() -> None:
    def reported(every: str, text: str = PLAIN) -> PhysicalPlan:
        return physical(prepare(text, every=every))

    def common(*plans: PhysicalPlan) -> int:
        sharing = Sharing(1)
        return len(shared([stage for plan in plans for stage in sharing.stages(plan)]))

    assert common(reported("1s"), reported("1s", PAIRS.format("FILTER (?v > ?w)"))) == 1
    assert common(reported("1s"), reported("2s")) == 0


def test_what_may_be_reloaded_is_not_shared() -> None:
    known = Catalogue().stream("wind").graph("park", [], reloadable=True)
    text = PAIRS.format("GRAPH <park> { ?t <at> ?x }").replace("{", "FROM NAMED <park> {", 1)
    plans = [physical(prepare(text, sources=known)) for _ in range(2)]
    sharing = Sharing(1)
    assert not shared([stage for plan in plans for stage in sharing.stages(plan)])


def test_stages_meet_by_others_between_them() -> None:
    left, right = ("?t <p> ?v . ?t <q> ?w", "?t <r> ?x . ?t <s> ?y")
    head = f"SELECT * {WIND.format(10)}"
    texts = [
        f"{head} {{ {{ {left} }} }}",
        f"{head} {{ {{ {right} }} }}",
        f"{head} {{ {{ {left} FILTER (?v > ?w) }} UNION {{ {right} FILTER (?x > ?y) }} }}",
    ]
    sharing = Sharing(2)
    (group,) = shared([stage for text in texts for stage in sharing.stages(planned(text))])
    assert len(group) == 3


def test_an_operator_in_common_is_made_once_in_a_bucket() -> None:
    together = Together(1)
    plans = [planned(PLAIN), planned(PAIRS.format("FILTER (?v > ?w)"))]
    for plan in plans:
        (common,) = together.stages(plan)
        Bucket(plan, plan.stages[0], CODER, common=common)
    (pool,) = common.pools.values()
    made = [running.operator[0] for running in pool.made.values() if running.operator]
    assert [type(each) for each in made].count(JoinOperator) == 1

"""Both twins of the join: a handful of elements, and the law, step by step."""

from __future__ import annotations

import pytest
from hypothesis import given

from askos.algebra import Join, LeftJoin
from askos.columns import Batch
from askos.errors import StreamError
from askos.interval import FOREVER
from askos.physical.join import LEFT, RIGHT
from askos.terms import XSD, Literal
from tests.build import X, Y, Z, pattern, solution
from tests.columns.batches import TINY, batch, colliding, rows
from tests.physical.runs import Delivery, keeps_the_law, law, step, two_sides
from tests.physical.test_operators import BOTH, A, B, L, R
from tests.physical.twins import JOINS, MakeJoin


@pytest.fixture(params=[*JOINS.values()], ids=[*JOINS])
def join(request: pytest.FixtureRequest) -> MakeJoin:
    made: MakeJoin = request.param
    return made


def test_join_merges_pairs_on_the_intersection_of_their_intervals(join: MakeJoin) -> None:
    assert step(join(Join(A, B)), FOREVER, [(L, 0, 10)], [(R, 5, 20)]) == [(BOTH, 5, 10)]


def test_join_drops_pairs_whose_intervals_only_touch(join: MakeJoin) -> None:
    assert step(join(Join(A, B)), FOREVER, [(L, 0, 5)], [(R, 5, 20)]) == []


def test_join_multiplies_multiplicities(join: MakeJoin) -> None:
    assert step(join(Join(A, B)), FOREVER, [(L, 0, 9)] * 2, [(R, 0, 9)] * 3) == [(BOTH, 0, 9)] * 6


def test_join_leaves_incompatible_solutions_alone(join: MakeJoin) -> None:
    assert step(join(Join(A, B)), FOREVER, [(L, 0, 9)], [(solution(x="b", z=2), 0, 9)]) == []


def test_join_finds_partners_whichever_side_comes_first(join: MakeJoin) -> None:
    for first, second in ((LEFT, RIGHT), (RIGHT, LEFT)):
        made = join(Join(A, B))
        sides = {LEFT: batch((L, 0, 9)), RIGHT: batch((R, 3, 12))}
        assert not len(made.process(first, sides[first]))
        made.advance(3)
        told = [made.process(second, sides[second]), made.advance(4)[0]]
        assert rows(Batch.concat(told)) == [(BOTH, 3, 9)]


def test_join_forgets_what_has_ended(join: MakeJoin) -> None:
    made = join(Join(A, B))
    step(made, 4, [(L, 0, 5)], [(R, 0, 5)])
    assert made.snapshot().runs
    assert made.advance(5)[1] == 5
    assert not made.snapshot().runs


def test_join_keys_are_only_what_is_certainly_bound(join: MakeJoin) -> None:
    plan = Join(LeftJoin(A, B), pattern(X, "r", Z))
    made = join(plan)
    left = [(L, 0, 9), (BOTH, 0, 9), (solution(x="a", y=1, z=3), 0, 9)]
    assert step(made, FOREVER, left, [(R, 0, 9)]) == [(BOTH, 0, 9)] * 2


def test_join_takes_a_binding_from_the_side_that_has_it(join: MakeJoin) -> None:
    made = join(Join(pattern(X, "r", Z), LeftJoin(A, B)))
    assert step(made, FOREVER, [(R, 0, 9)], [(L, 0, 9)]) == [(BOTH, 0, 9)]


def test_join_without_common_variables_is_the_product(join: MakeJoin) -> None:
    made = join(Join(pattern(X, "p", 1), pattern(Y, "p", 2)))
    left, right = (solution(x="a"), 0, 9), (solution(y="b"), 0, 9)
    assert step(made, FOREVER, [left], [right]) == [(solution(x="a", y="b"), 0, 9)]


def test_join_matches_terms_not_values(join: MakeJoin) -> None:
    one, also = (Literal(text, datatype=XSD.integer) for text in ("1", "01"))
    made = join(Join(A, pattern(Z, "q", Y)))
    left, right = (solution(x="a", y=one), 0, 9), (solution(z="a", y=also), 0, 9)
    assert step(made, FOREVER, [left], [right]) == []


def test_terms_that_cannot_be_told_apart_stop_a_join(join: MakeJoin) -> None:
    made, (one, other) = join(Join(A, B)), colliding()
    made.process(LEFT, batch((solution(x=one, y=1), 0, 9), coder=TINY))
    with pytest.raises(StreamError, match="have the same hash"):
        made.process(RIGHT, batch((solution(x=other, z=2), 0, 9), coder=TINY))


def test_join_keeps_the_law(join: MakeJoin) -> None:
    @given(two_sides())
    def check(delivery: Delivery) -> None:
        plan = Join(delivery.table(0), delivery.table(1))
        keeps_the_law(lambda: join(plan), delivery, law(Join), lambda watermark: watermark)

    check()

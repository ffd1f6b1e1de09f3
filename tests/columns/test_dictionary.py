"""Dictionaries, and that a collision of hashes stops a query and never answers it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Binding, Count, Group, Join, Operator, Ref, first_difference
from askos.algebra.reference import intervals
from askos.columns import Batch, Coder, Dictionary
from askos.errors import StreamError
from askos.local import Engine
from askos.physical import Cut
from askos.physical.group import GroupOperator
from askos.physical.pattern import PatternOperator
from askos.sweeparea import SweepArea
from askos.terms import Literal, Term, Variable
from tests.build import EX, S1, W, X, Y, Z, pattern, solution, stream
from tests.columns.batches import CODER, TINY, batch, colliding, rows
from tests.hosts.strategies import LATENESS, Delivery, deliveries, plans

A, B = colliding()
BOTH = rf"{A}.*{B}|{B}.*{A}"


def dictionary(*terms: Term, coder: Coder = CODER) -> Dictionary:
    return coder.terms(terms)[1]


def texts(found: Dictionary) -> list[str]:
    return sorted(found.merged[1].to_pylist())


def test_only_hashed_terms_need_a_dictionary() -> None:
    assert not dictionary(Literal(5), Literal(True)).parts
    assert texts(dictionary(Literal(5), EX.a, EX.a)) == [EX.a.n3()]


def test_parts_are_merged_when_a_text_is_asked_for() -> None:
    ab, bc = dictionary(EX.a, EX.b), dictionary(EX.b, EX.c)
    both = ab | bc
    assert len(both.parts) == 2
    assert texts(both) == [EX.a.n3(), EX.b.n3(), EX.c.n3()]
    assert (np.diff(both.merged[0]) > 0).all()


def test_what_is_known_is_not_added_again() -> None:
    one = dictionary(EX.a)
    assert one | one is one
    assert one | Dictionary() is one
    assert (Dictionary() | one).parts == one.parts
    more = one | dictionary(EX.b)
    assert more | one is more


def test_an_empty_dictionary_is_merged_and_restricted_to_itself() -> None:
    assert texts(Dictionary()) == []
    assert texts(Dictionary().restrict([np.array([5])])) == []
    assert Dictionary().texts(np.array([0, 0])).to_pylist() == [None, None]
    assert Dictionary.of(np.empty(0, np.int64), dictionary(EX.a).merged[1][:0]).parts == ()


def test_restrict_keeps_what_is_mentioned() -> None:
    ids, found = CODER.terms([EX.a, EX.b, Literal(5)])
    assert found.restrict([ids]) is found
    assert texts(found.restrict([ids[1:], ids[2:]])) == [EX.b.n3()]
    assert not found.restrict([ids[2:]]).parts
    assert not found.restrict([]).parts


def test_texts_come_in_the_order_of_the_ids_with_null_for_unbound() -> None:
    ids, found = CODER.terms([EX.b, EX.a, Literal(5)])
    wanted = [Literal(5).n3(), None, EX.b.n3(), EX.a.n3(), EX.b.n3()]
    got = found.texts(np.array([ids[2], 0, ids[0], ids[1], ids[0]])).to_pylist()
    assert got == [f'"5"^^<{Literal(5).datatype}>', *wanted[1:]]


# ---- collisions ------------------------------------------------------------------------------


def test_a_collision_within_one_batch_is_an_error_that_names_both() -> None:
    with pytest.raises(StreamError, match=BOTH):
        TINY.terms([A, B])


def test_a_collision_of_two_dictionaries_is_an_error_when_they_meet_or_merge() -> None:
    a, b = dictionary(A, coder=TINY), dictionary(B, coder=TINY)
    with pytest.raises(StreamError, match=BOTH):
        a.meet(b)
    both = a | b
    with pytest.raises(StreamError, match=BOTH):
        both.texts(np.array([a.merged[0][0]]))


def test_parts_that_have_not_met_do_so_when_the_whole_meets_itself() -> None:
    both = dictionary(A, coder=TINY) | dictionary(B, coder=TINY)
    for other in (both, Dictionary(both.parts), Dictionary()):
        with pytest.raises(StreamError, match=BOTH):
            both.meet(other)


def test_dictionaries_that_agree_may_meet() -> None:
    a, again, b = dictionary(EX.a), dictionary(EX.a), dictionary(EX.b)
    a.meet(again)
    a.meet(b)
    a.meet(Dictionary())
    Dictionary().meet(a)


def area(*given: Batch) -> SweepArea[Batch]:
    found = SweepArea[Batch](lambda held: [held.column(X)])
    for one in given:
        found.insert(one)
    return found


def of(term: Term) -> Batch:
    return batch((solution(x=term), 0, 5), coder=TINY)


def test_a_collision_with_a_stored_element_is_an_error() -> None:
    with pytest.raises(StreamError, match=BOTH):
        list(area(of(A)).query(of(B)))


def test_a_collision_among_stored_elements_is_an_error_at_the_next_query() -> None:
    with pytest.raises(StreamError, match=BOTH):
        list(area(of(A), of(B)).query(of(A)))


def test_a_collision_of_group_keys_is_an_error() -> None:
    plan = Group((Binding(X, Ref(X)),), (Binding(W, Count()),), pattern(X, "p", Y))
    group = GroupOperator(plan, TINY, Cut((1,)))
    group.process(0, of(A))
    group.advance(1)
    group.process(0, batch((solution(x=B), 1, 5), coder=TINY))
    with pytest.raises(StreamError, match=BOTH):
        group.advance(2)


def triples(s: Term, p: Term, o: Term) -> Batch:
    columns, found = {}, Dictionary()
    for name, term in zip("spo", (s, p, o), strict=True):
        columns[Variable(name)], new = TINY.terms([term])
        found |= new
    return Batch(columns, np.array([0]), np.array([1]), found)


def test_a_collision_with_a_constant_of_a_pattern_is_an_error() -> None:
    operator = PatternOperator(pattern(A, X, Y), TINY)
    with pytest.raises(StreamError, match=BOTH):
        operator.process(0, triples(B, EX.p, Literal(1)))


def test_a_collision_within_a_triple_is_an_error_where_a_variable_occurs_twice() -> None:
    operator = PatternOperator(pattern(X, Y, X), TINY)
    with pytest.raises(StreamError, match=BOTH):
        operator.process(0, triples(A, EX.p, B))


def run(plan: Operator, *batches: list[tuple[object, object, object, int]]) -> None:
    engine = Engine(coder=TINY)
    engine.register(plan)
    for pushed in batches:
        engine.push(S1, stream(*pushed))
    engine.close()


def test_a_collision_is_noticed_though_no_term_is_shown() -> None:
    """COUNT(*) shows no hashed term, so nobody else would ever look at the texts."""
    counted = (Binding(W, Count()),)
    with pytest.raises(StreamError, match=BOTH):
        run(Group((), counted, pattern(X, Y, X)), [(A, "p", B, 0)])
    pair = Join(pattern(X, Y, Z), pattern(W, Variable("v"), X))
    with pytest.raises(StreamError, match=BOTH):
        run(Group((), (Binding(Y, Count()),), pair), [(A, "p", 1, 0), ("c", "p", B, 0)])
    with pytest.raises(StreamError, match=BOTH):
        run(Group((), (Binding(Y, Count()),), pair), [(A, "p", 1, 0)], [("c", "p", B, 0)])


@given(plans(2), deliveries(5), st.integers(0, 999), st.integers(3, 8))
def test_with_few_hashes_the_answer_is_right_or_none(
    plan: Operator, delivery: Delivery, key: int, bits: int
) -> None:
    engine = Engine(lateness=LATENESS, buckets=2, coder=Coder(f"{key:016}", bits=bits))
    try:
        query = engine.register(plan)
        for source, pushed in delivery.batches:
            if source in query.plan.sources:
                engine.push(source, pushed)
        engine.close()
    except StreamError as error:
        if "have the same hash" in str(error):
            return
        raise
    assert first_difference(intervals(plan, delivery.streams), query.take()) is None


def test_restricting_loses_nothing_a_batch_shows() -> None:
    whole = batch((solution(x="a", y=1), 0, 5), (solution(x="b", y="c"), 0, 5))
    first = whole.slice(0, 1)
    small = Batch(first.columns, first.ts, first.te, first.dictionary.restrict([first.column(X)]))
    assert rows(small) == rows(whole)[:1]

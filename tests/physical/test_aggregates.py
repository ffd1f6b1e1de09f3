"""All aggregates of SPARQL, by group and beside the solutions (semantics, sections 3 and 5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Aggregate,
    AggregateClauses,
    Avg,
    Binding,
    Call,
    Clause,
    Count,
    Expression,
    Group,
    GroupConcat,
    Max,
    Min,
    Ref,
    Sample,
    Sum,
)
from askos.algebra import Operator as Plan
from askos.errors import StreamError
from askos.interval import FOREVER
from askos.physical import Cut
from askos.physical.aggregateclauses import AggregateClausesOperator
from askos.physical.group import GroupOperator
from askos.terms import XSD, BNode, Literal, Solution, Variable
from tests.build import EX, W, X, Y, call, constant, pattern, solution, term
from tests.columns.batches import CODER, TINY, Row, batch, colliding
from tests.physical.runs import (
    EACH,
    Delivery,
    Store,
    cuts,
    deliveries,
    elements,
    keeps_the_law,
    law,
    step,
)

A = pattern(X, "p", Y)
N = Variable("n")
VALUES = [
    *(term(value) for value in (1, 2, 1.5, "a")),
    Literal("1.0", datatype=XSD.decimal),
    Literal("two"),
    BNode("n"),
]


def solutions() -> st.SearchStrategy[Solution]:
    """Few groups; values that are equal, no numbers, or missing."""
    groups = st.sampled_from([{}, {X: EX.a}, {X: EX.a}, {X: EX.b}])
    values = st.sampled_from([{}, *({Y: value} for value in VALUES)])
    return st.builds(lambda x, y: Solution({**x, **y}), groups, values)


def expressions() -> st.SearchStrategy[Expression]:
    return st.sampled_from([Ref(Y), Ref(Y), call("+", Y, 1), call("STR", Y), constant(3)])


@st.composite
def aggregates(draw: st.DrawFn) -> Aggregate:
    distinct = draw(st.booleans())
    kind = draw(st.sampled_from([Avg, Count, GroupConcat, Max, Min, Sample, Sum]))
    if kind is Count and draw(st.booleans()):
        return Count(distinct=distinct)
    made: Aggregate = kind(draw(expressions()), distinct=distinct)
    return made


def arrivals() -> st.SearchStrategy[Delivery]:
    return deliveries(elements(solutions(), least=1, most=12))


@st.composite
def groups(draw: st.DrawFn) -> tuple[tuple[Binding, ...], tuple[Binding, ...]]:
    keys = draw(st.sampled_from([(), (X,), (X,)]))
    made = draw(st.lists(aggregates(), min_size=1, max_size=3))
    bindings = (Binding(Variable(f"n{i}"), one) for i, one in enumerate(made))
    return tuple(Binding(key, Ref(key)) for key in keys), tuple(bindings)


@given(groups(), arrivals(), cuts())
def test_groups_keep_the_law(
    made: tuple[tuple[Binding, ...], tuple[Binding, ...]], delivery: Delivery, cut: Cut
) -> None:
    def plan(input: Plan) -> Plan:
        return Group(*made, input)

    given = plan(delivery.table(0))
    assert isinstance(given, Group)
    keeps_the_law(lambda: GroupOperator(given, CODER, cut), delivery, law(plan), cut)


@st.composite
def clauses(draw: st.DrawFn) -> tuple[Clause, ...]:
    made = draw(st.lists(aggregates(), min_size=1, max_size=3))
    by = st.sampled_from([(), (X,), (Y,), (X, Y)])
    return tuple(Clause(Variable(f"n{i}"), one, draw(by)) for i, one in enumerate(made))


@given(clauses(), arrivals(), cuts())
def test_clauses_keep_the_law(made: tuple[Clause, ...], delivery: Delivery, cut: Cut) -> None:
    def plan(input: Plan) -> Plan:
        return AggregateClauses(made, input)

    given = plan(delivery.table(0))
    assert isinstance(given, AggregateClauses)
    keeps_the_law(lambda: AggregateClausesOperator(given, CODER, cut), delivery, law(plan), cut)


# ---- by hand ---------------------------------------------------------------------------------


def group(aggregate: Aggregate, *keys: Variable, cut: Cut = EACH) -> GroupOperator:
    made = (Binding(N, aggregate),)
    return GroupOperator(Group(tuple(Binding(v, Ref(v)) for v in keys), made, A), CODER, cut)


def a(y: object) -> Solution:
    return solution(x="a", y=y)


@pytest.mark.parametrize(
    ("aggregate", "values"),
    [
        (Min(Ref(Y)), [3, 1, 3]),
        (Max(Call("UNARY -", (Ref(Y),))), [-3, -1, -3]),
        (Count(Ref(Y), distinct=True), [1, 3, 2]),
        (Sum(Ref(Y), distinct=True), [3, 9, 8]),
        (GroupConcat(Ref(Y), separator="-"), ["3", "1-3-5", "3-5"]),
    ],
)
def test_an_aggregate_changes_when_elements_start_and_end(
    aggregate: Aggregate, values: list[object]
) -> None:
    given: list[Row] = [(a(3), 0, 12), (a(1), 4, 8), (a(5), 4, 12)]
    made = [Literal(v) if isinstance(v, str) else term(v) for v in values]
    times = [(0, 4), (4, 8), (8, 12)]
    expected = [(solution(x="a", n=n), *t) for n, t in zip(made, times, strict=True)]
    assert step(group(aggregate, X), FOREVER, given) == expected


def test_a_minimum_that_stays_is_one_piece() -> None:
    given = [(a(1), 0, 12), (a(3), 4, 8)]
    assert step(group(Min(Ref(Y)), X), FOREVER, given) == [(solution(x="a", n=1), 0, 12)]


def test_one_error_is_an_error_of_the_whole_but_not_of_a_sample() -> None:
    given: list[Row] = [(a(1), 0, 9), (solution(x="a"), 3, 6)]
    for aggregate in (Min(Ref(Y)), Max(Ref(Y)), GroupConcat(Ref(Y))):
        told = step(group(aggregate, X), FOREVER, given)
        assert [N in mu for mu, _, _ in told] == [True, False, True]
    told = step(group(Sample(Ref(Y)), X), FOREVER, given)
    assert told == [(solution(x="a", n=1), 0, 9)]


def test_a_value_counts_once_however_its_elements_meet() -> None:
    """The second one goes on where the first ends, and a third one begins at a cut."""
    made = group(Count(Ref(Y), distinct=True), X, cut=Cut((10,)))
    one = solution(x="a", n=1)
    assert step(made, 10, [(a(1), 0, 10), (a(1), 5, 20)]) == [(one, 0, 10)]
    assert step(made, 20, [(a(1), 10, 15)]) == [(one, 10, 20)]
    assert step(made, 30, [(a(1), 20, 25)]) == [(one, 20, 25)]


def test_values_that_end_at_the_cut_are_none_after_a_restart() -> None:
    kind = GroupConcat(Ref(Y), distinct=True)
    made, store = group(kind, X), Store()
    assert step(made, 12, [(a(1), 0, 12), (a(2), 5, 20)])
    store.save(made)
    made = group(kind, X)
    store.load(made)
    assert step(made, 15) == [(solution(x="a", n=Literal("2")), 12, 15)]


def test_a_minimum_keeps_what_can_still_become_the_least() -> None:
    made = group(Min(Ref(Y)), X, cut=Cut((10,)))
    step(made, 10, [(a(n), 0, 100 + n) for n in range(50)])
    told = step(made, FOREVER)
    assert told[0] == (solution(x="a", n=0), 10, 100)
    assert told[-1] == (solution(x="a", n=49), 148, 149)


def test_every_solution_gets_the_aggregates_of_its_groups() -> None:
    made = AggregateClauses((Clause(N, Count(), (X,)), Clause(W, Max(Ref(Y)))), pattern(X, "p", Y))
    b = solution(x="b", y=7)
    told = step(AggregateClausesOperator(made, CODER, EACH), FOREVER, [(a(1), 0, 9), (b, 3, 6)])
    assert told == [
        (solution(x="a", y=1, n=1, w=1), 0, 3),
        (solution(x="a", y=1, n=1, w=7), 3, 6),
        (solution(x="b", y=7, n=1, w=7), 3, 6),
        (solution(x="a", y=1, n=1, w=1), 6, 9),
    ]


def test_keys_that_cannot_be_told_apart_stop_the_query() -> None:
    one, other = colliding()
    made = GroupOperator(Group((Binding(X, Ref(X)),), (Binding(N, Count()),), A), TINY, EACH)
    made.process(0, batch((solution(x=one), 0, 9), coder=TINY))
    made.process(0, batch((solution(x=other), 3, 9), coder=TINY))
    with pytest.raises(StreamError, match="the same hash"):
        made.advance(FOREVER)

"""Groups of joins without their pairs: which there are, and that they mean the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Aggregate,
    Avg,
    Binding,
    Call,
    Count,
    Distinct,
    Filter,
    Group,
    GroupConcat,
    Join,
    LeftJoin,
    Max,
    Min,
    Project,
    Ref,
    Sample,
    Sum,
    Values,
)
from askos.algebra import Operator as Plan
from askos.algebra.joins import joined
from askos.columns.sums import Sums, times
from askos.interval import FOREVER
from askos.physical import Cut, build
from askos.physical.factoring import factored, pairs_a_row
from askos.physical.nodes import Products
from askos.physical.products import ProductsOperator
from askos.terms import XSD, Literal, Solution, Variable
from tests.build import EX, W, X, Y, Z, call, pattern, solution, term
from tests.columns.batches import CODER, Row
from tests.physical.runs import (
    EACH,
    EPOCH,
    Delivery,
    cuts,
    deliveries,
    elements,
    keeps_the_law,
    law,
    step,
)

A, B, C = pattern(X, "p", Y), pattern(X, "q", Z), pattern(X, "r", W)
N = Variable("n")
NUMBERS = [
    *(term(value) for value in (1, 2, 1.5, "a")),
    Literal("0.1", datatype=XSD.decimal),
    Literal("1e300", datatype=XSD.double),
    Literal("3", datatype=XSD.float),
]


def group(*made: Aggregate, over: Plan, by: tuple[Variable, ...] = (X,)) -> Group:
    bindings = (Binding(Variable(f"n{i}"), one) for i, one in enumerate(made))
    return Group(tuple(Binding(v, Ref(v)) for v in by), tuple(bindings), over)


def products(plan: Plan) -> Products:
    assert isinstance(plan, Group)
    found = factored(plan)
    assert found is not None
    keys = tuple(key.variable for key in plan.keys)
    return Products(keys, plan.aggregates, found.shared, found.inputs)


# ---- the law ---------------------------------------------------------------------------------


@st.composite
def aggregates(draw: st.DrawFn, values: Variable) -> Aggregate:
    distinct = draw(st.booleans())
    expression = draw(st.sampled_from([Ref(values), call("+", values, 1), Ref(X)]))
    kind = draw(st.sampled_from([Avg, Count, GroupConcat, Max, Min, Sample, Sum]))
    if kind is Count and draw(st.booleans()):
        return Count()
    made: Aggregate = kind(expression, distinct=distinct or kind is GroupConcat)
    return made


def side(values: Variable, base: int) -> st.SearchStrategy[list[tuple[Row, int]]]:
    found = st.sampled_from([{}, *({values: value} for value in NUMBERS)])
    keys = st.sampled_from([{X: EX.a}, {X: EX.a}, {X: EX.b}])
    mu = st.builds(lambda x, y: Solution({**x, **y}), keys, found)
    return elements(mu, least=1, most=6, base=base)


@st.composite
def stars(draw: st.DrawFn) -> tuple[Delivery, list[Aggregate], tuple[Variable, ...]]:
    values = draw(st.sampled_from([(Y, Z), (Y, Z), (Y, Z, W)]))
    base = draw(st.sampled_from([0, EPOCH]))
    delivery = draw(deliveries(*(side(v, base) for v in values)))
    made = draw(st.lists(st.sampled_from(values).flatmap(aggregates), min_size=1, max_size=4))
    return delivery, made, draw(st.sampled_from([(X,), (X,), (X, Y)]))


@given(stars(), cuts())
def test_products_keep_the_law(
    drawn: tuple[Delivery, list[Aggregate], tuple[Variable, ...]], cut: Cut
) -> None:
    delivery, made, by = drawn

    def plan(*sides: Plan) -> Plan:
        return group(*made, over=joined(list(sides)), by=by)

    given = products(plan(*(A, B, C)[: len(delivery.steps[0].ports)]))
    keeps_the_law(lambda: ProductsOperator(given, CODER, cut), delivery, law(plan), cut)


# ---- by hand ---------------------------------------------------------------------------------


def test_every_member_counts_once_for_each_partner() -> None:
    made = ProductsOperator(
        products(group(Count(), Sum(Ref(Y)), Avg(Ref(Z)), over=Join(A, B))), CODER, EACH
    )
    left = [(solution(x="a", y=n), 0, 10) for n in (1, 2, 3)]
    right = [(solution(x="a", z=n), 4, 8) for n in (10, 20)]
    mean = Literal("15.0", datatype=XSD.decimal)
    assert step(made, FOREVER, left, right) == [
        (solution(x="a", n0=6, n1=12) | Solution({Variable("n2"): mean}), 4, 8)
    ]


def test_pieces_of_a_group_that_nothing_changes_are_one() -> None:
    made = ProductsOperator(products(group(Min(Ref(Y)), over=Join(A, B))), CODER, EACH)
    right = [(solution(x="a", z=1), 0, 5), (solution(x="a", z=2), 5, 9)]
    got = step(made, FOREVER, [(solution(x="a", y=7), 0, 9)], right)
    assert got == [(solution(x="a", n0=7), 0, 9)]


def test_products_that_exceed_64_bits_stay_exact() -> None:
    many = np.array([1 << 40, 3])
    sums = times(Sums({"values": many}, many * 5), many * (1 << 20))
    assert sums.decimal.tolist() == [5 << 100, 45 << 20]
    assert sums.counters["values"].tolist() == [1 << 100, 9 << 20]


# ---- where they are taken --------------------------------------------------------------------


def test_groups_over_a_star_by_its_centre_need_no_pairs() -> None:
    found = factored(group(Avg(Ref(Y)), Count(), over=Join(Join(A, B), C)))
    assert found is not None
    assert found.inputs == (A, B, C)
    assert found.shared == (X,)
    assert pairs_a_row(found) == 16


def test_projections_may_stand_between() -> None:
    assert factored(group(Avg(Ref(Y)), over=Project((X, Y), Join(A, B))))
    assert not factored(group(Avg(Ref(Z)), over=Project((X, Y), Join(A, B))))


@pytest.mark.parametrize(
    "plan",
    [
        group(Sum(call("+", Y, Z)), over=Join(A, B)),
        group(Count(distinct=True), over=Join(A, B)),
        group(GroupConcat(Ref(Y)), over=Join(A, B)),
        group(Count(), over=Join(A, B), by=()),
        group(Count(), over=Join(A, B), by=(Y,)),
        group(Count(), over=Join(A, pattern(Z, "q", W))),
        group(Count(), over=Join(A, LeftJoin(C, pattern(Y, "q", X)))),
        group(Count(), over=Join(Join(A, B), pattern(X, "s", Y))),
        group(Count(), over=Filter(call("<", Y, Z), Join(A, B))),
        group(Count(), over=A),
        Group((Binding(N, Call("STR", (Ref(X),))),), (), Join(A, B)),
    ],
    ids=str,
)
def test_what_looks_at_pairs_has_them(plan: Group) -> None:
    assert factored(plan) is None


def taken(plan: Plan) -> bool:
    stages = build(plan).stages
    return any(isinstance(node, Products) for stage in stages for node in stage.plan.walk())


def test_they_are_taken_where_a_row_may_have_several_partners() -> None:
    keys = Distinct(Project((X,), B))
    assert taken(group(Count(), over=Join(A, B)))
    assert not taken(group(Count(), over=Join(A, keys)))


def test_they_are_not_taken_where_a_side_holds_static_rows() -> None:
    table = Values((X, Z), ((EX.a, EX.b), (EX.a, EX.c)))
    assert not taken(group(Count(), over=Join(A, table)))


def test_a_star_needs_one_exchange() -> None:
    (stage,) = build(group(Count(), over=Join(Join(A, B), C))).stages
    assert stage.key == (X,)
    assert len(stage.feeds) == 3

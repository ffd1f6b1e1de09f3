"""Joins of many members."""

from __future__ import annotations

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Join, Operator, Values
from askos.algebra.chains import WIDE, members
from askos.algebra.depth import depth
from askos.algebra.joins import components, joined
from askos.terms import Literal, Variable


def mentioning(number: int, names: frozenset[int]) -> Operator:
    columns = tuple(Variable(f"v{name}") for name in sorted(names))
    return Values(
        (*columns, Variable(f"own{number}")), ((None,) * len(names) + (Literal(number),),)
    )


@given(st.lists(st.frozensets(st.integers(0, 60), max_size=3), min_size=WIDE + 1, max_size=90))
def test_a_wide_join_keeps_its_members_and_makes_no_product_it_need_not(
    mentioned: list[frozenset[int]],
) -> None:
    plans = [mentioning(number, names) for number, names in enumerate(mentioned)]
    whole = joined(plans)
    assert sorted(members(whole, Join), key=plans.index) == plans
    joins = [node for node in whole.walk() if isinstance(node, Join)]
    products = [join for join in joins if join.left.variables.isdisjoint(join.right.variables)]
    assert len(products) == len(components([sorted(plan.variables) for plan in plans])) - 1
    assert depth(whole) < WIDE + 20  # of parts that have nothing in common, up to WIDE in a row


def test_few_members_are_joined_from_the_left() -> None:
    plans = [mentioning(number, frozenset({1})) for number in range(WIDE)]
    assert joined(plans) == reduce(Join, plans)


def test_what_has_only_one_member_in_common_joins_it_one_by_one() -> None:
    """A product of the others would be worse than a deep plan."""
    hub = mentioning(0, frozenset(range(100)))
    whole = joined([hub, *(mentioning(i + 1, frozenset({i})) for i in range(100))])
    joins = [node for node in whole.walk() if isinstance(node, Join)]
    assert all(join.left.variables & join.right.variables for join in joins)

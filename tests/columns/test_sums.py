"""SUM and AVG against the algebra's, which fold a list."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askos.algebra import Avg, Ref, Sum
from askos.algebra.expressions import ExpressionError
from askos.columns import Coder, decode, sums
from askos.columns.dictionary import Dictionary
from askos.columns.ids import INTEGER, pack
from askos.columns.sums import Sums, averages, summands, totals
from askos.terms import XSD, Literal, Term, URIRef
from tests.build import EX, X
from tests.columns.batches import CODER


def of(lexical: str, datatype: URIRef) -> Literal:
    return Literal(lexical, datatype=datatype)


INTEGERS = ["0", "1", "-7", "01", "+5", "-0", "99999999999999", str(2**50), str(-(2**70))]
DECIMALS = ["0.1", "1.50", "-2.25", ".5", "3.", "-0.0", "0.00000000000000000001", "9" * 25 + ".5"]
DOUBLES = ["0.1", "1E3", "-2.5", "1e-320", "1e308", "-1.5E300", "-0.0", "7", "123456789.125"]
SPECIAL = ["INF", "-INF", "NaN"]
BAD: list[Term] = [
    EX.a,
    Literal("5"),
    of("x", XSD.integer),
    of("", XSD.double),
    of("300", XSD.byte),
]


def numbers() -> st.SearchStrategy[Term]:
    """Numbers of every type and size."""
    return st.one_of(
        st.sampled_from(INTEGERS).map(lambda x: of(x, XSD.integer)),
        st.sampled_from(DECIMALS).map(lambda x: of(x, XSD.decimal)),
        st.sampled_from(DOUBLES).map(lambda x: of(x, XSD.double)),
        st.sampled_from(DOUBLES).map(lambda x: of(x, XSD.float)),
        st.sampled_from(["5", "-1", "007"]).map(lambda x: of(x, XSD.int)),
        st.integers(-(10**6), 10**6).map(lambda x: of(str(x), XSD.integer)),
        st.decimals(-1000, 1000, places=3).map(lambda x: of(str(x), XSD.decimal)),
        st.floats(-1e6, 1e6).map(lambda x: of(repr(x), XSD.double)),
        st.floats(allow_nan=False, allow_infinity=False).map(lambda x: of(repr(x), XSD.double)),
    )


def terms() -> st.SearchStrategy[Term]:
    """Mostly numbers; now and then one that is not finite, and what is no number."""
    special = st.builds(of, st.sampled_from(SPECIAL), st.sampled_from([XSD.float, XSD.double]))
    return st.one_of(numbers(), numbers(), numbers(), special, st.sampled_from(BAD))


def folded(aggregate: Sum | Avg, items: Sequence[Term]) -> Term | None:
    try:
        return aggregate.fold(items)
    except ExpressionError:
        return None


def read(items: Sequence[Term]) -> Sums:
    return summands(*CODER.terms(items))


def groups(parts: Sequence[Sequence[Term]]) -> Sums:
    """The sums of several lists at once, as a group operator adds them up."""
    everything = read([term for part in parts for term in part])
    borders = list(accumulate(map(len, parts), initial=0))
    held = everything.each(
        lambda c: np.array([c[a:b].sum() for a, b in pairwise(borders)], c.dtype)
    )
    return Sums.concat([held])


def results(held: Sums) -> tuple[list[Term | None], list[Term | None]]:
    return decode(*totals(held, CODER)), decode(*averages(held, CODER))


def check(parts: Sequence[Sequence[Term]]) -> None:
    total, average = results(groups(parts))
    assert total == [folded(Sum(Ref(X)), part) for part in parts]
    assert average == [folded(Avg(Ref(X)), part) for part in parts]


@given(st.lists(st.lists(terms(), max_size=6), min_size=1, max_size=4))
@example([[of("1e308", XSD.double)] * 3, [of("0.1", XSD.double)] * 3, []])
@example([[of("16777216", XSD.float), of("1", XSD.integer)], [of("0.1", XSD.float)]])
@example([[of("1", XSD.integer), of("0.5", XSD.decimal)], [of("-0.0", XSD.double)]])
def test_sums_and_averages_are_those_of_the_algebra(parts: list[list[Term]]) -> None:
    check(parts)


@given(st.lists(numbers(), min_size=1, max_size=9))
def test_sums_of_numbers_of_all_types_are_those_of_the_algebra(items: list[Term]) -> None:
    check([items])


@pytest.mark.parametrize("items", [SPECIAL, ["INF", "INF"], ["INF", "1"], ["-INF"], ["NaN", "1"]])
def test_what_is_not_finite_adds_up_as_ieee_says(items: list[str]) -> None:
    for datatype in (XSD.double, XSD.float):
        check([[of(x, datatype) for x in items], [of("INF", datatype), of("1.5", XSD.decimal)]])


def test_nothing_adds_up_to_the_integer_0() -> None:
    assert results(groups([[]])) == ([of("0", XSD.integer)], [of("0", XSD.integer)])


def test_one_that_is_no_number_spoils_its_own_sum_only() -> None:
    five = of("5", XSD.integer)
    for bad in BAD:
        total, average = results(groups([[five], [five, bad], [five]]))
        assert total == [five, None, five]
        assert average[1] is None


def test_unbound_is_no_number() -> None:
    ids, dictionary = CODER.terms([of("5", XSD.integer)])
    held = summands(np.append(ids, 0), dictionary).each(lambda c: np.add.reduceat(c, [0]))
    assert results(held) == ([None], [None])


def test_integers_of_thousands_of_digits_are_added() -> None:
    huge = of("1" + "0" * 5000, XSD.integer)
    check([[huge, of("1", XSD.integer)], [huge, of("0." + "0" * 4999 + "1", XSD.decimal)]])


@given(st.lists(terms(), max_size=5), st.lists(terms(), max_size=5))
def test_what_is_subtracted_again_leaves_nothing(stay: list[Term], leave: list[Term]) -> None:
    came, went = read([*leave, *stay]), read(leave).each(lambda column: -column)
    held = Sums.concat([came, went])
    held = held.each(lambda c: np.array([c.sum()], c.dtype) if len(c) else np.zeros(1, c.dtype))
    assert results(held) == results(groups([stay]))


@given(st.lists(numbers(), max_size=6))
def test_unlimited_integers_give_what_64_bits_give(items: list[Term]) -> None:
    want = results(groups([items]))
    with mock.patch.object(sums, "_ROOM", 0):
        held = groups([items])
        for column in (held.decimal, held.binary):
            assert column.dtype == object or not column.any()
        assert results(held) == want


@given(st.data(), st.lists(numbers(), max_size=5))
def test_the_order_does_not_matter(data: st.DataObject, items: list[Term]) -> None:
    mixed = data.draw(st.permutations(items))
    assert results(groups([items])) == results(groups([mixed]))


def test_a_long_running_sum_of_doubles_is_that_of_what_is_left() -> None:
    tenth, much = of("0.1", XSD.double), of("1e300", XSD.double)
    came, went = read([much, tenth]), read([much]).each(lambda column: -column)
    held = Sums.concat([came, went]).each(lambda c: np.add.reduceat(c, [0]))
    assert results(held)[0] == [of("1.0E-1", XSD.double)]


def test_results_that_are_hashed_bring_their_texts() -> None:
    ids, dictionary = totals(groups([[of("1", XSD.double)]]), Coder("another key 0000"))
    assert decode(ids, dictionary) == [of("1.0E0", XSD.double)]
    assert len(dictionary.merged[0]) == 1


def test_thousands_of_large_integers_do_not_overflow() -> None:
    many = pack(INTEGER, 0, np.full(20_000, 2**50 - 1))
    assert int(summands(many, Dictionary()).decimal.sum()) == 20_000 * (2**50 - 1)

"""Ranks against the algebra's own order of terms."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra.expressions.order import term_key, value_key
from askos.columns.ranks import ranks, sizes
from askos.terms import XSD, BNode, Literal, Term
from tests.build import EX
from tests.columns.batches import CODER
from tests.columns.test_sums import terms as numbers


def of(lexical: str, datatype: str) -> Literal:
    return Literal(lexical, datatype=XSD[datatype])


EQUAL = [of("1", "integer"), of("1.0", "decimal"), of("1.00", "decimal"), of("1.0", "double")]
CLOSE = [of("0.1", "decimal"), of("0.1", "double"), of("0.10", "decimal"), of("0.1", "float")]
OTHERS: list[Term] = [
    EX.a,
    EX["a/b"],
    EX["a-b"],
    EX["ä"],
    EX["𝄞"],
    BNode("b"),
    BNode("a"),
    Literal("text"),
    Literal("text", lang="en"),
    of("true", "boolean"),
    of("2026-06-01T00:00:00Z", "dateTime"),
    of("2026-06-01T01:00:00+02:00", "dateTime"),
    of("P1D", "duration"),
    of("x", "integer"),
]


def terms() -> st.SearchStrategy[list[Term]]:
    """Few and many kinds together: some are ranked by columns, others one by one."""
    easy = st.sampled_from([*EQUAL, *CLOSE[:3]]) | st.integers(-9, 9).map(
        lambda number: of(str(number), "integer")
    )
    mixed = easy | st.sampled_from(OTHERS)
    any_number = mixed | numbers() | st.sampled_from(CLOSE)
    return st.one_of(*(st.lists(one, max_size=12) for one in (easy, mixed, any_number)))


@given(terms())
def test_ranks_order_terms_as_the_algebra_does(given: list[Term]) -> None:
    found = ranks(*CODER.terms(given)).tolist()
    distinct = sorted(set(given), key=term_key)
    assert found == [distinct.index(term) for term in given]


@given(terms())
def test_equal_values_have_equal_ranks(given: list[Term]) -> None:
    found = ranks(*CODER.terms(given), by_value=True).tolist()
    distinct = sorted({value_key(term) for term in given})
    assert found == [distinct.index(value_key(term)) for term in given]


@given(terms() | st.lists(st.integers(-9, 9).map(lambda n: of(str(n), "integer"))), st.booleans())
def test_sizes_order_as_ranks_do(given: list[Term], by_value: bool) -> None:
    ids, dictionary = CODER.terms(given)
    found = sizes(ids, dictionary, by_value=by_value)
    _, places = np.unique(found, return_inverse=True)
    assert places.tolist() == ranks(ids, dictionary, by_value=by_value).tolist()
    assert (found >= 0).all()


def test_unbound_is_before_all_terms() -> None:
    ids, dictionary = CODER.terms([EX.a, BNode("b"), of("-5", "integer")])
    ids[2] = 0
    assert ranks(ids, dictionary).tolist() == [2, 1, 0]

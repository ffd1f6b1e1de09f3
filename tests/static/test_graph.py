from __future__ import annotations

import gc
import itertools
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.errors import StreamError
from askos.static import GraphStatistics, StaticGraph, Terms, merge
from askos.static.interning import Scratch
from askos.terms import XSD, Literal, Triple
from tests.build import EX, G1, S1, constant, triple
from tests.static.build import graph
from tests.strategies import triples

FAN = graph(("a", "p", 1), ("a", "p", 2), ("b", "p", 2), ("a", "q", "b"))


@given(st.lists(triples(), max_size=8), triples())
def test_match_and_count_agree_with_a_scan_for_every_combination(
    rows: list[Triple], wanted: Triple
) -> None:
    data = StaticGraph(rows)
    for known in itertools.product((True, False), repeat=3):
        chosen = [t if is_known else None for t, is_known in zip(wanted, known, strict=True)]
        scan = {
            row
            for row in rows
            if all(c is None or c == term for c, term in zip(chosen, row, strict=True))
        }
        assert set(data.triples(*chosen)) == scan
        assert isinstance(data.terms, Terms)
        numbers = [0 if c is None else data.terms.find(c) for c in chosen]
        if all(c is None or number for c, number in zip(chosen, numbers, strict=True)):
            assert data.count(*numbers) == len(scan)


def test_a_graph_is_a_set() -> None:
    assert len(graph(("a", "p", 1), ("a", "p", 1))) == 1


def test_equal_values_of_different_spelling_are_different_terms() -> None:
    spelled = [Literal(text, datatype=XSD.integer) for text in ("1", "01")]
    data = graph(*(("a", "p", literal) for literal in spelled))
    assert list(data.triples(object=spelled[1])) == [triple("a", "p", spelled[1])]


def test_two_spellings_of_one_term_are_one() -> None:
    data = graph(("a", "p", Literal("x", datatype=XSD.string)), ("a", "p", Literal("x")))
    assert len(data) == 1


def test_a_literal_is_refused_as_subject() -> None:
    with pytest.raises(StreamError, match="cannot be the subject"):
        StaticGraph([(Literal("x"), EX.p, EX.a)])


def test_membership() -> None:
    assert triple("a", "q", "b") in FAN
    assert triple("b", "q", "a") not in FAN


def test_merging_graphs_of_different_dictionaries_makes_one_set() -> None:
    both = merge(graph(("a", "p", 1), ("b", "p", 2)), graph(("b", "p", 2), ("c", "p", 3)))
    assert set(both) == {triple("a", "p", 1), triple("b", "p", 2), triple("c", "p", 3)}


def test_an_evaluation_leaves_the_dictionary_of_a_graph_alone() -> None:
    terms = Terms()
    known = terms.intern(EX.a)
    scratch = Scratch(terms)
    new = scratch.intern(EX.b)
    assert (known, scratch.intern(EX.a), len(terms)) == (1, 1, 1)
    assert new < 0
    assert scratch[new] == EX.b
    terms.intern(EX.b)
    assert scratch.intern(EX.b) == new  # what had an id keeps it


# ---- statistics -------------------------------------------------------------------------------

KNOWN = GraphStatistics({G1: FAN})


def test_patterns_are_counted_exactly() -> None:
    assert KNOWN.count(G1, None, EX.p, None) == 3
    assert KNOWN.count(G1, EX.a, EX.p, None) == 2
    assert KNOWN.count(G1, None, EX.p, constant(2).term) == 2
    assert KNOWN.count(G1, None, None, None) == 4
    assert KNOWN.count(G1, None, EX.r, None) == 0


def test_sources_that_are_no_graphs_are_not_known() -> None:
    assert KNOWN.count(S1, None, EX.p, None) is None


def test_asking_for_statistics_leaves_the_graph_alone() -> None:
    assert isinstance(FAN.terms, Terms)
    before = len(FAN.terms)
    KNOWN.count(G1, None, EX.unheard, None)
    assert len(FAN.terms) == before


def test_the_same_graphs_merged_again_are_the_same_union_with_its_indexes() -> None:
    one, two, three = (graph((name, "p", 1)) for name in "abc")
    both = merge(one, two)
    assert merge(one, two) is both
    assert len(merge(one, two, three)) == 3
    assert len(merge(two, one)) == 2
    assert set(merge(one, two)) == set(both)
    assert len(one) == 1


def test_a_union_goes_when_its_first_graph_does() -> None:
    one, two = graph(("a", "p", 1)), graph(("b", "p", 1))
    union = weakref.ref(merge(one, two))
    del one
    gc.collect()
    assert union() is None
    assert len(two) == 1

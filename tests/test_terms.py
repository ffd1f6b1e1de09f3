from __future__ import annotations

import logging
import pickle
import subprocess
import sys
import tracemalloc
from itertools import combinations
from pathlib import Path

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from askos.errors import StreamError
from askos.terms import (
    XSD,
    BNode,
    Literal,
    Solution,
    Triple,
    URIRef,
    Variable,
    anonymous,
    canonical,
    is_anonymous,
    n3,
    parse_term,
)
from tests.build import S1, S2, X, Y, solution, term, triple
from tests.strategies import solutions, terms

ROOT = Path(__file__).parent.parent


def test_lexical_forms_are_part_of_a_terms_identity() -> None:
    forms = [Literal(text, datatype=XSD.integer) for text in ("1", "01", "+1")]
    assert len(set(forms)) == 3
    assert [str(form) for form in forms] == ["1", "01", "+1"]


def test_files_are_read_without_rewriting_literals() -> None:
    text = f'<x:a> <x:b> "01"^^<{XSD.integer}> .'
    graph = rdflib.Graph().parse(data=text, format="turtle")
    assert str(next(iter(graph.objects()))) == "01"


def test_a_string_with_its_datatype_is_the_simple_literal() -> None:
    assert canonical(Literal("a", datatype=XSD.string)) == Literal("a")


def test_language_tags_differ_by_letters_not_by_case() -> None:
    assert n3(canonical(Literal("a", lang="EN-gb"))) == '"a"@en-gb'


@pytest.mark.parametrize("thing", [None, 1, "a", Variable("x")])
def test_what_is_no_term_is_refused(thing: object) -> None:
    with pytest.raises(StreamError, match="not an RDF term"):
        canonical(thing)


def test_solutions_are_found_in_another_process() -> None:
    """Hashes of strings differ from process to process, so the cached one must not travel."""
    make = "from tests.build import *; print(pickle.dumps(solution(x=1)).hex())"
    find = "print(pickle.loads(bytes.fromhex(input())) in {solution(x=1)})"
    head = "import pickle; from tests.build import *; "
    run = {"capture_output": True, "text": True, "check": True, "cwd": ROOT}
    made = subprocess.run([sys.executable, "-c", head + make], **run)  # type: ignore[call-overload]
    done = subprocess.run([sys.executable, "-c", head + find], input=made.stdout, **run)  # type: ignore[call-overload]
    assert done.stdout.strip() == "True"


def test_a_solutions_arrival_times_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        Solution({}, {(X, S1): 5}).stamps[X, S1] = 6  # type: ignore[index]


def test_an_ill_typed_literal_is_a_term_and_no_reason_to_shout(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        for datatype in (XSD.integer, XSD.boolean, XSD.dateTime):
            assert n3(canonical(Literal("abc", datatype=datatype))).startswith('"abc"^^')
    assert not caplog.records


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (URIRef("http://a"), "<http://a>"),
        (BNode("b"), "_:b"),
        (Variable("x"), "?x"),
        (anonymous("b"), "_:b"),
        (Literal('a"\\\n\r\t\b\f'), r'"a\"\\\n\r\t\b\f"'),
        (Literal("é", lang="fr"), '"é"@fr'),
        (Literal("1.50", datatype=XSD.decimal), f'"1.50"^^<{XSD.decimal}>'),
    ],
)
def test_terms_print_as_n_triples(thing: URIRef, text: str) -> None:
    assert n3(thing) == text


def test_blank_nodes_of_a_query_are_variables_no_query_can_name() -> None:
    assert is_anonymous(anonymous("x"))
    assert not is_anonymous(Variable("x"))


@given(terms(), terms())
def test_text_and_identity_agree(a: URIRef, b: URIRef) -> None:
    assert (n3(a) == n3(b)) == (a == b)


def test_a_triple_needs_a_possible_subject_and_predicate() -> None:
    with pytest.raises(StreamError, match="cannot be the subject"):
        Triple(term(5), term("p"), term("o"))  # type: ignore[arg-type]
    with pytest.raises(StreamError, match="_:b cannot be the predicate"):
        Triple(term("s"), BNode("b"), term("o"))  # type: ignore[arg-type]
    assert str(triple("s", "p", 1)).count("<http://example.org/") == 2


def test_solutions_are_compatible_if_they_agree_where_both_are_bound() -> None:
    assert solution(x=1).compatible(solution(y=2))
    assert solution(x=1, y=2).compatible(solution(y=2, z=3))
    assert not solution(x=1).compatible(solution(x=2))
    assert not solution(x=1).compatible(Solution({X: Literal("01", datatype=XSD.integer)}))


def test_merging_incompatible_solutions_is_refused() -> None:
    with pytest.raises(ValueError, match="not compatible"):
        solution(x=1) | solution(x=2)


@given(solutions(), solutions(), solutions())
def test_compatible_solutions_merge_in_any_order(a: Solution, b: Solution, c: Solution) -> None:
    if not all(one.compatible(other) for one, other in combinations((a, b, c), 2)):
        return
    assert a | b == b | a
    assert (a | b) | c == a | (b | c)
    assert a | a == a
    assert set(a | b) == set(a) | set(b)


def test_merging_keeps_the_later_arrival() -> None:
    early, late = Solution({X: term(1)}, {(X, S1): 5}), Solution({X: term(1)}, {(X, S1): 9})
    assert (early | late).stamps == {(X, S1): 9}
    other = Solution({X: term(1)}, {(X, S2): 7})
    assert (early | other).stamps == {(X, S1): 5, (X, S2): 7}


def test_arrival_times_are_hidden_columns() -> None:
    stamped = Solution({X: term(1)}, {(X, S1): 5})
    assert stamped != solution(x=1)
    assert stamped.visible == solution(x=1)
    assert stamped.project([X, Y]) == solution(x=1)
    assert stamped.compatible(Solution({X: term(1)}, {(X, S1): 9}))


def test_a_solution_is_not_equal_to_a_dict() -> None:
    assert solution(x=1) != {X: term(1)}


@given(st.dictionaries(st.sampled_from([X, Y]), terms()))
def test_solutions_survive_pickling(bindings: dict[Variable, URIRef]) -> None:
    mu = Solution(bindings)
    assert pickle.loads(pickle.dumps(mu)) == mu


@pytest.mark.parametrize("character", '\x00\x1f <>"{}|^`\\')
def test_escapes_stand_for_no_character_that_iris_may_not_have(character: str) -> None:
    for escape in (f"\\u{ord(character):04x}", f"\\U{ord(character):08X}"):
        for text in (f"<a:{escape}>", f'"5"^^<a:{escape}>'):
            with pytest.raises(StreamError, match="is not an RDF term"):
                parse_term(text)
        assert parse_term(f'"{escape}"') == Literal(character)


@pytest.mark.parametrize(
    "text",
    ["x" * 3_000_000, r"\"" * 100_000, r"\u0041" * 50_000],
    ids=["plain", "quotes", "numbers"],
)
def test_long_literals_take_little_memory(text: str) -> None:
    tracemalloc.start()
    term = parse_term(f'"{text}"')
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(term, Literal)
    assert most < 20 * len(text)


def test_an_error_quotes_the_beginning_of_a_long_text() -> None:
    with pytest.raises(StreamError) as raised:
        parse_term('"' + "x" * 3_000_000)
    assert len(str(raised.value)) < 500

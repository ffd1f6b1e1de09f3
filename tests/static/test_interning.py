"""Terms by number: whether they came as terms or as texts, they are the same terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.static import Terms
from askos.static.interning import UNBOUND
from askos.static.plain import is_plain, read_plain
from askos.terms import XSD, BNode, Literal, Term, URIRef, n3, parse_term
from tests.build import EX

TERMS = st.sampled_from(
    [
        *(EX.a, URIRef("http://x/é"), BNode("a"), Literal("a"), Literal("a", lang="en")),
        *(Literal(text, datatype=XSD.integer) for text in ("1", "01", "x")),
        *(Literal("1", datatype=kind) for kind in (XSD.decimal, EX.kind, XSD.token)),
        *(Literal(text) for text in ("", 'say "hi"', "tab\t", "\u2028", "back\\slash")),
    ]
)


@given(st.lists(st.tuples(TERMS, st.booleans()), max_size=12))
def test_terms_and_texts_of_one_term_share_their_id(arrivals: list[tuple[Term, bool]]) -> None:
    terms, ids = Terms(), dict[Term, int]()
    for term, as_text in arrivals:
        if as_text and is_plain(n3(term)):
            number = terms.intern_text(n3(term))
        else:
            number = terms.intern(term)
        assert ids.setdefault(term, number) == number
    assert len(terms) == len(ids) == len(set(ids.values()))
    for term, number in ids.items():
        assert terms.find(term) == number
        assert terms[number] == term


@given(TERMS)
def test_a_plain_text_reads_as_its_term(term: Term) -> None:
    if is_plain(n3(term)):
        assert read_plain(n3(term)) == parse_term(n3(term)) == term


@pytest.mark.parametrize(
    "text",
    [
        '"a"@EN',
        '"a"@en--ltr',
        '"a\\n"',
        '"a\t"',
        '"a"^^<http://x/\\u00e9>',
        f'"a"^^<{XSD.string}>',
        f'" a"^^<{XSD.token}>',
        f'" a"^^<{XSD.normalizedString}>',
        "<http://x/\\u00e9>",
        "<<( <a:s> <a:p> <a:o> )>>",
    ],
)
def test_texts_that_may_stand_for_another_are_not_plain(text: str) -> None:
    assert not is_plain(text)


def test_what_nobody_has_brought_has_no_id() -> None:
    terms = Terms()
    terms.intern_text('"a"')
    assert terms.find(Literal("b")) == terms.find(EX.a) == UNBOUND
    assert terms.find(Literal("a", datatype=XSD.string)) == 1

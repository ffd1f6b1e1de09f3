"""From rows of N-Triples texts to batches."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra.windows.predicate import OBJECT
from askos.interval import FOREVER
from askos.physical import Ingested, ingest
from askos.terms import XSD, Literal, Term, n3, parse_term
from tests.build import EX, solution
from tests.columns.batches import CODER, ids_of, rows
from tests.columns.test_ids import terms

S, P, T = n3(EX.s), n3(EX.p), n3(EX.o)


def take(*given: tuple[Any, Any, Any, Any]) -> Ingested:
    s, p, o, ts = (list(column) for column in zip(*given, strict=True)) if given else [[]] * 4
    a, b, c = (pa.array(column, pa.string()) for column in (s, p, o))
    return ingest(a, b, c, pa.array(ts, pa.int64()), CODER)


def read(text: str) -> Term | None:
    """The object that `text` becomes; None where it is refused."""
    got = take((S, P, text, 0))
    if not len(got.batch):
        return None
    ((mu, _, _),) = rows(got.batch)
    return mu[OBJECT]


def test_a_triple_is_valid_at_the_instant_of_its_arrival() -> None:
    got = take((S, P, T, 7))
    assert rows(got.batch) == [(solution(s="s", p="p", o="o"), 7, 8)]
    assert not len(got.refused)


def test_no_rows_give_no_triples() -> None:
    got = take()
    assert (len(got.batch), got.refused.tolist(), got.reasons) == (0, [], [])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ((S, P, "no term", 0), "o: no term is no term in N-Triples"),
        ((S, P, '"open', 0), 'o: "open is no term'),
        ((S, P, '"a"b"', 0), "is no term"),
        ((S, P, "<a b>", 0), "is no term"),
        ((S, P, "<a>\n", 0), "is no term"),
        ((S, P, '"a\nb"', 0), "is no term"),
        ((S, P, "", 0), "is no term"),
        ((S, P, r"<http://example.org/\u0020>", 0), "is no term"),
        ((r"<http://example.org/\u003E>", P, T, 0), "is no IRI or blank node"),
        ((S, P, r'"5"^^<http://example.org/\u003C>', 0), "is no term"),
        ((S, P, None, 0), "o: None is no term"),
        ((n3(Literal("a")), P, T, 0), 's: "a" is no IRI or blank node'),
        ((n3(Literal(5)), P, T, 0), "is no IRI or blank node"),
        ((S, "_:b", T, 0), "p: _:b is no IRI"),
        ((S, n3(Literal("a", lang="en")), T, 0), "is no IRI"),
        ((S, P, T, -1), "timestamp -1 is not"),
        ((S, P, T, FOREVER), "is not a whole number of milliseconds"),
        ((S, P, T, None), "timestamp None is not"),
        (("x", "x", "x", -1), "timestamp -1 is not"),
    ],
)
def test_a_row_that_is_no_triple_is_refused_with_its_reason(
    row: tuple[Any, Any, Any, Any], reason: str
) -> None:
    got = take((S, P, T, 1), row, (S, P, T, 2))
    assert got.refused.tolist() == [1]
    assert len(got.reasons) == 1
    assert reason in got.reasons[0]
    assert got.batch.ts.tolist() == [1, 2]


def test_the_last_instant_before_forever_is_an_instant() -> None:
    assert take((S, P, T, FOREVER - 1)).batch.te.tolist() == [FOREVER]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ('"a"^^<http://www.w3.org/2001/XMLSchema#string>', Literal("a")),
        ('"a"@EN-gb', Literal("a", lang="en-gb")),
        (r'"\u0041\U00000042"', Literal("AB")),
        (r'"tab\t\n\"\\"', Literal('tab\t\n"\\')),
        ('"tab\there"', Literal("tab\there")),
        ('"back\bspace\fand feed"', Literal("back\bspace\fand feed")),
        (r"<http://example.org/\u0061>", EX.a),
        (r'"5"^^<http://www.w3.org/2001/XMLSchema\u0023integer>', Literal(5)),
        (r'"\u0035"^^<http://www.w3.org/2001/XMLSchema#integer>', Literal(5)),
        ('"ß"', Literal("ß")),
    ],
)
def test_spellings_of_one_term_get_one_id(text: str, term: Term) -> None:
    assert read(text) == term
    assert take((S, P, text, 0)).batch.column(OBJECT).tolist() == ids_of(term)


@given(st.lists(terms(), max_size=8))
def test_objects_get_the_ids_of_their_terms(items: list[Term]) -> None:
    got = take(*((S, P, n3(term), 0) for term in items))
    assert not got.reasons
    assert got.batch.column(OBJECT).tolist() == ids_of(*items)


@given(st.text('<>"\\^@_:abn5\n \té', max_size=8))
def test_what_is_taken_is_exactly_what_the_algebra_reads(text: str) -> None:
    try:
        wanted = parse_term(text)
    except Exception:
        assert read(text) is None
    else:
        assert read(text) == wanted
        assert take((S, P, text, 0)).batch.column(OBJECT).tolist() == ids_of(wanted)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), "str")])
def test_texts_may_come_in_any_arrow_type(kind: pa.DataType) -> None:
    s, p, o = (pa.array([text, text]).cast(kind) for text in (S, P, n3(Literal(5))))
    got = ingest(s, p, o, pa.array([0, 1]), CODER)
    assert got.batch.column(OBJECT).tolist() == ids_of(Literal(5), Literal(5))


def test_slices_of_tables_are_read_from_their_own_place() -> None:
    items = [n3(EX.a), n3(Literal(5)), n3(Literal("ß")), n3(Literal("7", datatype=XSD.decimal))]
    column = pa.array(items)
    whole = ingest(pa.array([S] * 4), pa.array([P] * 4), column, pa.array([0, 1, 2, 3]), CODER)
    part = ingest(
        pa.array([S] * 4)[1:3],
        pa.array([P] * 4)[1:3],
        column[1:3],
        pa.array([0, 1, 2, 3])[1:3],
        CODER,
    )
    assert rows(part.batch) == rows(whole.batch)[1:3]


def test_times_may_be_narrow_integers() -> None:
    s, p, o = (pa.array([text]) for text in (S, P, T))
    assert ingest(s, p, o, pa.array([7], pa.uint8()), CODER).batch.ts.tolist() == [7]


def test_columns_with_dictionaries_are_read_as_if_they_had_none() -> None:
    terms = (
        pa.array(["<http://x/a>", None, "no term", "<http://x/a>", "_:b"]),
        pa.array(["<http://x/p>"] * 5),
        pa.array(['"1"', '"a"@EN', '"x"', None, f'"2.5"^^<{XSD.decimal}>']),
    )
    s, p, o = terms
    want = ingest(s, p, o, pa.array(range(5)), CODER)
    s, p, o = (column.dictionary_encode() for column in terms)
    got = ingest(s, p, o, pa.array(range(5)), CODER)
    assert got.reasons == want.reasons
    assert got.refused.tolist() == want.refused.tolist() == [1, 2, 3]
    for name in want.batch.columns:
        assert got.batch.column(name).tolist() == want.batch.column(name).tolist()

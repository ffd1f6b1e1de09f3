"""Term ids: what is inlined, and that nothing is lost."""

from __future__ import annotations

import re
from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askos.columns import Coder, decode
from askos.columns.ids import (
    BOOLEAN,
    DECIMAL,
    DOUBLE,
    FLOAT,
    INTEGER,
    LOCAL_MOMENT,
    MOMENT,
    doubles,
    in_order_of_size,
    inline,
    is_inline,
    pack,
    texts_of,
    unpack,
)
from askos.errors import QueryError
from askos.terms import XSD, BNode, Literal, Term, URIRef, canonical, n3
from tests.columns.batches import CODER, KEY, TINY

NUMERIC = [XSD.integer, XSD.decimal, XSD.double, XSD.float]
MOST = 2**50 - 1
EDGES = [
    *("0", "-0", "-0.0", "00", "01", "-01", "+1", "1.", ".5", "-.5", "-", "", ".", "1.50", "0.0"),
    *("1E3", "1e0", "INF", "-INF", "NaN", " 1", "1 ", "1_000", "--1", "1.2.3", "٣", "0x1"),
    *(str(MOST), str(-MOST), str(MOST + 1), str(-MOST - 1), "999999999999999999", "9" * 30),
    *("0.000000000000001", "0.0000000000000001", "-1.125899906842623", "1.125899906842624"),
    *("1125899906842.623", "0.1125899906842623", "-0.112589990684262", "100000000000000.0"),
]
DATES = [
    *("2024-02-29T12:00:00Z", "2023-02-29T12:00:00Z", "2024-02-30T00:00:00", "1900-02-29T00:00:00"),
    *("2000-02-29T00:00:00.5", "1969-12-31T23:59:59.999Z", "0001-01-01T00:00:00Z"),
    *("0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999", "10000-01-01T00:00:00Z"),
    *("-0001-01-01T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-10T00:00:00Z"),
    *("2024-01-00T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T23:59:60Z"),
    *("2024-01-01T00:60:00Z", "2024-01-01T00:00:00+00:00", "2024-01-01T00:00:00z"),
    *("2024-01-01T00:00:00.1234Z", "2024-01-01T00:00:00.", "2024-01-01T00:00:00.120Z"),
    *("2024-01-01T00:00:00.000Z", "2024-01-01 00:00:00Z", "2024-1-1T00:00:00Z", "٢٠٢٤-01-01T0"),
    *("1582-10-10T00:00:00Z", "1677-09-21T00:12:43Z", "2262-04-12T00:00:00Z"),
]


def text(lexical: str, datatype: URIRef) -> str:
    return n3(Literal(lexical, datatype=datatype))


def texts(*items: str) -> pa.Array:
    return pa.array(items, pa.string())


def _written(value: int, digits: int) -> str:
    """value / 10^digits with that many fraction digits."""
    whole, fraction = divmod(abs(value), 10**digits)
    return f"{'-' * (value < 0)}{whole}" + (f".{fraction:0{digits}}" if digits else "")


def lexicals() -> st.SearchStrategy[str]:
    form = r"[+-]?[0-9]{0,17}(\.[0-9]{0,16})?([eE][+-]?[0-9]{1,2})?"
    plain = st.builds(_written, st.integers(-(2**52), 2**52), st.integers(0, 16))
    return st.one_of(st.from_regex(form, fullmatch=True), plain, st.sampled_from(EDGES))


def dates() -> st.SearchStrategy[str]:
    clock = r"([01][0-9]|2[0-4]):[0-5][0-9]:[0-5][0-9](\.[0-9]{0,4})?(Z|\+01:00)?"
    day = r"[0-9]{4}-(0[0-9]|1[0-3])-([0-2][0-9]|3[01])"
    made = st.from_regex(f"{day}T{clock}", fullmatch=True)
    return st.one_of(made, st.sampled_from(DATES))


def terms() -> st.SearchStrategy[Term]:
    """Terms that look like numbers and dates, and others in all alphabets."""
    words = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
    return st.one_of(
        st.builds(lambda x, t: Literal(x, datatype=t), lexicals(), st.sampled_from(NUMERIC)),
        dates().map(lambda x: Literal(x, datatype=XSD.dateTime)),
        st.sampled_from(["true", "false", "TRUE", "1", "0"]).map(
            lambda x: Literal(x, datatype=XSD.boolean)
        ),
        words.map(Literal),
        st.builds(lambda x, tag: Literal(x, lang=tag), words, st.sampled_from(["en", "de-at"])),
        lexicals().map(Literal),
        lexicals().map(lambda x: Literal(x, datatype=XSD.int)),
        st.from_regex(r"[a-zß-öα-ω]{1,5}:[a-z/#é✓]{0,5}", fullmatch=True).map(URIRef),
        st.from_regex(r"[a-z0-9]{1,4}", fullmatch=True).map(BNode),
    ).map(canonical)


# ---- the documented forms, in plain Python ---------------------------------------------------


def documented(term: Term) -> int:
    """The kind with which a term is inlined; 0 where it is not."""
    if not isinstance(term, Literal) or term.datatype is None:
        return 0
    lexical = str(term)
    if term.datatype == XSD.boolean:
        return BOOLEAN if lexical in ("true", "false") else 0
    if term.datatype == XSD.dateTime:
        return _moment(lexical)
    kinds = dict(zip(NUMERIC, (INTEGER, DECIMAL, DOUBLE, FLOAT), strict=True))
    return kinds[term.datatype] if term.datatype in kinds and _number(term) else 0


def _number(term: Literal) -> bool:
    found = re.fullmatch(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?", str(term), re.ASCII)
    if not found or (term.datatype == XSD.integer and found[3] is not None):
        return False
    fraction = found[3] or ""
    value = int(found[2] + fraction)
    return len(fraction) <= 15 and value <= MOST and not (found[1] and value == 0)


def _moment(lexical: str) -> int:
    form = r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,3})?(Z?)"
    found = re.fullmatch(form, lexical, re.ASCII)
    if not found or "T24" in lexical:
        return 0
    try:
        datetime.fromisoformat(found[1])
    except ValueError:
        return 0
    return MOMENT if found[3] else LOCAL_MOMENT


@pytest.mark.parametrize("lexical", EDGES)
def test_numbers_are_inlined_exactly_in_their_documented_forms(lexical: str) -> None:
    for datatype in NUMERIC:
        term = Literal(lexical, datatype=datatype)
        (made,) = inline(texts(n3(term)))
        (kind,), _, _ = unpack(np.array([made]))
        assert kind == documented(term), n3(term)
        assert bool(made) == bool(kind)


@pytest.mark.parametrize("lexical", DATES)
def test_date_times_are_inlined_exactly_where_the_calendar_has_them(lexical: str) -> None:
    term = Literal(lexical, datatype=XSD.dateTime)
    (kind,), _, _ = unpack(inline(texts(n3(term))))
    assert kind == documented(term)


@given(st.lists(terms(), max_size=8))
def test_every_text_comes_back(items: list[Term]) -> None:
    spelled = [n3(term) for term in items]
    ids, dictionary = CODER.encode(texts(*spelled))
    assert dictionary.texts(ids).to_pylist() == spelled
    assert decode(ids, dictionary) == items
    assert (ids > 0).all()


@given(st.lists(terms(), max_size=8))
def test_exactly_the_documented_forms_are_inlined(items: list[Term]) -> None:
    ids = inline(texts(*map(n3, items)))
    kinds, _, _ = unpack(ids)
    assert kinds.tolist() == [documented(term) for term in items]
    assert (is_inline(ids) == (ids != 0)).all()
    assert texts_of(ids).to_pylist() == [n3(term) if documented(term) else None for term in items]


@given(st.lists(lexicals(), max_size=8), st.sampled_from([XSD.integer, XSD.decimal]))
@example(["-0.05", "12.50", "7.25"], XSD.decimal)
@example(["-0.05", "7.5", "0.000000000000001"], XSD.decimal)
def test_many_numbers_are_written_as_few_are(lexical: list[str], datatype: URIRef) -> None:
    few = inline(texts(*(text(x, datatype) for x in lexical)))
    few = few[few != 0]
    assert texts_of(np.tile(few, 40)).to_pylist() == texts_of(few).to_pylist() * 40


@given(st.lists(terms(), max_size=12, unique_by=n3))
def test_two_texts_never_share_an_inlined_id(items: list[Term]) -> None:
    ids = inline(texts(*map(n3, items)))
    found = ids[ids != 0].tolist()
    assert len(set(found)) == len(found)


@given(st.lists(lexicals(), max_size=8), st.sampled_from(NUMERIC))
@example(["0.1", "-0.3", str(MOST), "0.000000000000001"], XSD.decimal)
def test_doubles_are_what_reading_the_text_gives(lexical: list[str], datatype: URIRef) -> None:
    items = [Literal(x, datatype=datatype) for x in lexical]
    numbers, known = doubles(CODER.terms(items)[0])
    assert known.tolist() == [documented(t) in (INTEGER, DECIMAL, DOUBLE) for t in items]
    for number, ok, x in zip(numbers.tolist(), known.tolist(), lexical, strict=True):
        assert not ok or number == float(x)


@given(st.lists(terms(), min_size=1, max_size=8), st.data())
def test_a_slice_of_an_array_is_read_from_its_own_place(
    items: list[Term], data: st.DataObject
) -> None:
    whole = texts(*map(n3, items))
    start = data.draw(st.integers(0, len(items)))
    stop = data.draw(st.integers(start, len(items)))
    assert inline(whole[start:stop]).tolist() == inline(whole).tolist()[start:stop]
    assert (
        CODER.encode(whole[start:stop])[0].tolist() == CODER.encode(whole)[0].tolist()[start:stop]
    )


def test_empty_arrays_have_no_ids() -> None:
    nothing = texts()
    for empty in (nothing, texts("a")[1:], pa.array([None], pa.string()).drop_null()):
        ids, dictionary = CODER.encode(empty)
        assert ids.tolist() == []
        assert not dictionary.parts
        assert ids.dtype == np.int64
    assert texts_of(np.empty(0, np.int64)).to_pylist() == []
    bare = pa.Array.from_buffers(pa.string(), 0, [None, pa.py_buffer(b""), pa.py_buffer(b"")])
    assert inline(bare).tolist() == []


def test_text_of_other_alphabets_does_not_shift_what_follows() -> None:
    spelled = ['"żółć ✓ 𝄞"', text("42", XSD.integer), '"ß"@de', text("1.5", XSD.decimal), '""']
    ids, dictionary = CODER.encode(texts(*spelled))
    assert is_inline(ids).tolist() == [False, True, False, True, False]
    assert dictionary.texts(ids).to_pylist() == spelled


def test_short_texts_at_the_end_of_the_buffer_are_read_safely() -> None:
    for spelled in ([">"], ['">'], ["", ""], ["", '"'], ["<a>", ">"], ['"">']):
        assert not inline(texts(*spelled)).any()


def test_unbound_and_hashed_ids_have_no_text_of_their_own() -> None:
    assert texts_of(np.array([0, 5, 2**62 - 1])).to_pylist() == [None, None, None]
    assert unpack(np.array([0, 5, 2**62 - 1]))[0].tolist() == [0, 0, 0]


# ---- hashes ----------------------------------------------------------------------------------


def siphash(key: bytes, data: bytes) -> int:
    """SipHash-2-4, written from the paper of Aumasson and Bernstein."""
    mask = 2**64 - 1
    k = [int.from_bytes(key[i : i + 8], "little") for i in (0, 8)]
    words = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
    v = [k[i % 2] ^ word for i, word in enumerate(words)]

    def turn(x: int, bits: int) -> int:
        return (x << bits | x >> 64 - bits) & mask

    def rounds(count: int) -> None:
        for _ in range(count):
            for a, b, c, d, near, far in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
                v[a] = (v[a] + v[b]) & mask
                v[b] = turn(v[b], near) ^ v[a]
                v[a] = turn(v[a], 32)
                v[c] = (v[c] + v[d]) & mask
                v[d] = turn(v[d], far) ^ v[c]

    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) % 256])
    for i in range(0, len(padded), 8):
        word = int.from_bytes(padded[i : i + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def hashed(term: Term) -> int:
    """What pandas makes of it: SipHash, and then the last steps of SplitMix64."""
    x = siphash(KEY.encode(), n3(term).encode())
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        x = (x ^ x >> shift) * factor % 2**64
    return x % 2**62


def test_the_hash_of_this_test_gives_the_published_vector() -> None:
    assert siphash(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5


@given(st.lists(terms().filter(lambda term: not documented(term)), max_size=4))
def test_other_terms_are_hashed_with_siphash_2_4(items: list[Term]) -> None:
    assert CODER.terms(items)[0].tolist() == [hashed(term) for term in items]


def test_an_id_is_the_same_for_good() -> None:
    """State that was stored yesterday is read tomorrow, maybe with another pandas."""
    a = URIRef("http://example.org/a")
    assert CODER.terms([a])[0].tolist() == [hashed(a)] == [2609203730190486557]


def test_another_key_gives_other_ids() -> None:
    other = Coder("fedcba9876543210")
    a = URIRef("http://example.org/a")
    assert CODER.terms([a])[0] != other.terms([a])[0]
    assert Coder.fresh() != Coder.fresh()


def test_fewer_bits_give_small_ids_that_are_never_unbound() -> None:
    ids, _ = zip(*(TINY.terms([URIRef(f"x:{i}")]) for i in range(600)), strict=True)
    found = {int(made) for (made,) in ids}
    assert min(found) >= 1
    assert max(found) < 256


@pytest.mark.parametrize("key", ["", "short", "é" * 16, "0" * 17])
def test_a_key_of_other_than_16_bytes_is_refused(key: str) -> None:
    with pytest.raises(QueryError, match="16 bytes"):
        Coder(key)


@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 15), st.integers(-MOST, MOST)), min_size=2)
)
@example([(2, 2, 1250), (2, 2, -3)])
@example([(1, 0, 1), (2, 0, 1)])
@example([(0, 0, 0), (0, 0, 1)])
def test_numbers_written_alike_order_as_they_are_large(parts: list[tuple[int, int, int]]) -> None:
    inlined = [pack(kind, digits, np.array([value]))[0] for kind, digits, value in parts if kind]
    ids = np.array([*inlined, *(value % 2**40 for kind, _, value in parts if not kind)], np.int64)
    kinds, places, _ = unpack(ids)
    one = len({*zip(kinds.tolist(), places.tolist(), strict=True)}) == 1
    found = in_order_of_size(int(ids.min()), int(ids.max()))
    assert found == (one and kinds[0] in (INTEGER, DECIMAL, DOUBLE))

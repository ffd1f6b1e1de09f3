"""What is compiled does what numpy and Arrow do in its place."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askos.columns import coalesce, compiled
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.factorize import by_arrow, factorize
from askos.columns.ids import Texts, inline, is_hashed, is_inline, texts_of
from askos.columns.numerals import quotient
from askos.columns.quotients import divided
from askos.columns.vocabulary import Vocabulary
from askos.errors import StreamError
from askos.physical.ingest import _canonical
from askos.terms import XSD

pytestmark = pytest.mark.skipif(
    not compiled.AVAILABLE, reason="nothing was compiled: there is no C compiler, or no Python.h"
)

CODER = Coder("0123456789abcdef")
KINDS = '<_"'

digits = st.text("0123456789", max_size=19)
numbers = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    digits,
    st.sampled_from(["", ".", "e"]),
    digits,
)
moments = st.builds(
    "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}".format,
    st.integers(0, 9999),
    st.integers(0, 13),
    st.integers(0, 32),
    st.integers(0, 24),
    st.integers(0, 60),
    st.integers(0, 61),
    st.sampled_from(["", ".", ".5", ".50", ".123", ".1234"]),
    st.sampled_from(["", "Z", "+01:00"]),
)
lexical = numbers | moments | st.sampled_from(["true", "false", "1"]) | st.text(max_size=5)
datatypes = st.sampled_from(
    [
        XSD.integer,
        XSD.decimal,
        XSD.double,
        XSD.float,
        XSD.boolean,
        XSD.dateTime,
        XSD.string,
        "x",
        "",
    ]
)
literals = st.builds('"{}"^^<{}>'.format, lexical, datatypes)
pieces = st.sampled_from(["<", ">", '"', "_:", "@en", "^^", "\\", "a", "é", " ", "\x00", "\x7f"])
texts = st.lists(literals | st.lists(pieces, max_size=6).map("".join), max_size=20)


def _columns(count: int) -> st.SearchStrategy[list[list[int]]]:
    """One to three columns of as many numbers, few of them different."""
    column = st.lists(st.integers(0, 2) | st.integers(0, 1 << 62), min_size=count, max_size=count)
    return st.lists(column, min_size=1, max_size=3)


def arrow(values: list[str], offset: int = 0) -> Texts:
    """As Arrow has them, in the middle of something else."""
    return pa.array(["<before>"] * offset + values, pa.string()).slice(offset)


@given(texts, st.integers(0, 2))
@example(['"-0"^^<http://www.w3.org/2001/XMLSchema#integer>'], 0)
@example(['"2026-02-30T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'], 0)
@example(['"1125899906842624"^^<http://www.w3.org/2001/XMLSchema#integer>'], 0)
def test_ids_are_those_of_arrays(values: list[str], offset: int) -> None:
    column = arrow(values, offset)
    found = compiled.encode(column, KINDS, CODER.key, CODER.mask, Dictionary().merged)
    spelled, good = _canonical(column, KINDS)
    expected, _ = CODER.encode(spelled)
    read = found.ids != 0
    assert found.ids[read].tolist() == expected[read].tolist()
    assert good[read].all()
    assert found.ids[is_inline(inline(column))].all(), "what is inlined needs no closer look"
    assert found.unread == (~read).sum()
    assert found.new.tolist() == is_hashed(found.ids).tolist()
    plain = np.array([text.isascii() and '"@' not in text for text in values], np.bool_)
    same = np.array([a == b for a, b in zip(spelled.to_pylist(), values, strict=True)], np.bool_)
    assert read[plain & good & same].all(), "what is canonical is seen at once"


@given(texts, st.sampled_from(["<", "<_"]))
def test_other_kinds_want_a_closer_look(values: list[str], kinds: str) -> None:
    found = compiled.encode(arrow(values), kinds, CODER.key, CODER.mask, Dictionary().merged)
    assert all(text[0] in kinds for text, one in zip(values, found.ids, strict=True) if one)


@given(st.lists(st.text()))
def test_hashes_are_those_of_pandas(values: list[str]) -> None:
    slow = _by_pandas(arrow(values))
    assert compiled.hashes(arrow(values), CODER.key, CODER.mask).tolist() == slow


def _by_pandas(column: Texts) -> list[int]:
    import pandas.util

    found = pandas.util.hash_array(
        column.to_numpy(zero_copy_only=False), hash_key=CODER.key, categorize=False
    )
    ids: list[int] = np.maximum(found.view(np.int64) & CODER.mask, 1).tolist()
    return ids


@given(texts, st.integers(0, 2), st.data())
def test_texts_come_back(values: list[str], offset: int, data: st.DataObject) -> None:
    ids, whole = CODER.encode(arrow(values, offset))
    rows = data.draw(st.permutations([*range(len(ids))]))[: len(ids) // 2]
    split = [whole.restrict([ids[rows]]), whole.restrict([np.delete(ids, rows)])]
    wanted = np.concatenate([ids, [0], ids[::-1]])
    found = compiled.decode(wanted, Dictionary.union(split).parts)
    assert found is not None
    assert found.to_pylist() == [*values, None, *values[::-1]]
    inlined = wanted[is_inline(wanted)]
    again = compiled.decode(inlined, ())
    assert again is not None
    assert again.equals(texts_of(inlined)) or not len(inlined)


def test_an_id_without_a_text_and_one_with_two_are_told() -> None:
    one, two = (Dictionary.of(np.array([7]), pa.array([text])) for text in ("<a>", "<b>"))
    assert compiled.decode(np.array([7, 8]), one.parts) is None
    assert compiled.decode(np.array([7]), (one | two).parts) is None
    with pytest.raises(StreamError, match="same hash"):
        (one | two).texts(np.array([7]))


@given(
    st.lists(st.integers(-(1 << 62), 1 << 62) | st.integers(-100, 100), min_size=1),
    st.integers(0, 9),
    st.integers(1, 10**6),
)
def test_quotients_are_written_alike(values: list[int], scale: int, divisor: int) -> None:
    made = quotient(np.array(values), scale, np.full(len(values), divisor))
    if made is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "AVAILABLE", False)
        slow = made.literals()
    assert compiled.quotients(made.whole, made.fraction).equals(slow)


@given(
    st.lists(st.integers(-(1 << 62), 1 << 62) | st.integers(-(10**6), 10**6), min_size=1),
    st.integers(0, 12),
    st.integers(1, 10**6),
)
@example([5], 18, 2)  # a tie, to the even one
@example([15], 18, 10)
def test_quotients_have_the_same_ids(values: list[int], scale: int, divisor: int) -> None:
    given = np.array(values), scale, np.full(len(values), divisor), CODER
    found, texts = divided(*given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "AVAILABLE", False)
        slow, others = divided(*given)
        assert others.texts(slow).equals(texts.texts(found))
    assert found.tolist() == slow.tolist()


wide = st.integers(1, 9) | st.integers(1, (1 << 63) - 1)


@given(st.lists(wide, min_size=1), st.integers(0, 3))
def test_parts_of_dictionaries_are_the_same(ids: list[int], skipped: int) -> None:
    texts = pa.array(["<before>"] * skipped + [f"<{n % 1_000}>" for n in ids])[skipped:]
    found = compiled.part(np.array(ids), texts)
    assert found is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "AVAILABLE", False)
        slow = Dictionary.of(np.array(ids), texts).merged
    assert found[0].tolist() == slow.ids.tolist()
    assert found[1].equals(slow.texts)
    assert len(found[1].buffers()[2] or b"") == sum(map(len, slow.texts.to_pylist()))


def test_a_part_refuses_two_texts_with_one_hash() -> None:
    assert compiled.part(np.array([7, 5, 7]), pa.array(["<a>", "<b>", "<c>"])) is None
    with pytest.raises(StreamError, match="<a> and <c> have the same hash"):
        Dictionary.of(np.array([7, 5, 7]), pa.array(["<a>", "<b>", "<c>"]))


@given(st.integers(0, 30).flatmap(_columns))
def test_equal_rows_get_equal_numbers(columns: list[list[int]]) -> None:
    arrays = [np.array(column, np.int64) for column in columns]
    codes, example = factorize(arrays, len(columns[0]))
    others, first = by_arrow(arrays, len(columns[0]))
    assert codes.tolist() == others.tolist()
    assert example.tolist() == first.tolist()


@given(st.integers(0, 30).flatmap(_columns), st.data())
def test_what_goes_on_is_seen_alike(columns: list[list[int]], data: st.DataObject) -> None:
    arrays, count = [np.array(column, np.int64) for column in columns], len(columns[0])
    times = st.lists(st.integers(0, 2), min_size=count, max_size=count)
    ts, te = (np.array(data.draw(times), np.int64) for _ in range(2))
    found = coalesce.beginnings(arrays, ts, te)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coalesce, "_native", None)
        assert found.tolist() == coalesce.beginnings(arrays, ts, te).tolist()


def test_a_vocabulary_tells_what_it_knows_and_learns_the_rest() -> None:
    known, coder = Vocabulary(), Coder("0123456789abcdef")
    first, dictionary = known.encode(pa.array(["<a>", "<b>", "<a>", '"5"^^<x>']), KINDS, coder)
    assert dictionary.texts(first).to_pylist() == ["<a>", "<b>", "<a>", '"5"^^<x>']
    second, again = known.encode(pa.array(["<b>", '"x"@en']), KINDS, coder)
    assert again.merged.ids is dictionary.merged.ids, "nothing was new"
    assert second.tolist() == [first[1], 0]


def test_a_vocabulary_refuses_two_texts_with_one_hash() -> None:
    known, coder = Vocabulary(), Coder("0123456789abcdef", bits=4)
    names = [f"<{n}>" for n in range(40)]
    with pytest.raises(StreamError, match="same hash"):
        known.encode(pa.array(names), KINDS, coder)
    first, _ = known.encode(pa.array(names[:1]), KINDS, coder)
    other = next(name for name in names[1:] if coder.hashed(pa.array([name]))[0] == first)
    with pytest.raises(StreamError, match="same hash"):
        known.encode(pa.array([other]), KINDS, coder)


QUERY = """
from askos import local
from askos.columns import compiled
from askos.terms import Literal, URIRef
rows = [(URIRef("a"), URIRef("p"), Literal(n), n) for n in (1, 2, 4)]
text = "SELECT ?s (AVG(?v) AS ?m) FROM STREAM <s> WINDOW RANGE 9 SLIDE { ?s <p> ?v } GROUP BY ?s"
print(compiled.AVAILABLE, *(f"{e.interval}{e.item}" for e in local.run(text, {URIRef("s"): rows})))
"""


def test_queries_answer_the_same_without_it() -> None:
    told = []
    for wanted in ("yes", "no"):
        environment = {**os.environ, "ASKOS_COMPILED": wanted}
        command = [sys.executable, "-c", QUERY]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        told.append(done.stdout.split(maxsplit=1))
    assert [known for known, _ in told] == ["True", "False"]
    assert told[0][1] == told[1][1]
    assert "2.333333333333333333" in told[0][1]

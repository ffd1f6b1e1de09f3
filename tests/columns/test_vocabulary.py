"""Texts that come again: the same ids as if they were read anew, and collisions are still found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.columns import Coder
from askos.columns.vocabulary import Vocabulary, vocabulary
from askos.errors import StreamError
from askos.physical import ingest
from askos.terms import n3, parse_term
from tests.columns.batches import CODER, TINY, colliding

NAMES = [f"<http://ex/{number}>" for number in range(12)]
OBJECTS = [*NAMES[:4], '"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>', '"a"@en', '"\\u0062"']
BAD = ["", "no term", '"open', "<a b>"]
KIND = "<_"


def learn(known: Vocabulary, coder: Coder, texts: Sequence[str]) -> None:
    ids, dictionary = coder.hashed(pa.array(texts))
    known.learn(KIND, pa.array(texts), ids, dictionary)


def test_what_was_learnt_is_found_and_the_rest_is_not() -> None:
    known = Vocabulary()
    learn(known, CODER, NAMES[:2])
    ids, dictionary = known.find(pa.array([NAMES[1], NAMES[5], NAMES[0], None]), KIND)
    assert (ids != 0).tolist() == [True, False, True, False]
    assert dictionary.texts(ids[[0, 2]]).to_pylist() == [NAMES[1], NAMES[0]]
    assert not known.find(pa.array(NAMES[:2]), "<")[0].any()


def test_a_table_is_made_anew_when_enough_is_missing() -> None:
    known = Vocabulary()
    learn(known, CODER, [f"<urn:{number}>" for number in range(1_600)])
    for _ in range(199):
        learn(known, CODER, NAMES[:1])
    assert not known.find(pa.array(NAMES[:1]), KIND)[0].any()
    learn(known, CODER, NAMES[:1])
    assert known.find(pa.array(NAMES[:1]), KIND)[0].all()


def test_a_small_table_is_made_anew_at_once() -> None:
    known = Vocabulary()
    learn(known, CODER, [f"<urn:{number}>" for number in range(16)])
    learn(known, CODER, NAMES[:1])
    assert known.find(pa.array(NAMES[:1]), KIND)[0].all()


def test_dictionaries_of_one_vocabulary_are_of_one_family() -> None:
    known = Vocabulary()
    learn(known, CODER, NAMES[:3])
    ids, dictionary = known.find(pa.array(NAMES[:3]), KIND)
    more = known.adopt(CODER.hashed(pa.array(NAMES[2:5]))[1])
    both = dictionary | more
    families = {id(part.family) for part in (*both.parts, both.merged)}
    assert len(families) == 1
    assert both.restrict([ids[:1]]).parts[0].family is both.parts[0].family


def test_what_the_largest_part_of_a_family_has_is_not_kept_twice() -> None:
    known = Vocabulary()
    learn(known, CODER, NAMES[:6])
    ids, whole = known.find(pa.array(NAMES[:6]), KIND)
    some, more = whole.restrict([ids[:2]]), known.adopt(CODER.hashed(pa.array(NAMES[5:8]))[1])
    assert (some | whole).lean().parts == whole.parts
    assert len((some | whole | more).lean().parts) == 2
    stranger = CODER.hashed(pa.array(NAMES[:1]))[1]
    assert len((stranger | whole).lean().parts) == 2


def test_a_text_with_the_id_of_another_is_refused() -> None:
    one, other = (n3(term) for term in colliding())
    known = Vocabulary()
    learn(known, TINY, [one])
    with pytest.raises(StreamError, match="same hash"):
        learn(known, TINY, [other])


def test_too_many_texts_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askos.columns.vocabulary._MOST", 4)
    known = Vocabulary()
    learn(known, CODER, NAMES[:3])
    before = known.find(pa.array(NAMES[:1]), KIND)[1]
    learn(known, CODER, NAMES[3:6])
    ids, after = known.find(pa.array(NAMES[:6]), KIND)
    assert (ids != 0).tolist() == [False] * 3 + [True] * 3
    assert before.parts[0].family is not after.parts[0].family
    before.meet(after)


def test_a_batch_of_very_many_texts_is_not_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askos.columns.vocabulary._FEW", 4)
    known = Vocabulary()
    learn(known, CODER, NAMES[:6])
    assert not known.find(pa.array(NAMES[:6]), KIND)[0].any()


@given(st.lists(st.lists(st.tuples(*map(st.sampled_from, (NAMES, NAMES, [*OBJECTS, *BAD]))))))
def test_rows_are_read_alike_whatever_came_before(
    batches: list[list[tuple[str, str, str]]],
) -> None:
    vocabulary.cache_clear()
    for rows in batches:
        s, p, o = (pa.array([row[place] for row in rows], pa.string()) for place in range(3))
        got = ingest(s, p, o, pa.array(range(len(rows)), pa.int64()), CODER)
        good = [row for row in rows if row[2] not in BAD]
        assert len(got.refused) == len(rows) - len(good)
        for place, ids in enumerate(got.batch.columns.values()):
            wanted = [n3(parse_term(row[place])) for row in good]
            assert got.batch.dictionary.texts(ids).to_pylist() == wanted
            assert np.array_equal(ids, CODER.encode(pa.array(wanted, pa.string()))[0])

"""From rows of N-Triples texts to batches of triples; what is no triple is told apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.algebra.windows.predicate import OBJECT, PREDICATE, SUBJECT
from askos.columns import compiled
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.hidden import sequence_columns
from askos.columns.ids import Ids, Mask, Texts, inline
from askos.columns.legible import as_texts, is_broken, legible, shown
from askos.columns.vocabulary import vocabulary
from askos.errors import StreamError, shortened
from askos.interval import FOREVER
from askos.physical.limit import NO_LIMIT, Limit
from askos.terms import XSD, n3, parse_term

_IRI: Final = r"<[^\x00-\x20<>\"{}|^`\\]*>"
PLAIN: Final = rf'^({_IRI}|_:[A-Za-z0-9_]+|"[^"\\\t\n\r\x08\x0c]*"(\^\^{_IRI})?)$'
"""Texts that are canonical N-Triples at sight.  The others are read one by one."""
_BARE: Final = re.compile(r"(?!_:|None$)[A-Za-z][^\s<>\"{}|^`\\]*")
_STRING: Final = f"^^<{XSD.string}>"


@dataclass(frozen=True, slots=True, eq=False)
class Ingested:
    """Triples as arrivals, and which rows were refused, each with its reason."""

    batch: Batch
    refused: Ids
    reasons: list[str]


def ingest(
    s: Texts,
    p: Texts,
    o: Texts,
    ts: Any,
    coder: Coder,
    sequence: Any = None,
    arrived: Any = None,
    limit: Limit = NO_LIMIT,
) -> Ingested:
    """The triples (s, p, o) that arrived at `ts`, each valid at that instant alone.

    `sequence` is the source's own numbering, if it has one: it orders triples of one instant.
    What is stamped beyond the `limit` is refused; `arrived` is when rows were recorded.  Nothing
    that is wrong with one row stops the others.

    Cost: a hash for each row and term that is not inlined, and Python work for each distinct
    text with an escape or a language tag.
    """
    times = _milliseconds(ts)
    reasons: dict[int, str] = {}
    for row in ((times < 0) | (times >= FOREVER)).nonzero()[0].tolist():
        reasons[row] = f"timestamp {ts[row]} is not a whole number of milliseconds from 0 on"
    if s.null_count and p.null_count:
        for row in np.flatnonzero(pc.and_(pc.is_null(s), pc.is_null(p))).tolist():
            reasons[row] = "not a statement with an arrival time"
    columns, dictionaries = {}, []
    for place, given, kinds in ((SUBJECT, s, "<_"), (PREDICATE, p, "<"), (OBJECT, o, '<_"')):
        columns[place], known = _encode(given, kinds, coder)
        dictionaries.append(known)
        for row in (columns[place] == 0).nonzero()[0].tolist():
            if row not in reasons or is_broken(given[row]):  # which says more than all else
                reasons[row] = f"{place}: {_fault(given[row], kinds)}"
    judged = arrived is not None and limit.ahead is not None
    for row, why in limit.faults(times, _recorded(arrived) if judged else None):
        reasons.setdefault(row, why)
    own = {} if sequence is None else sequence_columns(_sequence(sequence, reasons))
    refused = np.array(sorted(reasons), np.int64)
    batch = Batch({**columns, **own}, times, times + 1, Dictionary.union(dictionaries))
    if reasons:
        batch = batch.take(np.setdiff1d(np.arange(len(times)), refused, assume_unique=True))
    return Ingested(batch, refused, [reasons[row] for row in refused.tolist()])


def _fault(value: Any, kinds: str) -> str:
    """Why a text is no term of one of the kinds."""
    told = shortened(str(shown(value)))
    if is_broken(value):
        return f"{told} is not UTF-8"
    return f"{told} is no {_WANTED[kinds]} in N-Triples{_advice(told, kinds)}"


def _advice(text: str, kinds: str) -> str:
    """For who forgets the brackets of an IRI, or the quotes of a text."""
    quoted = f' or "{text}"' if '"' in kinds else ""
    return f": write <{text}>{quoted}" if _BARE.fullmatch(text) else ""


def _milliseconds(ts: Any) -> Ids:
    """Arrival times; -1 where there is none.  Timestamps are those of the milliseconds they are
    in, also before 1970."""
    if ts.type == pa.int64() and not ts.null_count:
        return np.asarray(ts.to_numpy())
    if pa.types.is_timestamp(ts.type):
        whole = pc.floor_temporal(pc.cast(ts, pa.timestamp(ts.type.unit)), unit="millisecond")
        ts = pc.cast(whole, pa.timestamp("ms"), safe=False)
    elif not pa.types.is_integer(ts.type):
        raise StreamError(
            f"arrival times of type {ts.type} are not understood",
            hint="give milliseconds as integers, or timestamps",
        )
    return np.asarray(pc.fill_null(pc.cast(ts, pa.int64()), -1).to_numpy(zero_copy_only=False))


def _recorded(arrived: Any) -> Ids:
    """When rows were recorded; below 0 where they were not."""
    unknown = pa.types.is_null(arrived.type)
    return _milliseconds(pc.cast(arrived, pa.int64()) if unknown else arrived)


def _sequence(sequence: Any, reasons: dict[int, str]) -> Ids:
    """Sequence numbers; where there is none, 0."""
    if not pa.types.is_integer(sequence.type) and not pa.types.is_null(sequence.type):
        raise StreamError(
            f"sequence numbers of type {sequence.type} are not understood",
            hint="give whole numbers from 0 on, in a column `seq`",
        )
    found = pc.fill_null(pc.cast(sequence, pa.int64()), 0).to_numpy(zero_copy_only=False)
    for row in np.flatnonzero(found < 0).tolist():
        reasons.setdefault(row, f"sequence number {sequence[row]} is below 0")
    return np.asarray(np.maximum(found, 0), np.int64)


_WANTED: Final = {"<_": "IRI or blank node", "<": "IRI", '<_"': "term"}


def _encode(given: Any, kinds: str, coder: Coder) -> tuple[Ids, Dictionary]:
    """Ids of the texts that are terms of one of the `kinds`, known by first character; else 0."""
    if isinstance(given, pa.DictionaryArray):
        ids, dictionary = _encode(given.dictionary, kinds, coder)
        places = pc.fill_null(given.indices, len(ids)).to_numpy()
        return np.append(ids, 0)[places], dictionary
    texts, known = as_texts(given), vocabulary(coder)
    if compiled.AVAILABLE:
        ids, dictionary = known.encode(texts, kinds, coder)
    else:
        ids = inline(texts) if '"' in kinds else np.zeros(len(texts), np.int64)
        dictionary = Dictionary()
    rest = (ids == 0).nonzero()[0]
    if not len(rest):
        return ids, dictionary
    others = texts if len(rest) == len(texts) else texts.take(pa.array(rest))
    found, more = known.find(others, kinds)
    dictionary |= more
    ids[rest] = found
    new = np.flatnonzero(found == 0)
    if len(new):  # seldom
        ids[rest[new]], more = _read(legible(others.take(pa.array(new))), kinds, coder)
        dictionary |= more
    return ids, dictionary


def _read(texts: Texts, kinds: str, coder: Coder) -> tuple[Ids, Dictionary]:
    """The same of texts that the vocabulary does not know; it hears of those that are terms."""
    coded = texts.dictionary_encode()
    canonical, good = _canonical(coded.dictionary, kinds)
    as_written = canonical is coded.dictionary
    found, dictionary = (coder.hashed if as_written else coder.encode)(canonical)
    terms = np.flatnonzero(good)
    if len(terms):
        written, ids = coded.dictionary.take(pa.array(terms)), found[terms]
        dictionary = vocabulary(coder).learn(kinds, written, ids, dictionary.restrict([ids]))
    return np.where(good, found, 0)[coded.indices.to_numpy()], dictionary


def _canonical(texts: Texts, kinds: str) -> tuple[Texts, Mask]:
    """One spelling for every term, and which texts are terms; `texts` itself where they have it."""
    plain = pc.and_not(pc.match_substring_regex(texts, PLAIN), pc.ends_with(texts, _STRING))
    starts = pc.is_in(pc.utf8_slice_codeunits(texts, 0, 1), pa.array(list(kinds)))
    good = pc.and_(plain, starts).to_numpy(zero_copy_only=False).copy()
    others = np.flatnonzero(~plain.to_numpy(zero_copy_only=False)).tolist()
    if not others:
        return texts, good
    spelled = texts.to_numpy(zero_copy_only=False).copy()
    for row in others:
        try:
            spelled[row] = n3(parse_term(spelled[row]))
        except Exception:  # whatever is wrong with it, the others are read
            continue
        good[row] = spelled[row][0] in kinds
    return pa.array(spelled, pa.string()), good

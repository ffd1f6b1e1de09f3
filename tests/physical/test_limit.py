"""Time stamps from the future: which rows are refused, and which are remarked on."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from askos.errors import StreamError
from askos.interval import FOREVER
from askos.physical import Ingested, ingest
from askos.physical.jump import DAY, Jump, Jumps, Latest, latest_row
from askos.physical.limit import NO_LIMIT, Limit
from askos.sources import Catalogue, Graph, Stream
from askos.terms import n3
from tests.build import EX, S1, S2
from tests.columns.batches import CODER

S, P, T = n3(EX.s), n3(EX.p), n3(EX.o)


def take(limit: Limit, *rows: tuple[Any, Any], kind: Any = None) -> Ingested:
    """Rows (ts, arrived)."""
    s, p, o = (pa.array([text] * len(rows)) for text in (S, P, T))
    ts, arrived = (list(column) for column in zip(*rows, strict=True))
    recorded = pa.array(arrived, kind or pa.int64())
    return ingest(s, p, o, pa.array(ts, pa.int64()), CODER, None, recorded, limit)


def test_a_limit_is_what_the_catalogue_declares() -> None:
    known = Catalogue().stream(S1, not_after=7, ahead_ms=0).stream(S2)
    assert [Limit.of(known.get(iri)) for iri in (S1, S2, EX.unknown)] == [
        Limit(7, 0),
        NO_LIMIT,
        NO_LIMIT,
    ]
    assert Limit.of(Graph(EX.g)) == Limit.of(Stream(S1)) == NO_LIMIT
    assert not NO_LIMIT
    assert Limit(not_after=0)
    assert Limit(ahead=0)


def test_what_is_stamped_after_not_after_is_refused_with_both_times() -> None:
    got = take(Limit(not_after=7), (7, None), (8, None), (FOREVER - 1, None), (0, None))
    assert got.batch.ts.tolist() == [7, 0]
    assert got.refused.tolist() == [1, 2]
    assert got.reasons == [
        "stamped 1970-01-01T00:00:00.008Z, but not_after is 1970-01-01T00:00:00.007Z",
        f"stamped {FOREVER - 1}, but not_after is 1970-01-01T00:00:00.007Z",
    ]


def test_what_is_stamped_ahead_of_its_arrival_is_refused_with_both_times() -> None:
    got = take(Limit(ahead=5), (15, 10), (16, 10), (0, 10), (FOREVER - 1, FOREVER))
    assert got.batch.ts.tolist() == [15, 0, FOREVER - 1]
    assert got.reasons == [
        "stamped 1970-01-01T00:00:00.016Z, but it arrived at 1970-01-01T00:00:00.010Z,"
        " and ahead_ms is 5"
    ]
    assert not take(Limit(ahead=2**63 - 1), (FOREVER - 1, 0)).reasons


def test_a_row_that_was_not_recorded_is_refused_where_ahead_is_declared() -> None:
    for arrived in (None, -1):
        got = take(Limit(ahead=5), (15, arrived), (15, 15))
        assert got.refused.tolist() == [0]
        assert got.reasons == [
            "stamped 1970-01-01T00:00:00.015Z, but it has no time `arrived` that ahead_ms asks for"
        ]
    assert take(Limit(ahead=5), (15, None), kind=pa.null()).refused.tolist() == [0]
    assert not take(Limit(not_after=20), (15, None)).reasons


def test_arrivals_may_be_timestamps_and_are_looked_at_only_where_asked_for() -> None:
    kind = pa.timestamp("us", "UTC")
    assert take(Limit(ahead=5), (15, 10_999), (16, 10_000), kind=kind).refused.tolist() == [1]
    assert not take(NO_LIMIT, (15, "whatever"), kind=pa.string()).reasons


def test_without_a_column_arrived_ahead_cannot_be_judged() -> None:
    s, p, o = (pa.array([text]) for text in (S, P, T))
    with pytest.raises(StreamError, match="needs a column `arrived`"):
        ingest(s, p, o, pa.array([1]), CODER, limit=Limit(ahead=5))


def test_a_row_that_is_no_triple_either_has_that_reason() -> None:
    s, p, o = (pa.array([text]) for text in (S, "_:p", T))
    got = ingest(s, p, o, pa.array([9]), CODER, limit=Limit(not_after=5))
    assert got.reasons == ["p: _:p is no IRI in N-Triples"]


# ---- jumps -----------------------------------------------------------------------------------


def row(at: int, text: str = "row", source: Any = S1) -> Latest:
    return Latest(str(source), at, text)


def test_a_jump_is_more_than_a_day_after_all_before_and_not_the_first() -> None:
    found = Jumps()
    assert found.note([row(10 * DAY)]) == []
    assert found.note([row(11 * DAY), row(50 * DAY, source=S2)]) == []
    assert found.note([row(3)]) == []
    assert found.note([row(12 * DAY + 1)]) == [Jump(11 * DAY, row(12 * DAY + 1))]
    assert found.note([row(12 * DAY + 1)]) == []
    again = Jumps()
    again.restore(json.loads(json.dumps(found.snapshot())))
    assert again.note([row(13 * DAY + 1)]) == []
    assert again.note([row(90 * DAY, source=S2)]) == [Jump(50 * DAY, row(90 * DAY, source=S2))]


def test_of_a_batch_the_latest_row_is_told_however_it_was_split() -> None:
    rows = [row(2 * DAY, "a"), row(3 * DAY, "c"), row(3 * DAY, "b"), row(5, "d")]
    for order in permutations(rows):
        found = Jumps()
        found.note([row(0)])
        assert found.note(order) == [Jump(0, row(3 * DAY, "b"))]


def test_a_jump_names_row_stream_and_both_times() -> None:
    told = str(Jump(0, row(2 * DAY, "<a> <b> <c>")))
    assert told.startswith(
        f"the time of <{S1}> jumps from 1970-01-01T00:00:00Z to 1970-01-03T00:00:00Z"
        " with <a> <b> <c>:"
    )


def test_the_latest_row_is_one_that_was_taken() -> None:
    s = [S, S, S, S, "<x:z>"]
    o = ["<x:c>", "<x:b>", "no term", "<x:a>", "<x:a>"]
    columns = {"s": pa.array(s), "p": pa.array([P] * 5), "o": pa.array(o)}
    columns["ts"] = pa.array([7, 7, 9, 5, 7])
    got = ingest(columns["s"], columns["p"], columns["o"], columns["ts"], CODER)
    assert latest_row(str(S1), columns, got) == row(7, f"{S} {P} <x:b>")
    assert np.all(got.batch.ts <= 7)

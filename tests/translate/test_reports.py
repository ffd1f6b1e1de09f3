"""What a query reports if nobody says otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askos.algebra import Intervals, Kind, OnChange, Periodic, Report
from askos.errors import QueryError
from askos.translate import ast, default_report, parse

SECOND, MINUTE = 1_000, 60_000
WHERE = "{ ?s ?p ?o }"

REPORTS: dict[str, Report] = {
    f"SELECT * {WHERE}": Intervals(),
    f"SELECT * FROM STREAM <s> WINDOW RANGE 10 MINUTE SLIDE {WHERE}": Intervals(),
    # C-SPARQL: at each STEP, of any window; as COMPUTED EVERY says; else on change.
    f"SELECT * FROM STREAM <s> [RANGE 10m STEP 1m] {WHERE}": Periodic(Kind.RSTREAM, (MINUTE,)),
    f"SELECT * FROM STREAM <s> [RANGE 5m TUMBLING] FROM STREAM <t> [RANGE 3m STEP 1m] {WHERE}":
        Periodic(Kind.RSTREAM, (MINUTE, 5 * MINUTE)),
    f"SELECT * FROM STREAM <s> [RANGE 5m TUMBLING] FROM STREAM <t> [RANGE TRIPLES 3] {WHERE}":
        Periodic(Kind.RSTREAM, (5 * MINUTE,)),
    f"REGISTER QUERY q COMPUTED EVERY 2m AS SELECT * FROM STREAM <s> [RANGE 5m STEP 1m] {WHERE}":
        Periodic(Kind.RSTREAM, (2 * MINUTE,)),
    f"REGISTER QUERY q AS SELECT * FROM STREAM <s> [RANGE TRIPLES 5] {WHERE}":
        OnChange(Kind.RSTREAM),
    f"REGISTER QUERY q AS SELECT * {WHERE}": OnChange(Kind.RSTREAM),
    f"REGISTER STREAM q AS CONSTRUCT {WHERE} FROM STREAM <s> [RANGE 5m STEP 1m] {WHERE}":
        Periodic(Kind.RSTREAM, (MINUTE,)),
    # CQELS: what is new, on change, unless every window slides.
    f"SELECT * {{ STREAM <s> [NOW] {WHERE} }}": OnChange(Kind.ISTREAM),
    f"SELECT * {{ STREAM <s> [RANGE 5s SLIDE 1s] {WHERE} }}":
        Periodic(Kind.ISTREAM, (SECOND,), nonempty=True),
    f"SELECT * {{ STREAM <s> [RANGE 5s SLIDE 1s] {WHERE} STREAM <s> [RANGE 5s] {WHERE} }}":
        OnChange(Kind.ISTREAM),
    # RSP-QL and SPARQLstream say which.
    "REGISTER DSTREAM <o> AS SELECT * FROM NAMED WINDOW <w> ON <s> [RANGE PT5S STEP PT1S]"
    f" {{ WINDOW <w> {WHERE} }}": Periodic(Kind.DSTREAM, (SECOND,)),
    f"SELECT * FROM NAMED WINDOW <w> ON <s> [ELEMENTS 5] {{ WINDOW <w> {WHERE} }}":
        OnChange(Kind.RSTREAM),
    f"SELECT ISTREAM * FROM NAMED STREAM <s> [NOW - 5 S SLIDE 1 S] {WHERE}":
        Periodic(Kind.ISTREAM, (SECOND,)),
    f"SELECT * FROM NAMED STREAM <s> [NOW - 5 S] {WHERE}": OnChange(Kind.RSTREAM),
}  # fmt: skip


@pytest.mark.parametrize("text", REPORTS)
def test_every_dialect_has_its_report(text: str) -> None:
    assert default_report(parse(text)) == REPORTS[text]


def test_a_registered_stream_needs_a_period() -> None:
    text = f"REGISTER STREAM q AS CONSTRUCT {WHERE} FROM STREAM <s> [RANGE TRIPLES 5] {WHERE}"
    with pytest.raises(QueryError, match="line 1, column 1: a registered stream needs a period"):
        default_report(parse(text))


def test_a_registered_stream_consists_of_triples() -> None:
    text = f"REGISTER QUERY q AS SELECT * FROM STREAM <s> [RANGE 5m STEP 1m] {WHERE}"
    query = replace(parse(text, dialect="cqels"), register=ast.Register("q", stream=True))
    with pytest.raises(QueryError, match="column 21: a registered stream consists of triples"):
        default_report(query)


def test_a_stream_of_rspql_may_consist_of_solutions() -> None:
    text = f"REGISTER RSTREAM <o> AS SELECT * FROM NAMED WINDOW <w> ON <s> [ELEMENTS 5] {WHERE}"
    assert default_report(parse(text)) == OnChange(Kind.RSTREAM)

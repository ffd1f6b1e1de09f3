"""Plans of queries that others wrote: the stream benchmarks, and how the rest is refused."""

from __future__ import annotations

from typing import Any

import pytest

from askos.algebra import Operator
from askos.algebra.serialize import from_json, to_json
from askos.errors import AskosError, QueryError, UnsupportedError
from askos.explaining import explain
from askos.sources import Catalogue
from askos.translate import Dialect, ast, create_plan, default_report, parse
from tests.translate.test_canonical import KNOWN
from tests.translate.test_corpora import EXCEPTIONS, identity, streams, w3c

SERVICE, FUNCTION = "SERVICE is not offered", "there is no function"
CHOICE = "there are no streams to choose from"  # STREAM ?s, and no catalogue
TESTS = "cqels-examples/cqels/SimpleQueriesTest"
REFUSED: dict[str, tuple[type[AskosError], str]] = {
    **dict.fromkeys([f"{TESTS}-{n:02}" for n in (2, 3, 4, 5)], (UnsupportedError, SERVICE)),
    **dict.fromkeys([f"{TESTS}-{n:02}" for n in (7, 8, 10, 11)], (QueryError, CHOICE)),
    "cqels-examples/cqels/UnregisterQueryTest-02": (UnsupportedError, SERVICE),
    "cqels-examples/cqels/cqels4j-ChargerRangeFilter-01": (UnsupportedError, FUNCTION),
    "cqels-examples/cqels/cqels4j-GeoSpatialFilter-01": (UnsupportedError, FUNCTION),
}
READABLE = [row for row in streams() if row["id"] not in EXCEPTIONS]


def text(row: dict[str, Any]) -> str:
    return str(row["path"].read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", READABLE, ids=identity)
def test_a_stream_query_has_a_plan_or_a_reason_why_not(row: dict[str, Any]) -> None:
    query = parse(text(row))
    if row["id"] in REFUSED:
        kind, message = REFUSED[row["id"]]
        with pytest.raises(kind, match=message) as caught:
            create_plan(query)
        assert caught.value.line
        return
    plan = create_plan(query)
    assert from_json(to_json(plan)) == plan
    assert explain(plan)
    assert default_report(query)


@pytest.mark.parametrize("row", [*READABLE, *w3c()], ids=identity)
def test_whatever_parses_gets_a_plan_or_an_error_with_a_position(row: dict[str, Any]) -> None:
    """In every dialect, with any catalogue."""
    for dialect in Dialect:
        try:
            query = parse(text(row), dialect=dialect, base="http://example.org/")
        except QueryError:
            continue
        for sources in (None, KNOWN, Catalogue()):
            assert _has_plan_or_position(query, sources)


def _has_plan_or_position(query: ast.Query, sources: Catalogue | None) -> bool:
    try:
        return isinstance(create_plan(query, sources=sources), Operator)
    except AskosError as error:
        return error.line > 0

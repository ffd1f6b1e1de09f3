"""`askos.local.run`: what is left out, or read by nobody, is told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from askos import local
from askos.errors import AskosError, StreamError
from askos.local import Engine, Refused
from askos.sources import DEFAULT_GRAPH
from askos.terms import URIRef

QUERY = "SELECT ?x FROM STREAM <a:s> WINDOW RANGE 10 MS FIXED { ?x <a:p> ?y }"
GOOD = ("<a:x>", "<a:p>", '"1"', 3)
BARE = ("a:x", "a:p", "north", 3)


def told(streams: Mapping[str, Any] | None, query: str = QUERY, **options: Any) -> list[Any]:
    return [str(answer.item) for answer in local.run(query, streams, **options)]


def test_streams_may_be_called_by_plain_strings() -> None:
    assert told({"a:s": [GOOD]}) == told({URIRef("a:s"): [GOOD]}) == ["{?x → <a:x>}"]
    late = [(*GOOD[:3], 30), (*GOOD[:3], 4)]
    assert len(told({"a:s": late}, batch=1)) == 1
    assert len(told({"a:s": late}, batch=1, lateness={"a:s": 100})) == 2
    engine = Engine(lateness={"a:s": 100})
    query = engine.register(QUERY)
    engine.push("a:s", [GOOD])
    engine.advance("a:s", 20)
    engine.idle("a:s")
    assert len(query.take()) == 1


def test_graphs_that_arrive_may_be_called_by_plain_strings() -> None:
    assert told({str(DEFAULT_GRAPH): [GOOD]}, "SELECT ?x { ?x <a:p> ?y }") == ["{?x → <a:x>}"]
    assert told({"a:g": [GOOD]}, "SELECT ?x FROM <a:g> { ?x <a:p> ?y }") == ["{?x → <a:x>}"]


@pytest.mark.parametrize(
    ("streams", "query", "error", "hint"),
    [
        (None, QUERY, "there are no rows for the stream <a:s>", "give them"),
        ({"a:sx": [GOOD]}, QUERY, "there are no rows for the stream <a:s>", "you gave <a:sx>"),
        ({"a:s": [GOOD], "a:t": []}, QUERY, "no query reads <a:t>", "what is read: <a:s>"),
        ({"a:t": [GOOD]}, "SELECT * FROM <a:g> { ?x ?p ?y }", "<a:g>", ""),
        ({"a:t": [GOOD]}, "SELECT * { VALUES ?x { 1 } }", "no query reads <a:t>", "no stream"),
    ],
)
def test_a_stream_that_nobody_gives_or_reads_is_refused(
    streams: Any, query: str, error: str, hint: str
) -> None:
    with pytest.raises(AskosError) as raised:
        told(streams, query)
    assert error in str(raised.value)
    assert hint in str(raised.value)


def test_rows_of_a_stream_that_a_query_registers_are_refused() -> None:
    made = "REGISTER STREAM <a:t> COMPUTED EVERY 5ms AS CONSTRUCT { ?x <a:q> ?y }"
    made += " FROM STREAM <a:s> [RANGE 5ms STEP 5ms] { ?x <a:p> ?y }"
    with pytest.raises(StreamError, match="<a:t> is the stream that the query"):
        told({"a:s": [GOOD], "a:t": [GOOD]}, made)


@pytest.mark.parametrize("rows", [[], [BARE]])
def test_an_engine_refuses_a_stream_that_nobody_reads_whatever_its_rows_are(rows: Any) -> None:
    engine = Engine()
    engine.register(QUERY.replace("a:s", "a:scada"))
    with pytest.raises(StreamError, match=r"reads <a:scad>\nhint: did you mean <a:scada>\?"):
        engine.push("a:scad", rows)


def test_a_table_that_lacks_columns_is_refused() -> None:
    with pytest.raises(StreamError, match="needs columns s, p, o and ts, but this one has s"):
        told({"a:s": pa.table({"s": ["<a:x>"]})})


# ---- rows that are refused -----------------------------------------------------------------------


def test_refused_rows_are_warned_of_with_what_to_write() -> None:
    with pytest.warns(
        UserWarning, match="1 row refused\n  s: a:x is no IRI or blank node"
    ) as found:
        assert told({"a:s": [GOOD, BARE]}) == ["{?x → <a:x>}"]
    assert "write <a:x>" in str(found[0].message)


def test_refused_rows_of_plain_sparql_are_warned_of(tmp_path: Path) -> None:
    text, file = "SELECT ?x { ?x <a:p> ?y }", tmp_path / "data.nt"
    file.write_text("<a:x> <a:p> unknown .\n<a:x> <a:p> <a:y> .\n")
    with pytest.warns(UserWarning, match=r'1 row refused\n  o: north .*: write <north> or "north"'):
        assert told({str(DEFAULT_GRAPH): [("<a:x>", "<a:p>", "north"), GOOD]}, text)
    with pytest.warns(UserWarning, match=r"1 row refused\n  .*data\.nt, line 1: not a statement"):
        assert told({str(DEFAULT_GRAPH): file}, text) == ["{?x → <a:x>}"]


def test_refused_rows_are_warned_of_also_if_nobody_takes_all_answers() -> None:
    answers = local.run(QUERY, {"a:s": [BARE, GOOD, (*GOOD[:3], 300)]}, batch=2)
    next(answers)
    with pytest.warns(UserWarning, match="1 row refused"):
        answers.close()  # type: ignore[attr-defined]


def test_a_list_of_the_caller_gets_the_refused_rows_instead() -> None:
    refused: list[Refused] = []
    assert told({"a:s": [GOOD, BARE, None]}, refused=refused) == ["{?x → <a:x>}"]
    assert [bad.reason.split(":")[0] for bad in refused] == [
        "s",
        "not a statement with an arrival time",
    ]


def test_a_stream_may_be_a_file_of_n_quads(tmp_path: Path) -> None:
    file = tmp_path / "data.nq"
    file.write_text("<a:x> <a:p> <a:y> <urn:ms:3> .\n<a:x> <a:p> <a:y> .\n")
    refused: list[Refused] = []
    assert told({"a:s": file}, refused=refused) == ["{?x → <a:x>}"]
    (bad,) = refused
    assert bad.reason.startswith(f"{file}, line 2: no timestamp")

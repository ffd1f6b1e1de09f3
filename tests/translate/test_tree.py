"""Syntax trees for the eye and as JSON."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings

from askos.translate import ast, parse
from askos.translate.tree import encode, outline
from tests.translate.generate import queries

MORE = settings(max_examples=4 * settings().max_examples)


def nodes(value: Any) -> int:
    """How many nodes a JSON value has."""
    if isinstance(value, list):
        return sum(map(nodes, value))
    if isinstance(value, dict):
        return ("is" in value) + sum(map(nodes, value.values()))
    return 0


@MORE
@given(queries())
def test_json_has_every_node_of_a_query(query: ast.Query) -> None:
    document = json.loads(json.dumps(encode(query)))
    left_out = query.modifiers == ast.Modifiers()
    assert nodes(document) == len(list(query.walk())) - left_out


@MORE
@given(queries())
def test_an_outline_has_a_line_for_what_a_node_is(query: ast.Query) -> None:
    lines = outline(query).split("\n")
    assert lines[0] == f"Query 0:0 dialect={query.dialect.value}"
    kinds = [type(node).__name__ for node in query.walk()]
    for kind in ("Filter", "Block", "FromStream", "TimeWindow", "Exists"):
        told = sum(f" {kind} " in line.split('"')[0] for line in lines)
        assert told == kinds.count(kind)


def test_json_leaves_out_what_is_at_its_default() -> None:
    document = encode(parse('ASK { _:b <p> "x"@en, "1"^^<d>, ?v FILTER EXISTS {} }'))
    block, condition = document["where"]["members"]
    assert document.keys() == {"is", "at", "dialect", "form", "where"}
    assert block["triples"][0]["subject"] == {"is": "Term", "at": [1, 7], "value": {"blank": "b"}}
    assert [part["value"] for part in block["triples"][0]["properties"][0]["objects"]] == [
        {"literal": "x", "language": "en"},
        {"literal": "1", "datatype": "d"},
        {"var": "v"},
    ]
    assert condition["condition"] == {
        "is": "Exists",
        "at": [1, 43],
        "pattern": {"is": "Group", "at": [1, 50]},
    }


def test_an_outline_tells_rows_flags_and_windows() -> None:
    text = """SELECT DISTINCT (COUNT(*) AS ?n) FROM STREAM <s> [RANGE 5s STEP 1s]
    WHERE { VALUES (?x ?y) { (1 UNDEF) ("a" <b>) } }"""
    told = outline(parse(text))
    assert "form: Select 1:1 distinct\n" in told
    assert "expression: Aggregate 1:18 name=COUNT\n" in told
    assert "window: TimeWindow 1:50 range=5000 slide=1000" in told
    assert 'rows: (1 UNDEF) ("a" <b>)' in told

"""What the fuzzer found, each input once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import askos
from askos.algebra.serialize import node_from_json
from askos.errors import QueryError, SetupError
from askos.physical import build
from askos.spark.checkpoint import begin, read, write_document


@pytest.mark.parametrize(
    "text",
    [
        '{"askos plan": 1, "is": "Project", "columns": [{"var": ""}], "input": null}',
        '{"askos plan": 1, "is": "SlidingWindow", "input": 5, "width": [], "slide": {}}',
    ],
)
def test_a_plan_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(QueryError, match="plan JSON"):
        node_from_json(text)


@pytest.mark.parametrize("part", ["buckets", "partitions"])
def test_a_checkpoint_with_an_infinite_number_is_refused(part: str, tmp_path: Path) -> None:
    query = askos.prepare("SELECT ?t FROM STREAM <s:s> WINDOW RANGE 9 SLIDE { ?t <s:p> ?v }")
    document = begin(tmp_path, query, build(query.plan), 2, 2).document()
    write_document(tmp_path, {**document, part: json.loads("Infinity")})
    with pytest.raises(SetupError, match="cannot read it"):
        read(tmp_path)

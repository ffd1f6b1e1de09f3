"""The W3C query tests over graphs that arrive: in the order of their files' triples, some twice,
and answered in the order that the query asks for."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from askos import static
from askos.local.finite import Finite, run_finite
from askos.sources import Catalogue
from askos.translate import ast, create_plan
from tests.oracles import w3c_adapter
from tests.oracles.test_w3c import CASES
from tests.oracles.w3c_adapter import Graphs, result
from tests.sampling import every
from tests.suites import program

EVALUATED = [(folder, test) for folder, test in CASES if test["kind"] == "eval"]


def arrived(query: ast.Query, graphs: Graphs, seed: str) -> static.Result:
    rng = random.Random(seed)
    rows = {}
    for name, graph in graphs.items():
        triples = list(graph)
        rng.shuffle(triples)
        rows[name] = triples + triples[:3]
    known = Catalogue()
    for name in graphs:
        known = known.graph(name)
    found = run_finite(Finite(query, graphs=list(graphs)), rows, rng.choice([1, 4, 100]))
    return result(create_plan(query, sources=known), [answer.item for answer in found])


@pytest.mark.parametrize("case", every(5, EVALUATED), ids=lambda case: case[1]["id"])
def test_a_query_over_graphs_that_arrive_answers_as_w3c_says(
    case: tuple[Path, dict[str, Any]],
) -> None:
    folder, test = case
    way = partial(arrived, seed=test["id"])
    adapter = SimpleNamespace(evaluate=partial(w3c_adapter.evaluate, way=way))
    status, reason = program("w3c_check.py").run_test(test, str(folder), adapter, timeout=None)
    assert status in ("pass", "value"), reason

"""The W3C query tests through a host: their graphs as static data, and as streams.

As a stream, a graph arrives piece by piece, some of its triples twice, out of order within the
lateness; a DISTINCT over an ALL window over it is the graph itself once all have arrived.  Answers
are intervals, and judged by their snapshot after that: as a bag, even where the query has an
ORDER BY, for intervals have no order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from askos import static
from askos.algebra import Element, Stamped
from askos.algebra.streams import Item
from askos.interval import FOREVER
from askos.prepared import prepare
from askos.sources import Catalogue
from askos.static import StaticGraph
from askos.terms import Triple
from askos.translate import arriving, ast, create_plan
from tests.oracles import w3c_adapter
from tests.oracles.hosts import Deliveries, Host
from tests.oracles.test_w3c import CASES
from tests.oracles.w3c_adapter import Graphs, Way, result
from tests.suites import program

# NOW() is the instant of a report, which intervals do not have.
EVALUATED = {
    test["id"]: (folder, test)
    for folder, test in CASES
    if test["kind"] == "eval" and not test["id"].endswith("/now01")
}

INSTANTS = (0, 700, 1_000, 1_001, 2_500)
LATENESS = 800
AFTER = 3_000  # all have arrived
BATCHES = 3


def judge(way: Way, folder: Path, test: dict[str, Any]) -> tuple[str, str]:
    """`pass`, `value` if numbers are right but written otherwise, or what else; and why."""
    checker = program("w3c_check.py")
    exact = checker.compare_bindings

    def as_bags(want: Any, names: Any, rows: Any, keys: Any, *rest: Any) -> Any:
        return exact(want._replace(ordered=False), names, rows, None, *rest)

    adapter = SimpleNamespace(evaluate=partial(w3c_adapter.evaluate, way=way))
    with patch.object(checker, "compare_bindings", as_bags):
        status, reason = checker.run_test(test, str(folder), adapter, timeout=None)
    return str(status), str(reason)


def as_static(query: ast.Query, graphs: Graphs, host: Host, buckets: int) -> static.Result:
    """What a host answers where the graphs are static data: the same at all times."""
    known = Catalogue()
    for name, graph in graphs.items():
        known = known.graph(name, graph)
    prepared = prepare(query, sources=known)
    return result(prepared.canonical, settled(host(prepared, [], buckets, None), 0))


def as_streams(
    query: ast.Query,
    graphs: Graphs,
    host: Host,
    buckets: int,
    seed: str,
    restart_after: int | None = None,
) -> static.Result:
    """What a host answers where the graphs arrive on streams, after they have."""
    named, known = Catalogue(), Catalogue()
    for name in graphs:
        named, known = named.graph(name), known.stream(name, lateness_ms=LATENESS)
    plan = arriving(create_plan(query, sources=named))
    prepared, rows = prepare(plan, sources=known), deliveries(graphs, seed)
    answers = host(prepared, rows, buckets, restart_after)
    return result(plan, settled(answers, AFTER))


def deliveries(graphs: Graphs, seed: str) -> Deliveries:
    """Every triple at one or two instants, in batches, the streams in turns."""
    rng = random.Random(seed)
    batches = [
        (turn + rng.random(), name, rows)
        for name, graph in graphs.items()
        for turn, rows in enumerate(_batches(graph, rng))
    ]
    return [(name, rows) for _, name, rows in sorted(batches, key=lambda batch: batch[0])]


def _batches(graph: StaticGraph, rng: random.Random) -> list[list[Stamped]]:
    rows = [Stamped(triple, at) for triple in graph for at in _arrivals(triple, rng)]
    rows.sort(key=lambda row: row.at + rng.randint(0, LATENESS))
    cuts = sorted(rng.choices(range(len(rows) + 1), k=BATCHES - 1))
    return [rows[start:end] for start, end in pairwise([0, *cuts, len(rows)])]


def _arrivals(triple: Triple, rng: random.Random) -> Sequence[int]:
    return rng.sample(INSTANTS, rng.choice([1, 1, 2]))


def settled(answers: Sequence[Element], at: int) -> list[Item]:
    """The snapshot at an instant after which nothing changes any more."""
    found = snapshot(answers, at)
    assert Counter(found) == Counter(snapshot(answers, FOREVER - 1))
    return found


def snapshot(answers: Sequence[Element], at: int) -> list[Item]:
    """What holds at an instant, in no order."""
    return [answer.item for answer in answers if answer.interval.start <= at < answer.interval.end]

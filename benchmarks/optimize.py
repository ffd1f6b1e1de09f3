"""How long a query takes from text to plan: parse, create_plan and optimize, by its size.

    .venv/bin/python benchmarks/optimize.py [--rounds N]

A chain of patterns over one stream, with filters to push and an EXISTS; the least of the rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from askos import create_plan, optimize, parse

SIZES = (5, 10, 20, 30, 60)


def text(patterns: int) -> str:
    """A query of so many triple patterns."""
    triples = " . ".join(f"?v{i} <http://e/p{i}> ?v{i + 1}" for i in range(patterns))
    filters = "FILTER(?v1 > 3 && ?v2 < ?v4 && ?v3 = 5) FILTER EXISTS { ?v0 <http://e/q> ?z }"
    stream = "FROM STREAM <http://e/s> WINDOW RANGE 9 SLIDE"
    return f"SELECT ?v0 {stream} {{ {triples} {filters} }}"


def least(work: Callable[[], Any], rounds: int) -> float:
    """Milliseconds, when nothing disturbs it."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def main() -> None:
    """Print a table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=5)
    rounds = arguments.parse_args().rounds
    print(f"milliseconds, least of {rounds} rounds\n")
    print(f"{'patterns':>8}{'parse':>10}{'create_plan':>14}{'optimize':>12}")
    for size in SIZES:
        query = text(size)
        tree = parse(query)
        plan = create_plan(tree)
        steps = (
            lambda query=query: parse(query),
            lambda tree=tree: create_plan(tree),
            lambda plan=plan: optimize(plan),
        )
        parsing, planning, rewriting = (least(step, rounds) for step in steps)
        print(f"{size:>8}{parsing:>10.2f}{planning:>14.2f}{rewriting:>12.2f}")


if __name__ == "__main__":
    main()

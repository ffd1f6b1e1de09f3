"""Queries of one kind, drawn: texts of which some constants are others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Final, TypeAlias

from askos.errors import QueryError
from askos.kinds import keyed
from askos.local import Engine
from askos.prepared import Prepared
from askos.queries import Queries
from askos.spark.answers import REPORTS, RESULTS
from askos.terms import Literal, Term, URIRef
from askos.translate import optimize
from askos.translate.kinds import Constants, Shape
from tests.hosts.harness import Harness
from tests.hosts.moments import Moments, judge, lateness_of
from tests.hosts.three import Told, difference

NAMES = ("first", "second", "third one")
Joins: TypeAlias = Mapping[int, Sequence[Prepared]]
"""Who joins, by the micro-batch that is the first which they see."""
NOBODY: Final[Joins] = {}


def of_one_kind(query: Prepared, choices: Random) -> list[Prepared] | None:
    """The query and others that have its own constants in other places; None if it runs alone."""
    found = keyed(query)
    if found is None:
        return None
    (shape, *_), first = found
    rows = [first, *(_shuffled(first, choices) for _ in NAMES[1:])]
    return [_filled(query, shape, row, name) for row, name in zip(rows, NAMES, strict=True)]


def _shuffled(constants: Constants, choices: Random) -> Constants:
    """Other constants of the same sort in each place."""

    def like(term: Term) -> Term:
        sort = URIRef if isinstance(term, URIRef) else Literal
        return choices.choice([each for each in constants if isinstance(each, sort)])

    return tuple(map(like, constants))


def _filled(query: Prepared, shape: Shape, row: Constants, name: str) -> Prepared:
    plan = shape.filled(dict(zip(shape.places, row, strict=True)))
    best = optimize(plan, sources=query.sources)
    return replace(query, canonical=plan, plan=best, name=name)


def check_together(
    queries: Sequence[Prepared], given: Moments, buckets: int, choices: Random
) -> None:
    """Each of them is told what the reference says of it alone, on both hosts."""
    local = together_on_local(queries, given, buckets)
    spark = together_on_harness(queries, given, buckets, choices.random())
    for query in queries:
        want, name = judge(query, given), query.name or ""
        assert difference(want, local[name]) is None
        assert difference(want, spark[name]) is None


def together_on_local(
    queries: Sequence[Prepared], given: Moments, buckets: int, joins: Joins = NOBODY
) -> dict[str, Told]:
    """What the local driver tells of queries that are registered at once, and of those that join
    them, if they do."""
    engine = Engine(sources=queries[0].sources, buckets=buckets)
    running = engine.register_all(list(queries))
    told: dict[str, Told] = {name: [] for name in running}
    for number, moment in enumerate(given):
        for joining in joins.get(number, ()):
            joined = engine.register(joining)
            if joined.plan is not running[queries[0].name or ""].plan:
                engine.stop(joined.name)
            else:
                running[joined.name], told[joined.name] = joined, []
        for source, rows in moment.rows.items():
            if any(source in query.streams for query in queries):
                engine.push(source, rows)
        for source, time in moment.marks.items():
            engine.advance(source, time)
        for source in moment.idle:
            engine.idle(source)
        for name, query in running.items():
            told[name] += query.take()
    engine.close()
    assert not engine.refused
    for name, query in running.items():
        assert not query.late
        told[name] += query.take()
    return told


def together_on_harness(
    queries: Sequence[Prepared], given: Moments, buckets: int, seed: object, joins: Joins = NOBODY
) -> dict[str, Told]:
    """The same of the code that Spark runs, which refuses those that cannot join."""
    each = (lateness_of(query, source) for query in queries for source in query.streams)
    lateness = max(each, default=0)
    # Who joins is told what is not decided yet: so all hosts must know the time alike.
    sampled = not joins
    run = Harness(Queries.of(queries), Random(str(seed)), buckets, lateness, sampled=sampled)
    for number, moment in enumerate(given):
        said = [*moment.marks.items(), *((source, None) for source in moment.idle)]
        told = [_entry(*each) for each in said if each[0] in run.sources]
        for query in joins.get(number, ()):
            with suppress(QueryError):
                run.control.register(query)
        run.push(moment.rows, [*told, *run.new_entries()])
    run.end()
    assert {row["output"] for row in run.rows} <= {RESULTS, REPORTS}
    return run.split


def _entry(source: URIRef, time: int | None) -> str:
    """Of the control stream; without a time, the stream is idle."""
    return json.dumps({"source": source, **({"idle": True} if time is None else {"mark": time})})

"""The adapter of the suite `snapshots`: random stream queries, judged by another engine.

    python ../shared/suites/snapshots/snapshots.py --adapter tests.oracles.snapshots_adapter \
        --path . --host local --buckets 5 --styles streaming-sparql --no-static
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from askos import spark
from askos.algebra import Answer, Element, Stamped
from askos.prepared import prepare
from askos.sources import Catalogue
from askos.terms import Triple, URIRef, n3, parse_term
from tests.oracles.hosts import Host, harness, local, on_spark, reference

Graphs: TypeAlias = Mapping[str, Iterable[tuple[str, str, str]]]
Deliveries: TypeAlias = Sequence[tuple[str, Sequence[tuple[str, str, str, int]]]]
HOSTS: Mapping[str, Host] = {"reference": reference, "local": local, "harness": harness}


def answers(
    text: str,
    *,
    dialect: str,
    graphs: Graphs,
    deliveries: Deliveries,
    lateness: int,
    host: str | Host,
    buckets: int,
    restart_after: int | None,
) -> list[Any]:
    """What a host answers; the contract is the suite's, but that a host may be given as such."""
    query = prepare(text, dialect=dialect, sources=_catalogue(graphs, deliveries, lateness))
    arriving = [
        (URIRef(iri), [Stamped(_triple(s, p, o), at) for s, p, o, at in rows])
        for iri, rows in deliveries
    ]
    found = (_named(host) if isinstance(host, str) else host)(
        query, arriving, buckets, restart_after
    )
    return [_told(answer) for answer in found]


def _told(answer: Element | Answer) -> Any:
    if isinstance(answer, Answer):
        return (answer.at, [_row(row) for row in answer.rows])
    return (_row(answer.item), answer.interval.start, answer.interval.end)


def _named(host: str) -> Host:
    if host == "spark":  # the session is one for all queries
        return on_spark(spark.session(settings={"spark.sql.shuffle.partitions": "2"}))
    return HOSTS[host]


def _catalogue(graphs: Graphs, deliveries: Deliveries, lateness: int) -> Catalogue:
    known = Catalogue()
    for iri in dict.fromkeys(iri for iri, _ in deliveries):
        known = known.stream(iri, lateness_ms=lateness)
    for iri, triples in graphs.items():
        known = known.graph(iri, [_triple(*triple) for triple in triples])
    return known


def _triple(s: str, p: str, o: str) -> Triple:
    return Triple(*map(parse_term, (s, p, o)))  # type: ignore[arg-type]


def _row(item: object) -> object:
    if isinstance(item, bool):
        return item
    if isinstance(item, Triple):
        return tuple(map(n3, item))
    assert isinstance(item, Mapping)
    return {str(variable): n3(term) for variable, term in item.items()}

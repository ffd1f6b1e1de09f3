"""Physical plans of prepared queries: the one that hosts run, and all that are considered."""

from __future__ import annotations

from collections.abc import Hashable

from askos.physical import Alternative, PhysicalPlan, alternatives, build
from askos.prepared import Prepared


def physical(query: Prepared) -> PhysicalPlan:
    """What hosts run: the cheapest plan, or the one that the query was prepared with."""
    rows, chosen = query.rows_per_batch, query.chosen
    return build(query.plan, query.report, query.columns, query.clock, rows, chosen)


def considered(query: Prepared) -> list[Alternative]:
    """All physical plans of a query, the cheapest first."""
    rows = query.rows_per_batch
    return alternatives(query.plan, query.report, query.columns, query.clock, rows)


def known_alike(query: Prepared, plan: PhysicalPlan) -> Hashable:
    """What queries must know alike to have operators in common: which streams are idle, and what
    graphs say."""
    idle = {stream.iri for stream in query.sources.streams if stream.idle}
    graphs = ((iri, id(query.sources.get(iri))) for iri in query.graphs)
    return tuple(source in idle for source in plan.sources), tuple(graphs)

"""Static graphs of which a plan only looks something up: these may say something else later."""

from __future__ import annotations

from collections.abc import Iterator, Set

from askos.algebra import Operator
from askos.physical.ends import is_open
from askos.physical.plan import Based, PhysicalPlan, Stage
from askos.terms import URIRef


def only_looked_up(plan: PhysicalPlan, graph: URIRef) -> bool:
    """Whether arrivals look up what a graph says, and nothing else depends on it: then it may say
    more, or less, from some arrival on.

    A table that has it together with another graph does: to make it again, that one would be read
    again, and may say something else by now.  So does what has open ends: who is told of an end
    must have been told of the element.
    """
    tables = {number for number, table in enumerate(plan.tables) if graph in table.graphs}
    if any(plan.tables[number].graphs != (graph,) for number in tables):
        return False
    if any(feed.table in tables for stage in plan.stages for feed in stage.tables):
        return False
    based = (node for node in plan.walk() if isinstance(node, Based))
    if any(node.share for node in based if node.table in tables):
        return False
    return not any(
        is_open(below, {*stage.open})
        for stage in plan.stages
        for node in _above(stage, tables)
        for below in node.inputs
    )


def _above(stage: Stage, tables: Set[int]) -> Iterator[Operator]:
    """The operators that look into some tables."""
    for node in stage.plan.walk():
        if isinstance(node, Operator):
            inputs = (below for below in node.inputs if isinstance(below, Based))
            if any(below.table in tables for below in inputs):
                yield node

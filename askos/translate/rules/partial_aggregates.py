"""Aggregates of aggregates."""

from __future__ import annotations

from askos.algebra import Binding, Count, Group, Max, Min, Ref, Sample, Sum
from askos.algebra.placement import plain_keys
from askos.translate.rules.properties import Variables


def combined(binding: Binding) -> Binding | None:
    """The aggregate that makes the whole from the aggregates of parts; None if none does.

    C-SPARQL 2010, section 5.2, in the sense of distributed databases: COUNT is the SUM of the
    parts' counts, MIN, MAX and SAMPLE are their own.  Holistic are aggregates of DISTINCT values
    and GROUP_CONCAT, which is in term order.  SUM and AVG are so too, for us: of doubles they are
    the exact sum, rounded once, and parts would be rounded before.
    """
    again = Ref(binding.variable)
    match binding.value:
        case Count(distinct=False):
            return Binding(binding.variable, Sum(again))
        case Min() | Max() | Sample() as aggregate:
            return Binding(binding.variable, type(aggregate)(again))
    return None


def combined_group(plan: Group) -> tuple[Binding, ...] | None:
    """The aggregates over the parts of a group; None if some aggregate is holistic, or a key
    is computed."""
    made = tuple(combined(binding) for binding in plan.aggregates)
    if None in made or len(plain_keys(plan)) < len(plan.keys):
        return None
    return tuple(binding for binding in made if binding is not None)


def arguments(plan: Group) -> Variables:
    """The variables that the aggregates use."""
    return Variables().union(*(binding.value.variables for binding in plan.aggregates))

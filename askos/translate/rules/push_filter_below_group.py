"""Filters on group keys, below the grouping."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import AggregateClauses, Filter, Group, Operator
from askos.algebra.placement import plain_keys
from askos.translate.rules.properties import Variables


def push_filter_below_group(plan: Operator) -> Operator:
    """σ_F(γ_{K;f}(A)) = γ_{K;f}(σ_F(A)), if F uses only keys that stand for themselves, and
    there is a key.

    F is then the same for all members of a group: it keeps all or none.  Without keys the one
    group stays, even when F leaves it nothing.  The same for C-SPARQL's aggregates, if every
    clause groups by all variables of F.
    """
    match plan:
        case Filter(f, Group() as group) if group.keys and not f.stamps:
            if f.variables <= plain_keys(group):
                return replace(group, input=Filter(f, group.input))
        case Filter(f, AggregateClauses() as clauses) if not f.stamps:
            if f.variables <= _common_keys(clauses):
                return replace(clauses, input=Filter(f, clauses.input))
    return plan


def _common_keys(plan: AggregateClauses) -> Variables:
    keys = (frozenset(clause.by) for clause in plan.clauses)
    return frozenset.intersection(*keys)

"""Aggregation below joins: towards the streams."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import Binding, Count, Group, Join, Operator, Ref
from askos.algebra.chains import members
from askos.algebra.joins import joined
from askos.algebra.placement import plain_keys
from askos.translate.rules.partial_aggregates import arguments, combined_group
from askos.translate.rules.properties import Variables, is_set, names, reads_streams


def push_group_into_join(plan: Operator) -> Operator:
    """γ_{K;f}(A ⋈ B) = γ_{K−(B−J);f}(A) ⋈ B, if B is a set, binds all its variables, and they
    are keys; else γ_{K;f}(A ⋈ B) = γ_{K;f'}(γ_{(K∩A)∪J;f}(A) ⋈ B), if f can be computed from
    parts by f'.  J are the variables in common: some, and certainly bound in both; f uses those
    of A.  Only where A reads streams and B does not.

    C-SPARQL 2010, section 5.2, section 4 for the parting.  Proof.  First law: a group has one
    value for all variables of B, so its members are merged with one and the same ν of B, once,
    B being a set; what is left of the group is a group of A, any f has the same bag, and there
    is a group exactly where there are members and a ν.  Second: a group of A has one value of
    J, so all its c members meet the same partners, m copies in all; the m rows the inner group
    yields bring c each to the SUM, which is the c·m pairs that COUNT counts, and MIN, MAX and
    SAMPLE do not see copies.  Neither holds for variables of J that may be unbound, by which
    members of one group would meet different partners.
    """
    match plan:
        case Group(input=Join() as join) if len(plain_keys(plan)) == len(plan.keys):
            parts = members(join, Join)
            a = _joined([part for part in parts if reads_streams(part)])
            b = _joined([part for part in parts if not reads_streams(part)])
            return plan if a is None or b is None else _pushed(plan, a, b)
    return plan


def _pushed(plan: Group, a: Operator, b: Operator) -> Operator:
    common, keys = a.variables & b.variables, plain_keys(plan)
    if not common or not common <= a.bound & b.bound or not _uses_only(plan, a, b):
        return plan
    mine = keys - (b.variables - common)
    if b.bound == b.variables <= keys and is_set(b) and names(b) <= b.variables:
        if names(a) & keys <= mine:
            kept = tuple(key for key in plan.keys if key.variable in mine)
            return Join(replace(plan, keys=kept, input=a), b)
        return plan
    return _partially(plan, a, b, (keys & a.variables) | common)


def _partially(plan: Group, a: Operator, b: Operator, mine: Variables) -> Operator:
    made = combined_group(plan)
    results = {binding.variable for binding in plan.aggregates}
    fits = results.isdisjoint(a.variables | b.variables) and names(a) & plain_keys(plan) <= mine
    if made is None or not fits or not results or isinstance(a, Group):
        return plan
    parts = Group(tuple(Binding(v, Ref(v)) for v in sorted(mine)), plan.aggregates, a)
    return replace(plan, aggregates=made, input=Join(parts, b))


def _uses_only(plan: Group, a: Operator, b: Operator) -> bool:
    """Whether the aggregates see of A alone what they see of the pair."""
    stamps = any(binding.value.stamps for binding in plan.aggregates)
    whole = any(binding.value == Count(distinct=True) for binding in plan.aggregates)
    return not stamps and not whole and arguments(plan) & b.variables <= a.bound


def _joined(parts: list[Operator]) -> Operator | None:
    return joined(parts) if parts else None

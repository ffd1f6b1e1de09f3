"""Set semantics above the patterns."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import Distinct, Operator, Pattern


def lift_distinct(plan: Operator) -> Operator:
    """ν(δ(A)) = δ(ν(A)).

    ν is injective on the triples it matches, so equal solutions come from equal triples, and
    of their arrival times the latest remains either way.  Above, fewer elements are compared,
    and the rules for δ over solutions apply.
    """
    match plan:
        case Pattern(input=Distinct(a)):
            return Distinct(replace(plan, input=a))
    return plan

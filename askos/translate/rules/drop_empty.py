"""Branches that no data can fill."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import (
    FALSE,
    AggregateClauses,
    AntiJoin,
    CopyNumber,
    Distinct,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Operator,
    OrderBy,
    Payload,
    Project,
    Reduced,
    SemiJoin,
    Slice,
    Union,
    Window,
)
from askos.translate.rules.properties import is_empty, is_ranked, nothing


def drop_empty(plan: Operator) -> Operator:
    """∅ ⋈ B = ∅, ∅ ∪₊ B = B, A ⟕ ∅ = A, A ∖ ∅ = A, A ⋉ ∅ = ∅, A ▷ ∅ = A, and a mark join
    with ∅ marks nothing of A; ∅ under anything with one input is ∅, but for γ without keys.

    Without keys there is one group at every instant, empty or not.  A projection of ∅ stays as
    it is, also under modifiers, for it names the columns of an answer.
    """
    if plan.payload is not Payload.SOLUTION or isinstance(plan, Project):
        return plan
    kept = _kept(plan)
    if kept is None:
        return nothing(plan)
    # What forgets ranks must not be replaced by what has some.
    return plan if is_ranked(kept) and not is_ranked(plan) else kept


def _kept(plan: Operator) -> Operator | None:
    """What is left of `plan`; None for nothing."""
    match plan:
        case Join(a, b):
            return None if is_empty(a) or is_empty(b) else plan
        case Union(a, b):
            return b if is_empty(a) else a if is_empty(b) else plan
        case LeftJoin(a, b, p) | AntiJoin(a, b, p):
            never = is_empty(b) or p == FALSE
            return None if is_empty(a) else a if never else plan
        case SemiJoin(a, b, p):
            return None if is_empty(a) or is_empty(b) or p == FALSE else plan
        case MarkJoin(a, b, p):
            never = is_empty(b) or p == FALSE
            made = Extend(plan.variable, FALSE, a) if never else plan
            return None if is_empty(a) else made
        case Minus(a, b):
            return None if is_empty(a) else a if is_empty(b) else plan
        case Group(keys, _, a):
            return None if keys and is_empty(a) else plan
        case Distinct(a) | Reduced(a) | OrderBy(_, a):
            return a if is_empty(a) else plan
        case Slice(_, limit, a) if is_empty(a) or limit == 0:
            return replace(a, input=nothing(a)) if isinstance(a, Project) else None
        case Extend(input=a) | CopyNumber(input=a) | AggregateClauses(input=a) | Window(input=a):
            return None if is_empty(a) else plan
        case Filter(input=a) if is_empty(a):
            return None
    return None if is_empty(plan) else plan

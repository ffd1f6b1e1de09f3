"""Partners that change nothing."""

from __future__ import annotations

from askos.algebra import (
    TRUE,
    AntiJoin,
    Extend,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Operator,
    SemiJoin,
)
from askos.translate.rules.properties import is_ranked, is_unit, nothing


def drop_unit(plan: Operator) -> Operator:
    """{μ0} ⋈ A = A ⋈ {μ0} = A, A ⟕ {μ0} = A ⋉ {μ0} = A, A ▷ {μ0} = ∅, and a mark
    join with {μ0} marks all of A; A ∖ B = A if A and B share no variable.

    μ0 binds nothing, so it is everyone's partner, once; MINUS takes away only what shares a
    variable.
    """
    match plan:
        case Join(a, b) if is_unit(a) or is_unit(b):
            kept = b if is_unit(a) else a
        case LeftJoin(a, b, p) | SemiJoin(a, b, p) if is_unit(b) and p == TRUE:
            kept = a
        case AntiJoin(_, b, p) if is_unit(b) and p == TRUE:
            return nothing(plan)
        case MarkJoin(a, b, p) if is_unit(b) and p == TRUE:
            return Extend(plan.variable, TRUE, a)
        case Minus(a, b, by) if a.variables & b.variables <= set(by):
            kept = a
        case _:
            return plan
    return plan if is_ranked(kept) else kept

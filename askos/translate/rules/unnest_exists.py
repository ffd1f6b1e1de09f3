"""EXISTS as a join."""

from __future__ import annotations

from askos.algebra import (
    AntiJoin,
    Distinct,
    Exists,
    Expression,
    Filter,
    Join,
    LeftJoin,
    Not,
    Operator,
    Path,
    Pattern,
    Project,
    SemiJoin,
    Union,
    Values,
    Window,
)
from askos.algebra.expressions.logic import conjunction
from askos.translate.rules.properties import has_exists


def unnest_exists(plan: Operator) -> Operator:
    """σ_{EXISTS σ_p(B)}(A) = A ⋉_p B and σ_{NOT EXISTS σ_p(B)}(A) = A ▷_p B, if B is positive.

    Positive: joins, unions, projections and duplicates of leaves, with filters that use only what
    is bound below them.  There putting in outer values (SPARQL 1.1, 18.6) is the same as being
    compatible with them, for a merged pair is compatible exactly if both its parts are.  p may
    see outer values too, and so does the condition of the join.  Not positive are OPTIONAL,
    MINUS, groups, BIND, and paths of zero length, which may start at an outer value that no graph
    has.  EXISTS {A OPTIONAL B} is EXISTS {A}.
    """
    match plan:
        case Filter(Exists(LeftJoin(b)), a):
            return unnest_exists(Filter(Exists(b), a))
        case Filter(Not(Exists(LeftJoin(b))), a):
            return unnest_exists(Filter(Not(Exists(b)), a))
        case Filter(Exists(pattern), a):
            partner = pair(pattern)
            return SemiJoin(a, *partner) if partner else plan
        case Filter(Not(Exists(pattern)), a):
            partner = pair(pattern)
            return AntiJoin(a, *partner) if partner else plan
    return plan


def pair(pattern: Operator) -> tuple[Operator, Expression] | None:
    """The partner and the condition; None where EXISTS is no join."""
    while isinstance(pattern, LeftJoin):
        pattern = pattern.left
    conditions: list[Expression] = []
    while isinstance(pattern, Filter) and not is_positive(pattern):
        conditions.append(pattern.condition)
        pattern = pattern.input
    if any(map(has_exists, conditions)) or not is_positive(pattern):
        return None
    return pattern, conjunction(conditions)


def is_positive(plan: Operator) -> bool:
    """Whether restricting the leaves to outer values is restricting the result to them."""
    match plan:
        case Pattern() | Window() | Values():
            return True
        case Path(path=path):
            return not path.nullable
        case Join(a, b) | Union(a, b):
            return is_positive(a) and is_positive(b)
        case Distinct(a) | Project(_, a):
            return is_positive(a)
        case Filter(p, a) if p.variables <= a.bound and not p.stamps and not has_exists(p):
            return is_positive(a)
    return False

"""OPTIONAL that must fail."""

from __future__ import annotations

from askos.algebra import AntiJoin, Bound, Exists, Filter, LeftJoin, Not, Operator


def prefer_antijoin(plan: Operator) -> Operator:
    """σ_¬bound(x)(A ⟕_p B) = A ▷_p B, if every solution of B binds x, and A never does.

    So SPARQL 1.0 says what NOT EXISTS says now.  An anti-join joins no pairs, and keeps of B only
    what pairs are told by.  Not inside EXISTS: there a value from outside may take the place of x.
    """
    asked = (node.pattern for node in plan.walk() if isinstance(node, Exists))
    inside = {id(node) for pattern in asked for node in pattern.walk()}

    def preferred(node: Operator) -> Operator:
        match node:
            case Filter(Not(Bound(x)), LeftJoin(a, b, p)) if (
                x in b.bound - a.variables and id(node) not in inside
            ):
                return AntiJoin(a, b, p)
        return node

    return plan.transform(preferred)

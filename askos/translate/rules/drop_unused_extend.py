"""Values nobody asks for."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import Ask, Extend, Group, Operator, Project
from askos.translate.rules.properties import Variables, is_ranked
from askos.translate.rules.push_projection import used_by


def drop_unused_extend(plan: Operator) -> Operator:
    """π_V(extend_{x := e}(A)) = π_V(A), if ?x is not in V; the same under γ if no key and no
    aggregate uses ?x, and under ASK.

    COUNT(DISTINCT *) uses every variable.  An error of e is no reason to keep it: it would
    leave ?x unbound, and nothing else.
    """
    match plan:
        case Project(columns, Extend() as extend):
            return _without(plan, extend, frozenset(columns))
        case Group(input=Extend() as extend):
            used = used_by(plan)
            return plan if used is None else _without(plan, extend, used)
        case Ask(Extend() as extend):
            return _without(plan, extend, frozenset())
    return plan


def _without(plan: Project | Group | Ask, extend: Extend, used: Variables) -> Operator:
    if extend.variable in used or is_ranked(extend.input):
        return plan
    return drop_unused_extend(replace(plan, input=extend.input))

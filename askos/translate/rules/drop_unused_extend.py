"""Values nobody asks for."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import Ask, Extend, Group, MarkJoin, Operator, Project
from askos.translate.rules.properties import Variables, is_ranked
from askos.translate.rules.push_projection import used_by


def drop_unused_extend(plan: Operator) -> Operator:
    """π_V(extend_{x := e}(A)) = π_V(A), if ?x is not in V; the same under γ if no key and no
    aggregate uses ?x, and under ASK; the same for the mark of a mark join.

    COUNT(DISTINCT *) uses every variable.  An error of e is no reason to keep it: it would
    leave ?x unbound, and nothing else.
    """
    match plan:
        case Project(columns, (Extend() | MarkJoin()) as made):
            return _without(plan, made, frozenset(columns))
        case Group(input=(Extend() | MarkJoin()) as made):
            used = used_by(plan)
            return plan if used is None else _without(plan, made, used)
        case Ask((Extend() | MarkJoin()) as made):
            return _without(plan, made, frozenset())
    return plan


def _without(plan: Project | Group | Ask, made: Extend | MarkJoin, used: Variables) -> Operator:
    below = made.input if isinstance(made, Extend) else made.left
    if made.variable in used or is_ranked(below):
        return plan
    return drop_unused_extend(replace(plan, input=below))

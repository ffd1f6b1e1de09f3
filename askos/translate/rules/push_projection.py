"""Variables nobody above needs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from askos.algebra import (
    AggregateClauses,
    Clause,
    Count,
    Expression,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    Operator,
    Project,
    Union,
)
from askos.translate.rules.properties import Variables, names


def push_projection(plan: Operator) -> Operator:
    """π_V(A ⋈ B) = π_V(π_N(A) ⋈ B), if N holds the variables of A that are in V or in B; the
    same for the right side, for ⟕ and filters and BIND above it, if N also holds the variables
    of their expressions, for ∪₊, and for C-SPARQL's aggregates.  γ_{K;f}(A) = γ_{K;f}(π_N(A)), if
    N holds the variables of K and f.

    C-SPARQL 2010, section 5.1: streams are bags, and a projection keeps multiplicities.  Only
    where a projection or a group above hides a variable anyway: so EXISTS, which a projection
    keeps out, notices nothing.  Not below δ, slices, copy numbers and COUNT(DISTINCT *), which
    compare whole solutions; not below timestamp(), for arrival times end at a projection.
    """
    match plan:
        case Project(columns, a):
            below = _Narrowing().narrowed(a, frozenset(columns), frozenset(columns))
        case Group(input=a):
            used = used_by(plan)
            below = a if used is None else _Narrowing().narrow(a, used, plan.variables)
        case _:
            return plan
    return plan if below is a else replace(plan, input=below)


def used_by(plan: Group) -> Variables | None:
    """The variables that keys and aggregates use; None if they use whole solutions, or arrival
    times."""
    used = Variables()
    for binding in plan.keys + plan.aggregates:
        if binding.value.stamps or binding.value == Count(distinct=True):
            return None
        used |= binding.value.variables
    return used


def _used_by_clauses(clauses: tuple[Clause, ...]) -> Variables | None:
    used = Variables()
    for clause in clauses:
        if clause.aggregate.stamps or clause.aggregate == Count(distinct=True):
            return None
        used |= clause.aggregate.variables.union(clause.by)
    return used


# Not leaves: a filter on a leaf stays on it, below the projection.
_PASSED = (Join, LeftJoin, Union, Filter, Extend, AggregateClauses)


@dataclass(slots=True)
class _Narrowing:
    """Projections on the way down a plan; remembers what is asked of each part again and again."""

    seen: dict[int, tuple[Operator, Variables, Variables]] = field(default_factory=dict)

    def facts(self, plan: Operator) -> tuple[Operator, Variables, Variables]:
        """The plan, so that its identity stays its own; what it may bind; what it mentions."""
        if id(plan) not in self.seen:
            match plan:
                case Join(a, b) | Union(a, b):
                    _, mine, named = self.facts(a)
                    _, theirs, others = self.facts(b)
                    self.seen[id(plan)] = plan, mine | theirs, named | others
                case _:
                    self.seen[id(plan)] = plan, plan.variables, names(plan)
        return self.seen[id(plan)]

    def narrow(self, plan: Operator, needed: Variables, outer: Variables) -> Operator:
        """π of the `needed` variables of `plan`, pushed on; `plan` if it would hide nothing.

        `outer` are the variables that EXISTS could put in here: none may be kept out.
        """
        _, variables, named = self.facts(plan)
        kept = variables & needed
        if kept == variables or not named & outer <= kept:
            return self.narrowed(plan, needed, outer)
        if isinstance(plan, Project):
            columns = tuple(v for v in plan.columns if v in kept)
            return Project(columns, self.narrowed(plan.input, kept, outer & kept))
        return Project(tuple(sorted(kept)), self.narrowed(plan, kept, outer & kept))

    def narrowed(self, plan: Operator, needed: Variables, outer: Variables) -> Operator:
        """`plan` with projections below it, where only the `needed` variables are looked at."""
        match plan:
            case Join():
                return self.sides(plan, needed, outer)
            case LeftJoin(condition=p) if not p.stamps:
                return self.sides(plan, needed | p.variables, outer)
            case Union(a, b):
                left, right = self.narrow(a, needed, outer), self.narrow(b, needed, outer)
                return plan if left is a and right is b else Union(left, right)
            case AggregateClauses(clauses, a):
                used = _used_by_clauses(clauses)
                below = a if used is None else self.narrow(a, needed | used, outer)
                return plan if below is a else replace(plan, input=below)
            case Filter(f, a) if isinstance(a, _PASSED):
                return self.past(plan, f, a, needed, outer)
            case Extend(v, e, a) if isinstance(a, _PASSED):
                return self.past(plan, e, a, needed - {v}, outer)
        return plan

    def sides(self, plan: Join | LeftJoin, needed: Variables, outer: Variables) -> Operator:
        """Both sides keep what they have in common."""
        a, b = plan.left, plan.right
        needed |= self.facts(a)[1] & self.facts(b)[1]
        left, right = self.narrow(a, needed, outer), self.narrow(b, needed, outer)
        return plan if left is a and right is b else replace(plan, left=left, right=right)

    def past(
        self,
        plan: Filter | Extend,
        used: Expression,
        a: Operator,
        needed: Variables,
        outer: Variables,
    ) -> Operator:
        """Past an expression: what it uses is needed below it."""
        if used.stamps:
            return plan
        below = self.narrowed(a, needed | used.variables, outer)
        return plan if below is a else replace(plan, input=below)

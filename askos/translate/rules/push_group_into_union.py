"""Aggregation below UNION."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import (
    AggregateClauses,
    AntiJoin,
    Constant,
    CopyNumber,
    Distinct,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Max,
    Min,
    Minus,
    Operator,
    OrderBy,
    Project,
    Reduced,
    SemiJoin,
    Slice,
    Union,
    Values,
)
from askos.algebra.chains import chained, members
from askos.algebra.placement import plain_keys
from askos.terms import Term, Variable
from askos.translate.exchanges import exchanges
from askos.translate.rules.partial_aggregates import combined_group
from askos.translate.rules.properties import Variables


def push_group_into_union(plan: Operator) -> Operator:
    """γ_{K;f}(A ∪₊ B) = γ_{K;f}(A) ∪₊ γ_{K;f}(B), if some key never has the same value in A
    and B; else γ_{K;f}(A ∪₊ B) = γ_{K;f'}(γ_{K;f}(A) ∪₊ γ_{K;f}(B)), if A and B read different
    sources and f can be computed from parts by f'.

    C-SPARQL 2010, section 5.2.  *Totally distributable*: a group lies in one branch as a whole,
    as with GRAPH ?market and GROUP BY ?market; any aggregate will do, C-SPARQL's own clauses
    included.  *Partially distributable*: COUNT and SAMPLE; MIN and MAX if there are keys, since
    without any an empty branch has a group too, whose unbound MIN would be an error in the
    whole.  An error in a part leaves it unbound, and so is the whole, as it would be.  All
    other aggregates are *not distributable*: see `partial_aggregates`.
    """
    match plan:
        case Group(input=Union() as union) if plan.keys or plan.aggregates:
            branches = members(union, Union)
            if _are_apart(branches, plain_keys(plan)):
                return _no_harder(_each(plan, branches), plan)
            return _partially(plan, branches)
        case AggregateClauses(clauses, Union() as union):
            branches = members(union, Union)
            if all(_are_apart(branches, frozenset(clause.by)) for clause in clauses):
                return _each(plan, branches)
    return plan


def _partially(plan: Group, branches: list[Operator]) -> Operator:
    made = combined_group(plan)
    empty_matters = any(isinstance(b.value, Min | Max) for b in plan.aggregates)
    if made is None or (empty_matters and not plan.keys):
        return plan
    sources = [set(branch.sources) for branch in branches]
    separate = sum(map(len, sources)) == len(set().union(*sources)) and all(sources)
    if not separate or any(isinstance(branch, Group) for branch in branches):
        return plan
    parts = _each(plan, branches)
    return _no_harder(replace(plan, aggregates=made, input=parts), plan)


def _each(plan: Group | AggregateClauses, branches: list[Operator]) -> Operator:
    """The union of what `plan` makes of each branch."""
    made: list[Operator] = [replace(plan, input=branch) for branch in branches]
    return chained(Union, made)


def _no_harder(new: Operator, old: Operator) -> Operator:
    return new if exchanges(new) <= exchanges(old) else old


def _are_apart(branches: list[Operator], keys: Variables) -> bool:
    """Whether some key has other values in every branch."""
    for key in keys:
        values = [constants(branch, key) for branch in branches]
        known = [terms for terms in values if terms is not None]
        if len(known) == len(values) and sum(map(len, known)) == len(set().union(*known)):
            return True
    return False


def constants(plan: Operator, variable: Variable) -> frozenset[Term] | None:
    """The terms of which every solution binds `variable` to one; None if they are not known."""
    match plan:
        case Values(columns, rows) if variable in columns:
            terms = {row[columns.index(variable)] for row in rows}
            return None if None in terms else frozenset(term for term in terms if term)
        case Extend(made, Constant(term)) if made == variable:
            return frozenset({term})
        case Join(a, b):
            left, right = constants(a, variable), constants(b, variable)
            return right if left is None else left if right is None else left & right
        case Union(a, b):
            left, right = constants(a, variable), constants(b, variable)
            return None if left is None or right is None else left | right
        case Project(columns, a) if variable in columns:
            return constants(a, variable)
        case Filter(input=a) | Extend(input=a) | CopyNumber(input=a) | Distinct(input=a):
            return constants(a, variable)
        case Reduced(input=a) | OrderBy(input=a) | Slice(input=a):
            return constants(a, variable)
        case LeftJoin(left=a) | SemiJoin(left=a) | AntiJoin(left=a) | Minus(left=a):
            return constants(a, variable)
        case MarkJoin(left=a) if variable != plan.variable:
            return constants(a, variable)
        case Group(input=a) if variable in plain_keys(plan):
            return constants(a, variable)
    return None

"""Groups over joins that need none of the join's pairs."""

from __future__ import annotations

from typing import Final, NamedTuple

from askos.algebra import Aggregate, Distinct, Group, GroupConcat, Join, Operator, Project
from askos.algebra.chains import members
from askos.algebra.expressions.call import Keyed
from askos.algebra.placement import plain_keys
from askos.physical.nodes import side_of
from askos.terms import Variable

_MANY: Final = 4
"""How many rows share a key, where nothing is known: a subject has few triples of a predicate."""


class Factored(NamedTuple):
    """The inputs of the joins below a group, and the variables that all of them share."""

    inputs: tuple[Operator, ...]
    shared: tuple[Variable, ...]


def factored(plan: Group) -> Factored | None:
    """γ_{K;f}(A ⋈ B ⋈ …) as partial groups of each input, if it can be had so.

    All variables that two of the inputs share are J: each input certainly binds them, so partners
    have equal J; they are keys, so that a group of pairs is all pairs of a group of A and a group
    of B.  Every f looks at one input, and depends on no more than its values and how often each
    occurs.  Nothing stands between group and joins but projections.
    """
    below, seen = _below(plan)
    if not isinstance(below, Join) or len(plain_keys(plan)) < len(plan.keys):
        return None
    parts = tuple(members(below, Join))
    names = [v for part in parts for v in part.variables]
    shared = frozenset(v for v in names if names.count(v) > 1)
    keys = plain_keys(plan)
    known = shared and shared <= keys <= seen & frozenset(names)
    if not known or not all(shared <= part.bound for part in parts):
        return None
    made = [binding.value for binding in plan.aggregates if isinstance(binding.value, Aggregate)]
    if not all(_is_partial(each, parts, seen) for each in made):
        return None
    return Factored(parts, tuple(sorted(shared)))


def pairs_a_row(found: Factored) -> int:
    """How many partners a row may have, by a guess: the rows of a key in all inputs but one, one
    where an input is a set of nothing else."""
    several = [part for part in found.inputs if not _is_single(part, frozenset(found.shared))]
    return int(_MANY ** max(len(several) - 1, 0))


def _below(plan: Group) -> tuple[Operator, frozenset[Variable]]:
    """What a group is over, without projections, and what of it they let the group see."""
    below, seen = plan.input, plan.input.variables
    while isinstance(below, Project):
        below = below.input
        seen &= below.variables
    return below, frozenset(seen)


def _is_partial(
    aggregate: Aggregate, parts: tuple[Operator, ...], seen: frozenset[Variable]
) -> bool:
    """Whether an aggregate of pairs follows from one of the inputs, and from how many pairs
    there are."""
    if aggregate.stamps or any(isinstance(node, Keyed) for node in aggregate.walk()):
        return False
    if aggregate.expression is None:
        return not aggregate.distinct
    if isinstance(aggregate, GroupConcat) and not aggregate.distinct:
        return False
    return aggregate.variables <= seen and side_of(aggregate, parts) is not None


def _is_single(plan: Operator, key: frozenset[Variable]) -> bool:
    """Whether a key surely has one row at any instant."""
    return isinstance(plan, Distinct | Group) and plan.variables <= key

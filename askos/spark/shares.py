"""Stages of several queries that run in the same buckets, for what they have in common.

Operators in common are one there, and have one state.  What enters them is sent once: to the first
of the stages that wants it, and the others have it from there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from askos.physical import PhysicalPlan
from askos.physical.sharing import Numbered, Sharing, shared

Groups: TypeAlias = tuple[tuple[int, ...], ...]
"""Stages that share, by their numbers among those of all queries."""
Entrance: TypeAlias = tuple[int, int]
"""The port of a stage."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Who runs in whose buckets: of each stage that is a guest, its `homes`; and which entrances
    get what is sent to another one, `copied` by that."""

    homes: Mapping[int, int] = field(default_factory=dict)
    copied: Mapping[Entrance, tuple[Entrance, ...]] = field(default_factory=dict)
    unsent: frozenset[Entrance] = frozenset()

    @classmethod
    def of(cls, groups: Groups, stages: Sequence[Numbered]) -> Shares:
        """As a checkpoint remembers it."""
        homes, copied = dict[int, int](), dict[Entrance, tuple[Entrance, ...]]()
        for first, *others in groups:
            homes |= dict.fromkeys(others, first)
            equal: dict[int, list[Entrance]] = {}
            for stage in (first, *others):
                for port, number in stages[stage].ports.items():
                    equal.setdefault(number, []).append((stage, port))
            copied |= {one: tuple(rest) for one, *rest in equal.values() if rest}
        return cls(homes, copied, frozenset(each for rest in copied.values() for each in rest))


NO_SHARES: Final = Shares()


def numbered(plans: Iterable[tuple[PhysicalPlan, Hashable]], buckets: int) -> list[Numbered]:
    """The stages of all queries, in their order; beside each plan stand the names of its tables."""
    sharing = Sharing(buckets)
    return [stage for plan, tables in plans for stage in sharing.stages(plan, tables)]


def groups_of(stages: Sequence[Numbered]) -> Groups:
    """Which stages are to share buckets: those that have state in common.

    A stage alone has less to send, and its buckets are further tasks; so where there is nothing but
    operators without state in common, each has its own.
    """
    places = {id(stage): place for place, stage in enumerate(stages)}
    found = ([places[id(stage)] for stage in group] for group in shared(stages))
    return tuple(sorted(tuple(sorted(group)) for group in found))

"""How the joins of a stage run: by columns or one by one, by key or all pairs, in a fixed order or
in one that adapts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import TypeGuard

from askos.algebra import TRUE, Join, LeftJoin, Node, Operator
from askos.physical import estimates
from askos.physical.choices import Chooser, Option, Way
from askos.physical.ends import is_open
from askos.physical.merge import Pairing
from askos.physical.nodes import AdaptiveJoin, OrderedJoin, OrderedLeftJoin, ScanJoin
from askos.physical.plan import Based


@dataclass(frozen=True, slots=True)
class Arranging:
    """Chooses for the joins of a stage; `ports` are those through which open ends come.

    Joins directly above one another are chosen for together.  By columns it is where there is no
    other way: beside a table, which is probed by columns, under a condition, which is evaluated so,
    and for left joins with open ends.
    """

    ports: Set[int]
    chooser: Chooser

    def __call__(self, plan: Operator) -> Operator:
        """The plan of the stage, with its joins as they are to run."""
        if _is_free(plan):
            leaves = list(_leaves(plan))
            way = self.chooser.choose(_named(leaves), list(self._options(plan, leaves)))
            return self._joined(plan, way)
        if isinstance(plan, LeftJoin) and self._may_be_ordered(plan):
            options = estimates.joins(2, self.chooser.rows, keyed=True, ordered=True)
            columnar = [option for option in options if option.way is not Way.SCAN]
            if self.chooser.choose("LeftJoin", columnar) is Way.ORDERED:
                return OrderedLeftJoin(self(plan.left), self(plan.right))
        return over_inputs(plan, self)

    def _options(self, plan: Join, leaves: Sequence[Operator]) -> Iterator[Option]:
        keys = {Pairing.of(join.left, join.right).key for join in _joins(plan)}
        return estimates.joins(
            len(leaves),
            self.chooser.rows,
            keyed=keys != {()},
            ordered=not is_open(plan, self.ports),
            star=keys == {AdaptiveJoin(tuple(leaves)).key} != {()},
        )

    def _joined(self, plan: Operator, way: Way) -> Operator:
        """A tree of joins, all of them one way."""
        if not _is_free(plan):
            return self(plan)
        if way is Way.ADAPTIVE:
            return AdaptiveJoin(tuple(self(leaf) for leaf in _leaves(plan)))
        kind = {Way.ORDERED: OrderedJoin, Way.SCAN: ScanJoin}.get(way, Join)
        return kind(self._joined(plan.left, way), self._joined(plan.right, way))

    def _may_be_ordered(self, plan: LeftJoin) -> bool:
        based = any(isinstance(below, Based) for below in plan.inputs)
        open_ends = any(is_open(below, self.ports) for below in plan.inputs)
        return plan.condition == TRUE and not based and not open_ends


def _is_free(plan: Operator) -> TypeGuard[Join]:
    """Whether a join is one of what comes alone: no table stands below."""
    return isinstance(plan, Join) and not any(isinstance(b, Based) for b in plan.inputs)


def _leaves(plan: Operator) -> Iterator[Operator]:
    """What a tree of joins is over, from left to right."""
    if not _is_free(plan):
        yield plan
        return
    for below in plan.inputs:
        yield from _leaves(below)


def _joins(plan: Operator) -> Iterator[Join]:
    """The joins of such a tree."""
    if _is_free(plan):
        yield plan
        for below in plan.inputs:
            yield from _joins(below)


def _named(leaves: Sequence[Operator]) -> str:
    return "Join" if len(leaves) == 2 else f"Join of {len(leaves)} inputs"


def over_inputs(plan: Operator, change: Callable[[Operator], Operator]) -> Operator:
    """A plan over changed inputs; what it evaluates by itself, as a Snapshot does, stays."""
    inputs = {id(below) for below in plan.inputs}

    def changed(child: Node) -> Node:
        return change(child) if isinstance(child, Operator) and id(child) in inputs else child

    return plan.map_children(changed)

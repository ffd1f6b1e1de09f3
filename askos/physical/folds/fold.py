"""What an aggregate is asked to do between one cut and the next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from askos.columns.batch import Batch
from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids
from askos.columns.slots import Slots


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What happened to the groups: `moved` elements, first those that started and then, from
    `begun` on, those that ended; the group of each, and the slot in which it comes or goes.  Groups
    that were there before have the numbers that they had at the end of the last step.  `signs` are
    1 for those that started and -1 for those that ended, `size` is how many elements a group has in
    every slot."""

    until: int
    cut: int
    slots: Slots
    moved: Batch
    begun: int
    group: Ids
    slot: Ids
    signs: Ids
    size: Ids

    @property
    def started(self) -> Batch:
        """The elements that started."""
        return self.moved.slice(0, self.begun)


class Fold(ABC):
    """One aggregate of every group."""

    @abstractmethod
    def step(self, step: Step, told: Ids) -> tuple[Ids, Dictionary]:
        """Its value in the slots `told`: ids, 0 where it has none."""

    @abstractmethod
    def keep(self, groups: Ids, number: Ids) -> None:
        """Only these groups are left, and `number` says what each is from now on."""

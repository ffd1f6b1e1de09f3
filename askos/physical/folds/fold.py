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
    """What happened to the groups: elements that started and elements that ended, the number of the
    group of each, and the slots that follow.  Groups that were there before have the numbers that
    they had at the end of the last step."""

    until: int
    cut: int
    slots: Slots
    started: Batch
    started_group: Ids
    ended: Batch
    ended_group: Ids


class Fold(ABC):
    """One aggregate of every group."""

    @abstractmethod
    def step(self, step: Step, told: Ids) -> tuple[Ids, Dictionary]:
        """Its value in the slots `told`: ids, 0 where it has none."""

    @abstractmethod
    def keep(self, groups: Ids, number: Ids) -> None:
        """Only these groups are left, and `number` says what each is from now on."""

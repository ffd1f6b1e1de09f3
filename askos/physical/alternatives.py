"""Physical plans to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from askos.algebra import Clock, Operator, Report
from askos.errors import QueryError
from askos.physical.building import planned
from askos.physical.choices import KINDS, Choices, Taken, Way
from askos.physical.plan import PhysicalPlan
from askos.terms import Variable

CHEAPEST: Final = "cheapest"
"""The plan whose every choice is as its cost says, where no other name says it all."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A physical plan that is considered: by which choices it comes about, and why these."""

    name: str
    choices: Choices
    plan: PhysicalPlan
    taken: tuple[Taken, ...]

    @property
    def cost(self) -> float:
        """Of a batch, in microseconds, by estimate: of all that there was to choose."""
        return sum(taken.option.cost for taken in self.taken)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why each choice was made, each once."""
        return tuple(dict.fromkeys(str(taken) for taken in self.taken if taken.others))


def build(
    plan: Operator,
    report: Report | None = None,
    columns: tuple[Variable, ...] | None = None,
    clock: Clock | None = None,
    rows: int | None = None,
    chosen: int | str | None = None,
) -> PhysicalPlan:
    """The cheapest of the `alternatives`, or the one that is `chosen`: by its number or its name,
    or by words that are to be true of it, as `hash`."""
    if chosen is None:
        return planned(plan, report, columns, clock, rows)[0]
    if isinstance(chosen, int):
        return _numbered(chosen, alternatives(plan, report, columns, clock, rows))
    choices = Choices() if chosen == CHEAPEST else Choices.named(chosen)
    built, _ = planned(plan, report, columns, clock, rows, choices)
    for way in choices.ways:
        if way not in built.ways:
            found = alternatives(plan, report, columns, clock, rows)
            raise QueryError(f"plan {chosen!r}: nothing in it can be {way}", hint=_listed(found))
    return built


def _numbered(number: int, found: list[Alternative]) -> PhysicalPlan:
    if not 1 <= number <= len(found):
        raise QueryError(f"there is no plan {number}", hint=_listed(found))
    return found[number - 1].plan


def _listed(found: list[Alternative]) -> str:
    return ", ".join(f"{number} is {one.name}" for number, one in enumerate(found, 1))


def alternatives(
    plan: Operator,
    report: Report | None = None,
    columns: tuple[Variable, ...] | None = None,
    clock: Clock | None = None,
    rows: int | None = None,
) -> list[Alternative]:
    """The physical plans of a logical one, the cheapest first; `build` says what the rest means.

    Streaming SPARQL, section 6, has one physical operator for each of the logical algebra; its
    engine, ODYSSEUS, makes a set of physical plans, and takes the cheapest.  So do we.  Each plan
    takes one way of a kind wherever it can; where costs say otherwise of parts of the plan, that is
    one more.
    """
    found: dict[PhysicalPlan, Alternative] = {}
    for choices in _combinations():
        built, taken = planned(plan, report, columns, clock, rows, choices)
        kept = Choices(tuple(_kept(choices, built)))
        name = "+".join(kept.ways) or CHEAPEST
        found.setdefault(built, Alternative(name, kept, built, taken))
    built, taken = planned(plan, report, columns, clock, rows)
    found.setdefault(built, Alternative(CHEAPEST, Choices(), built, taken))
    return sorted(found.values(), key=lambda one: (one.cost, one.plan is not found[built].plan))


def _kept(choices: Choices, built: PhysicalPlan) -> Iterator[Way]:
    """The choices that matter: of each kind the way that was wanted, or the only one there was."""
    for ways in KINDS.values():
        taken = [way for way in ways if way in built.ways]
        wanted = [way for way in taken if way in choices.ways]
        yield from wanted or (taken if len(taken) == 1 else [])


def _combinations() -> Iterator[Choices]:
    """One way of each kind."""
    for ways in product(*KINDS.values()):
        yield Choices(tuple(way for way in Way if way in ways))

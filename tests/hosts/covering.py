"""Covering arrays: few rows in which every pair, or triple, of valid choices occurs.

After Cohen et al., The AETG System (1997): greedily, each row begins with a tuple of choices that
no row has yet, and takes for every other factor the choice that brings the most new tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from random import Random
from typing import TypeAlias

Row: TypeAlias = dict[str, str]
Tuple: TypeAlias = tuple[tuple[str, str], ...]
"""Choices of some factors, in the order of the factors."""


@dataclass(frozen=True)
class Exclusion:
    """Choices of two factors that do not go together, and why."""

    first: str
    second: str
    excludes: Callable[[str, str], bool]
    reason: str

    def forbids(self, row: Mapping[str, str]) -> bool:
        if self.first not in row or self.second not in row:
            return False
        return self.excludes(row[self.first], row[self.second])


@dataclass(frozen=True)
class Space:
    """Factors with their choices, and what of their product is excluded."""

    factors: Mapping[str, Sequence[str]]
    exclusions: Sequence[Exclusion] = ()

    def allows(self, row: Mapping[str, str]) -> bool:
        """Whether nothing forbids what is chosen so far."""
        return not any(exclusion.forbids(row) for exclusion in self.exclusions)

    def completions(self, row: Row) -> Iterator[Row]:
        """All rows with these choices."""
        free = next((name for name in self.factors if name not in row), None)
        if free is None:
            yield row
            return
        for choice in self.factors[free]:
            larger = {**row, free: choice}
            if self.allows(larger):
                yield from self.completions(larger)

    def possible(self, row: Row) -> bool:
        """Whether some row has these choices."""
        return self.allows(row) and next(self.completions(row), None) is not None

    def tuples(self, strength: int) -> list[Tuple]:
        """All that some row can have."""
        return [
            chosen
            for names in combinations(self.factors, strength)
            for choices in product(*(self.factors[name] for name in names))
            if self.possible(dict(chosen := tuple(zip(names, choices, strict=True))))
        ]

    def of(self, row: Row, strength: int) -> Iterator[Tuple]:
        """All that a row has."""
        yield from combinations(((name, row[name]) for name in self.factors), strength)


def cover(space: Space, strength: int, seed: int = 0) -> list[Row]:
    """Rows in which every possible tuple occurs; the same ones for the same seed."""
    choices = Random(seed)
    missing = dict.fromkeys(space.tuples(strength))
    rows = []
    while missing:
        row = _row(space, dict(next(iter(missing))), missing, strength, choices)
        for chosen in space.of(row, strength):
            missing.pop(chosen, None)
        rows.append(row)
    return rows


def _row(
    space: Space, row: Row, missing: Mapping[Tuple, None], strength: int, choices: Random
) -> Row:
    """What begins with these choices and has as many tuples that are missing as it may."""
    order = [name for name in space.factors if name not in row]
    for name in choices.sample(order, len(order)):
        possible = [c for c in space.factors[name] if space.possible({**row, name: c})]
        shuffled = choices.sample(possible, len(possible))
        row[name] = max(shuffled, key=lambda c: _gain(space, row, name, c, missing, strength))
    return row


def _gain(
    space: Space,
    row: Row,
    name: str,
    choice: str,
    missing: Mapping[Tuple, None],
    strength: int,
) -> int:
    """How many missing tuples the choice brings."""
    known = [other for other in space.factors if other in row or other == name]
    larger = {**row, name: choice}
    return sum(
        tuple((one, larger[one]) for one in names) in missing
        for names in combinations(known, strength)
        if name in names
    )

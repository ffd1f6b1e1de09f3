"""Choices: which of several ways operators run, by what each of them would cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from askos.errors import QueryError


class Way(StrEnum):
    """How something runs; no two kinds of choices share a word, so that words are names."""

    SIMPLE = "simple"
    HASH = "hash"
    COLUMNAR = "columnar"
    SCAN = "scan"
    ORDERED = "ordered"
    ADAPTIVE = "adaptive"
    PLAIN = "plain"
    PANES = "panes"
    PRODUCTS = "products"


KINDS: Final[Mapping[str, tuple[Way, ...]]] = {
    "patterns": (Way.SIMPLE, Way.HASH),
    "joins": (Way.COLUMNAR, Way.SCAN, Way.ORDERED, Way.ADAPTIVE),
    "groups": (Way.PLAIN, Way.PANES, Way.PRODUCTS),
}
"""What there is to choose, and the ways of each."""


@dataclass(frozen=True, slots=True)
class Option:
    """A way to run something, what a batch costs so, in microseconds, and why.

    `below` is what it makes others cost, who choose for themselves.
    """

    way: Way
    cost: float
    why: str
    below: float = 0.0


@dataclass(frozen=True, slots=True)
class Taken:
    """What was chosen for the operators `what`, and what else they could have been."""

    what: str
    option: Option
    others: tuple[Option, ...] = ()

    def __str__(self) -> str:
        """Why, in words; where there was a choice, with what the others would have cost."""
        others = ", ".join(f"{other.way} {_about(other)}" for other in self.others)
        instead = f"; {others}" if others else ""
        return f"{self.what}: {self.option.way}, {_about(self.option)}: {self.option.why}{instead}"


def _about(option: Option) -> str:
    return microseconds(option.cost + option.below)


def microseconds(cost: float) -> str:
    """A cost as people read it."""
    return f"{cost:,.0f} µs"


@dataclass(frozen=True, slots=True)
class Choices:
    """The ways that are to be taken wherever they can be, at most one of a kind; all else is as
    its cost says."""

    ways: tuple[Way, ...] = ()

    @classmethod
    def named(cls, name: str) -> Choices:
        """From words, as in `hash+products`.

        >>> Choices.named("products+hash")
        Choices(ways=(<Way.HASH: 'hash'>, <Way.PRODUCTS: 'products'>))
        """
        words = frozenset(name.split("+"))
        for word in sorted(words - {*Way}):
            raise QueryError(f"plan {name!r}: there is no way {word!r}", hint=_known())
        for kind, ways in KINDS.items():
            asked = [way for way in ways if way in words]
            if len(asked) > 1:
                message = f"plan {name!r}: {' and '.join(asked)} are two ways of the same {kind}"
                raise QueryError(message, hint="name one of them")
        return cls(tuple(way for way in Way if way in words))


def _known() -> str:
    return "; ".join(f"{kind}: {', '.join(ways)}" for kind, ways in KINDS.items())


USUAL: Final = 1_000
"""Rows a batch, where nothing is known."""


@dataclass(slots=True)
class Chooser:
    """Takes the cheapest of the ways that there are, or the one that is wanted; keeps account.

    Costs add up, so the cheapest plan is that of the cheapest ways.
    """

    rows: int = USUAL  # that are expected a batch
    wanted: Choices = field(default_factory=Choices)
    taken: list[Taken] = field(default_factory=list)

    def choose(self, what: str, options: Sequence[Option]) -> Way:
        """One of the ways to run `what`."""
        wanted = (option for option in options if option.way in self.wanted.ways)
        best = next(wanted, min(options, key=lambda option: option.cost + option.below))
        others = tuple(option for option in options if option is not best)
        self.taken.append(Taken(what, best, others))
        return best.way

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways that were taken where there was a choice."""
        return ways_of(self.taken)


def ways_of(taken: Iterable[Taken]) -> tuple[str, ...]:
    """The ways that were taken where there was a choice, each once."""
    chosen = {one.option.way for one in taken if one.others}
    return tuple(way.value for way in Way if way in chosen)

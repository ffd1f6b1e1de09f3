"""What all parts of a query have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Final, NamedTuple


class Position(NamedTuple):
    """Line and column, both from 1."""

    line: int
    column: int


NOWHERE: Final = Position(0, 0)


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a query."""

    at: Position = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    def parts(self) -> list[Node]:
        """The nodes directly below, in the order of the text."""
        found: list[Node] = []
        for name in _names(type(self)):
            value = getattr(self, name)
            if isinstance(value, Node):
                found.append(value)
            elif isinstance(value, tuple):
                _collect(value, found)
        return found

    def walk(self) -> Iterator[Node]:
        """This node and all below, without recursion, in the order of the text."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo += reversed(node.parts())


_NAMES: Final[dict[type[Node], tuple[str, ...]]] = {}


def _names(kind: type[Node]) -> tuple[str, ...]:
    """The fields that nodes may be in; looked up once a class, since trees are walked often."""
    if kind not in _NAMES:
        _NAMES[kind] = tuple(f.name for f in fields(kind) if f.compare)
    return _NAMES[kind]


def _collect(value: tuple[object, ...], found: list[Node]) -> None:
    for member in value:
        if isinstance(member, Node):
            found.append(member)
        elif isinstance(member, tuple):
            _collect(member, found)

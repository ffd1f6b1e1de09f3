"""What the rules share that make joins of EXISTS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Final, TypeVar, cast

from askos.algebra import (
    AggregateClauses,
    Exists,
    Extend,
    Filter,
    Group,
    Keyed,
    Node,
    Operator,
    OrderBy,
    Project,
)
from askos.algebra.placement import streaming
from askos.terms import Variable, anonymous
from askos.translate.rules.properties import names

N = TypeVar("N", bound=Node)

READERS: Final = (Filter, Extend, OrderBy, Group, AggregateClauses)
"""The operators whose expressions see the solutions of their one input."""


class Fresh:
    """Variables that a plan does not mention anywhere, so that no EXISTS can take them for its
    own; their names are no names of a query."""

    def __init__(self, plan: Operator) -> None:
        self._taken = set(names(plan))

    def __call__(self, label: str) -> Variable:
        made = (anonymous(f"#{label}{i}") for i in count(1))
        new = next(variable for variable in made if variable not in self._taken)
        self._taken.add(new)
        return new


def outside_exists(plan: Operator, rule: Callable[[Operator], Operator]) -> Operator:
    """`rule` applied, from the leaves up, to every operator that reads a stream, itself or in its
    EXISTS; not to those inside EXISTS."""
    new: dict[int, Operator] = {}

    def changed(child: Node) -> Node:
        return new.get(id(child), child)

    for node in reversed(streaming_part(plan)):
        if id(node) not in new:
            new[id(node)] = rule(node.map_children(changed))
    return new.get(id(plan), plan)


def streaming_part(plan: Operator) -> list[Operator]:
    """What reads a stream, from the top; with a stack of its own, for plans are deep."""
    streams, found, todo = streaming(plan), list[Operator](), [plan]
    while todo:
        node = todo.pop()
        if id(node) in streams:
            found.append(node)
            todo.extend(node.inputs)
    return found


def own_exists(plan: Operator) -> list[Exists]:
    """The EXISTS in an operator's own expressions, each once; not those inside them."""

    def within(node: Node) -> Iterator[Exists]:
        for child in node.children:
            if isinstance(child, Exists):
                yield child
            elif not isinstance(child, Operator):
                yield from within(child)

    return list(dict.fromkeys(within(plan)))


def replaced(node: N, change: Callable[[Node], Node | None]) -> N:
    """A node with its own expressions changed where `change` knows better, from the top; plans,
    also those inside EXISTS, stay as they are."""
    return node.map_children(
        lambda part: part if isinstance(part, Operator) else changed(part, change)
    )


def changed(part: N, change: Callable[[Node], Node | None]) -> N:
    """The same for an expression, which may itself be changed."""
    new = change(part)
    return replaced(part, change) if new is None else cast(N, new)


def hidden(plan: Operator, kept: Iterable[Variable]) -> Operator:
    """`plan` without variables that are not to be seen above."""
    columns = sorted(kept)
    return plan if plan.variables <= set(columns) else Project(tuple(columns), plan)


def number_of(variables: Iterable[Variable]) -> Keyed:
    """The number of a solution: a keyed hash of what it binds, unbound being a value."""
    return Keyed("STRUUID", (), "EXISTS", tuple(variables))

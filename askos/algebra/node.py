"""Nodes: what plans are made of, and the one traversal every rewrite uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Self, TypeAlias

from askos.errors import require
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class Node:
    """An immutable value, equal by content, whose fields are plain values or further nodes.

    A child is a field that holds a node, or a member of a tuple field.  There is nothing to
    override: the fields say it all.
    """

    @property
    def children(self) -> Iterator[Node]:
        """The direct children, in the order of the fields."""
        for name in parts_of(self):
            value = getattr(self, name)
            if isinstance(value, Node):
                yield value
            elif isinstance(value, tuple):
                yield from (member for member in value if isinstance(member, Node))

    def walk(self) -> Iterator[Node]:
        """This node and everything below it, top down, left to right."""
        todo: list[Node] = [self]
        while todo:
            node = todo.pop()
            yield node
            todo.extend(reversed(list(node.children)))

    def rewrite(self, sort: type[Node], rule: Callable[[Any], Any]) -> Node:
        """Apply `rule` bottom-up to every node of one `sort`; an unchanged subtree stays the
        same object, and an object that occurs twice is rewritten once.

        With a stack of its own: a plan may be deeper than Python's.
        """
        done: dict[int, Node] = {}
        todo: list[tuple[Node, bool]] = [(self, False)]
        while todo:
            node, below_done = todo.pop()
            if not below_done:
                todo.append((node, True))
                below = [(child, False) for child in node.children if id(child) not in done]
                todo.extend(reversed(below))
            elif id(node) not in done:
                new = node.map_children(lambda child: done[id(child)])
                done[id(node)] = rule(new) if isinstance(new, sort) else new
        return done[id(self)]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as a list of nodes: pickle recurses, and a plan may be deeper than its stack."""
        return _unlisted, (_listed(self),)

    def map_children(self, change: Callable[[Node], Node]) -> Self:
        """This node with `change` applied to each child; the same object if none changed."""

        def changed(value: object) -> object:
            if isinstance(value, tuple):
                new = tuple(
                    change(member) if isinstance(member, Node) else member for member in value
                )
                return value if all(a is b for a, b in zip(new, value, strict=True)) else new
            return change(value) if isinstance(value, Node) else value

        old = {name: getattr(self, name) for name in parts_of(self)}
        new = {name: changed(value) for name, value in old.items()}
        return self if all(new[name] is old[name] for name in old) else replace(self, **new)


class _Place(int):
    """Where in a list a node is."""


_Listed: TypeAlias = list[tuple[Any, list[object]]]


def _listed(node: Node) -> _Listed:
    """The node and all below it, each after its children; a child is its place in the list."""
    places: dict[int, _Place] = {}
    found: _Listed = []

    def placed(value: object) -> object:
        if isinstance(value, tuple) and any(isinstance(member, Node) for member in value):
            return tuple(map(placed, value))
        return places[id(value)] if isinstance(value, Node) else value

    todo = [(node, False)]
    while todo:
        one, below_done = todo.pop()
        if id(one) in places:
            continue
        if not below_done:
            todo += [(one, True), *((child, False) for child in one.children)]
            continue
        found.append((type(one), [placed(getattr(one, name)) for name in parts_of(one)]))
        places[id(one)] = _Place(len(found) - 1)
    return found


def _unlisted(listed: _Listed) -> Node:
    """The last node of the list; as pickle does, without checking what was checked."""
    nodes: list[Node] = []

    def found(value: object) -> object:
        if isinstance(value, tuple) and any(isinstance(member, _Place) for member in value):
            return tuple(map(found, value))
        return nodes[value] if isinstance(value, _Place) else value

    for kind, values in listed:
        node = object.__new__(kind)
        for name, value in zip(_parts(kind), values, strict=True):
            object.__setattr__(node, name, found(value))
        nodes.append(node)
    return nodes[-1]


def parts_of(node: Node) -> tuple[str, ...]:
    """The names of the fields of a node."""
    kind: Any = type(node)
    return _parts(kind)


@cache  # asked for every node of every traversal
def _parts(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def check_variable(owner: Node, part: str = "variable") -> None:
    """Refuse the field `part` unless it is a variable."""
    value = getattr(owner, part)
    ok = isinstance(value, Variable)
    require(ok, f"{type(owner).__name__}: {value!r} is not a variable")


def check_variables(owner: Node, part: str) -> tuple[Variable, ...]:
    """The tuple of variables named `part`, refused if it holds anything else or repeats."""
    name, variables = type(owner).__name__, getattr(owner, part)
    ok = isinstance(variables, tuple) and all(isinstance(v, Variable) for v in variables)
    require(ok, f"{name}: {part} must be a tuple of variables, not {variables!r}")
    require(
        len(set(variables)) == len(variables),
        f"{name}: {part} names a variable twice: {' '.join(f'?{v}' for v in variables)}",
    )
    return tuple(variables)

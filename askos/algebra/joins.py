"""Joins of many members: from the left while there are few, balanced once they are many.

⋈ is associative and commutative, so any tree means the same.  But a tree that pairs members as
they come would multiply what has nothing in common.  So every part of a wide join hangs together
by variables, as far as its members do.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TypeAlias

from askos.algebra.chains import WIDE, chained
from askos.algebra.operator import Operator
from askos.algebra.operators.join import Join
from askos.terms import Variable

Place: TypeAlias = int
"""Of a member, among all."""
_Vertex: TypeAlias = Place | Variable
"""A member, or a variable that it mentions."""
_Span: TypeAlias = dict[_Vertex, _Vertex | None]
"""A spanning tree: what each vertex hangs on, None for the root; by breadth, from the root."""
_Mentioned: TypeAlias = Sequence[Sequence[Variable]]
"""The variables of each member."""


def joined(plans: Iterable[Operator]) -> Operator:
    """The join of `plans`, at least one: left-deep in their order, or balanced if they are many.

    Balanced: no inner join is a product unless the whole is one.  The depth is logarithmic, but
    where many members have only one in common, by a variable each: they join it one by one.
    """
    members = list(plans)
    if len(members) <= WIDE:
        return reduce(Join, members)
    mentioned = [sorted(member.variables) for member in members]
    return chained(Join, (_tree(members, mentioned, part) for part in components(mentioned)))


def components(mentioned: _Mentioned) -> list[list[Place]]:
    """The members that hang together by variables, each group in order, by its first."""
    places = range(len(mentioned))
    members = _members(mentioned, places)
    seen: set[_Vertex] = set()
    found = []
    for place in places:
        if place not in seen:
            span = _span(place, mentioned, members)
            seen.update(span)
            found.append(sorted(vertex for vertex in span if isinstance(vertex, int)))
    return found


def _tree(plans: Sequence[Operator], mentioned: _Mentioned, part: list[Place]) -> Operator:
    """The join of members that hang together.

    The spanning tree is cut at its centre, where no branch has more than half of the members.  A
    variable at the centre is in all its branches, so any two can be joined: always the smallest,
    as in Huffman's codes.  A member at the centre is joined by one branch after the other.
    """
    if len(part) == 1:
        return plans[part[0]]
    centre, branches = _cut(mentioned, part)
    trees = [(len(branch), branch[0], _tree(plans, mentioned, branch)) for branch in branches]
    if isinstance(centre, int):
        return reduce(Join, (tree for _, _, tree in sorted(trees)), plans[centre])
    heapq.heapify(trees)
    while len(trees) > 1:
        (size, place, one), (more, other, two) = heapq.heappop(trees), heapq.heappop(trees)
        whole = Join(one, two) if place < other else Join(two, one)
        heapq.heappush(trees, (size + more, min(place, other), whole))
    return trees[0][2]


def _cut(mentioned: _Mentioned, part: list[Place]) -> tuple[_Vertex, list[list[Place]]]:
    """The centre of a spanning tree, and the members of each branch there, also of that which
    leads up from it."""
    span = _span(part[0], mentioned, _members(mentioned, part))
    centre = _centre(span, len(part))
    branch: dict[_Vertex, _Vertex | None] = {}
    found: dict[_Vertex | None, list[Place]] = {}
    for vertex, above in span.items():
        if vertex != centre:
            inherited = None if above is None else branch.get(above)
            branch[vertex] = vertex if above == centre else inherited
            if isinstance(vertex, int):
                found.setdefault(branch[vertex], []).append(vertex)
    return centre, [sorted(places) for places in found.values()]


def _centre(span: _Span, size: int) -> _Vertex:
    """The last vertex that has half of the members below it, itself included."""
    below = {vertex: int(isinstance(vertex, int)) for vertex in span}
    for vertex, above in reversed(span.items()):
        if 2 * below[vertex] >= size:
            return vertex
        assert above is not None, "the root has all members below it"
        below[above] += below[vertex]
    raise AssertionError("there is a root")


def _span(root: Place, mentioned: _Mentioned, members: dict[Variable, list[Place]]) -> _Span:
    span: _Span = {root: None}
    level: list[_Vertex] = [root]
    for vertex in level:
        near: Sequence[_Vertex] = mentioned[vertex] if isinstance(vertex, int) else members[vertex]
        for other in near:
            if other not in span:
                span[other] = vertex
                level.append(other)
    return span


def _members(mentioned: _Mentioned, part: Iterable[Place]) -> dict[Variable, list[Place]]:
    """By variable the members that mention it."""
    found: dict[Variable, list[Place]] = {}
    for place in part:
        for variable in mentioned[place]:
            found.setdefault(variable, []).append(place)
    return found

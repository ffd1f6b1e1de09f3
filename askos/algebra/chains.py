"""Chains of one associative operation: from the left while they are short, balanced once wide.

The papers write A ⋈ B ⋈ C from the left, and so do plans.  But such a chain is as deep as it is
long, and what works on plans recurses: thousands of alternatives would exhaust Python's stack.
Where the operation is associative, a wide chain is a balanced tree instead, of logarithmic depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, Final, TypeVar

N = TypeVar("N")

WIDE: Final = 64
"""How many members a chain has at most that is written from the left."""


def chained(combine: Callable[[N, N], N], members: Iterable[N]) -> N:
    """All members combined, in their order; `combine` is associative.

    >>> chained(lambda a, b: f"({a} {b})", "abc")
    '((a b) c)'
    >>> chained(lambda a, b: max(a, b) + 1, [0] * 1024)  # how deep it is
    10
    """
    todo = list(members)
    if len(todo) <= WIDE:
        return reduce(combine, todo)
    while len(todo) > 1:
        pairs = zip(todo[::2], todo[1::2], strict=False)
        odd = todo[-1:] if len(todo) % 2 else []
        todo = [*(combine(left, right) for left, right in pairs), *odd]
    return todo[0]


def members(node: Any, kind: type) -> list[Any]:
    """What a tree of nodes of one `kind`, each with a left and a right part, combines; from left
    to right, and with a list of its own, for a tree that was built by hand may be deep."""
    found, todo = [], [node]
    while todo:
        part = todo.pop()
        if isinstance(part, kind):
            todo += [part.right, part.left]  # type: ignore[attr-defined]
        else:
            found.append(part)
    return found

"""Windows, in the words of all dialects; lengths are milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from askos.translate.ast.node import Node

if TYPE_CHECKING:
    from askos.translate.ast.expressions import Expression


@dataclass(frozen=True, slots=True)
class TimeWindow(Node):
    """RANGE w SLIDE δ; no slide is CQELS's [RANGE w], which moves with every instant.

    FIXED and TUMBLING are δ = w.
    """

    range: int
    slide: int | None = None


@dataclass(frozen=True, slots=True)
class CountWindow(Node):
    """ELEMS c, TRIPLES n or ELEMENTS n, as of every `step`-th arrival."""

    count: int
    step: int = 1


@dataclass(frozen=True, slots=True)
class NowWindow(Node):
    """CQELS [NOW]"""


@dataclass(frozen=True, slots=True)
class AllWindow(Node):
    """CQELS [ALL]"""


@dataclass(frozen=True, slots=True)
class PastWindow(Node):
    """SPARQLstream [NOW - w TO NOW - v SLIDE δ]; without SLIDE it moves with every instant."""

    start: int
    end: int
    slide: int | None = None


@dataclass(frozen=True, slots=True)
class PredicateWindow(Node):
    """WINDOW START WHEN (e1) END WHEN (e2) WITHIN w"""

    start: Expression
    end: Expression
    within: int | None = None


Window: TypeAlias = (
    "TimeWindow | CountWindow | NowWindow | AllWindow | PastWindow | PredicateWindow"
)

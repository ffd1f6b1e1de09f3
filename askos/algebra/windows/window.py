"""The common ground of all windows."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.operator import Operator, Payload, check_input
from askos.errors import require


@dataclass(frozen=True, slots=True)
class Window(Operator):
    """ω: gives every element the time during which it is valid.

    The one kind of operator that is not snapshot-reducible: it looks at the past.  It takes
    elements as they arrive, triples (a window in FROM) or solutions of one pattern (a window
    in a group); never static data, another window, or a join.
    """

    input: Operator

    def check_raw(self) -> None:
        """Refuse an input that does not pass elements as they arrived."""
        check_input(self, "input", None)
        name, child = type(self).__name__, type(self.input).__name__
        require(
            self.input.raw,
            f"{name}: input must be a stream, or a pattern over streams, but {child} is not",
            "a window goes below joins and groups, and never over static graphs or other windows",
        )

    @property
    def payload(self) -> Payload:
        return self.input.payload

"""The common ground of all physical operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

from askos.columns.batch import Batch
from askos.sweeparea import Base, Fetch, Saved

Progress: TypeAlias = int
"""A watermark: every element with ts below it has been emitted."""

Opened: TypeAlias = Callable[[], Base[Batch]]
"""A base, opened when it is first asked."""


class Operator:
    """Columnar: a batch in, batches out.

    Time arrives by `advance` alone, and no operator reads a clock or starts a thread, so a run
    replays exactly.  No element comes with a ts below the watermark of the last `advance`.
    """

    rests: ClassVar[bool] = True
    """Whether it has nothing to say where nothing has come and the watermark is the last one: not
    who is told of time in other ways as well."""

    def rest_on(self, port: int, base: Opened) -> None:
        """Rows that input `port` has always, beside those that come.  They are no state: whoever
        restores the operator gives them again, before."""
        raise TypeError(f"{type(self).__name__} rests on no table")

    def open_on(self, port: int) -> None:
        """Elements of input `port` may have open ends: see `askos.physical.openends`."""
        raise TypeError(f"{type(self).__name__} wants to know all ends")

    def process(self, port: int, batch: Batch) -> Batch:
        """Take elements from input `port`; give what they lead to at once."""
        raise TypeError(f"{type(self).__name__} takes no input")

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        """All elements with ts < `watermark` have come: give what is decided by that, and a
        watermark for the output."""
        return Batch.empty(), watermark

    def take_switches(self) -> int:
        """How often it went on in another order than before, since it was last asked."""
        return 0

    def snapshot(self) -> Saved[Batch]:
        """The state, as plain data and immutable runs."""
        return Saved()

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        """Continue from what `snapshot` told."""


def combine(parts: dict[str, Saved[Batch]], **more: Any) -> Saved[Batch]:
    """One state from those of several structures, and further plain data."""
    manifest = {name: part.manifest for name, part in parts.items()} | more
    runs = {name: run for part in parts.values() for name, run in part.runs.items()}
    return Saved(manifest, runs)

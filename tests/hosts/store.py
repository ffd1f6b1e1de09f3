"""The state store of Spark, as far as a stage needs it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class State:
    """What the store holds for a bucket of a stage: bytes."""

    manifest: bytes | None = None
    runs: dict[int, bytes] = field(default_factory=dict)

    def copy(self) -> State:
        return State(self.manifest, dict(self.runs))


@dataclass
class _Value:
    """Spark's ValueState, as far as a stage needs it."""

    state: State

    def get(self) -> tuple[bytes] | None:
        return None if self.state.manifest is None else (self.state.manifest,)

    def update(self, value: tuple[bytes]) -> None:
        (self.state.manifest,) = value
        assert isinstance(self.state.manifest, bytes)


@dataclass
class _Map:
    """Spark's MapState."""

    state: State

    def getValue(self, key: tuple[int]) -> tuple[bytes] | None:  # noqa: N802 - Spark's name
        return (self.state.runs[key[0]],) if key[0] in self.state.runs else None

    def updateValue(self, key: tuple[int], value: tuple[bytes]) -> None:  # noqa: N802
        (run,), (data,) = key, value
        assert isinstance(data, bytes)
        assert -(2**63) <= run < 2**63
        self.state.runs[run] = data

    def removeKey(self, key: tuple[int]) -> None:  # noqa: N802 - Spark's name
        del self.state.runs[key[0]]


def handles(state: State) -> tuple[Any, Any]:
    """The two handles a stage has of its state."""
    return _Value(state), _Map(state)

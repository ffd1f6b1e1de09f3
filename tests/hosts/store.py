"""The state store of Spark, as far as a stage needs it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class State:
    """Spark's MapState of a bucket: bytes by number."""

    stored: dict[int, bytes] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.stored))

    @property
    def runs(self) -> dict[int, bytes]:
        """All but the manifest."""
        return {number: data for number, data in self.stored.items() if number >= 0}

    def getValue(self, key: tuple[int]) -> tuple[bytes] | None:  # noqa: N802 - Spark's name
        return (self.stored[key[0]],) if key[0] in self.stored else None

    def updateValue(self, key: tuple[int], value: tuple[bytes]) -> None:  # noqa: N802
        (number,), (data,) = key, value
        assert isinstance(data, bytes)
        assert -(2**63) <= number < 2**63
        self.stored[number] = data

    def removeKey(self, key: tuple[int]) -> None:  # noqa: N802 - Spark's name
        del self.stored[key[0]]

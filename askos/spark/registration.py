"""Queries that join others of their kind while these run: what the control stream tells of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from askos.errors import StreamError

Members: TypeAlias = Mapping[str, Sequence[str]]
"""Queries of one kind, and the constants of each, in N-Triples."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A kind with those who have joined: all its queries, and the names of its tables."""

    members: Members
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Registration:
    """All who have joined so far, by their kind.

    It counts for what arrives from the micro-batch on that hears it.  Numbers grow: of several
    that are heard the last one says all.
    """

    number: int
    kinds: Mapping[str, Joined]

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        kinds = {
            name: {"members": dict(each.members), "tables": list(each.tables)}
            for name, each in self.kinds.items()
        }
        return {"number": self.number, "kinds": kinds}

    @classmethod
    def read(cls, data: Any) -> Registration:
        """What `plain` wrote; StreamError where it cannot have."""
        match data:
            case {"number": int(number), "kinds": dict(kinds)}:
                return cls(number, {name: _joined(each) for name, each in kinds.items()})
        raise StreamError("this tells of no queries that join")


def _joined(data: Any) -> Joined:
    match data:
        case {"members": dict(members), "tables": [*tables]} if all(map(_is_table, tables)):
            if all(map(_are_texts, members.values())):
                return Joined(members, tuple(tables))
    raise StreamError("this tells of no queries of a kind")


def _is_table(name: Any) -> bool:
    """Whether a name cannot be a path to somewhere else."""
    return isinstance(name, str) and name.isalnum()


def _are_texts(constants: Any) -> bool:
    return isinstance(constants, list) and all(isinstance(text, str) for text in constants)

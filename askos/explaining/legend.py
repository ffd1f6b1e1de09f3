"""The key of a picture: what its shapes, colours and lines stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from askos.explaining.graph import Graph, Line, Role
from askos.explaining.scene import NOTE
from askos.explaining.style import FAINT, LINES, STYLES, Shape
from askos.explaining.words import width, write

ROW: Final = 20.0
_SWATCH: Final = 22.0
_NAMED: Final = {Line.EXISTS: "EXISTS"}


@dataclass(frozen=True, slots=True)
class Entry:
    """What is explained, by a role or a line, or by words alone."""

    sign: Role | Line | None
    text: str

    @property
    def width(self) -> float:
        """The room it takes, with some to its right."""
        return (_SWATCH + 6.0 if self.sign else 0.0) + width(self.text, NOTE) + 16.0


def legend(graph: Graph) -> list[Entry]:
    """An entry for whatever the graph has, and for nothing else."""
    roles = {node.role for node in graph.nodes} | {box.role for box in graph.boxes}
    lines = {edge.line for edge in graph.edges}
    entries = [Entry(role, role.value) for role in Role if role in roles]
    entries += [Entry(line, text) for line, text in _NAMED.items() if line in lines]
    if any("(?" in edge.label for edge in graph.edges):
        entries.append(Entry(None, "(?x) may be unbound"))
    return entries


def key(entries: Sequence[Entry], across: float, left: float) -> list[list[str]]:
    """The entries in rows no wider than `across`."""
    rows: list[list[str]] = [[]]
    x = left
    for entry in entries:
        if rows[-1] and x + entry.width > left + across:
            rows.append([])
            x = left
        y = ROW * len(rows)
        rows[-1].append(_drawn(entry, x, y))
        x += entry.width
    return rows


def _drawn(entry: Entry, x: float, y: float) -> str:
    shift = _SWATCH + 6.0 if entry.sign else 0.0
    return _sign(entry.sign, x, y) + write(entry.text, (x + shift, y), NOTE, FAINT)


def _sign(sign: Role | Line | None, x: float, y: float) -> str:
    match sign:
        case Role():
            style = STYLES[sign]
            radius = 6.0 if style.shape is Shape.STADIUM else 3.0
            return (
                f'<rect x="{x:.1f}" y="{y - 10:.1f}" width="{_SWATCH:.0f}" height="12"'
                f' rx="{radius:.0f}" fill="{style.fill}" stroke="{style.stroke}"/>'
            )
        case Line():
            stroke = LINES[sign]
            return (
                f'<path d="M{x:.1f} {y - 4:.1f} h{_SWATCH:.0f}" stroke="{stroke.colour}"'
                f' stroke-width="1.4" stroke-dasharray="{stroke.dashes}"/>'
            )
    return ""

"""How roles look: one palette for every format that draws."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from askos.explaining.graph import Line, Role


class Shape(Enum):
    """The outline of a node."""

    BOX = "box"
    STADIUM = "stadium"


@dataclass(frozen=True, slots=True)
class Style:
    """Fill, border, shape, and whether the title is bold; text is dark on every fill."""

    fill: str
    stroke: str
    shape: Shape = Shape.BOX
    bold: bool = True


PAPER: Final = "#ffffff"
INK: Final = "#1f2933"
FAINT: Final = "#52606d"

STYLES: Final[dict[Role, Style]] = {
    Role.STREAM: Style("#d3eef5", "#0e7490", Shape.STADIUM),
    Role.GRAPH: Style("#e3f2dc", "#4d7c0f", Shape.STADIUM),
    Role.TABLE: Style("#f1eef6", "#7c5ba6", Shape.STADIUM),
    Role.WINDOW: Style("#fde3b8", "#b45309"),
    Role.PATTERN: Style("#e1e9fb", "#3b5bb5"),
    Role.OPERATOR: Style("#f5f7fa", "#616e7c"),
    Role.RESULT: Style("#fbdfe3", "#b02a4c"),
    Role.VARIABLE: Style("#ffffff", "#3b5bb5", Shape.STADIUM, bold=False),
    Role.PROJECTED: Style("#c3d3fa", "#3b5bb5", Shape.STADIUM, bold=False),
    Role.TERM: Style("#ffffff", "#616e7c", bold=False),
    Role.PREDICATE: Style("#f5f7fa", "#9aa5b1", bold=False),
    Role.AGGREGATION: Style("#fdf3f5", "#b02a4c"),
    Role.FUNCTION: Style("#fbdfe3", "#b02a4c", bold=False),
    Role.GROUPING: Style("#fbdfe3", "#b02a4c", bold=False),
}


@dataclass(frozen=True, slots=True)
class Stroke:
    """Colour and dashes of an edge."""

    colour: str
    dashes: str = ""


LINES: Final[dict[Line, Stroke]] = {
    Line.FLOW: Stroke("#7b8794"),
    Line.EXISTS: Stroke("#8b3fb5", "2 4"),
    Line.TRIPLE: Stroke("#7b8794"),
    Line.LINK: Stroke("#b02a4c", "5 4"),
}

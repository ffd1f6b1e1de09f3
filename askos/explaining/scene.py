"""A picture in numbers: how large everything is, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askos.explaining.graph import Box, Edge, Graph, Vertex
from askos.explaining.layers import Pair, ranks
from askos.explaining.layout import Gaps, Layout, Point, Size, lay_out
from askos.explaining.words import width, wrapped

TITLE: Final = 12.0
NOTE: Final = 10.5
LEADING: Final = 1.35
FRAME: Final = 14.0
_PAD: Final = (14.0, 8.0)
_CELLS: Final = 34
_LINES: Final = 4
_DOOR: Final = (8.0, 0.0)
_GAPS: Final = Gaps(across=22.0, along=54.0)


@dataclass(frozen=True, slots=True)
class Figure:
    """A node with its text broken into lines, and the rectangle it fills, by its centre."""

    node: Vertex
    title: tuple[str, ...]
    text: tuple[str, ...]
    notes: tuple[str, ...]
    size: Size
    centre: Point = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Frame:
    """A box with its label broken into lines, and the rectangle it fills."""

    box: Box
    label: tuple[str, ...]
    inside: Layout
    size: Size
    doors: Mapping[Edge, Sequence[Point]]
    centre: Point = (0.0, 0.0)

    @property
    def origin(self) -> Point:
        """Where the corner of its inside stands."""
        x, y = self.centre
        top = y - self.size[1] / 2 + _heading(self.label)
        return x - self.inside.size[0] / 2, top


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything in its place; the sheet begins at (0, 0)."""

    figures: Mapping[str, Figure]
    frames: Mapping[str, Frame]
    routes: Sequence[tuple[Edge, list[Point]]]
    size: Size


def arrange(graph: Graph) -> Scene:
    """Boxes are laid out inside first, then take part outside as if they were nodes."""
    figures = {node.id: _figure(node) for node in graph.nodes}
    rooms = _rooms(graph, figures)
    frames = {box.id: _frame(graph, box, rooms) for box in graph.boxes}
    sizes = {node.id: rooms[node.id] for node in graph.within(None)}
    sizes |= {name: frame.size for name, frame in frames.items()}
    home = {node.id: node.box or node.id for node in graph.nodes}
    pairs = [(home[edge.start], home[edge.end]) for edge in graph.edges]
    outside = lay_out(sizes, pairs, _GAPS, graph.upward)
    frames = {name: replace(f, centre=outside.centres[name]) for name, f in frames.items()}
    figures = {
        name: replace(figure, centre=_centre(figure.node, outside, frames))
        for name, figure in figures.items()
    }
    routes = list(_routes(graph, outside, figures, frames))
    return Scene(figures, frames, routes, outside.size)


def _figure(node: Vertex) -> Figure:
    title = tuple(wrapped(node.title, _CELLS, 2))
    text = tuple(wrapped(node.text, _CELLS, _LINES))
    notes = tuple(line for note in node.notes for line in wrapped(note, _CELLS, 2))
    if len(notes) > 2 * _LINES:
        notes = (*notes[: 2 * _LINES - 1], "…")
    lines = [*((line, TITLE) for line in title + text), *((line, NOTE) for line in notes)]
    across = max(width(line, size) for line, size in lines) + 2 * _PAD[0]
    along = sum(size * LEADING for _, size in lines) + 2 * _PAD[1]
    return Figure(node, title, text, notes, (max(across, 44.0), along))


def _rooms(graph: Graph, figures: Mapping[str, Figure]) -> dict[str, Size]:
    """What each node takes of its rank: the label above it is not to run into its neighbour's."""
    rooms = {name: figure.size for name, figure in figures.items()}
    for edge in graph.edges if graph.upward else ():
        across, along = rooms[edge.start]
        rooms[edge.start] = max(across, width(edge_label(edge), NOTE)), along
    return rooms


def edge_label(edge: Edge) -> str:
    """What is written at an edge, cut to one line."""
    return next(iter(wrapped(edge.label, _CELLS, 1)), "")


def _frame(graph: Graph, box: Box, rooms: Mapping[str, Size]) -> Frame:
    """A box around its nodes.  Edges that cross its border have doors there, so that they pass
    the nodes inside as they pass others: in lanes."""
    names = {node.id: rooms[node.id] for node in graph.within(box.id)}
    pairs = [(e.start, e.end) for e in graph.edges if e.start in names and e.end in names]
    doors = dict(_doors(graph, names, pairs))
    sizes = names | {door: _DOOR for pair in doors.values() for door in pair if door not in names}
    ways = [*pairs, *doors.values()]
    out = {end for _, end in doors.values() if end not in names}
    inside = lay_out(sizes, ways, _GAPS, graph.upward, out)
    label = tuple(wrapped(box.label, _CELLS, 3))
    widest = max((width(line, NOTE) for line in label), default=0.0)
    across = max(inside.size[0], widest) + 2 * FRAME
    size = (across, inside.size[1] + _heading(label) + FRAME)
    return Frame(
        box, label, inside, size, dict(zip(doors, inside.routes[len(pairs) :], strict=True))
    )


def _doors(
    graph: Graph, names: Mapping[str, Size], pairs: Sequence[Pair]
) -> Iterator[tuple[Edge, Pair]]:
    """For each edge that crosses the border to or from behind another rank, its way inside."""
    rank = ranks(list(names), pairs)
    deepest = max(rank.values(), default=0)
    for at, edge in enumerate(graph.edges):
        if edge.start in names and edge.end not in names and rank[edge.start] < deepest:
            yield edge, (edge.start, f"door {at}")
        elif edge.end in names and edge.start not in names and rank[edge.end] > 0:
            yield edge, (f"door {at}", edge.end)


def _heading(label: Sequence[str]) -> float:
    return len(label) * NOTE * LEADING + 1.2 * FRAME


def _centre(node: Vertex, outside: Layout, frames: Mapping[str, Frame]) -> Point:
    if node.box is None:
        return outside.centres[node.id]
    frame = frames[node.box]
    return _shifted(frame.inside.centres[node.id], frame.origin)


def _shifted(point: Point, by: Point) -> Point:
    return point[0] + by[0], point[1] + by[1]


def _routes(
    graph: Graph, outside: Layout, figures: Mapping[str, Figure], frames: Mapping[str, Frame]
) -> Iterator[tuple[Edge, list[Point]]]:
    """Edges within a box keep the way they have inside; others cross its border."""
    inner = {name: iter(frame.inside.routes) for name, frame in frames.items()}
    for edge, route in zip(graph.edges, outside.routes, strict=True):
        start, end = figures[edge.start], figures[edge.end]
        if start.node.box is not None and start.node.box == end.node.box:
            frame = frames[start.node.box]
            yield edge, [_shifted(point, frame.origin) for point in next(inner[frame.box.id])]
        else:
            way = _leaving(edge, start, route, frames), _entering(edge, end, route, frames)
            yield edge, [*way[0], *route[2:-2], *way[1]]


def _leaving(
    edge: Edge, figure: Figure, route: Sequence[Point], frames: Mapping[str, Frame]
) -> list[Point]:
    """The way from a node to the border of its box, or of its rank."""
    (x, _), (_, y) = figure.centre, route[1]
    way = _inside(edge, figure, frames)
    if not way or y < figure.centre[1]:
        return [figure.centre, (x, y)]
    return [*way[:-1], (way[-1][0], y)]


def _entering(
    edge: Edge, figure: Figure, route: Sequence[Point], frames: Mapping[str, Frame]
) -> list[Point]:
    """The way from the border of a node's box, or of its rank, to the node."""
    (x, _), (_, y) = figure.centre, route[-2]
    way = _inside(edge, figure, frames)
    if not way or y > figure.centre[1]:
        return [(x, y), figure.centre]
    return [(way[0][0], y), *way[1:]]


def _inside(edge: Edge, figure: Figure, frames: Mapping[str, Frame]) -> list[Point]:
    """The way of an edge through the box of a node, if it needs one."""
    if figure.node.box is None:
        return []
    frame = frames[figure.node.box]
    return [_shifted(point, frame.origin) for point in frame.doors.get(edge, ())]

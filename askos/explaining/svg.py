"""Graphs as SVG pictures: plain shapes and text, nothing to fetch, nothing to run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from askos.explaining.arrows import Arrow, arrows
from askos.explaining.graph import Graph
from askos.explaining.layout import Point
from askos.explaining.legend import ROW, key, legend
from askos.explaining.scene import (
    FRAME,
    LEADING,
    NOTE,
    TITLE,
    Figure,
    Frame,
    arrange,
    edge_label,
)
from askos.explaining.style import FAINT, INK, LINES, PAPER, STYLES, Shape
from askos.explaining.text import listing
from askos.explaining.words import escaped, width, write

_FONT: Final = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_MARGIN: Final = 24.0
_HEADING: Final = 34.0


def svg(graph: Graph) -> str:
    """The picture of a graph, as one XML element.

    Text is never wider than its node: widths are estimated from above, long text is broken and
    at last cut; the whole of it is the node's title, which browsers show on pointing.  The sheet
    is white and drawn, so the picture reads the same on light and on dark pages.
    """
    scene = arrange(graph)
    entries = legend(graph)
    inner = max(scene.size[0], 240.0, *(entry.width for entry in entries))
    rows = key(entries, inner, _MARGIN)
    top = _MARGIN + _HEADING
    bottom = top + scene.size[1] + 18.0
    across, along = inner + 2 * _MARGIN, bottom + ROW * len(rows) + _MARGIN
    left = (across - scene.size[0]) / 2
    return "\n".join(
        (
            _opening(across, along),
            f"<title>{escaped(graph.title)}</title>",
            f"<desc>{escaped(listing(graph))}</desc>",
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
            write(graph.title, (_MARGIN, _MARGIN + 10), 15.0, INK, bold=True),
            f'<g transform="translate({left:.1f} {top:.1f})">',
            *(_frame(frame) for frame in scene.frames.values()),
            *_edges(list(arrows(scene, graph.upward)), graph.upward),
            *(_heading(frame) for frame in scene.frames.values()),
            *(_node(figure) for figure in scene.figures.values()),
            "</g>",
            f'<g transform="translate(0 {bottom:.1f})">',
            *(line for row in rows for line in row),
            "</g>",
            "</svg>\n",
        )
    )


def _opening(across: float, along: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{across:.0f}"'
        f' height="{along:.0f}" viewBox="0 0 {across:.0f} {along:.0f}"'
        f' font-family="{_FONT}">'
    )


def _frame(frame: Frame) -> str:
    (x, y), (across, along) = frame.centre, frame.size
    style = STYLES[frame.box.role]
    return (
        f'<rect x="{x - across / 2:.1f}" y="{y - along / 2:.1f}" width="{across:.1f}"'
        f' height="{along:.1f}" rx="10" fill="{style.fill}" fill-opacity="0.3"'
        f' stroke="{style.stroke}" stroke-dasharray="6 4"/>'
    )


def _heading(frame: Frame) -> str:
    """The label of a frame, over the lines that cross it."""
    (x, y), (across, along) = frame.centre, frame.size
    left, top = x - across / 2 + FRAME, y - along / 2 + FRAME + 0.4 * NOTE * LEADING
    lines = (
        _ground(line, (left, top + at * NOTE * LEADING))
        + write(line, (left, top + at * NOTE * LEADING), NOTE, FAINT)
        for at, line in enumerate(frame.label)
    )
    return f"<g><title>{escaped(frame.box.label)}</title>{''.join(lines)}</g>"


def _ground(text: str, at: Point) -> str:
    """A patch of paper for a line of text that begins there."""
    return (
        f'<rect x="{at[0] - 2:.1f}" y="{at[1] - NOTE:.1f}" width="{width(text, NOTE) + 4:.1f}"'
        f' height="{NOTE * LEADING:.1f}" rx="3" fill="{PAPER}" fill-opacity="0.85"/>'
    )


def _edges(drawn: Sequence[Arrow], upward: bool) -> Iterator[str]:
    """Lines first, labels on top of all of them; where one flow has many readers, one label."""
    yield from (_line(arrow) for arrow in drawn)
    done = set()
    for arrow in drawn:
        label = edge_label(arrow.edge)
        if label and (arrow.label, label) not in done:
            done.add((arrow.label, label))
            colour = FAINT if upward else LINES[arrow.edge.line].colour
            drawn_label = _label(label, arrow.label, colour)
            whole = f"<title>{escaped(arrow.edge.label)}</title>"
            cut = label != arrow.edge.label
            yield f"<g>{whole}{drawn_label}</g>" if cut else drawn_label


def _label(text: str, at: Point, colour: str) -> str:
    ground = _ground(text, (at[0] - width(text, NOTE) / 2, at[1]))
    return ground + write(text, at, NOTE, colour, middle=True)


def _line(arrow: Arrow) -> str:
    stroke = LINES[arrow.edge.line]
    dashes = f' stroke-dasharray="{stroke.dashes}"' if stroke.dashes else ""
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in arrow.head)
    return (
        f'<path d="{arrow.path}" fill="none" stroke="{stroke.colour}" stroke-width="1.4"{dashes}/>'
        f'<polygon points="{corners}" fill="{stroke.colour}"/>'
    )


def _node(figure: Figure) -> str:
    (x, y), (across, along) = figure.centre, figure.size
    style = STYLES[figure.node.role]
    radius = min(along / 2, 22.0) if style.shape is Shape.STADIUM else 6.0
    whole = "\n".join((figure.node.line, *figure.node.notes))
    return (
        f"<g><title>{escaped(whole)}</title>"
        f'<rect x="{x - across / 2:.1f}" y="{y - along / 2:.1f}" width="{across:.1f}"'
        f' height="{along:.1f}" rx="{radius:.1f}" fill="{style.fill}" stroke="{style.stroke}"'
        f' stroke-width="1.4"/>{"".join(_inscription(figure))}</g>'
    )


def _inscription(figure: Figure) -> Iterator[str]:
    """Title, text and notes, line by line, around the centre of the node."""
    lines = [
        *((line, TITLE, INK, STYLES[figure.node.role].bold) for line in figure.title),
        *((line, TITLE, INK, False) for line in figure.text),
        *((line, NOTE, FAINT, False) for line in figure.notes),
    ]
    x, y = figure.centre
    y -= sum(size * LEADING for _, size, _, _ in lines) / 2
    for line, size, colour, bold in lines:
        y += size * LEADING
        yield write(line, (x, y - size * 0.35), size, colour, bold=bold, middle=True)

"""Graphs as SVG pictures: plain shapes and text, nothing to fetch, nothing to run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from askos.algebra.explain.arrows import Arrow, arrows
from askos.algebra.explain.graph import Graph
from askos.algebra.explain.legend import ROW, key, legend
from askos.algebra.explain.scene import (
    FRAME,
    LEADING,
    NOTE,
    TITLE,
    Figure,
    Frame,
    arrange,
    edge_label,
)
from askos.algebra.explain.style import FAINT, INK, LINES, PAPER, STYLES, Shape
from askos.algebra.explain.text import listing
from askos.algebra.explain.words import escaped, write

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
    (x, y), (width, height) = frame.centre, frame.size
    style = STYLES[frame.box.role]
    left, top = x - width / 2, y - height / 2
    label = (
        write(line, (left + FRAME, top + FRAME + (at + 0.4) * NOTE * LEADING), NOTE, FAINT)
        for at, line in enumerate(frame.label)
    )
    return (
        f"<g><title>{escaped(frame.box.label)}</title>"
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="10"'
        f' fill="{style.fill}" fill-opacity="0.3" stroke="{style.stroke}"'
        f' stroke-dasharray="6 4"/>{"".join(label)}</g>'
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
            yield write(label, arrow.label, NOTE, colour, middle=True, halo=True)


def _line(arrow: Arrow) -> str:
    stroke = LINES[arrow.edge.line]
    dashes = f' stroke-dasharray="{stroke.dashes}"' if stroke.dashes else ""
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in arrow.head)
    return (
        f'<path d="{arrow.path}" fill="none" stroke="{stroke.colour}" stroke-width="1.4"{dashes}/>'
        f'<polygon points="{corners}" fill="{stroke.colour}"/>'
    )


def _node(figure: Figure) -> str:
    (x, y), (width, height) = figure.centre, figure.size
    style = STYLES[figure.node.role]
    radius = min(height / 2, 22.0) if style.shape is Shape.STADIUM else 6.0
    whole = "\n".join((figure.node.line, *figure.node.notes))
    return (
        f"<g><title>{escaped(whole)}</title>"
        f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}"'
        f' height="{height:.1f}" rx="{radius:.1f}" fill="{style.fill}" stroke="{style.stroke}"'
        f' stroke-width="1.4"/>{"".join(_inscription(figure))}</g>'
    )


def _inscription(figure: Figure) -> Iterator[str]:
    """Title, text and notes, line by line, around the centre of the node."""
    lines = [
        *((line, TITLE, INK, bool(figure.text)) for line in figure.title),
        *((line, TITLE, INK, False) for line in figure.text),
        *((line, NOTE, FAINT, False) for line in figure.notes),
    ]
    x, y = figure.centre
    y -= sum(size * LEADING for _, size, _, _ in lines) / 2
    for line, size, colour, bold in lines:
        y += size * LEADING
        yield write(line, (x, y - size * 0.35), size, colour, bold=bold, middle=True)

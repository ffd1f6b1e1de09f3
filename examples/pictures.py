"""The drawings of README.md and docs/time.md, from what askos answers.

python examples/pictures.py DOCS      writes them into that folder
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from askos import explain
from askos.explaining.style import FAINT, INK, PAPER
from askos.explaining.words import escaped, write
from askos.generate import windpark
from askos.interval import Interval, moment
from askos.io.results import settled
from askos.local import Engine, run
from askos.prepared import prepare
from askos.sources import Catalogue
from askos.terms import Literal, URIRef, Variable
from examples.questions import EVENTS, MINUTE, PARK, SCADA, SOURCES

Point = tuple[float, float]

_FONT: Final = "ui-sans-serif, system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
_SILENT, _ALARM, _READING, _LATE = "#f2a7b5", "#b02a4c", "#0e7490", "#b02a4c"
_SMALL: Final = 12.0


def main(arguments: list[str]) -> int:
    """Write all pictures."""
    (folder,) = map(Path, arguments)
    for name, text in pictures().items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


def pictures() -> dict[str, str]:
    """The files by name."""
    return {"silent.svg": silent(), "time.svg": time(), "plan.svg": plan()}


def plan() -> str:
    """README: what runs of examples/silent.rq."""
    text = Path(__file__).with_name("silent.rq").read_text(encoding="utf-8")
    return explain(prepare(text, sources=SOURCES), level="physical", format="svg")


def sheet(across: float, along: float, title: str, parts: Sequence[str]) -> str:
    """A white sheet, which reads the same on light and on dark pages."""
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {across:g} {along:g}"'
            f' width="{across:g}" height="{along:g}" font-family="{_FONT}">',
            f"<title>{escaped(title)}</title>",
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
            *parts,
            "</svg>\n",
        )
    )


def line(start: Point, end: Point, colour: str, width: float = 1.0, dashes: str = "") -> str:
    """A straight one."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
        f' stroke="{colour}" stroke-width="{width:g}"{dashed}/>'
    )


def box(corner: Point, size: Point, fill: str, title: str = "") -> str:
    """A rectangle; pointing at it shows its title."""
    x, y, across, along = *corner, *size
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{across:.1f}" height="{along:.1f}" rx="3"'
        f' fill="{fill}"><title>{escaped(title)}</title></rect>'
    )


def dot(at: Point, radius: float, colour: str) -> str:
    """A round one."""
    return f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:g}" fill="{colour}"/>'


# ---- README: the answers of examples/silent.rq ----------------------------------------------


@dataclass(frozen=True, slots=True)
class Lanes:
    """Where turbines and times are on the sheet."""

    turbines: Sequence[str]
    start: int
    end: int
    left: float = 56.0
    right: float = 860.0
    top: float = 64.0
    height: float = 44.0

    def x(self, at: int) -> float:
        """The place of an instant; beyond the edge, the edge."""
        part = (min(max(at, self.start), self.end) - self.start) / (self.end - self.start)
        return self.left + part * (self.right - self.left)

    def y(self, turbine: str) -> float:
        """The middle of a lane."""
        return self.top + (self.turbines.index(turbine) + 0.5) * self.height

    @property
    def bottom(self) -> float:
        """Below the last lane."""
        return self.top + len(self.turbines) * self.height


def silent() -> str:
    """Readings, and what is answered about their absence, from minute 15 to minute 80."""
    tables = windpark.streams(PARK)
    text = Path(__file__).with_name("silent.rq").read_text(encoding="utf-8")
    told = run(prepare(text, sources=SOURCES), {SCADA: tables["scada"], EVENTS: tables["events"]})
    answers = [answer for answer in _shown(told) if answer[1].start > PARK.start + 15 * MINUTE]
    turbines = sorted({_name(item) for item, _ in answers})
    lanes = Lanes(turbines, PARK.start + 15 * MINUTE, PARK.start + 80 * MINUTE)
    parts = [
        write(
            "Who has been silent for two minutes, from when to when, and was there an alarm?",
            (lanes.left, 24.0), 15.0, INK, bold=True,
        ),
        *_legend(lanes),
        *_axis(lanes),
        *_readings(lanes, tables["scada"]),
        *(part for answer in answers for part in _bar(lanes, *answer)),
    ]  # fmt: skip
    return sheet(880.0, lanes.bottom + 34.0, "When turbines were silent", parts)


_LEFT_OUT: Final = ("T03", "T04", "T05", "T08")  # silent at the edges of the hour alone


def _shown(told: Iterable[Any]) -> Iterator[tuple[Any, Interval]]:
    """The answers about turbines on the sheet, in whole intervals."""
    for item, time in settled((answer.item, answer.interval) for answer in told):
        if isinstance(time, Interval) and _name(item) not in _LEFT_OUT:
            yield item, time


def _name(item: Any) -> str:
    return str(item[Variable("turbine")]).removeprefix(windpark.WIND)


def _legend(lanes: Lanes) -> Iterator[str]:
    entries = (("a reading", _READING), ("silent", _SILENT), ("silent, with an alarm", _ALARM))
    x = lanes.left
    for text, colour in entries:
        yield box((x, 38.0), (14.0, 10.0), colour)
        yield write(text, (x + 20, 47.0), _SMALL, FAINT)
        x += 40 + 7 * len(text)


def _axis(lanes: Lanes) -> Iterator[str]:
    for at in range(lanes.start, lanes.end + 1, 5 * MINUTE):
        x = lanes.x(at)
        yield line((x, lanes.top), (x, lanes.bottom), "#e4e7eb")
        if (at - PARK.start) % (10 * MINUTE) == 0:
            yield write(moment(at)[11:16], (x, lanes.bottom + 18), _SMALL, FAINT, middle=True)
    x = lanes.x(PARK.end)
    yield line((x, lanes.top - 6), (x, lanes.bottom), INK, 1.0, "4 3")
    yield write("the data ends", (x + 5, lanes.top + 2), _SMALL, INK)
    for turbine in lanes.turbines:
        yield write(turbine, (16.0, lanes.y(turbine) + 4), 13.0, INK, bold=True)


def _readings(lanes: Lanes, table: Any) -> Iterator[str]:
    rows = [row for row in table.to_pylist() if row["p"] == f"<{windpark.ACTIVE_POWER}>"]
    for turbine in lanes.turbines:
        of = (row["ts"] for row in rows if row["s"] == f"<{windpark.WIND}{turbine}>")
        y = lanes.y(turbine)
        d = "".join(f"M{lanes.x(ts):.1f} {y - 5:.1f}v10" for ts in sorted(of) if ts >= lanes.start)
        yield f'<path d="{d}" stroke="{_READING}" stroke-width="0.7" fill="none"/>'


def _bar(lanes: Lanes, item: Any, time: Interval) -> Iterator[str]:
    alarm = len(item) > 1
    x, end, y = lanes.x(time.start), lanes.x(time.end), lanes.y(_name(item))
    title = f"[{moment(time.start)}, {moment(time.end)})"
    yield box((x, y - 9), (end - x, 18.0), _ALARM if alarm else _SILENT, title)
    label = f"{_clock(time.start)} – {_clock(time.end)}"
    inside = end - x > 150
    place = ((x + end) / 2, y + 4) if inside else (min((x + end) / 2, lanes.right - 30), y - 13)
    yield write(label, place, 11.0, PAPER if alarm and inside else INK, middle=True)


def _clock(at: int) -> str:
    return moment(at).partition("T")[2].removesuffix("Z") or "∞"


# ---- docs/time.md: rows in order of arrival, and the watermark ------------------------------

WIND: Final = URIRef(windpark.WIND + "wind")
LATENESS: Final = 5_000
SECONDS: Final = (3, 7, 5, 12, 9, 17, 8, 14, 21, 26)
COUNTED: Final = """
    PREFIX : <http://wind.example/>
    SELECT (COUNT(*) AS ?gusts) FROM STREAM :wind [RANGE 10s STEP 10s] WHERE { ?t :gust ?v }
"""


@dataclass(frozen=True, slots=True)
class Step:
    """What an engine says after one more row: whether that was late, how far the stream has
    promised, and which reports came."""

    second: int
    late: bool
    watermark: float
    reports: tuple[tuple[int, int], ...]


def steps() -> Iterator[Step]:
    """The rows of docs/time.md, one after the other."""
    engine = Engine(sources=Catalogue().stream(WIND, lateness_ms=LATENESS))
    query, before, largest = engine.register(COUNTED), 0, 0
    for second in SECONDS:
        gust = (URIRef(f"{windpark.WIND}T{second}"), URIRef(windpark.WIND + "gust"), Literal("20"))
        engine.push(WIND, [(*gust, second * 1000)])
        largest = max(largest, second)
        told = tuple((answer.at // 1000, _count(answer)) for answer in query.take())
        late, before = len(query.late) > before, len(query.late)
        yield Step(second, late, max(largest - LATENESS / 1000, 0), told)


def _count(answer: Any) -> int:
    ((count,),) = (row.values() for row in answer.rows)
    return int(count)


_LEFT, _BOTTOM, _STEP, _UNIT = 70.0, 380.0, 74.0, 11.5


def time() -> str:
    """Rows from left to right, their time upwards; what is below the watermark is decided."""
    taken = list(steps())
    right = _LEFT + len(taken) * _STEP
    parts = [
        _decided(taken),
        *_grid(right),
        *(part for place, step in enumerate(taken) for part in _row(place, step)),
        write("event time", (_LEFT - 54, 22.0), 13.0, INK, bold=True),
        write("order of arrival →", (_LEFT, _BOTTOM + 32), 13.0, INK, bold=True),
    ]
    return sheet(right + 120, _BOTTOM + 48, "Rows, and the watermark that follows them", parts)


def _height(second: float) -> float:
    return _BOTTOM - second * _UNIT


def _decided(taken: Sequence[Step]) -> str:
    """What is below the watermark, up to the next row."""
    d = [f"M{_LEFT:.1f} {_BOTTOM:.1f}"]
    for place, step in enumerate(taken):
        d.append(f"H{_LEFT + (place + 0.5) * _STEP:.1f}V{_height(step.watermark):.1f}")
    d.append(f"H{_LEFT + len(taken) * _STEP:.1f}V{_BOTTOM:.1f}Z")
    return f'<path d="{"".join(d)}" fill="#e1e9fb" stroke="#3b5bb5" stroke-width="1.4"/>'


def _grid(right: float) -> Iterator[str]:
    for second in range(0, 31, 10):
        y = _height(second)
        yield line((_LEFT, y), (right, y), FAINT, 0.8, "" if second == 0 else "3 3")
        yield write(f"{second} s", (_LEFT - 36, y + 4), _SMALL, FAINT)
    yield write("below this line:", (right + 8, _height(20.5)), _SMALL, "#3b5bb5")
    yield write("decided", (right + 8, _height(19.1)), _SMALL, "#3b5bb5")


def _row(place: int, step: Step) -> Iterator[str]:
    x, y = _LEFT + (place + 0.5) * _STEP, _height(step.second)
    yield dot((x, y), 5.0, _LATE if step.late else _READING)
    label = f"{step.second} s" + (", late" if step.late else "")
    yield write(label, (x + 9, y - 5), _SMALL, _LATE if step.late else INK)
    for at, count in step.reports:
        yield line((x, _BOTTOM), (x, _height(at)), INK, 1.2)
        yield dot((x, _height(at)), 4.0, INK)
        yield write(f"report of {at} s:", (x, _BOTTOM + 18), _SMALL, INK, middle=True)
        yield write(f"{count} gusts", (x, _BOTTOM + 32), _SMALL, INK, middle=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

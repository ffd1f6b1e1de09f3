"""The page: figures, charts, the map, one turbine, alerts, a plan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any, Final

from askos.backtest import Episode, Score, Verdict, total
from askos.backtest.text import HEADING, duration, row, share
from askos.interval import FOREVER, Interval, moment
from askos.report.day import STATES, Day
from askos.report.park import park_map

_WRONG: Final = '<span class="false">{}</span>'
_MOST: Final = 500  # alerts that are listed


@dataclass(frozen=True, slots=True)
class Plan:
    """A query, and the picture of its plan."""

    name: str
    text: str
    picture: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What a page tells: of which day, against which truth, with which figures of the run; and,
    if it is said, which turbine is shown first."""

    title: str
    lead: str
    day: Day
    truth: Sequence[Episode]
    verdicts: Sequence[Verdict]
    scores: Sequence[Score]
    figures: Sequence[tuple[str, str]]
    plan: Plan
    notes: Sequence[str] = ()
    chosen: str = ""


def page(report: Report) -> str:
    """The page as text; it needs nothing but a browser."""
    parts = {
        "TITLE": escape(report.title),
        "LEAD": escape(report.lead),
        "CSS": asset("uPlot.min.css") + asset("report.css"),
        "TILES": "".join(_tiles(report)),
        "STATES": "".join(_states()),
        "MAP": park_map(report.day.turbines),
        "STEPS": str(report.day.steps - 1),
        "TURBINES": "".join(_choices(report.day)),
        "SCORES": _scores(report.scores),
        "ALERTS": _alerts(report),
        "NOTES": "".join(f"<p>{escape(note)}</p>" for note in report.notes),
        "PLAN_NAME": escape(report.plan.name),
        "PLAN_NOTE": escape(report.plan.note),
        "QUERY": escape(report.plan.text.strip()),
        "PLAN": report.plan.picture,
        "FIGURES": _figures(report.figures),
        "DATA": _data(report),
        "SCRIPT": asset("uPlot.iife.min.js") + asset("report.js"),
    }
    text = asset("report.html")
    for name, part in parts.items():
        text = text.replace(f"<!--{name}-->", part)
    return text


def asset(name: str) -> str:
    """A file that pages are made of."""
    return (files("askos.report") / "assets" / name).read_text(encoding="utf-8")


# ---- tables ----------------------------------------------------------------------------------


def _tiles(report: Report) -> Iterator[str]:
    whole = total(report.scores)
    for label, value in (
        ("Faults found", f"{whole.hits} of {whole.faults}"),
        ("Recall", share(whole.recall)),
        ("Precision", share(whole.precision)),
        ("Median delay", duration(whole.median_delay)),
        ("False alarms per turbine-month", share(whole.false_alarm_rate)),
    ):
        yield f"<div><dt>{label}</dt><dd>{value}</dd></div>"


def _states() -> Iterator[str]:
    for state, words in STATES.items():
        yield f'<li><i style="background:var(--{state})"></i>{words}</li>'
    yield '<li><i class="ring"></i>alert</li>'


def _choices(day: Day) -> Iterator[str]:
    for turbine in day.turbines:
        name = escape(turbine.name)
        yield f'<option value="{name}">{name}, {escape(turbine.vendor)}</option>'


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]], numbers: int) -> str:
    """With so many columns of text before those of numbers."""

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{' class=number' if place >= numbers else ''}>{text}</{tag}>"
            for place, text in enumerate(texts)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    head = f"<thead><tr>{cells('th', heading)}</tr></thead>" if heading else ""
    return f"<table>{head}<tbody>{body}</tbody></table>"


def _scores(scores: Sequence[Score]) -> str:
    every = [*scores, total(scores)] if len(scores) > 1 else scores
    return _table(HEADING, ([escape(cell) for cell in row(score)] for score in every), 1)


def _alerts(report: Report) -> str:
    """Alerts in order of time, and among them the faults that nobody told."""
    rows = sorted(_told(report), key=lambda row: (row[0], row[1]))
    cells = (
        (moment(when.start), moment(when.end), escape(turbine), escape(kind), verdict, delay)
        for when, turbine, kind, verdict, delay in rows[:_MOST]
    )
    return _table(("begin", "end", "turbine", "kind", "", "delay"), cells, 5)


def _told(report: Report) -> Iterator[tuple[Interval, str, str, str, str]]:
    """When, of which turbine, what, whether it is right, and how long that took."""
    for verdict in report.verdicts:
        for hit in verdict.hits:
            yield hit.alert, hit.fault.turbine, verdict.kind, "hit", duration(hit.delay)
        for alarm in verdict.false:
            yield alarm.alert, alarm.turbine, verdict.kind, _WRONG.format("false"), ""
        for fault in verdict.missed:
            yield fault.interval, fault.turbine, verdict.kind, _WRONG.format("missed"), ""


def _hits(report: Report) -> Iterator[tuple[Verdict, Any]]:
    return ((verdict, hit) for verdict in report.verdicts for hit in verdict.hits)


def _figures(figures: Sequence[tuple[str, str]]) -> str:
    rows = ((escape(name), escape(value)) for name, value in figures)
    return _table((), rows, 1)


# ---- data ------------------------------------------------------------------------------------


def _data(report: Report) -> str:
    """What the script draws, as JSON that no HTML parser takes for a tag."""
    day = report.day
    alerts = [
        *(_span(h.fault.turbine, v.kind, h.alert, day) for v, h in _hits(report)),
        *(_span(a.turbine, v.kind, a.alert, day) for v in report.verdicts for a in v.false),
    ]
    chosen, opening = _opening(report)
    document = {
        "start": day.start,
        "step": day.step,
        "steps": day.steps,
        "opening": opening,
        "chosen": chosen,
        "turbines": [{"name": turbine.name} for turbine in day.turbines],
        "states": list(STATES),
        "words": STATES,
        "state": {name: list(states) for name, states in day.states.items()},
        "power": day.power,
        "wind": day.wind,
        "series": {
            name: {"power": list(own.power), "wind": list(own.wind), "oil": list(own.oil)}
            for name, own in day.series.items()
        },
        "kinds": [verdict.kind for verdict in report.verdicts],
        "alerts": alerts,
        "truth": [_span(e.turbine, e.kind, e.interval, day) for e in report.truth if e.fault],
        "calm": [_span(e.turbine, e.kind, e.interval, day) for e in report.truth if not e.fault],
    }
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _span(turbine: str, kind: str, when: Interval, day: Day) -> dict[str, Any]:
    end = day.start + day.steps * day.step if when.end == FOREVER else when.end
    return {"turbine": turbine, "kind": kind, "begin": when.start, "end": end}


def _opening(report: Report) -> tuple[str, int]:
    """The turbine that is shown first, and when: at its first hit, else at noon."""
    day, hits = report.day, [hit for _, hit in _hits(report)]
    own = [hit for hit in hits if hit.fault.turbine == report.chosen]
    first = min(own or hits, key=lambda hit: hit.alert, default=None)
    if first is None or first.fault.turbine not in day.series:
        return day.turbines[0].name, day.steps // 2
    step = -(-(first.alert.start - day.start) // day.step)
    return first.fault.turbine, min(max(step, 0), day.steps - 1)

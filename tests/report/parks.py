"""A small park with a report of its own."""

from __future__ import annotations

import math

from askos import create_plan
from askos.backtest import Episode, Score, joined, judge
from askos.interval import Interval
from askos.report import Day, Plan, Report, Series, Turbine
from askos.report.plan import plan_picture

MINUTE = 60_000
START = 1_780_272_000_000
STEPS = 144
KINDS = ("gearbox-overtemperature", "ice", "silent")
QUERY = """PREFIX : <http://wind.example/>
SELECT ?turbine FROM STREAM :scada WINDOW RANGE 10 MINUTE SLIDE
WHERE { ?turbine :oil ?oil FILTER(?oil > 80 && "</script>" != "<!--") }
"""


def at(begin: int, end: int) -> Interval:
    return Interval(START + begin * MINUTE, START + end * MINUTE)


def report(count: int = 50) -> Report:
    """Three faults, two of which are found, and a false alarm."""
    truth = [
        Episode("T02", "gearbox-overtemperature", at(100, 200), True),
        Episode("T03", "ice", at(300, 400), True),
        Episode("T04", "silent", at(600, 700), True),
        Episode("T01", "maintenance", at(10, 90), False),
    ]
    told = {
        "gearbox-overtemperature": {"T02": joined([at(105, 210)]), "T01": joined([at(20, 40)])},
        "ice": {"T03": joined([at(310, 400)])},
        "silent": {},
    }
    verdicts = [judge(kind, told[kind], truth) for kind in KINDS]
    plan = create_plan(QUERY)
    picture = plan_picture(plan, [("Project ?turbine", 3456)], {"": "http://wind.example/"})
    return Report(
        "A day of a wind park",
        f"{count} turbines of two vendors & their <faults>.",
        day(count),
        truth,
        verdicts,
        [Score.of(verdict, count / 30) for verdict in verdicts],
        [("triples", "1,234,567"), ("seconds", "42")],
        Plan("hot", QUERY, picture, "Rows that operators told."),
        ["A turbine joined at noon."],
    )


def day(count: int) -> Day:
    turbines = [
        Turbine(f"T{n + 1:02}", n % 10 * 500.0, n // 10 * 450.0, "boreas", f"feeder {n // 10}")
        for n in range(count)
    ]
    waves = [1500 + 900 * math.sin(step / 20) for step in range(STEPS)]
    own = Series(
        [round(wave, 1) for wave in waves],
        [None if step < 5 else round(wave / 200, 2) for step, wave in enumerate(waves)],
        [round(50 + wave / 100, 1) for wave in waves],
    )
    states = {
        t.name: [(n + step) // 40 % 8 for step in range(STEPS)] for n, t in enumerate(turbines)
    }
    return Day(START, 10 * MINUTE, turbines, states, {t.name: own for t in turbines})

"""The page of a report: complete in itself, and right in what it says."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from askos.algebra import (
    GraphAccess,
    Join,
    Pattern,
    Project,
    SlidingWindow,
    Static,
    StreamAccess,
)
from askos.backtest import judge
from askos.explaining.plan import occurrences
from askos.report import Turbine, page
from askos.report.park import park_map
from askos.report.plan import plan_picture, running
from askos.terms import URIRef, Variable
from tests.report.parks import KINDS, START, STEPS, report

PAGE = page(report())


def test_the_page_needs_nothing_but_itself() -> None:
    own = re.sub(r"http://www\.w3\.org/2000/svg|https://github\.com/leeoniya/uPlot", "", PAGE)
    assert not re.search(r'(?:src|href|url)\s*[=(]\s*["\']?(?:https?:)?//', own)
    assert "@import" not in own
    assert len(PAGE) < 1_000_000


def test_no_place_is_left_open() -> None:
    markup = re.sub(r"<pre>.*?</pre>|<svg.*?</svg>", "", PAGE, flags=re.DOTALL)
    assert "<!--" not in markup


def test_what_is_quoted_is_no_markup() -> None:
    assert "&amp; their &lt;faults&gt;" in PAGE
    assert PAGE.count("</script>") == 2
    assert "&lt;/script&gt;" in PAGE


def test_tables_tell_hits_false_alarms_and_misses() -> None:
    assert "<dd>2 of 3</dd>" in PAGE
    assert PAGE.count('<span class="false">false</span>') == 1
    assert PAGE.count('<span class="false">missed</span>') == 1
    assert "2026-06-01T01:45:00Z" in PAGE


def test_the_data_is_what_the_script_draws() -> None:
    found = re.search(r'id="data">(.*?)</script>', PAGE, re.DOTALL)
    assert found
    data = json.loads(found[1])
    assert (data["start"], data["steps"], data["kinds"]) == (START, STEPS, list(KINDS))
    assert [a["turbine"] for a in data["alerts"]] == ["T02", "T03", "T01"]
    assert {t["kind"] for t in data["truth"]} == {*KINDS}
    assert (data["chosen"], data["opening"]) == ("T02", 11)
    assert all(len(states) == STEPS for states in data["state"].values())


def test_the_turbine_that_is_shown_first_can_be_chosen() -> None:
    assert '"opening":31,"chosen":"T03"' in page(replace(report(), chosen="T03"))
    assert '"chosen":"T02"' in page(replace(report(), chosen="T09"))


def test_a_day_without_alerts_has_a_page_too() -> None:
    quiet = replace(report(), verdicts=[judge(kind, {}, []) for kind in KINDS], truth=[])
    assert '"chosen":"T01"' in page(quiet)


def test_the_plan_tells_rows() -> None:
    assert "3,456 rows" in PAGE


def test_rows_are_counted_where_they_run_and_not_in_tables() -> None:
    stream = SlidingWindow(StreamAccess(URIRef("http://e/s")), 10, 1)
    x, p = Variable("x"), URIRef("http://e/p")
    table = Static(Project((x,), Pattern(x, p, x, GraphAccess(URIRef("http://e/g")))))
    plan = Join(table, Project((x,), Pattern(x, p, x, stream)))
    names = {name: node for name, _, _, node in occurrences(plan)}
    assert [names[name] for name in running(plan)] == [*list(plan.right.walk())[::-1], plan]
    picture = plan_picture(plan, [("Project ?x", 12), ("Join", 34)], {})
    drawn = re.sub(r"<title>.*?</title>|<desc>.*?</desc>", "", picture, flags=re.DOTALL)
    assert drawn.count("12 rows") == drawn.count("34 rows") == 1


def test_names_have_room_above_the_turbines_below() -> None:
    turbines = [Turbine(f"T{n}", n % 3 * 100.0, n // 3 * 30.0, "v") for n in range(6)]
    heights = sorted(
        {float(y) for y in re.findall(r'class="body" cx="[^"]*" cy="([^"]*)"', park_map(turbines))}
    )
    assert heights[1] - heights[0] >= 112


def test_feeders_are_drawn_along_rows_only() -> None:
    """The next row of turbines may be on the same feeder, but no line crosses the park."""
    turbines = [Turbine(f"T{n}", n % 3 * 100.0, n // 3 * 300.0, "v", "F") for n in range(6)]
    assert park_map(turbines).count("<line") == 4

"""The page of a report: complete in itself, and right in what it says."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from askos.backtest import judge
from askos.report import page
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


def test_a_day_without_alerts_has_a_page_too() -> None:
    quiet = replace(report(), verdicts=[judge(kind, {}, []) for kind in KINDS], truth=[])
    assert '"chosen":"T01"' in page(quiet)


def test_the_plan_tells_rows() -> None:
    assert "3,456 rows" in PAGE

"""The page as people see it: wide and narrow, in light and in dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from askos.report import page
from tests import browser
from tests.report.parks import report

pytestmark = pytest.mark.skipif(
    browser.found() is None, reason="no browser: install chromium, or set ASKOS_CHROMIUM"
)

# Texts that stand in the page itself: what lies in a box that scrolls may be behind its edge.
OVERLAPS = """
(() => {
  const texts = [...document.querySelectorAll("main *, #map text")].filter((e) =>
    !e.closest(".scroll, pre, select, .uplot, defs") && !e.matches("title") &&
    [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()));
  const boxes = texts.map((e) => [e, e.getBoundingClientRect()]);
  const found = [];
  boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
    const apart = p.right <= q.left + 1 || q.right <= p.left + 1 ||
      p.bottom <= q.top + 1 || q.bottom <= p.top + 1;
    if (!apart && !a.contains(b) && !b.contains(a))
      found.push(a.textContent + " | " + b.textContent);
  }));
  return found;
})()
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("page") / "report.html"
    made.write_text(page(report()), encoding="utf-8")
    return made


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_overlaps_complains_or_is_fetched(file: Path, width: int, scheme: str) -> None:
    with browser.shown(file, width, scheme) as shown:
        assert shown.complaints == []
        assert shown.requests == [file.as_uri()]
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert shown.evaluate(OVERLAPS) == []
        assert shown.evaluate("document.querySelectorAll('.uplot canvas').length") == 5
        dark = (
            shown.evaluate("getComputedStyle(document.body).backgroundColor")
            != "rgb(255, 255, 255)"
        )
        assert dark == (scheme == "dark")


def test_the_slider_the_map_and_the_list_agree(file: Path) -> None:
    with browser.shown(file, 1280, "light") as shown:
        shown.evaluate(
            "(() => { const s = document.getElementById('slider'); s.value = 32;"
            " s.dispatchEvent(new Event('input')); })()"
        )
        assert shown.evaluate("document.getElementById('time').textContent") == "05:20 UTC"
        assert shown.evaluate("document.getElementById('now').textContent") == (
            "T03: ice05:10 to 06:40"
        )
        ringing = "[...document.querySelectorAll('.turbine.alert')].map((e) => e.dataset.turbine)"
        assert shown.evaluate(ringing) == ["T03"]
        shown.evaluate(
            "document.querySelector('[data-turbine=T07]').dispatchEvent(new Event('click'))"
        )
        assert shown.evaluate("document.getElementById('picker').value") == "T07"
        assert shown.complaints == []

"""One self-contained HTML page about a day of a wind park: what was found, where and when.

Charts are uPlot's (MIT, 51 kB, in `assets`); the map and the plan are SVG of our own.  The page
fetches nothing.
"""

from __future__ import annotations

from askos.report.day import Day, Series, Turbine
from askos.report.page import Plan, Report, page

__all__ = ["Day", "Plan", "Report", "Series", "Turbine", "page"]

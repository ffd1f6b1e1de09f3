"""Hypothesis profiles, --update-golden, and the list of what was skipped."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# Quick and thorough draw the same examples every time, so that a red run is about the change at
# hand; soak draws new ones.  No deadlines: tests never assert on a time.
_common = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("quick", _common, max_examples=5, derandomize=True)
settings.register_profile("thorough", _common, max_examples=20, derandomize=True)
settings.register_profile("soak", _common, max_examples=20_000, print_blob=True)
settings.load_profile("quick")


# Tests that start a Spark of their own run one after the other too.
STARTS_SPARK = {
    "hosts/test_cli.py",
    "hosts/test_demo.py",
    "hosts/test_docs.py",
    "hosts/test_foreign.py",
    "hosts/test_kill.py",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")
    parser.addoption("--thorough", action="store_true", help="also what takes minutes")
    parser.addoption("--soak", action="store_true", help="also what is too long for every CI run")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "thorough: takes too long for every run")
    config.addinivalue_line("markers", "soak: takes too long for every thorough run")


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist, which reads the groups in the same hook
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        file = "/".join(item.path.parts[-2:])
        if "spark" in getattr(item, "fixturenames", ()) or file in STARTS_SPARK:
            item.add_marker(pytest.mark.xdist_group("spark"))  # they share one session
    if not config.getoption("soak"):
        for item in items:
            if item.get_closest_marker("soak"):
                item.add_marker(pytest.mark.skip(reason="minutes: script/soak"))
    if not config.getoption("thorough"):
        for item in items:
            if item.get_closest_marker("thorough"):
                item.add_marker(pytest.mark.skip(reason="a minute or more: script/test --all"))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was skipped: a test that does not run is easily taken for one that passed."""
    skipped = terminalreporter.stats.get("skipped", [])
    terminalreporter.section(f"{len(skipped)} skipped tests")
    for report in skipped:
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        terminalreporter.write_line(f"{report.nodeid}: {reason}")

"""Where the independent test suites are: beside the project, or where ASKOS_SUITES says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(
    os.environ.get("ASKOS_SUITES")
    or Path(__file__).resolve().parent.parent.parent / "shared" / "suites"
)


def suite(name: str) -> Path:
    """The folder of a suite; skips the test, visibly, where it is missing."""
    folder = FOLDER / name
    if not folder.is_dir():
        pytest.skip(f"no suite {name}: set ASKOS_SUITES to the folder of the suites")
    return folder

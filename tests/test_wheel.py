"""What is installed has all that its commands need: `askos demo` runs from an empty folder."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.pages import ROOT

NEEDED = """
from askos.generate.jobs import jobs
from askos.io.csvmap import presets, read_map
from askos.report.page import asset
import askos
assert len(jobs()) >= 12, jobs()
assert all(read_map(name).columns for name in presets()) and len(presets()) == 2
assert "uPlot" in asset("uPlot.iife.min.js") and asset("uPlot.LICENSE")
print(askos.__file__)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "installed")
    return folder / "installed"


def test_the_wheel_has_jobs_layouts_and_the_page(installed: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", NEEDED]
    paths = {"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=tmp_path, env=paths, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(installed / "askos" / "__init__.py")

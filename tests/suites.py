"""Where the independent test suites are: beside the project, or where ASKOS_SUITES says."""

from __future__ import annotations

import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

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


@cache
def program(path: str) -> ModuleType:
    """A program of the suites as a module; skips likewise."""
    file = suite(str(Path(path).parent)) / Path(path).name
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    return module

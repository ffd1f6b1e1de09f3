"""Imports point one way: the architecture, as a test."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
VOCABULARY = {"terms", "interval", "errors", "native", "screen", "sources"}

# Which parts of askos each part may import; packages that do not exist yet are named already.
MAY_IMPORT = {
    "screen": set(),
    "errors": {"screen"},
    "native": set(),
    "interval": {"errors"},
    "terms": {"errors"},
    "sources": VOCABULARY,
    "algebra": VOCABULARY,
    "explaining": VOCABULARY | {"algebra"},
    "translate": VOCABULARY | {"algebra"},
    "prepared": VOCABULARY | {"algebra", "translate"},
    "planning": {"physical", "prepared"},
    "queries": VOCABULARY | {"algebra", "translate", "prepared"},
    "kinds": VOCABULARY | {"algebra", "translate", "prepared"},
    "common": {"kinds", "physical", "planning", "queries"},
    "sweeparea": VOCABULARY,
    "columns": VOCABULARY | {"algebra"},
    "physical": VOCABULARY | {"algebra", "columns", "static", "sweeparea"},
    "io": VOCABULARY,
    "generate": VOCABULARY | {"io"},
    "backtest": VOCABULARY,
    "report": VOCABULARY | {"algebra", "explaining", "backtest"},
    "demo": VOCABULARY
    | {
        "algebra",
        "prepared",
        "queries",
        "physical",
        "planning",
        "static",
        "generate",
        "spark",
        "backtest",
        "report",
    },
    "spark": VOCABULARY
    | {
        "algebra",
        "translate",
        "prepared",
        "queries",
        "kinds",
        "columns",
        "physical",
        "planning",
        "sweeparea",
        "static",
        "io",
    },
    "static": VOCABULARY | {"algebra", "translate", "prepared", "io", "columns"},
    "local": VOCABULARY
    | {
        "algebra",
        "translate",
        "prepared",
        "queries",
        "kinds",
        "columns",
        "physical",
        "planning",
        "sweeparea",
        "static",
        "io",
    },
}
FREE = {"__init__", "__main__", "api", "cli"}


def test_only_the_version_is_taken_from_the_package_itself() -> None:
    for file in modules():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.ImportFrom)
                and node.module == "askos"
                and part(file) not in FREE
            ):
                assert [alias.name for alias in node.names] == ["__version__"], file


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            yield node.module or ""


def modules() -> list[Path]:
    return sorted((ROOT / "askos").rglob("*.py"))


def part(file: Path) -> str:
    return file.relative_to(ROOT / "askos").parts[0].removesuffix(".py")


@pytest.mark.parametrize("file", modules(), ids=lambda file: str(file.relative_to(ROOT)))
def test_a_module_imports_only_what_is_below_it(file: Path) -> None:
    own = part(file)
    if own in FREE:
        return
    allowed = MAY_IMPORT[own] | {own}
    for name in imports(file):
        if name.startswith("askos."):
            below = [*name.split("."), ""][1]
            assert below in allowed, f"{own} must not import {name}"
        assert not name.startswith("pyspark") or own == "spark"


def test_the_reference_is_nobodys_building_block() -> None:
    """It judges the others; if they used it, it would judge itself."""
    for file in modules():
        inside = "reference" in file.parts
        used = [name for name in imports(file) if name.startswith("askos.algebra.reference")]
        assert inside or not used, f"{file} imports the reference evaluation"


def test_the_reference_does_not_use_the_closed_window_formulas() -> None:
    for file in (ROOT / "askos" / "algebra" / "reference").glob("*.py"):
        assert ".validity(" not in file.read_text(encoding="utf-8")


HEAVY = ["lark", "numpy", "pyarrow", "pandas", "pyspark"]
NEEDED = {
    "askos": [],
    "askos.algebra": [],
    "askos.algebra.reference": [],
    "askos.static": ["numpy"],
}


@pytest.mark.parametrize("module", NEEDED)
def test_importing_loads_nothing_heavy(module: str) -> None:
    heavy = [name for name in HEAVY if name not in NEEDED[module]]
    check = f"import sys, {module}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""docs/tutorial.md as a notebook: its cells run, and print what the page shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jupytext
import pytest
from nbclient import NotebookClient

from examples.notebook import main, notebook
from tests.pages import DOCS, blocks

PAGE = DOCS / "tutorial.md"


def shown() -> list[str]:
    """What the page says that its commands print."""
    consoles = (block.text for block in blocks(PAGE) if block.kind == "console")
    return [text.partition("\n")[2] for text in consoles]


def commands(cells: Any) -> list[Any]:
    return [cell for cell in cells if cell.source.startswith("%askos ")]


def test_a_page_becomes_cells() -> None:
    made = notebook(PAGE.read_text(encoding="utf-8"))
    assert made.cells[0].cell_type == "markdown"
    written = [c.source.split()[1] for c in made.cells if c.source.startswith("%%writefile")]
    assert written[:3] == ["pumps.csv", "pumps.toml", "hot.rq"]
    *local, last = commands(made.cells)
    assert len(local) == len(shown())
    assert last.source == local[0].source.replace(" --host local", "")
    assert "script/setup" in "".join(c.source for c in made.cells if c.cell_type == "markdown")


@pytest.mark.thorough
def test_the_notebook_prints_what_the_page_shows(tmp_path: Path) -> None:
    assert main([str(PAGE), str(tmp_path / "tutorial.ipynb")]) == 0
    made = jupytext.read(tmp_path / "tutorial.ipynb")
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(made, timeout=None, kernel_name="python3", resources=where).execute()
    assert [printed(cell) for cell in commands(made.cells)] == [*shown(), shown()[0]]


def printed(cell: Any) -> str:
    """Stdout, then stderr."""
    texts = {"stdout": "", "stderr": ""}
    for output in cell.outputs:
        texts[output.name] += output.text
    return texts["stdout"] + texts["stderr"]

"""A page of docs/ as a notebook: it writes its files and runs its commands, the first on Spark too.

python examples/notebook.py docs/tutorial.md tutorial.ipynb
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jupytext

_BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE: Final = re.compile(r"`([\w-]+\.(?:rq|csv|toml|ttl))`")
_COMMAND: Final = re.compile(r"^\$ askos (.*)$", re.MULTILINE)
_LOCAL: Final = " --host local"
_SETUP: Final = """```python
# A magic, so that commands read as on the page.
import shlex

from askos import spark
from askos.cli import main


def askos(line):
    main(shlex.split(line))


get_ipython().register_magic_function(askos)
```
"""
_ON_SPARK: Final = """```python
session = spark.session()
```

```python
{command}
```

```python
session.stop()
```
"""


def main(arguments: Sequence[str]) -> int:
    """Write the notebook of a page."""
    page, target = map(Path, arguments)
    jupytext.write(notebook(page.read_text(encoding="utf-8")), target)
    return 0


def notebook(page: str) -> Any:
    """The cells of a page, which has commands.  What one printed there is left out: the cell
    prints it."""
    parts, end = list[str](), 0
    for found in _BLOCK.finditer(page):
        before = page[end : found.start()]
        names = _FILE.findall(before)
        parts += [before, _cell(found, names[-1] if names else None)]
        end = found.end()
    heading, _, rest = "".join([*parts, page[end:]]).partition("\n")
    first = f"%askos {_COMMAND.findall(page)[0]}".replace(_LOCAL, "")
    end_of_it = _ON_SPARK.format(command=first)
    return jupytext.reads(f"{heading}\n\n{_SETUP}\n{rest}\n{end_of_it}", fmt="md")


def _cell(block: re.Match[str], file: str | None) -> str:
    """A block that shows a file writes it, one with commands runs them; others are only read."""
    kind, text = block.groups()
    if kind == "console":
        commands = "".join(f"%askos {command}\n" for command in _COMMAND.findall(text))
        return f"```python\n{commands}```"
    if file is not None and kind in ("csv", "toml", "sparql", "turtle"):
        return f"```python\n%%writefile {file}\n{text}```"
    return f"```text\n{text}```"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

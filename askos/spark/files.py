"""Small files that are there as a whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from askos.io.files import naming


def write_whole(file: Path, text: str) -> None:
    """Write a file that nobody sees half of; where that fails, the error names the file."""
    hidden = file.with_name(f".{file.name}")
    with naming(file):
        hidden.write_text(text, encoding="utf-8")
        os.replace(hidden, file)

"""Small files that are there as a whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(file: Path, text: str) -> None:
    """Write a file that nobody sees half of; where that fails, the error names the file."""
    hidden = file.with_name(f".{file.name}")
    try:
        hidden.write_text(text, encoding="utf-8")
        os.replace(hidden, file)
    except OSError as error:
        if error.filename is None:  # as where a disk is full
            error.filename = str(file)
        raise

"""The files below a folder, by way of links too, as Spark finds them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from askos.errors import StreamError


def files_below(folder: Path) -> Iterator[Path]:
    """Every file below a folder, in no order; StreamError where a link leads back to a folder that
    it is in: its files would be read over and over."""

    def fail(error: OSError) -> None:
        raise StreamError(f"{error.filename}: {error.strerror}") from error

    for place, folders, files in os.walk(folder, onerror=fail, followlinks=True):
        for name in folders:
            _refuse_loop(Path(place, name))
        yield from (Path(place, name) for name in files)


def _refuse_loop(folder: Path) -> None:
    if folder.is_symlink() and folder.absolute().parent.resolve().is_relative_to(folder.resolve()):
        raise StreamError(
            f"{folder} is a link to a folder that it is in",
            hint="remove the link: the files there would be read over and over",
        )

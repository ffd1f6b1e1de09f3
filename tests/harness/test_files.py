"""Small files of a checkpoint are there as a whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from askos.spark.files import write_whole


def test_where_the_disk_is_full_the_old_file_stays_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    write_whole(tmp_path / "askos.json", "{}")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", full)
        with pytest.raises(OSError, match=r"No space left on device: .*askos\.json"):
            write_whole(tmp_path / "askos.json", "[]")
    assert (tmp_path / "askos.json").read_text() == "{}"

"""The files below a folder: links are followed, but not in circles."""

from __future__ import annotations

from pathlib import Path

import pytest

from askos.errors import StreamError
from askos.io.folders import files_below


def test_links_to_other_folders_are_followed(tmp_path: Path) -> None:
    for name in ("a/deeper/1.nq", "b/2.nq"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    (tmp_path / "a" / "b").symlink_to(tmp_path / "b")
    (tmp_path / "a" / "gone.nq").symlink_to("nowhere")
    found = {str(file.relative_to(tmp_path / "a")) for file in files_below(tmp_path / "a")}
    assert found == {"deeper/1.nq", "b/2.nq", "gone.nq"}


@pytest.mark.parametrize("to", ["..", "../..", "."])
def test_a_link_back_up_is_refused(to: str, tmp_path: Path) -> None:
    """By it, files would be read over and over, forty times on Linux."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "again").symlink_to(to)
    with pytest.raises(StreamError, match="again is a link to a folder that it is in"):
        list(files_below(tmp_path / "a"))


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "again").symlink_to("again")
    assert [file.name for file in files_below(tmp_path)] == ["again"], "a file, as Spark takes it"
    with pytest.raises(StreamError, match="Too many levels of symbolic links"):
        list(files_below(tmp_path / "again"))

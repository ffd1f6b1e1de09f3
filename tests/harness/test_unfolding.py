"""Checkpoints whose folders were one source and are to be several."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from askos.spark import unfolding
from askos.spark.logs import is_one_source
from askos.spark.unfolding import settle, unfold

PLACES = ["0/0", "1", "0/1", "0/2"]
"""Two streams of files, one of Kafka's between them, and the control stream."""
BEFORE = {1: ["-", "{}"], 2: ["[5, -1, 0]", '{"topic":{"0":7}}'], 3: ["[6, 0, 0]", "{}"]}
AFTER = {
    1: ["-", "{}", "-", "-"],
    2: ['{"logOffset":5}', '{"topic":{"0":7}}', "-", '{"logOffset":0}'],
    3: ['{"logOffset":6}', "{}", '{"logOffset":0}', '{"logOffset":0}'],
}
HEAD = ["v1", '{"batchWatermarkMs":0}']


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """One that has read all its sources."""
    for place in PLACES:
        (tmp_path / "sources" / place).mkdir(parents=True)
        (tmp_path / "sources" / place / "0").write_text(place)
    _log(tmp_path, BEFORE)
    return tmp_path


def _log(checkpoint: Path, offsets: Mapping[int, list[str]]) -> None:
    (checkpoint / "offsets").mkdir()
    for number, lines in offsets.items():
        (checkpoint / f"offsets/{number}").write_text("\n".join(HEAD + lines))
    (checkpoint / "offsets/.3.tmp").write_text("[")


def check(checkpoint: Path) -> None:
    """Every source has its log, and its line in the offsets of every micro-batch."""
    assert is_one_source(checkpoint) is False
    for number, place in enumerate(PLACES):
        assert (checkpoint / f"sources/{number}/0").read_text() == place
    for batch, lines in AFTER.items():
        assert (checkpoint / f"offsets/{batch}").read_text().splitlines() == HEAD + lines
    assert sorted(file.name for file in checkpoint.iterdir()) == ["offsets", "sources"]


def test_each_folder_becomes_a_source_at_its_place(checkpoint: Path) -> None:
    settle(checkpoint)
    assert is_one_source(checkpoint)
    unfold(checkpoint, PLACES)
    check(checkpoint)
    settle(checkpoint)
    check(checkpoint)


@pytest.mark.parametrize("kafka", [True, False])
def test_a_stream_of_another_kind_comes_to_its_place_before_any_file_is_read(
    tmp_path: Path, *, kafka: bool
) -> None:
    """What it has read is no list of files; and not each kind has a log."""
    (tmp_path / "sources/0/0").mkdir(parents=True)
    if kafka:
        (tmp_path / "sources/1").mkdir()
        (tmp_path / "sources/1/0").write_text("1")
    _log(tmp_path, {1: ["-", "{}"], 2: ["[0]", "{}"]})
    unfold(tmp_path, ["1", "0/0"])
    assert (tmp_path / "sources/0").exists() is kafka
    assert (tmp_path / "sources/1").exists()
    for batch, lines in {1: ["{}", "-"], 2: ["{}", '{"logOffset":0}']}.items():
        assert (tmp_path / f"offsets/{batch}").read_text().splitlines() == HEAD + lines
    assert is_one_source(tmp_path) is False


@pytest.mark.parametrize("last", range(20))
def test_where_it_breaks_off_the_next_start_does_the_rest(
    last: int, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any of the calls that change a file or folder."""
    calls = 0

    def limited(name: str, owner: object) -> None:
        own = getattr(owner, name)

        def call(*given: object, **options: object) -> object:
            nonlocal calls
            calls += 1
            if calls > last:
                raise KeyboardInterrupt
            return own(*given, **options)

        monkeypatch.setattr(owner, name, call)

    limited("write_whole", unfolding)
    for name in ("rmtree", "copytree"):
        limited(name, shutil)
    for name in ("rename", "unlink", "mkdir"):
        limited(name, Path)
    with contextlib.suppress(KeyboardInterrupt):
        unfold(checkpoint, PLACES)
    monkeypatch.undo()
    settle(checkpoint)
    if is_one_source(checkpoint):
        unfold(checkpoint, PLACES)
    check(checkpoint)

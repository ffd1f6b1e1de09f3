"""Checkpoints whose folders were one source and are to be several."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from askos.errors import QueryError, SetupError
from askos.spark import unfolding
from askos.spark.logs import is_one_source
from askos.spark.unfolding import Read, begin_with, settle, unfold

STREAMS = [Read(1, 0), Read(0, 1), Read(1, 0)]
"""Two of files, one of Kafka's between them."""
PLACES = ["0/0", "1", "0/1", "0/2"]
"""Of their logs, and of the control stream's."""
BEFORE = {1: ["-", "{}"], 2: ["[5, -1, 0]", '{"topic":{"0":7}}'], 3: ["[6, 0, 0]", "{}"]}
AFTER = {
    1: ["-", "{}", "-", "-"],
    2: ['{"logOffset":5}', '{"topic":{"0":7}}', "-", '{"logOffset":0}'],
    3: ['{"logOffset":6}', "{}", '{"logOffset":0}', '{"logOffset":0}'],
}
FOLDERS = ["offsets", "sources"]
HEAD = ["v1", '{"batchWatermarkMs":0}']


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """One that has read all its sources."""
    for place in PLACES:
        (tmp_path / "sources" / place).mkdir(parents=True)
        (tmp_path / "sources" / place / "0").write_text(place)
    begin_with(tmp_path, STREAMS)
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
    assert sorted(file.name for file in checkpoint.iterdir()) == ["folders.json", *FOLDERS]


def test_each_folder_becomes_a_source_at_its_place(checkpoint: Path) -> None:
    settle(checkpoint)
    assert is_one_source(checkpoint)
    unfold(checkpoint, [1, 1, 1])
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
    begin_with(tmp_path, [Read(0, 1)])
    unfold(tmp_path, [1])
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
        unfold(checkpoint, [1, 1, 1])
    monkeypatch.undo()
    settle(checkpoint)
    if is_one_source(checkpoint):
        unfold(checkpoint, [1, 1, 1])
    check(checkpoint)


def contents(checkpoint: Path) -> dict[str, str]:
    files = (file for file in checkpoint.rglob("*") if file.is_file())
    return {str(file.relative_to(checkpoint)): file.read_text() for file in files}


@pytest.mark.parametrize("now", [[1, 1], [1, 1, 2], [1, 2, 1]])
def test_another_number_of_sources_is_refused_and_leaves_all_as_it_was(
    now: list[int], checkpoint: Path
) -> None:
    """Spark would take the log of one for that of another."""
    before = contents(checkpoint)
    with pytest.raises(QueryError, match="from another number of them"):
        unfold(checkpoint, now)
    assert contents(checkpoint) == before


def test_a_stream_may_have_several_sources_of_any_kind(checkpoint: Path) -> None:
    begin_with(checkpoint, [Read(1, 0), Read(0, 2), Read(1, 0)])
    for number, lines in BEFORE.items():
        (checkpoint / f"offsets/{number}").write_text("\n".join([*HEAD, *lines, "second"]))
    unfold(checkpoint, [1, 2, 1])
    for number, lines in AFTER.items():
        found = (checkpoint / f"offsets/{number}").read_text().splitlines()
        assert found == [*HEAD, *lines[:2], "second", *lines[2:]]


@pytest.mark.parametrize("log", ["offsets", "commits"])
def test_what_goes_on_meanwhile_is_left_alone(
    log: str, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def copied(source: Path, target: Path) -> None:
        (checkpoint / log).mkdir(exist_ok=True)
        (checkpoint / log / "4").write_text("\n".join([*HEAD, "[7, 0, 0]", "{}"]))

    monkeypatch.setattr(shutil, "copytree", copied)
    with pytest.raises(SetupError, match="a query is running"):
        unfold(checkpoint, [1, 1, 1])
    assert is_one_source(checkpoint)
    settle(checkpoint)
    assert is_one_source(checkpoint)

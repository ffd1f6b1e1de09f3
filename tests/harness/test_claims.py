"""A folder of answers belongs to one checkpoint: Spark leaves out what another writes there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askos.errors import SetupError
from askos.physical import build
from askos.prepared import prepare
from askos.spark.checkpoint import begin
from askos.spark.claims import _Local, settle
from askos.spark.logs import SINK
from tests.build import EX

TEXT = f"SELECT ?x FROM STREAM <{EX}s> WINDOW RANGE 10 SLIDE 5 {{ ?x <{EX}p> ?y }}"


def begun(checkpoint: Path, last: int | None = None) -> Path:
    """A checkpoint, and the last micro-batch that it has begun."""
    begin(checkpoint, prepare(TEXT), build(prepare(TEXT).plan), 2, 2)
    if last is not None:
        (checkpoint / "offsets").mkdir()
        (checkpoint / "offsets" / str(last)).touch()
        (checkpoint / "offsets" / f".{last}.crc").touch()
    return checkpoint


def written(folder: Path, *files: str) -> Path:
    """A folder of answers, as Spark's log of it says."""
    (folder / SINK).mkdir(parents=True)
    for file in files:
        (folder / SINK / file).touch()
        (folder / SINK / f".{file}.crc").touch()
    return folder


def claim(folder: Path, checkpoint: Path) -> None:
    settle(_Local(folder), str(folder), checkpoint)


def test_what_one_checkpoint_wrote_another_may_not_write(tmp_path: Path) -> None:
    out, first, second = tmp_path / "out", begun(tmp_path / "a"), begun(tmp_path / "b")
    claim(out, first)
    written(out, "0", "1")
    claim(out, first)
    with pytest.raises(SetupError, match=f"{out} holds the answers of .*: {first}") as refused:
        claim(out, second)
    assert refused.value.exit_code == 4
    claim(out, first)


def test_who_has_claimed_a_folder_need_not_have_written_yet(tmp_path: Path) -> None:
    """Two queries that start at once; but a claim ends with its checkpoint."""
    out, first, second = tmp_path / "out", begun(tmp_path / "a"), begun(tmp_path / "b")
    claim(out, first)
    with pytest.raises(SetupError, match=f"another checkpoint: {first}"):
        claim(out, second)
    begun(first)  # it never ran, so it is made anew, with another key
    claim(out, second)
    with pytest.raises(SetupError, match=f"another checkpoint: {second}"):
        claim(out, first)


def test_a_new_checkpoint_in_an_old_ones_place_is_another(tmp_path: Path) -> None:
    out, checkpoint = tmp_path / "out", begun(tmp_path / "a")
    claim(out, checkpoint)
    written(out, "0")
    with pytest.raises(SetupError, match="holds the answers of another checkpoint"):
        claim(out, begun(checkpoint))


def test_a_checkpoint_that_was_moved_is_the_same(tmp_path: Path) -> None:
    out, checkpoint = tmp_path / "out", begun(tmp_path / "a")
    claim(out, checkpoint)
    written(out, "0")
    claim(out, checkpoint.rename(tmp_path / "b"))
    assert json.loads((out / "_askos.json").read_text())["checkpoint"] == str(tmp_path / "b")


@pytest.mark.parametrize("said", [None, "", "{", "[]", '{"key": 5}'])
def test_without_a_claim_the_log_tells_who_wrote(said: str | None, tmp_path: Path) -> None:
    """A checkpoint that has begun what the log has may go on: an earlier version made no claims."""
    out = written(tmp_path / "out", "3", "9.compact", "10")
    if said is not None:
        (out / "_askos.json").write_text(said)
    for checkpoint in (begun(tmp_path / "new"), begun(tmp_path / "other", 9)):
        with pytest.raises(SetupError, match="one that askos does not know"):
            claim(out, checkpoint)
    claim(out, begun(tmp_path / "old", 10))

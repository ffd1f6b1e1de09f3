"""The driver's end of the control stream, without Spark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askos.errors import SetupError, StreamError
from askos.physical import build
from askos.physical.versions import Reload, Version
from askos.prepared import prepare
from askos.spark import Control
from askos.spark.checkpoint import begin
from askos.terms import URIRef
from tests.build import EX

TEXT = f"SELECT ?x FROM STREAM <{EX}s> WINDOW RANGE 10 SLIDE 5 {{ ?x <{EX}p> ?y }}"
STREAM = URIRef(EX.s)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    begin(tmp_path / "checkpoint", prepare(TEXT), build(prepare(TEXT).plan), 2, 2)
    return tmp_path / "checkpoint"


def entries(checkpoint: Path) -> list[object]:
    return [json.loads(file.read_text()) for file in (checkpoint / "control").iterdir()]


def test_what_is_no_checkpoint_is_refused_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="typo is no checkpoint of askos"):
        Control(tmp_path / "typo")
    with pytest.raises(SetupError, match="is no checkpoint of askos"):
        Control(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_told_is_a_file_of_json(checkpoint: Path) -> None:
    Control(checkpoint).mark(STREAM, 5)
    assert entries(checkpoint) == [{"source": str(STREAM), "mark": 5}]
    with pytest.raises(StreamError, match=f"does not read <{EX}t>"):
        Control(checkpoint).idle(URIRef(EX.t))


def test_the_end_is_what_says_so_not_what_has_its_name(checkpoint: Path) -> None:
    control = Control(checkpoint)
    assert not control.ended
    for stray in (b"{}", b"", b"\xff"):
        (control.folder / "end.json").write_bytes(stray)
        assert not control.ended
    (control.folder / ".end.json").write_text('{"end": true}')  # was never finished
    assert not control.ended
    control.end()
    assert (control.folder / "end.json").read_bytes() == b"\xff", "Spark reads no name twice"
    assert control.ended
    told = len(list(control.folder.iterdir()))
    assert told == 3
    (control.folder / "end.json").unlink()
    assert control.ended
    control.end()
    assert len(list(control.folder.iterdir())) == 2, "told once is enough"


def test_stray_files_with_the_names_of_reloads_are_no_reloads(checkpoint: Path) -> None:
    control = Control(checkpoint)
    (control.folder / "reload-000001.json").write_bytes(b"\xff")
    (control.folder / "reload-000002.json").mkdir()
    assert control.reloads("") == []
    told = Reload(1, EX.g, (Version(0, {}, {}),))
    control.write_reload(1, {"": told})
    assert control.reloads("") == [told]
    assert (control.folder / "reload-000001.json").read_bytes() == b"\xff", "Spark has read it"


@pytest.mark.parametrize("text", [b"{", b"\xff", b"[]", b"{}", b'{"streams": 5}', b"[" * 100_000])
def test_a_broken_description_is_told(text: bytes, checkpoint: Path) -> None:
    (checkpoint / "askos.json").write_bytes(text)
    with pytest.raises(SetupError, match=r"askos\.json cannot be read"):
        Control(checkpoint).idle(STREAM)

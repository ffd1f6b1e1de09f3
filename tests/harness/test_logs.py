"""What Spark's logs say of a checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from askos.spark.logs import has_heard_end, last_in


def logged(folder: Path, name: str, text: str = "") -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def begun(folder: Path, number: int, *offsets: int | None) -> None:
    """A micro-batch, and how far each source is read."""
    lines = ("-" if each is None else f'{{"logOffset":{each}}}' for each in offsets)
    logged(folder, f"offsets/{number}", "\n".join(["v1", '{"conf":{}}', *lines]))


@pytest.mark.parametrize("log", ["0", "9.compact"])
def test_the_end_has_been_heard_when_its_micro_batch_is_done(tmp_path: Path, log: str) -> None:
    """What broke off between the two goes on, and is not at its end yet."""
    assert not has_heard_end(tmp_path)
    begun(tmp_path, 0, 0, None)
    logged(tmp_path, "sources/0/0", 'v1\n{"path":"file:///data/1.nq","batchId":0}')
    logged(tmp_path, "commits/0")
    assert not has_heard_end(tmp_path)
    logged(tmp_path, f"sources/1/{log}", 'v1\n{"path":"file:///ck/control/end.json","batchId":1}')
    assert not has_heard_end(tmp_path), "as where the disk is full before its micro-batch begins"
    begun(tmp_path, 1, 0, int(log[0]))
    assert not has_heard_end(tmp_path), "its micro-batch has begun, but is not done"
    logged(tmp_path, "commits/1")
    assert has_heard_end(tmp_path)


def test_the_last_micro_batch_is_by_number_and_other_files_do_not_count(tmp_path: Path) -> None:
    assert last_in(tmp_path / "none") == -1
    for name in ("2", "19.compact", "9", ".20.crc", "21.tmp"):
        logged(tmp_path, name)
    assert last_in(tmp_path) == 19

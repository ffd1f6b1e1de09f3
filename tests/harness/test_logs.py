"""What Spark's logs say of a checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from askos.spark.logs import control_files, control_logs, has_heard_end, is_one_source, last_in


def logged(folder: Path, name: str, text: str = "") -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def begun(folder: Path, number: int, *offsets: int | None, together: bool = False) -> None:
    """A micro-batch, and how far each source is read, or each folder of one source."""
    lines = ["-" if each is None else f'{{"logOffset":{each}}}' for each in offsets]
    if together:
        lines = [str([-1 if each is None else each for each in offsets])]
    logged(folder, f"offsets/{number}", "\n".join(["v1", '{"conf":{}}', *lines]))


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("log", ["0", "9.compact"])
def test_the_end_has_been_heard_when_its_micro_batch_is_done(
    tmp_path: Path, log: str, *, together: bool
) -> None:
    """What broke off between the two goes on, and is not at its end yet."""
    sources = "sources/0" if together else "sources"
    assert is_one_source(tmp_path) is None
    assert not has_heard_end(tmp_path)
    begun(tmp_path, 0, 0, None, together=together)
    logged(tmp_path, f"{sources}/0/0", 'v1\n{"path":"file:///data/1.nq","batchId":0}')
    logged(tmp_path, "commits/0")
    assert is_one_source(tmp_path) is together
    assert not has_heard_end(tmp_path)
    logged(tmp_path, f"{sources}/1/{log}", 'v1\n{"path":"file:///ck/control/end.json","batchId":1}')
    assert not has_heard_end(tmp_path), "as where the disk is full before its micro-batch begins"
    begun(tmp_path, 1, 0, int(log[0]), together=together)
    assert not has_heard_end(tmp_path), "its micro-batch has begun, but is not done"
    logged(tmp_path, "commits/1")
    assert has_heard_end(tmp_path)


@pytest.mark.parametrize("together", [False, True])
def test_a_micro_batch_has_read_of_the_control_stream_what_is_noted_of_it(
    tmp_path: Path, *, together: bool
) -> None:
    """By name and number: what a log got later is not read yet, and some repeat all before them."""
    sources = "sources/0" if together else "sources"

    def heard(batch: int) -> list[str]:
        return [name for log in control_logs(tmp_path, batch) for name in control_files(*log)]

    path = '{{"path":"file:///{}","batchId":0}}'
    logged(tmp_path, f"{sources}/0/0", "v1\n" + path.format("control/data/1.nq"))
    for number, name in enumerate(("a", "b", "c")):
        logged(tmp_path, f"{sources}/1/{number}", f"v1\n{path.format(f'ck/control/{name}.json')}")
    begun(tmp_path, 0, 0, None, together=together)
    begun(tmp_path, 1, 0, 1, together=together)
    assert heard(0) == []
    assert heard(1) == ["b.json", "a.json"]
    both = "\n".join(path.format(f"ck/control/{name}.json") for name in "ab")
    logged(tmp_path, f"{sources}/1/1.compact", f"v1\n{both}")
    (tmp_path / f"{sources}/1/1").unlink()
    (tmp_path / f"{sources}/1/0").unlink()
    begun(tmp_path, 2, 0, 2, together=together)
    assert heard(2) == ["c.json", "a.json", "b.json"]


def test_the_last_micro_batch_is_by_number_and_other_files_do_not_count(tmp_path: Path) -> None:
    assert last_in(tmp_path / "none") == -1
    for name in ("2", "19.compact", "9", ".20.crc", "21.tmp"):
        logged(tmp_path, name)
    assert last_in(tmp_path) == 19

"""The caches of runs and buckets: never wrong, whatever is missing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from askos.columns import Batch, Coder, Dictionary
from askos.errors import SetupError
from askos.physical import build
from askos.physical.bucket import Bucket
from askos.spark.cache import Last, LiveCache, RunCache, new_folder, remove_folder
from tests.build import X
from tests.hosts.cases import CASES


def batch(*ids: int) -> Batch:
    values = np.array(ids, np.int64)
    return Batch({X: values}, values, values + 1, Dictionary())


def put(cache: RunCache, folder: Path, run: int) -> None:
    cache.put(str(folder), run, batch(run), batch(run).to_bytes())


def test_another_worker_finds_a_run_in_its_file(tmp_path: Path) -> None:
    put(RunCache(), tmp_path, 7)
    found = RunCache().get(str(tmp_path), 7)
    assert found
    assert found.ts.tolist() == [7]


def test_what_no_file_holds_is_not_found(tmp_path: Path) -> None:
    cache = RunCache()
    put(cache, tmp_path, 7)
    cache.drop(str(tmp_path), 7)
    assert cache.get(str(tmp_path), 7) is None
    assert RunCache().get(str(tmp_path / "nowhere"), 7) is None


def test_memory_has_a_cap_and_files_serve_the_rest(tmp_path: Path) -> None:
    cache = RunCache(memory=1)
    for run in range(3):
        put(cache, tmp_path, run)
    assert list(cache._runs) == [2]
    assert cache.get(str(tmp_path), 0)


def test_what_another_worker_has_dropped_is_forgotten(tmp_path: Path) -> None:
    cache = RunCache()
    for run in range(4):
        put(cache, tmp_path, run)
    cache.keep_only("one", [0, 1, 2])
    cache.keep_only("other", [3])
    cache.keep_only("one", [2, 7])
    assert sorted(cache._runs) == [2, 3]
    put(cache, tmp_path, 2)
    assert cache._bytes == 2 * len(batch(2).to_bytes())


def test_files_have_a_cap(tmp_path: Path) -> None:
    cache = RunCache(disk=1)
    put(cache, tmp_path, 1)
    assert not list(tmp_path.iterdir())
    assert cache.get(str(tmp_path), 1)


def test_what_many_workers_write_keeps_the_cap(tmp_path: Path) -> None:
    size = len(batch(0).to_bytes())
    workers = [RunCache(disk=20 * size) for _ in range(4)]
    for run in range(100):
        put(workers[run % 4], tmp_path, run)
    assert len(list(tmp_path.iterdir())) == 20


def test_a_folder_is_not_looked_through_for_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = list[str]()

    def look(folder: str) -> int:
        looked.append(folder)
        return 0

    monkeypatch.setattr("askos.spark.cache._used", look)
    cache = RunCache()
    for run in range(100):
        put(cache, tmp_path, run)
    assert len(looked) == 1


def test_a_folder_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = RunCache()
    put(cache, tmp_path / "file", 1)
    assert cache.get(str(tmp_path / "file"), 1)


def test_folders_of_drivers_that_are_gone_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    old = tmp_path / f"askos-runs-{gone.pid}-abc"
    old.mkdir()
    with new_folder() as first, new_folder() as second:
        assert not old.exists()
        assert Path(first).exists()
        assert Path(second).exists()
    assert Path(first).exists(), "the query has begun"
    remove_folder(first)
    remove_folder(first)
    assert [*tmp_path.iterdir()] == [Path(second)]


def test_a_folder_of_a_driver_that_cannot_be_seen_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in another container, and they share the folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("askos.spark.cache._alive", lambda pid: False)
    with new_folder() as first, new_folder() as second:
        assert Path(first).exists()
    remove_folder(second)


def test_who_forks_off_a_driver_leaves_its_folders(tmp_path: Path) -> None:
    script = """
import os, sys
from pathlib import Path
from askos.spark.cache import new_folder

with new_folder() as folder:
    pass
child = os.fork()
if not child:
    sys.exit()
os.waitpid(child, 0)
print(Path(folder).exists())
"""
    given = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=given, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr
    assert not [*tmp_path.iterdir()]


def test_a_folder_for_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def fail() -> None:
        with new_folder():
            raise SetupError("no such query")

    with pytest.raises(SetupError):
        fail()
    assert not [*tmp_path.iterdir()]


def test_a_bucket_is_reused_only_in_exactly_the_state_that_was_stored() -> None:
    plan = build(CASES["join"])
    bucket = Bucket(plan, plan.stages[0], Coder.fresh())
    live = LiveCache(most=1)
    live.put("a", "token", bucket, 1)
    assert live.take("a", "other") is None
    assert live.take("a", "token") is None, "a failed attempt may have changed it"
    live.put("a", "token", bucket, 1)
    assert live.take("a", "token") is bucket
    live.put("a", "token", bucket, 1)
    live.put("b", "token", bucket, 1)
    assert live.take("a", "token") is None


def test_buckets_are_kept_up_to_so_many_bytes_of_runs() -> None:
    plan = build(CASES["join"])
    first, second, third = (Bucket(plan, plan.stages[0], Coder.fresh()) for _ in range(3))
    live = LiveCache(memory=100)
    live.put("a", "token", first, 60)
    live.put("b", "token", second, 30)
    assert live.take("a", "token") is first
    live.put("a", "token", first, 60)
    live.put("c", "token", third, 20)
    assert live.take("b", "token") is None, "the oldest has gone"
    assert live.take("a", "token") is first
    live.put("a", "token", first, 1000)
    assert live.take("a", "token") is first, "one is kept, however large"
    live.put("b", "token", second, 90)
    live.put("b", "other", second, 90)
    live.put("c", "token", third, 10)
    assert live.take("b", "other") is second, "a bucket that is put again counts once"


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    cache = RunCache()
    put(cache, tmp_path / "new", 1)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "new" / "1.run").exists()


def test_a_folder_that_others_can_write_to_is_not_believed(tmp_path: Path) -> None:
    put(RunCache(), tmp_path, 7)
    tmp_path.chmod(0o777)
    assert RunCache().get(str(tmp_path), 7) is None
    put(RunCache(), tmp_path, 8)
    assert not (tmp_path / "8.run").exists()


def test_the_buckets_of_a_task_share_what_is_made_once() -> None:
    last, made = Last[str](), list[str]()

    def make(name: str) -> str:
        made.append(name)
        return name.upper()

    for name in ("a", "a", "b", "a"):
        assert last.get(name, partial(make, name)) == name.upper()
    assert made == ["a", "b", "a"], "nobody comes back to what is over"


def test_what_could_not_be_made_is_made_again() -> None:
    last = Last[int]()
    assert last.get("a", lambda: 1) == 1
    with pytest.raises(ZeroDivisionError):
        last.get("b", lambda: 1 // 0)
    assert last.get("b", lambda: 2) == 2

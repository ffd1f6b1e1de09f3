"""Spark's log of a file sink, as we write it; without Spark."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from askos.errors import SetupError
from askos.spark.logs import SINK
from askos.spark.sinklog import SinkLog, derived, drop_orphans, entries


def entry(name: str) -> str:
    return json.dumps({"path": f"file:///out/output=result/{name}", "size": 1})


@pytest.fixture
def log(tmp_path: Path) -> SinkLog:
    made = SinkLog(tmp_path / "out")
    made.begin(tmp_path / "checkpoint")
    return made


def named(log: SinkLog) -> list[str]:
    return sorted(file.name for file in (log.folder / SINK).iterdir())


def part(log: SinkLog, batch: int, *, output: str = "output=result", hidden: bool = False) -> Path:
    folder = log.folder / output
    folder.mkdir(parents=True, exist_ok=True)
    dot = "." if hidden else ""
    file = folder / f"{dot}part-{batch:05}-0-{os.urandom(8).hex()}.parquet"
    file.touch()
    return file


def test_every_tenth_micro_batch_repeats_all_before_it(log: SinkLog) -> None:
    for batch in range(25):
        log.add(batch, [entry(f"{batch}-{n}") for n in range(batch % 3)])
        wanted = {entry(f"{b}-{n}") for b in range(batch + 1) for n in range(b % 3)}
        assert log.files() == wanted
        assert log.last == batch
    compact = [name for name in named(log) if name.endswith(".compact")]
    assert compact == ["19.compact", "9.compact"]
    assert len(named(log)) == 25
    assert len(entries(log.folder / SINK / "19.compact")) == 19


def test_a_micro_batch_without_answers_has_a_file_too(log: SinkLog) -> None:
    log.add(0, [])
    assert (log.folder / SINK / "0").read_text() == "v1"
    assert log.files() == set()


def test_what_is_in_the_log_stays(log: SinkLog) -> None:
    log.add(0, [entry("mine")])
    with pytest.raises(SetupError, match="another query is using the checkpoint"):
        log.add(0, [entry("yours")])
    assert log.files() == {entry("mine")}
    assert named(log) == ["0"]


def test_a_file_system_without_links_will_do(log: SinkLog, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refused)
    log.add(0, [entry("mine")])
    with pytest.raises(SetupError, match="another query is using the checkpoint"):
        log.add(0, [entry("yours")])
    assert log.files() == {entry("mine")}
    assert named(log) == ["0"]


def test_a_log_goes_on_as_it_began(tmp_path: Path) -> None:
    """With another interval than today's setting; what Spark wrote with one."""
    for batch in range(9):
        SinkLog(tmp_path, default=3 if batch < 3 else 10).begin(tmp_path)
        SinkLog(tmp_path, default=3 if batch < 3 else 10).add(batch, [entry(str(batch))])
    assert {"2.compact", "5.compact", "8.compact"} < {*named(SinkLog(tmp_path))}
    assert SinkLog(tmp_path).files() == {entry(str(batch)) for batch in range(9)}


@pytest.mark.parametrize(
    ("default", "last", "wanted"), [(10, 9, 10), (10, 5, 6), (5, 11, 6), (10, 19, 20), (7, 41, 7)]
)
def test_an_interval_is_concluded_as_spark_does(default: int, last: int, wanted: int) -> None:
    assert derived(default, last) == wanted


def test_what_has_been_repeated_long_ago_is_removed(log: SinkLog) -> None:
    for batch in range(150):
        log.add(batch, [entry(str(batch))])
        os.utime(log.folder / SINK / f"{batch}{'' if (batch + 1) % 10 else '.compact'}", (0, 0))
    assert len(log.files()) == 150
    numbers = sorted(int(name.removesuffix(".compact")) for name in named(log))
    assert numbers == [*range(49, 150)]


def test_a_part_that_never_came_into_the_log_is_removed_once_its_batch_is_settled(
    log: SinkLog,
) -> None:
    kept, lost, half = part(log, 0), part(log, 0), part(log, 0, hidden=True)
    other = part(log, 0, output="query=a%2Fb/output=late")
    running, foreign = part(log, 1), log.folder / "output=result" / "part-00000-c000.parquet"
    foreign.touch()
    drop_orphans(log)
    assert all(file.exists() for file in (kept, lost, half, other, running)), "nothing is settled"
    log.add(0, [entry(kept.name)])
    drop_orphans(log)
    assert not any(file.exists() for file in (lost, half, other))
    assert all(file.exists() for file in (kept, running, foreign))


def test_a_folder_that_lacks_what_its_checkpoint_has_given_is_refused(tmp_path: Path) -> None:
    log, commits = SinkLog(tmp_path / "out"), tmp_path / "checkpoint" / "commits"
    commits.mkdir(parents=True)
    (commits / "0").touch()
    (commits / "1").touch()
    with pytest.raises(SetupError, match=r"lacks answers .* of micro-batches 0 to 1"):
        log.begin(tmp_path / "checkpoint")
    for batch in range(2):
        log.add(batch, [])
    log.begin(tmp_path / "checkpoint")

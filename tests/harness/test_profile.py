"""Where the time goes: what tasks note, and what is made of it; without Spark, and without time."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from py4j.protocol import Py4JError

from askos.cli import main
from askos.cli.profiling import in_a_line
from askos.errors import SetupError
from askos.local import Engine
from askos.physical.skew import HotKey, Keys
from askos.physical.tally import OperatorProfile, Tally
from askos.spark import measuring, profile
from askos.spark.measuring import Stopwatch, is_active, note_reports, note_stage, packing
from askos.spark.profiles import Recent
from askos.spark.records import FOLDER, Growing, append, last, read
from askos.spark.timeline import PARTS, Group, shared_out
from askos.spark.uneven import Uneven
from tests.build import S1, S2
from tests.hosts.cases import OPTIONAL, readings
from tests.hosts.harness import Harness
from tests.hosts.three import as_it_is

ROWS = [(S1, readings(S1, 30, 1)), (S2, readings(S2, 20, 2)), (S1, readings(S1, 9, 2, 40))]


# ---- records ---------------------------------------------------------------------------------


def test_of_a_micro_batch_that_is_run_again_the_last_record_counts(tmp_path: Path) -> None:
    file = tmp_path / FOLDER / "stage-0-0.jsonl"
    for batch, value in ((0, "a"), (1, "b"), (1, "c")):
        append(file, {"batch": batch, "value": value})
    assert {number: record["value"] for number, record in read(file).items()} == {0: "a", 1: "c"}
    assert last(file) == {"batch": 1, "value": "c"}


def test_old_records_go_and_the_last_ones_stay(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    for batch in range(3000):
        append(file, {"batch": batch, "value": "x" * 300})
    assert file.stat().st_size < 1 << 19
    kept = sorted(read(file))
    assert kept == list(range(kept[0], 3000))
    assert len(kept) >= 100


def test_the_last_record_may_be_long(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    for batch in range(3):
        append(file, {"batch": batch, "value": "x" * 100_000})
        assert (last(file) or {})["batch"] == batch


def test_what_is_no_record_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    append(file, {"batch": 7})
    with open(file, "ab") as log:
        log.write(b'[1]\n{"batch": "x"}\n\xff\n{"batch": 8, "cut o')
    assert read(file) == {7: {"batch": 7}}
    assert last(file) == {"batch": 7}
    assert last(tmp_path / "none.jsonl") is None


def test_a_record_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    append(tmp_path / "file" / "some.jsonl", {"batch": 1})
    assert read(tmp_path / "file" / "some.jsonl") == {}


# ---- tasks -----------------------------------------------------------------------------------


@pytest.fixture
def batch(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of the micro-batch that runs, as Spark would tell it."""
    number = [0]
    monkeypatch.setattr(measuring, "current_batch", lambda: number[0])
    return number


def delivered(batch: list[int], choices: Random) -> Harness:
    run = Harness(as_it_is(OPTIONAL), choices, buckets=2)
    for source, rows in ROWS:
        run.push({source: rows})
        batch[0] += 1
    return run


@pytest.mark.parametrize("seed", range(5))
def test_operators_are_counted_as_the_local_host_counts_them(batch: list[int], seed: int) -> None:
    """However often tasks and micro-batches were run again."""
    run = delivered(batch, Random(seed))
    engine = Engine(buckets=2, lateness=run.lateness)
    query = engine.register(as_it_is(OPTIONAL))
    for source, rows in ROWS:
        engine.push(source, rows)
    told, want = profile(run.checkpoint).operators, query.profile()
    assert rows_of(told) == rows_of(want)
    for one, other in zip(told, want, strict=True):  # what has ended may be there for a while
        assert 0 < one.elements <= 59
        assert 0 < other.elements <= 59


def rows_of(operators: Any) -> list[OperatorProfile]:
    return [replace(operator, milliseconds=0.0, elements=0) for operator in operators]


def test_packing_notes_its_parts(batch: list[int], tmp_path: Path) -> None:
    def doubled(batches: Any) -> Any:
        for given in batches:
            yield given * 2

    found = list(packing(str(tmp_path), doubled, iter(["ab", "c"])))
    assert found == ["abab", "cc"]
    (record,) = read(tmp_path / "pack-0.jsonl").values()
    assert set(record["parts"]) == {"source", "packing", "sending"}


def test_without_spark_nothing_is_noted(tmp_path: Path) -> None:
    note_stage(str(tmp_path), 0, 0, Stopwatch(), [], Keys())
    assert not list(tmp_path.iterdir())


def test_switches_are_added_up_whatever_older_versions_have_noted(
    batch: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    """They noted none."""
    run = Harness(as_it_is(OPTIONAL), Random(1), buckets=1)
    folder = run.checkpoint / FOLDER
    old = {"operators": {"0": [5, 4, 3, 0.5]}, "before": {"0": [1, 1, 0.5]}, "hot": None}
    append(folder / "stage-0-0.jsonl", {"batch": -1, **old})
    for number in range(2):
        batch[0] = number
        tally = Tally(OPTIONAL, 10, 10, 1.0, switches=2 + number)
        note_stage(str(folder), 0, 0, Stopwatch(), [(tally, 7)], Keys())
        assert tally.switches == 0
    told = profile(run.checkpoint).operators[0]
    assert (told.rows_in, told.rows_out, told.elements, told.switches) == (26, 25, 7, 5)
    assert main(["explain", "--profile", str(run.checkpoint)]) == 0
    assert "elements  switches\n" in capsys.readouterr().out


# ---- what Spark reports ----------------------------------------------------------------------


class Report:
    """Spark's report of a micro-batch, as far as it is read."""

    def __init__(self, batch: int, rows: int) -> None:
        self._batch, self._rows = batch, rows

    def batchId(self) -> int:  # noqa: N802 - Spark's name
        return self._batch

    def json(self) -> str:
        spent = {"triggerExecution": 9}
        told = {"batchId": self._batch, "numInputRows": self._rows, "durationMs": spent}
        told["sources"] = [{"description": "Kafka", "numInputRows": self._rows}]
        told["stateOperators"] = [{"commitTimeMs": 3}, {"commitTimeMs": 5}]
        return json.dumps({**told, "timestamp": "2026-06-01T00:00:00Z"})


class Running:
    """One of Spark's queries, and the reports that it keeps."""

    def __init__(self, *kept: Report) -> None:
        self.kept = list(kept)
        self._jsq = self

    def recentProgress(self) -> list[Report]:  # noqa: N802 - Spark's name
        return self.kept

    @property
    def isActive(self) -> bool:  # noqa: N802 - Spark's name
        raise Py4JError("Answer from Java side is empty")


def test_reports_are_noted_once_and_only_of_rows(tmp_path: Path) -> None:
    query: Any = Running(Report(0, 5), Report(1, 0), Report(2, 7))
    note_reports(query, tmp_path)
    query.kept = [Report(1, 0), Report(2, 8), Report(3, 9)]
    note_reports(query, tmp_path)
    found = read(tmp_path / FOLDER / "spark.jsonl")
    assert {number: record["rows"] for number, record in found.items()} == {0: 5, 2: 7, 3: 9}
    assert found[3]["commit"] == 5


def test_a_query_whose_spark_is_gone_is_not_looked_at_any_more() -> None:
    query: Any = Running()
    assert not is_active(query)


# ---- what is uneven --------------------------------------------------------------------------


def keeps(folder: Path, bucket: int, elements: int, **more: Any) -> None:
    """A bucket of the first stage notes that it keeps so many."""
    noted = {"operators": {"0": [1, 1, elements, 0.1]}, "different": 30, "hot": None}
    append(folder / f"stage-0-{bucket}.jsonl", {"batch": 0, **noted, **more})


def test_a_bucket_with_most_of_the_state_is_told_once(tmp_path: Path) -> None:
    uneven = Uneven(tmp_path)
    assert not list(uneven.news())
    keeps(tmp_path, 0, 1_000)
    keeps(tmp_path, 1, 4_000)
    assert not list(uneven.news())  # it is not much
    keeps(tmp_path, 1, 19_000)
    assert list(uneven.news()) == [
        "bucket 2 keeps 95% of 20,000 elements of stage 1, and others wait for it"
    ]
    assert not list(uneven.news())


def test_buckets_that_share_well_are_not_told_and_neither_is_one_without_others(
    tmp_path: Path,
) -> None:
    keeps(tmp_path, 0, 60_000)
    assert not list(Uneven(tmp_path).news())
    keeps(tmp_path, 1, 40_000)
    assert not list(Uneven(tmp_path).news())


def test_buckets_are_compared_after_the_same_micro_batch(tmp_path: Path) -> None:
    keeps(tmp_path, 0, 0, batch=1)  # as at the end of input, before the other has heard of it
    keeps(tmp_path, 1, 19_000)
    assert not list(Uneven(tmp_path).news())
    keeps(tmp_path, 1, 19_000, batch=1)
    assert len(list(Uneven(tmp_path).news())) == 1


def test_a_stage_of_few_keys_is_not_uneven(tmp_path: Path) -> None:
    keeps(tmp_path, 0, 60_000, different=5)
    keeps(tmp_path, 1, 40, different=0)
    assert not list(Uneven(tmp_path).news())


def test_a_hot_key_is_told_once(tmp_path: Path) -> None:
    keeps(tmp_path, 0, 20_000, hot=asdict(HotKey("?t = <T1>", 0.75, 20_000)))
    uneven = Uneven(tmp_path)
    assert list(uneven.news()) == [
        "a hot key: ?t = <T1> has 75% of 20,000 elements in its bucket, and others wait for it"
    ]
    assert not list(uneven.news())


# ---- shares ----------------------------------------------------------------------------------


def task(began: float, ended: float, **parts: float) -> dict[str, Any]:
    return {"batch": 0, "began": began, "ended": ended, "parts": parts}


def test_the_time_of_a_micro_batch_is_shared_out_whole() -> None:
    """It begins at 100 and takes ten seconds.  Two tasks pack from 102 to 104, a quarter of the
    time waiting; a stage runs from 105 to 107; what it gives is written until 109.5."""
    ms = {"triggerExecution": 10_000, "latestOffset": 500, "getBatch": 500, "commitOffsets": 500}
    report = {"at": "1970-01-01T00:01:40.000Z", "ms": ms, "commit": 250}
    pack = [task(102, 104, source=0.5, packing=1.5), task(102, 103, source=0.25, packing=0.75)]
    stage = {**task(105, 107, operators=1.5, storing=0.5), "operators": {"4": [9, 9, 1, 0.75]}}
    spent = shared_out(report, [Group.of(0, [stage]), Group.of(0, pack)])
    assert (spent.began, spent.seconds) == (100, 10)
    assert spent.parts == {
        "source": 1.5,
        "packing": 1.5,
        "shuffle": 1,
        "operators": 1.5,
        "state": 0.75,
        "sink": 2.25,
        "rest": 1.5,
    }
    assert spent.operators == {(1, 4): 0.75}
    assert sum(spent.parts.values()) == spent.seconds


def test_groups_that_overlap_are_not_counted_twice() -> None:
    report = {"at": "1970-01-01T00:00:10Z", "ms": {"triggerExecution": 4000}, "commit": 0}
    groups = [Group.of(0, [task(10, 13, packing=3)]), Group.of(1, [task(11, 14, packing=3)])]
    assert shared_out(report, groups).parts["packing"] == 4


def test_a_micro_batch_whose_tasks_are_unknown_is_all_rest_but_for_its_source() -> None:
    ms = {"triggerExecution": 4000, "latestOffset": 1000}
    spent = shared_out({"at": "1970-01-01T00:00:10Z", "ms": ms, "commit": 7}, [])
    assert {part: s for part, s in spent.parts.items() if s} == {"source": 1, "rest": 3}


# ---- while it runs ---------------------------------------------------------------------------


@pytest.fixture
def checkpoint(batch: list[int]) -> Path:
    """Of a run of three micro-batches, of which two were reported."""
    run = delivered(batch, Random(1))
    for number in range(2):
        ms = {"triggerExecution": 200, "latestOffset": 20}
        report = {"batch": number, "at": f"2026-06-01T00:00:0{number}Z", "rows": 30}
        append(run.checkpoint / FOLDER / "spark.jsonl", {**report, "ms": ms, "commit": 1})
    return run.checkpoint


def reported(batch: int) -> dict[str, Any]:
    """Spark's report of the micro-batches of `checkpoint`."""
    return {
        "batchId": batch,
        "timestamp": f"2026-06-01T00:00:0{batch}Z",
        "durationMs": {"triggerExecution": 200, "latestOffset": 20},
        "sources": [{"description": "Kafka", "numInputRows": 30}],
        "stateOperators": [{"commitTimeMs": 1}],
    }


def test_micro_batches_are_told_while_they_run_as_they_are_told_later(checkpoint: Path) -> None:
    recent = Recent(checkpoint)
    for later in profile(checkpoint).batches:
        assert recent.batch(reported(later.number)) == replace(later, by_operator=())


def test_a_look_at_what_runs_reads_only_what_was_noted_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    news = Growing.news

    def counted(growing: Growing) -> Any:
        found = news(growing)
        sizes.append(len(found))
        return found

    monkeypatch.setattr(Growing, "news", counted)
    recent = Recent(tmp_path)  # it has no plan, and none is looked for
    for batch in range(5):
        for name in ("pack-0", "stage-0-0", "stage-1-0"):
            noted = {**task(batch, batch + 1, packing=1), "batch": batch}
            append(tmp_path / FOLDER / f"{name}.jsonl", noted)
        assert in_a_line(recent.batch(reported(batch))).startswith("200 ms: ")
    assert sizes == [1, 1, 1] * 5
    assert not any(noted.records for _, noted in recent._tasks.values())


def test_of_a_file_that_grows_each_record_is_read_once(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    growing = Growing(file)
    assert growing.news() == []
    seen = []
    for batch in range(3000):  # old lines go meanwhile
        append(file, {"batch": batch, "value": "x" * 300})
        seen += [record["batch"] for record in growing.news()][-1:]
    assert seen == list(range(3000))
    assert growing.news() == []


def test_a_line_that_is_not_whole_is_read_when_it_is(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    growing = Growing(file)
    file.write_bytes(b'{"batch": 1}\nrubbish\n{"bat')
    assert growing.news() == [{"batch": 1}]
    assert growing.news() == []
    with open(file, "ab") as log:
        log.write(b'ch": 2}\n')
    assert growing.news() == [{"batch": 2}]


# ---- the command -----------------------------------------------------------------------------


def test_a_profile_is_told_as_tables(checkpoint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--profile", str(checkpoint)]) == 0
    told = capsys.readouterr().out
    assert told.startswith("micro-batches 0 to 1, medians\n")
    for what in (*PARTS, "rows out", "1 LeftJoin", "stage, bucket", "1, 2"):
        assert what in told


def test_a_profile_is_told_as_json(checkpoint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--profile", str(checkpoint), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["number"] for one in told["batches"]] == [0, 1]
    assert told["operators"][0]["name"] == "LeftJoin"
    assert [one["bucket"] for one in told["buckets"]] == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["query.rq"], "--profile takes no query"),
        (["--format", "svg"], "--profile is no svg"),
    ],
)
def test_what_a_profile_is_not_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "--profile", "there", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_checkpoint_that_has_not_run_has_no_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Harness(as_it_is(OPTIONAL), Random(1))
    assert main(["explain", "--profile", str(run.checkpoint)]) == 0
    assert capsys.readouterr().out.startswith("no micro-batch has been noted yet\n")
    found = profile(run.checkpoint)
    assert not found.batches
    assert [operator.rows_in for operator in found.operators] == [0]
    with pytest.raises(SetupError, match="is no checkpoint of askos"):
        profile(tmp_path)

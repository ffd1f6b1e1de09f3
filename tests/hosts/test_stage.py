"""A stage without Spark: what it gives and what it stores, and in which order."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from askos.algebra import Join, SlidingWindow, StreamAccess
from askos.physical import build
from askos.spark import stage as stages
from askos.spark.cache import LiveCache, RunCache
from askos.spark.job import Fingerprint, Job
from askos.spark.pack import Pack
from askos.spark.stage import StageTask
from askos.terms import n3
from tests.build import EX, S1, S2, X, Y, Z, pattern

LEFT, RIGHT = (SlidingWindow(StreamAccess(source), 100, 1) for source in (S1, S2))
PLAN = Join(pattern(X, "p", Y, LEFT), pattern(X, "q", Z, RIGHT))


class Value:
    """Spark's ValueState, as far as a stage needs it."""

    def __init__(self) -> None:
        self.value: Any = None

    def get(self) -> Any:
        return self.value

    def update(self, value: Any) -> None:
        self.value = value


class Values:
    """Spark's MapState."""

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}

    def getValue(self, key: Any) -> Any:  # noqa: N802 - Spark's name
        return self.values.get(key)

    def updateValue(self, key: Any, value: Any) -> None:  # noqa: N802 - Spark's name
        self.values[key] = value

    def removeKey(self, key: Any) -> None:  # noqa: N802 - Spark's name
        del self.values[key]


class Stage:
    """The join's only stage, in one bucket."""

    def __init__(self, folder: str) -> None:
        self.job = Job(build(PLAN), Fingerprint("plan", 1, 1, "0123456789abcdef"), folder)
        self.manifest: Any = Value()
        self.runs: Any = Values()

    def step(self, *triples: tuple[str, str, str, int]) -> Any:
        """The frames that follow from triples (s, p, o, ts) of the stream that has their p."""
        (first,) = self.job.plan.stages
        frames = []
        for feed in first.feeds:
            wanted = "p" if feed.source == S1 else "q"
            rows = [(n3(EX[s]), n3(EX[p]), n3(EX[o]), t) for s, p, o, t in triples if p == wanted]
            names = ("s", "p", "o", "ts")
            batch = pa.RecordBatch.from_pylist([dict(zip(names, r, strict=True)) for r in rows])
            pack = Pack(feed.source, (feed,), first.key, self.job.buckets, 0, self.job.coder, True)
            frames += [made.to_pandas() for made in pack([batch] if rows else [])]
        task = StageTask(self.job, 0, self.manifest, self.runs)
        return task.step(self.job.buckets[0], iter(frames))


def answers(frames: Any) -> list[tuple[str, str, int]]:
    found = [frame[["y", "z", "ts"]].values.tolist() for frame in frames]
    return sorted((y, z, int(ts)) for rows in found for y, z, ts in rows)


def test_answers_are_given_before_the_state_is_stored(tmp_path: Any) -> None:
    stage = Stage(str(tmp_path))
    frames = stage.step(("a", "p", "b", 1), ("a", "q", "c", 2))
    assert answers([next(frames)]) == [(n3(EX.b), n3(EX.c), 2)]
    assert stage.manifest.value is None
    assert not stage.runs.values
    assert list(frames) == []
    assert stage.manifest.value is not None
    assert len(stage.runs.values) == 2


@pytest.mark.parametrize("forgetful", [False, True])
def test_a_stage_goes_on_from_its_memory_or_from_what_it_stored(
    tmp_path: Any, forgetful: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(str(tmp_path / "runs"))
    for time in range(9):
        if forgetful:
            monkeypatch.setattr(stages, "LIVE", LiveCache())
            monkeypatch.setattr(stages, "RUNS", RunCache(disk=0))
        found = answers(stage.step(("a", "p", f"b{time}", time), ("a", "q", f"c{time}", time)))
        assert len(found) == 2 * time + 1
        assert len(stage.runs.values) <= 8

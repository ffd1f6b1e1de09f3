"""A stage without Spark: what it gives and what it stores, and in which order."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any, cast
from unittest import mock

import pytest

from askos.algebra import Join, SlidingWindow, StreamAccess
from askos.errors import StreamError
from askos.physical import build
from askos.spark.answers import Answers
from askos.spark.cache import Memory, RunCache
from askos.spark.hearing import pack_control
from askos.spark.job import Fingerprint, Job
from askos.spark.levels import levels, opened
from askos.spark.messages import Message, messages, to_arrow
from askos.spark.output import unpacked
from askos.spark.pack import packs
from askos.spark.stage import StageTask
from askos.sweeparea import area
from askos.terms import n3
from tests.build import EX, S1, S2, X, Y, Z, pattern
from tests.hosts.given import Given, left_to_stages, reading
from tests.hosts.store import State
from tests.hosts.three import table

LEFT, RIGHT = (SlidingWindow(StreamAccess(source), 100, 1) for source in (S1, S2))
PLAN = Join(pattern(X, "p", Y, LEFT), pattern(X, "q", Z, RIGHT))


class Stage:
    """The join's only stage, in one bucket."""

    def __init__(self, folder: str) -> None:
        key = "0123456789abcdef"
        self.job = Job(build(PLAN), Fingerprint("plan", 1, 1, key), "/checkpoints/one", folder)
        self.state = State()
        self.memory = Memory()

    def step(self, *triples: tuple[str, str, str, int]) -> Any:
        """The messages that follow from triples (s, p, o, ts) of the stream that has their p."""
        sent = []
        for pack in packs([self.job], lambda source: 0):
            of = "p" if pack.source == S1 else "q"
            rows = [(n3(EX[s]), n3(EX[p]), n3(EX[o]), t) for s, p, o, t in triples if p == of]
            taken = pack.taken(table(rows).to_batches())
            sent += [each for made in pack.pack(taken) for each in made]
        task = StageTask(self.job, 0, cast("Any", self.state), self.memory, lambda: 0)
        return task.step(0, iter(sent))


def answers(told: Iterable[Message]) -> list[tuple[str, str, int]]:
    table = pickle.dumps(Answers.of(build(PLAN)))
    found = [row for rows in unpacked(table, [to_arrow(told)]) for row in rows.to_pylist()]
    return sorted((row["y"], row["z"], row["ts"]) for row in found)


def test_answers_are_given_before_the_state_is_stored(tmp_path: Any) -> None:
    stage = Stage(str(tmp_path))
    told = stage.step(("a", "p", "b", 1), ("a", "q", "c", 2))
    assert answers([next(told)]) == [(n3(EX.b), n3(EX.c), 2)]
    assert not stage.state.stored
    assert list(told) == []
    assert len(stage.state.stored) == 3  # and how they hang together
    assert len(stage.state.runs) == 2


@pytest.mark.parametrize("forgetful", [False, True])
@mock.patch.object(area, "_FEW", 0)
def test_a_stage_goes_on_from_its_memory_or_from_what_it_stored(
    tmp_path: Any, forgetful: bool
) -> None:
    stage = Stage(str(tmp_path / "runs"))
    for time in range(9):
        if forgetful:
            stage.memory = Memory(runs=RunCache(disk=0))
        found = answers(stage.step(("a", "p", f"b{time}", time), ("a", "q", f"c{time}", time)))
        assert len(found) == 2 * time + 1
        assert len(stage.state.runs) <= 8


def test_state_that_is_lost_is_an_error_that_names_the_checkpoint(tmp_path: Any) -> None:
    stage = Stage(str(tmp_path))
    list(stage.step(("a", "p", "b", 1), ("a", "q", "c", 2)))
    lost = sorted(stage.state.runs)[0]
    del stage.state.stored[lost]
    stage.job, stage.memory = replace(stage.job, cache=str(tmp_path / "new")), Memory()
    with pytest.raises(StreamError, match=r"checkpoint /checkpoints/one has lost .* of stage 0"):
        list(stage.step(("a", "p", "b", 3)))


def test_files_are_read_anew_when_a_query_is_started_again(tmp_path: Any) -> None:
    """One of them may have been mended; until then the buckets of a worker share what is read."""
    one, two = (str(tmp_path / name) for name in ("one", "two"))
    stage, memory = Stage(one), Memory()
    files = {S1: [(tmp_path / "p.nq", "nquads")], S2: [(tmp_path / "q.nq", "nquads")]}

    def found(value: str, start: str) -> list[tuple[str, str, int]]:
        for ((file, _),) in files.values():
            line = f'<{EX.a}> <{EX[file.stem]}> "{value}" <urn:ms:1> .'
            file.write_text(line)
        job = replace(stage.job, cache=start)
        read = reading(Given(files=files), packs([job], lambda source: 0), pack_control([job]))
        (level,) = levels([job])
        packed, (rows,) = left_to_stages(level, read, Random(1))
        (bucket,) = level.places
        state: Any = State()
        return answers(opened(packed).run(bucket, messages(rows), state, memory, lambda: 7))

    assert found("torn", one) == found("whole", one) == [('"torn"', '"torn"', 1)]
    assert found("whole", two) == [('"whole"', '"whole"', 1)]

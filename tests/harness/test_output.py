"""Stages that write their answers themselves, on the harness: whatever fails, the sink's log names
each answer once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Operator, first_difference
from askos.queries import prepare_all
from askos.spark.job import Job
from askos.spark.logs import SINK
from askos.spark.messages import PART, READ, messages
from askos.spark.parts import Folder, batch_of
from askos.spark.sinklog import SinkLog, drop_orphans
from tests.build import EX, S1, S2
from tests.hosts.cases import DELIVERIES, OPTIONAL
from tests.hosts.harness import BrokenOffError, Harness, Rows, delivered
from tests.hosts.strategies import Delivery, deliveries, plans, queries
from tests.hosts.three import as_it_is, run_reference

BUCKETS = st.sampled_from([1, 2, 5])


class Directly(Harness):
    """A run whose stages write files; its rows are those that the log names."""

    def restart(self) -> None:
        super().restart()
        self.log = SinkLog(self._folder / "out", default=3)
        self.log.begin(self._folder)

    def _begun(self, job: Job) -> Job:
        return replace(super()._begun(job), out=Folder(str(self._folder / "out")))

    def _answers(self, sent: Iterable[pa.RecordBatch]) -> Rows:
        """As the driver does, which may be killed before and after."""
        told = [message for batch in sent for message in messages(batch)]
        assert {message.port for message in told} <= {PART, READ}
        parts = [part for part in told if len(part.payload)]
        if self._fails(4):
            raise BrokenOffError
        before = self.log.files()
        if self.batches > self.log.last:
            self.log.add(self.batches, [bytes(part.payload).decode() for part in parts])
            self.told = self.log.files() - before
        if self._happens(3):
            drop_orphans(self.log)
        return [row for entry in sorted(self.told) for row in rows_of(entry)]

    def leftovers(self) -> set[str]:
        """Parts that the log does not name."""
        known = {file_of(entry).name for entry in self.log.files()}
        found = {file.name for file in self.log.folder.rglob("*.parquet")}
        assert known <= found
        return found - known


def file_of(entry: str) -> Path:
    return Path(unquote(json.loads(entry)["path"].removeprefix("file://")))


def rows_of(entry: str) -> list[dict[str, Any]]:
    file = file_of(entry)
    said = dict(part.split("=", 1) for part in file.parts if "=" in part)
    rows = pq.ParquetFile(file).read().to_pylist()
    return [{**row, **{name: unquote(value) for name, value in said.items()}} for row in rows]


def check(plan: Operator, delivery: Delivery, buckets: int, choices: Random) -> None:
    run = Directly(as_it_is(plan, delivery.sources), choices, buckets)
    answers = delivered(run, delivery, choices).answers
    assert first_difference(run_reference(plan, delivery), answers) is None
    assert run.log.last == run.batches - 1
    drop_orphans(run.log)
    assert not run.leftovers()


@given(plans() | queries(), deliveries(8), BUCKETS, st.randoms(use_true_random=False))
def test_the_log_names_each_answer_once_whatever_fails(
    plan: Operator, delivery: Delivery, buckets: int, choices: Random
) -> None:
    check(plan, delivery, buckets, choices)


@pytest.mark.parametrize("name", DELIVERIES)
def test_every_delivery_is_logged_whatever_fails(name: str) -> None:
    check(OPTIONAL, DELIVERIES[name], 5, Random(name))


STEPPED = f"[RANGE 10 STEP 5] {{ ?x <{EX}p> ?y }}"
QUERIES = prepare_all(
    {
        "a/b": f"SELECT ?x FROM STREAM <{S1}> {STEPPED}",
        "c": f"SELECT * FROM STREAM <{S2}> {STEPPED}",
    }
)


def test_several_queries_write_into_folders_of_their_own() -> None:
    run = Directly(QUERIES, Random(1), faults=False)
    row = (f"<{EX.a}>", f"<{EX.p}>", f"<{EX.b}>")
    run.push({S1: [(*row, 1)], S2: [(*row, 2), ("rubbish", *row[1:], 3)]})
    run.end()
    assert [answer.at for answer in run.split["a/b"]] == [answer.at for answer in run.split["c"]]
    (refused,) = run.of("refused")
    assert "rubbish" in refused["note"]
    folders = {str(file.parent.relative_to(run.log.folder)) for file in parts(run)}
    assert folders >= {"query=a%2Fb/output=result", "query=c/output=result"}
    assert {batch_of(file.name) for file in parts(run)} <= {0, 1}
    assert {file.name for file in (run.log.folder / SINK).iterdir()} == {"0", "1"}


def parts(run: Directly) -> list[Path]:
    return [file_of(entry) for entry in run.log.files()]

"""A bucket of a stage in one micro-batch: unpack, run, store, pack."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import MapState, ValueState

from askos.columns import Batch, coalesce
from askos.columns.hidden import hidden
from askos.errors import StreamError
from askos.physical.bucket import Bucket, Output
from askos.physical.exchange import split
from askos.physical.marks import Mark, stage_channel
from askos.spark.answers import Answers
from askos.spark.cache import WORKER, Memory
from askos.spark.job import Job
from askos.spark.messages import LATE, LATEST, MARK, REFUSED, Message, columns, remark


class StageTask:
    """Runs the operators of a stage and stores what is new of their state.

    The state of a bucket is a small manifest and immutable runs: a micro-batch writes the runs
    it made, and removes those that were merged or have expired.
    """

    def __init__(
        self,
        job: Job,
        number: int,
        manifest: ValueState,
        runs: MapState,
        memory: Memory = WORKER,
    ) -> None:
        self._job = job
        self._memory = memory
        self._stage = job.plan.stages[number]
        self._manifest = manifest
        self._runs = runs

    def step(self, bucket_id: int, rows: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """Take the packed rows of a bucket, give those that follow."""
        place = self._job.buckets.index(bucket_id)
        inputs, marks, forwarded = self._unpack(rows)
        bucket, manifest = self._load(place)
        if bucket.ended and inputs:
            raise StreamError(
                "rows came after the end of input",
                hint="a finished checkpoint takes no more data: start with an empty one",
            )
        output = bucket.step(inputs, marks)
        if self._stage is self._job.plan.stages[-1]:
            forwarded = _remarked(bucket, forwarded)
        # Sent before the state is stored: Spark writes answers while this goes on.
        yield from self._output(bucket_id, output, forwarded)
        self._store(place, bucket, manifest)

    def _output(
        self, bucket_id: int, output: Output, forwarded: list[Message]
    ) -> Iterator[pd.DataFrame]:
        """Answers, or the rows of the next stage."""
        late = [Message(bucket_id, LATE, payload=batch.to_bytes()) for batch in output.late]
        # A stage without a key has one bucket; the others only pass progress on.
        first = bucket_id == self._job.buckets[0]
        batch = output.batch if self._stage.key or first else Batch.empty()
        if self._stage is self._job.plan.stages[-1]:
            yield from self._answers(batch, forwarded + late)
        else:
            messages = [*forwarded, *late, *self._to_next(bucket_id, batch, output.progress)]
            yield pd.DataFrame(columns(messages))

    def _unpack(
        self, rows: Iterator[pd.DataFrame]
    ) -> tuple[dict[int, list[Batch]], list[Mark], list[Message]]:
        """Batches by port, promises, and what only passes through."""
        inputs: dict[int, list[Batch]] = {}
        marks: list[Mark] = []
        forwarded: list[Message] = []
        for frame in rows:
            for values in zip(*(frame[name] for name in Message.__slots__), strict=True):
                message = Message(*values)
                if message.port == MARK:
                    marks.append(message.promise)
                elif message.port in (LATE, REFUSED, LATEST):
                    forwarded.append(message)
                else:
                    inputs.setdefault(int(message.port), []).append(message.batch)
        return inputs, marks, forwarded

    # ---- state --------------------------------------------------------------------------

    def _load(self, place: int) -> tuple[Bucket, dict[str, Any]]:
        """The bucket as the last micro-batch left it: from this worker's memory if it is that
        very one, else from the state store."""
        stored = self._manifest.get()
        if stored is None:
            return self._new(place), {"fingerprint": asdict(self._job.fingerprint), "runs": []}
        manifest = json.loads(bytes(stored[0]))
        self._job.fingerprint.refuse_others(manifest["fingerprint"], "the state of this checkpoint")
        bucket = self._memory.live.take(self._name(place), manifest["token"])
        if bucket is None:
            bucket = self._new(place)
            bucket.restore(manifest["state"], self._fetch)
        return bucket, manifest

    def _new(self, place: int) -> Bucket:
        job = self._job
        return Bucket(job.plan, self._stage, job.coder, job.table, place, len(job.buckets))

    def _name(self, place: int) -> tuple[str, int, int]:
        # The hash key names the checkpoint: after a restart the new bucket replaces the old.
        return self._job.fingerprint.key, self._stage.number, place

    def _fetch(self, run: int) -> Batch:
        found = self._memory.runs.get(self._job.cache, run)
        if found is None:
            data = expanded(self._stored(run))
            found = Batch.from_bytes(data)
            self._memory.runs.put(self._job.cache, run, found, data)
        return found

    def _stored(self, run: int) -> bytes:
        stored = self._runs.getValue((run,))
        if stored is None:
            raise StreamError(
                f"checkpoint {self._job.checkpoint} has lost part of its state: run {run} of"
                f" stage {self._stage.number}",
                hint="restore the checkpoint's folder `state` from a copy, or start with an empty"
                " checkpoint and read the streams again",
            )
        return bytes(stored[0])

    def _store(self, place: int, bucket: Bucket, manifest: dict[str, Any]) -> None:
        saved, sizes = bucket.snapshot(), dict(manifest["runs"])
        for run in sizes.keys() - saved.runs.keys():
            del sizes[run]
            self._runs.removeKey((run,))
            self._memory.runs.drop(self._job.cache, run)
        for run in saved.runs.keys() - sizes.keys():
            data = saved.runs[run].to_bytes()
            sizes[run] = len(data)
            self._runs.updateValue((run,), (_compressed(data),))
            self._memory.runs.put(self._job.cache, run, saved.runs[run], data)
        token = secrets.token_hex(8)
        manifest |= {"token": token, "runs": list(sizes.items()), "state": saved.manifest}
        self._manifest.update((json.dumps(manifest).encode(),))
        self._memory.live.put(self._name(place), token, bucket, sum(sizes.values()))

    # ---- output -------------------------------------------------------------------------

    def _answers(self, batch: Batch, others: list[Message]) -> Iterator[pd.DataFrame]:
        plan = self._job.plan
        answers = Answers.of(plan)
        if len(batch):
            chosen = batch.project([*plan.columns, *hidden(batch)])
            yield answers.results(coalesce(chosen) if plan.cuts and not answers.told else chosen)
        yield from map(answers.others, others)

    def _to_next(self, bucket_id: int, batch: Batch, progress: int) -> Iterator[Message]:
        ids = self._job.buckets
        for stage in self._job.plan.stages:
            for number, port in stage.upstream:
                if number == self._stage.number:
                    for place, part in split(batch, stage.key, len(ids)):
                        yield Message(ids[place], port, payload=part.to_bytes())
        # All buckets see the same watermark, so each needs to hear it from one only.
        yield Message.of(bucket_id, Mark(stage_channel(self._stage.number), progress))


def _remarked(bucket: Bucket, messages: Sequence[Message]) -> list[Message]:
    """What passes through, with remarks on the latest rows that are jumps instead of these."""
    latest = [message.latest for message in messages if message.port == LATEST]
    others = [message for message in messages if message.port != LATEST]
    return [*others, *map(remark, bucket.jumps(latest))]


# ---- what is stored --------------------------------------------------------------------------


def _compressed(data: bytes) -> bytes:
    """About half of it, in less time than Spark takes to carry the other half to its store."""
    body: bytes = pa.compress(data, codec="lz4", asbytes=True)
    return len(data).to_bytes(8, "little") + body


def expanded(stored: bytes) -> bytes:
    """A run as it was before it was stored."""
    size = int.from_bytes(stored[:8], "little")
    data: bytes = pa.decompress(stored[8:], size, codec="lz4", asbytes=True)
    return data

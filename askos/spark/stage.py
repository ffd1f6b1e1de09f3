"""A bucket of a stage in one micro-batch: unpack, run, store, pack."""

from __future__ import annotations

import json
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import MapState

from askos.columns import Batch
from askos.columns.coalesce import coalesce
from askos.columns.hidden import hidden
from askos.errors import StreamError
from askos.physical.bucket import Bucket, Output, Reported, triples_of
from askos.physical.dispatch import dispatch
from askos.physical.exchange import split
from askos.physical.jump import Latest
from askos.physical.marks import Mark, stage_channel
from askos.physical.pool import Common, Together
from askos.physical.skew import Keys, keys_of
from askos.physical.versions import Reload
from askos.spark.answers import Answers, Told
from askos.spark.cache import Memory
from askos.spark.job import Job
from askos.spark.measuring import Stopwatch, note_stage
from askos.spark.messages import (
    ANSWER,
    LATE,
    LATEST,
    MARK,
    PART,
    RELOAD,
    TOLD,
    Message,
    reloaded,
    remark,
)
from askos.spark.parts import Folder
from askos.spark.split import to_all

_MANIFEST: Final = (-1,)  # where a bucket's state begins: no run has that number


@dataclass(slots=True)
class _Taken:
    """What comes to a stage: batches by port, promises, the latest rows of streams, reloads."""

    inputs: dict[int, list[Batch]] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    latest: list[Latest] = field(default_factory=list)
    reloads: list[Reload] = field(default_factory=list)


class StageTask:
    """Runs the operators of a stage and stores what is new of their state.

    The state of a bucket is a small manifest and immutable runs: a micro-batch writes the runs
    it made, and removes those that were merged or have expired.
    """

    def __init__(
        self,
        job: Job,
        number: int,
        state: MapState,
        memory: Memory,
        micro_batch: Callable[[], int],
    ) -> None:
        self._job = job.at(micro_batch)
        self._memory = memory
        self._stage = job.plan.stages[number]
        self._number = job.number(self._stage)
        self._state = state
        self._micro_batch = micro_batch

    def step(
        self, place: int, rows: Iterable[Message], others: Sequence[StageTask] = ()
    ) -> Iterator[Message]:
        """Take the packed rows of a bucket, give those that follow.  `others` are the stages that
        run in the same buckets, for what they have in common with this one."""
        watch, tasks = Stopwatch(), (self, *others)
        taken, told = self._unpack(rows)
        watch.lap("reading")
        buckets, manifest = self._load(place, tasks)
        for task, bucket in zip(tasks, buckets, strict=True):
            bucket.look_up(task._job.table)  # who is remembered may have had others
        watch.lap("loading")
        sent = self._run(place, buckets[0], taken[self._number], told, watch)
        watches = [watch]
        for task, bucket in zip(others, buckets[1:], strict=True):
            watches.append(Stopwatch())
            sent += task._run(place, bucket, taken[task._number], [], watches[-1])
        watch.skip()
        # Sent before the state is stored: Spark takes it while this goes on.
        yield from sent
        watch.lap(self._giving)
        keys = self._store(place, tasks, buckets, manifest)
        watch.lap("storing")
        for task, bucket, spent, kept in zip(tasks, buckets, watches, keys, strict=True):
            note_stage(self._job.profile, task._number, place, spent, bucket.counts, kept)

    def _run(
        self, place: int, bucket: Bucket, taken: _Taken, told: list[Message], watch: Stopwatch
    ) -> list[Message]:
        """What follows for one stage."""
        if bucket.ended and taken.inputs:
            raise StreamError(
                "rows came after the end of input",
                hint="a finished checkpoint takes no more data: start with an empty one",
            )
        output = bucket.step(taken.inputs, taken.marks, taken.reloads)
        watch.lap("operators")
        query, own = self._job.place.name, self._job.buckets(self._number)[place]
        told += [remark(own, jump, query) for jump in bucket.jumps(taken.latest)]
        if place == 0 and self._is_last:  # all conclude the same: one speaks
            told += [reloaded(own, each, query) for each in output.reloaded]
        sent = self._output(place, output, told)
        watch.lap(self._giving)
        return sent

    @property
    def _is_last(self) -> bool:
        return self._number == self._job.last

    @property
    def _giving(self) -> str:
        return "giving" if self._is_last else "sending"

    def _output(self, place: int, output: Output, told: list[Message]) -> list[Message]:
        """What is told, and the rows of the next stages: those of other queries too, where the
        answers are published."""
        job, own = self._job, self._job.buckets(self._number)[place]
        told = [*told, *self._late(own, output)]
        # A stage without a key has one bucket; the others only pass progress on.
        batch = output.batch if self._stage.key or place == 0 else Batch.empty()
        if not self._is_last:
            following = self._to_next(place, batch, output.progress)
            batch = Batch.empty()
        else:
            following = self._to_readers(place, batch, output.reported)
        if job.out is not None:
            return [*self._written(place, batch, told, job.out), *following]
        return [*told, *self._told(own, batch), *following]

    def _late(self, bucket_id: int, output: Output) -> Iterator[Message]:
        for batch in output.late:
            yield Message(bucket_id, LATE, self._job.place.name, payload=batch.to_bytes())

    def _unpack(self, rows: Iterable[Message]) -> tuple[defaultdict[int, _Taken], list[Message]]:
        """What comes, by stage, and what is only to be told."""
        found, told = defaultdict[int, _Taken](_Taken), list[Message]()
        copied = self._job.place.shares.copied
        for message in rows:
            taken = found[message.stage]
            if message.stage == TOLD:
                told.append(message)
            elif message.port == MARK:
                taken.marks.append(message.promise)
            elif message.port == LATEST:
                taken.latest.append(message.latest)
            elif message.port == RELOAD:
                taken.reloads.append(message.reload)
            else:
                batch, entrance = message.batch, (message.stage, message.port)
                for stage, port in (entrance, *copied.get(entrance, ())):
                    found[stage].inputs.setdefault(port, []).append(batch)
        return found, told

    # ---- state --------------------------------------------------------------------------

    def _load(
        self, place: int, tasks: Sequence[StageTask]
    ) -> tuple[Sequence[Bucket], dict[str, Any]]:
        """The bucket of each stage as the last micro-batch left it: from this worker's memory if it
        is that very one, else from the state store."""
        stored = self._state.getValue(_MANIFEST)
        if stored is None:
            prints = [asdict(task._job.fingerprint) for task in tasks]
            return self._new(place, tasks), {"fingerprints": prints, "runs": []}
        manifest = json.loads(bytes(stored[0]))
        for task, fingerprint in zip(tasks, manifest["fingerprints"], strict=True):
            task._job.fingerprint.refuse_others(fingerprint, "the state of this checkpoint")
        self._memory.runs.keep_only(self._name(place), dict(manifest["runs"]))
        token = manifest["token"]
        live = [self._memory.live.take(task._name(place), token) for task in tasks]
        known = [bucket for bucket in live if bucket is not None]
        if len(known) == len(tasks):
            return known, manifest
        buckets = self._new(place, tasks)
        for bucket, state in zip(buckets, manifest["states"], strict=True):
            bucket.restore(state, self._fetch)
        return buckets, manifest

    def _new(self, place: int, tasks: Sequence[StageTask]) -> list[Bucket]:
        """Operators that stages have in common are one."""
        if len(tasks) == 1:
            return [self._bucket(place)]
        together = Together(self._job.fingerprint.buckets)
        stages = [together.stages(task._job.plan, task._job.table.names) for task in tasks]
        return [
            task._bucket(place, common[task._stage.number])
            for task, common in zip(tasks, stages, strict=True)
        ]

    def _bucket(self, place: int, common: Common | None = None) -> Bucket:
        job, number = self._job, self._job.fingerprint.buckets
        return Bucket(
            job.plan,
            self._stage,
            job.coder,
            job.table,
            place,
            number,
            limit=job.state_limit,
            common=common,
        )

    def _name(self, place: int) -> tuple[str, int, int]:
        # The hash key names the checkpoint: after a restart the new bucket replaces the old.
        return self._job.fingerprint.key, self._number, place

    def _fetch(self, run: int) -> Batch:
        found = self._memory.runs.get(self._job.cache, run)
        if found is None:
            data = expanded(self._stored(run))
            found = Batch.from_bytes(data)
            self._memory.runs.put(self._job.cache, run, found, data)
        return found

    def _stored(self, run: int) -> bytes:
        stored = self._state.getValue((run,))
        if stored is None:
            raise StreamError(
                f"checkpoint {self._job.checkpoint} has lost part of its state: run {run} of"
                f" stage {self._stage.number}",
                hint="restore the checkpoint's folder `state` from a copy, or start with an empty"
                " checkpoint and read the streams again",
            )
        return bytes(stored[0])

    def _store(
        self,
        place: int,
        tasks: Sequence[StageTask],
        buckets: Sequence[Bucket],
        manifest: dict[str, Any],
    ) -> list[Keys]:
        """Store what is new, drop what is gone; tell whose elements are kept by each stage."""
        saved, sizes = [bucket.snapshot() for bucket in buckets], dict(manifest["runs"])
        found = {name: run for each in saved for name, run in each.runs.items()}
        for run in sizes.keys() - found.keys():
            del sizes[run]
            self._state.removeKey((run,))
            self._memory.runs.drop(self._job.cache, run)
        for run in found.keys() - sizes.keys():
            data = found[run].to_bytes()
            sizes[run] = len(data)
            self._state.updateValue((run,), (_compressed(data),))
            self._memory.runs.put(self._job.cache, run, found[run], data)
        token, states = secrets.token_hex(8), [each.manifest for each in saved]
        manifest |= {"token": token, "runs": list(sizes.items()), "states": states}
        self._state.updateValue(_MANIFEST, (json.dumps(manifest).encode(),))
        self._memory.runs.keep_only(self._name(place), sizes)
        for task, bucket in zip(tasks, buckets, strict=True):
            size = sum(sizes.values()) if task is self else 0
            self._memory.live.put(task._name(place), token, bucket, size)
        return [keys_of(each.runs.values(), self._stage.key) for each in saved]

    # ---- output -------------------------------------------------------------------------

    def _shown(self, batch: Batch) -> Batch:
        """What of the last stage's rows is told."""
        plan = self._job.plan
        chosen = batch.project([*plan.columns, *hidden(batch)])
        if self._job.place.members and self._reported:
            return to_all(chosen, self._job.place.members, self._job.coder)
        return coalesce(chosen) if plan.cuts and not self._reported else chosen

    @property
    def _reported(self) -> bool:
        return Answers.of(self._job.plan).reported

    def _told(self, bucket_id: int, batch: Batch) -> Iterator[Message]:
        """Answers on their way to the sink."""
        if len(batch):
            payload = self._shown(batch).to_bytes()
            yield Message(bucket_id, ANSWER, self._job.place.name, int(self._reported), payload)

    def _written(
        self, place: int, batch: Batch, told: list[Message], out: Folder
    ) -> Iterator[Message]:
        """Everything that is told goes into files, and only their names go on."""
        job, rows = self._job, list[Told]()
        if len(batch):
            shown = self._shown(batch)
            rows += job.answers.results(shown, job.place.name, reported=self._reported)
        rows += (each for message in told for each in job.answers.told(message))
        for entry in out.write(rows, self._micro_batch(), place):
            yield Message(job.buckets(self._number)[place], PART, payload=entry)

    def _to_readers(self, place: int, batch: Batch, reported: Reported | None) -> Iterator[Message]:
        """What the query publishes, to every stage of its readers: the triples of its reports, and
        from each bucket to its twin how far they have come."""
        job, publishes = self._job, self._job.place.publishes
        if publishes is None or reported is None:
            return
        triples, mark = triples_of(batch), reported.mark(publishes)
        readers = job.place.readers
        entered = dispatch([reader.reading for reader in readers], job.coder)
        for entrances, entering in entered.feed(publishes, triples):
            for number, port in entrances:
                to, ids = readers[number].number, job.buckets(readers[number].number)
                for at, part in split(entering, readers[number].key, len(ids)):
                    yield Message(ids[at], port, payload=part.to_bytes(), stage=to)
        for reader in readers:
            yield Message.of(job.buckets(reader.number)[place], mark, reader.number)

    def _to_next(self, place: int, batch: Batch, progress: int) -> Iterator[Message]:
        mark = Mark(stage_channel(self._stage.number), progress)
        for stage in self._job.plan.stages:
            to = self._job.number(stage)
            ids = self._job.buckets(to)
            for number, port in stage.upstream:
                if number == self._stage.number:
                    sent = batch if self._job.is_sent(to, port) else Batch.empty()
                    for at, part in split(sent, stage.key, len(ids)):
                        yield Message(ids[at], port, payload=part.to_bytes(), stage=to)
                    # All buckets see the same watermark, so each needs to hear it from one only.
                    yield Message.of(ids[place], mark, to)


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

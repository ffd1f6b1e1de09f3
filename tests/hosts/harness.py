"""The code Spark runs, in one process without Spark: packing, stages, state, answers.

A micro-batch packs what was delivered, hands each bucket its rows in whatever order, and stores
the state as bytes.  Workers are chosen at random and remember what they ran; tasks and whole
micro-batches fail and are run again from the last committed state; restarts forget everything
but that.  What Spark promises is kept, and nothing else.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias, cast

import pyarrow as pa

from askos.algebra import Operator, Stamped
from askos.columns import Batch
from askos.physical import PhysicalPlan
from askos.physical.limit import Limit
from askos.physical.limits import STATE_LIMIT
from askos.prepared import Prepared
from askos.queries import Queries
from askos.spark.answers import REPORTS, RESULTS
from askos.spark.cache import LiveCache, Memory, RunCache
from askos.spark.checkpoint import begin, read
from askos.spark.control import Control
from askos.spark.hearing import PackControl, pack_control
from askos.spark.job import Job
from askos.spark.levels import Level, levels, opened
from askos.spark.logs import COMPACT
from askos.spark.messages import ARROW, Message, messages, to_arrow
from askos.spark.output import unpacked
from askos.spark.pack import Pack, packs
from askos.spark.pack_files import Packing
from askos.spark.parcels import Parcels
from askos.spark.several import begin_all, read_all
from askos.spark.split import as_alone, whose
from askos.spark.stage import expanded
from askos.terms import URIRef
from askos.translate.kinds import WHOSE
from tests.hosts.given import KINDS, Given, in_files, left_to_stages, readers, reading
from tests.hosts.store import State
from tests.hosts.strategies import LATENESS, Delivery
from tests.hosts.three import Told, as_it_is, built, difference, told
from tests.hosts.triples import (
    Triples,
    relevant,
    schema_of,
    table_of,
    taken,
)

Batches: TypeAlias = Sequence[tuple[URIRef, Sequence[Stamped]]]
Rows: TypeAlias = list[dict[str, Any]]

_FOLDERS: Final = count()


class BrokenOffError(Exception):
    """A task or a micro-batch that broke off, because it was told to."""


@dataclass
class Harness:
    """A plan on the Spark host without Spark.

    `choices` decides whatever Spark leaves open, and with `faults` what breaks.  With `sampled`,
    of the rows that match no pattern one in 64 is kept, as in the JVM.  With `by_path` they are
    read from files instead.
    """

    query: Prepared | Queries
    choices: Random
    buckets: int = 2
    lateness: int = LATENESS
    faults: bool = True
    sampled: bool = True
    by_path: bool | None = None  # left to chance
    state_limit: int = STATE_LIMIT
    rows: Rows = field(default_factory=list)
    batches: int = 0  # that are committed

    def __post_init__(self) -> None:
        self._committed: dict[int, State] = {}
        self._read: set[Path] = set()
        self._told: list[str] = []  # the control files that were read, by name
        self._logged = -1  # the last file of their log
        self._folder = Path(_temporary()) / str(next(_FOLDERS))
        partitions = self.choices.randint(1, 3)
        key = f"{self.choices.getrandbits(64):016x}"
        if self.by_path is None:
            self.by_path = self._happens(2)
        if isinstance(self.query, Queries):
            begin_all(self._folder, self.query, self.buckets, partitions, key)
        else:
            begin(self._folder, self.query, built(self.query), self.buckets, partitions, key)
        self.restart()

    @property
    def plan(self) -> PhysicalPlan:
        """What runs, of one query."""
        (job,) = self._jobs
        return job.plan

    @property
    def sources(self) -> tuple[URIRef, ...]:
        """The streams that are given."""
        return tuple(dict.fromkeys(source for job in self._jobs for source in job.given))

    # What a test does.

    def push(
        self,
        rows: Mapping[URIRef, Triples | pa.Table],
        control: Sequence[str | bytes] = (),
    ) -> Rows:
        """A micro-batch; its answers."""
        read = {s: table_of(given) for s, given in rows.items() if s in self.sources}
        told = (text.encode() if isinstance(text, str) else text for text in control)
        return self._batch(Given(read, tuple(told)))

    def tell(self, *entries: Mapping[str, Any]) -> Rows:
        """A micro-batch of nothing but control entries."""
        return self.push({}, [json.dumps(entry) for entry in entries])

    def end(self) -> Rows:
        """The end of input."""
        return self.tell({"end": True})

    @property
    def checkpoint(self) -> Path:
        """Where the checkpoint is."""
        return self._folder

    @property
    def control(self) -> Control:
        """What the driver writes."""
        return Control(self._folder)

    def new_entries(self) -> list[str]:
        """What was written to the control stream since the last call."""
        files = sorted(set(self.control.folder.glob("*.json")) - self._read)
        self._read |= set(files)
        return [file.read_text("utf-8") for file in files]

    def restart(self) -> None:
        """A new driver and new workers: all they know is what the checkpoint holds."""
        cache = str(self._folder / str(next(_FOLDERS)))
        os.makedirs(cache, mode=0o700)
        if isinstance(self.query, Queries):
            jobs = read_all(self._folder).jobs(self._folder, cache)
        else:
            jobs = (read(self._folder).job(self._folder, cache),)
        self._jobs = tuple(self._begun(job) for job in jobs)
        self._levels = [level.packed() for level in levels(self._jobs)]
        self._workers = [self._worker() for _ in range(self.choices.randint(1, 2))]

    def _begun(self, job: Job) -> Job:
        """With what counts anew at each start."""
        return replace(job, state_limit=self.state_limit, parcels=self._parcels(job))

    def _parcels(self, job: Job) -> Parcels | None:
        """Payloads in files, all of them or those that are not small; a folder that cannot be
        written to leaves them to Spark."""
        folder = job.cache if self.choices.random() < 0.9 else f"{job.cache}/none"
        large = self.choices.choice([None, 0, 1000])
        return None if large is None else Parcels(folder, large)

    def of(self, output: str) -> Rows:
        """The rows of one kind so far."""
        return [row for row in self.rows if row["output"] == output]

    @property
    def answers(self) -> Told:
        """The results so far."""
        return self._said(self.of(RESULTS) + self.of(REPORTS), self._jobs[-1])

    @property
    def _jobs_now(self) -> list[Job]:
        """With those who have joined."""
        last = self.batches - 1
        return [job.at(lambda: last) if self.batches else job for job in self._jobs]

    @property
    def split(self) -> dict[str, Told]:
        """Those of several queries, by name."""
        found, said = self.of(RESULTS) + self.of(REPORTS), dict[str, Told]()
        for job in self._jobs_now:
            for name in job.place.members or [job.place.name]:
                own = [row for row in found if whose(row) == name]
                said[name] = self._said(own, job)
        return said

    def _said(self, rows: Rows, job: Job) -> Told:
        """What rows tell of one query, or of all of its kind."""
        plan = job.plan
        if job.place.members:
            plan = replace(plan, columns=tuple(v for v in plan.columns if v != WHOSE))
        if job.place.name:
            rows = [as_alone(r, plan.columns) for r in rows if r["query"] == job.place.name]
        return told(rows, plan)

    @property
    def stored(self) -> list[Batch]:
        """The runs that all buckets keep."""
        states = self._committed.values()
        return [Batch.from_bytes(expanded(run)) for kept in states for run in kept.runs.values()]

    # What Spark does.

    def _worker(self) -> Memory:
        little = self._happens(3)
        runs = RunCache(1 if little else 1 << 20, 0 if self._happens(2) else 1 << 20)
        return Memory(LiveCache(1 if little else 64), runs)

    def _batch(self, given: Given) -> Rows:
        """Until a micro-batch is committed it is run again, by whoever is there."""
        broken: Rows | None = None
        if self.by_path:
            given = self._written(given)
        self._note(given)
        while True:
            if self._fails(4):
                self.restart()
            state = {place: kept.copy() for place, kept in self._committed.items()}
            try:
                answers = self._attempt(given, state)
            except BrokenOffError:
                continue
            if broken is not None:
                self._check_same(broken, answers)
            if not self._fails(8):
                break
            broken = answers
        self._committed = state
        self.batches += 1
        self.rows += answers
        return answers

    def _note(self, given: Given) -> None:
        """As Spark does before a micro-batch begins: what of the control stream it reads."""
        self._told += [_named(entry, len(self._told)) for entry in given.control]
        offsets, log = self._folder / "offsets", self._folder / "sources" / "1"
        if given.control:
            self._logged += 1
            repeats = self._logged % 3 == 2  # Spark: every tenth
            told = self._told if repeats else self._told[-len(given.control) :]
            entries = (json.dumps({"path": f"file:///ck/control/{name}"}) for name in told)
            log.mkdir(parents=True, exist_ok=True)
            file = log / f"{self._logged}{COMPACT if repeats else ''}"
            file.write_text("\n".join(["v1", *entries]), "utf-8")
        offsets.mkdir(exist_ok=True)
        read = json.dumps({"logOffset": self._logged}, separators=(",", ":"))
        lines = ["v1", "{}", '{"topic":{"0":7}}', "-" if self._logged < 0 else read]
        (offsets / str(self.batches)).write_text("\n".join(lines), "utf-8")

    def _check_same(self, before: Rows, after: Rows) -> None:
        for output in {row["output"] for row in before + after} - {RESULTS, REPORTS}:
            lost = [
                sorted(str(r) for r in rows if r["output"] == output) for rows in (before, after)
            ]
            assert lost[0] == lost[1], "a replay tells something else"
        results = [
            [r for r in rows if r["output"] in (RESULTS, REPORTS)] for rows in (before, after)
        ]
        for job in self._jobs:
            first, second = (self._said(rows, job) for rows in results)
            assert difference(first, second) is None, "a replay gives other answers"

    def _attempt(self, given: Given, state: dict[int, State]) -> Rows:
        first, *others = self._levels
        if (given.files or given.heard) and self._happens(2):
            known = packs(self._jobs, lambda source: self.lateness, self._limit)
            read = reading(given, known, pack_control(self._jobs))
            first, rows = left_to_stages(opened(first), read, self.choices)
        else:
            rows = list(self._packed(given))
        for number, level in enumerate((first, *others)):
            if number and self._fails(16):
                raise BrokenOffError
            rows = [to_arrow(self._level(opened(level), rows, state))]
        return self._answers(rows)

    def _packed(self, given: Given) -> Iterator[pa.RecordBatch]:
        """What mapInArrow gives: packing sees partitions, each as some record batches."""
        clock = any(job.plan.clock is not None for job in self._jobs)
        for pack in packs(self._jobs, lambda source: self.lateness, self._limit):
            if pack.source in given.rows:
                rows = given.rows[pack.source]
                if given.files:
                    yield from self._opened(pack, given)
                    continue
                if self.sampled:
                    rows = relevant(rows, pack.feeds, clock=clock, limit=pack.limit)
                yield from self._mapped(pack, rows)
        if given.control:
            contents = pa.array(given.control, pa.binary())
            paths = pa.array([f"file:/ck/control/{n}.json" for n in range(len(given.control))])
            files = pa.table({"path": paths, "content": contents})
            yield from self._mapped(pack_control(self._jobs), files)

    def _written(self, given: Given) -> Given:
        """The same in files, which a replay finds as they were."""

        def parts(rows: pa.Table) -> list[tuple[pa.Table, str]]:
            found = [part for half in self._cut(rows) for part in self._cut(half)]
            return [(part, self.choices.choice(KINDS)) for part in found]

        cut = {source: parts(rows) for source, rows in given.rows.items()}
        return in_files(given, cut, self._folder / "given" / str(next(_FOLDERS)))

    def _opened(self, pack: Pack, given: Given) -> Iterator[pa.RecordBatch]:
        """What packing makes of files that it reads itself."""
        for made, paths in readers(pack, given):
            named = [{"path": f"file:{path}", "at": 0} for path in paths]
            yield from self._sent(made, [pa.RecordBatch.from_pylist(named)])

    def _limit(self, source: URIRef) -> Limit:
        every = self.query.queries if isinstance(self.query, Queries) else (self.query,)
        return Limit.of(every[0].sources.get(source))

    def _mapped(self, pack: Pack | PackControl, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        if self._happens(2):
            rows = taken(rows, self._shuffled(range(len(rows))))
        for partition in self._cut(rows):
            batches = [
                b for part in self._cut(partition) for b in part.combine_chunks().to_batches()
            ]
            yield from self._sent(pack, batches)

    def _sent(self, pack: Packing, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """What a worker makes of it, in a micro-batch."""
        made, parcels = pickle.loads(pickle.dumps(pack)).at(self._number), self._jobs[0].parcels
        for sent in made.pack(made.taken(batches)):
            yield to_arrow(sent if parcels is None else parcels.left(sent, self._number))

    def _number(self) -> int:
        return self.batches

    def _level(
        self, level: Level, inputs: Sequence[pa.RecordBatch], state: dict[int, State]
    ) -> list[Message]:
        """What transformWithState gives: a task for each bucket that has rows."""
        table = pa.Table.from_batches(inputs, ARROW)
        order = self._shuffled(range(len(table)))
        held: dict[int, list[int]] = {}
        for row, bucket in zip(
            order, taken(table, order).column("bucket").to_pylist(), strict=True
        ):
            held.setdefault(bucket, []).append(row)
        given: list[Message] = []
        for bucket in self._shuffled(list(held)):
            (rows,) = taken(table, held[bucket]).combine_chunks().to_batches()
            sent = [replace(each, payload=bytes(each.payload)) for each in messages(rows)]
            given += self._task(level, bucket, sent, state)
        return given

    def _task(
        self, level: Level, bucket: int, rows: list[Message], state: dict[int, State]
    ) -> list[Message]:
        """One bucket; a task that fails leaves nothing but what its worker remembers of it."""
        before = state.get(bucket, State())
        while True:
            after = before.copy()
            store, worker = cast("Any", after), self.choices.choice(self._workers)
            given_rows = level.run(bucket, iter(rows), store, worker, self._number)
            if self._fails(16):
                next(given_rows, None)  # and never comes to storing
                continue
            given = list(given_rows)
            if not self._fails(16):
                state[bucket] = after
                return given

    def _answers(self, sent: Iterable[pa.RecordBatch]) -> Rows:
        """As the rows of a sink, with the types of the schema."""
        answers = self._jobs[0].answers
        made = unpacked(pickle.dumps(answers), sent)
        return [row for rows in made for row in rows.cast(schema_of(answers.schema)).to_pylist()]

    # What is left to chance.

    def _happens(self, one_in: int) -> bool:
        return self.choices.randrange(one_in) == one_in - 1

    def _fails(self, one_in: int) -> bool:
        return self.faults and self._happens(one_in)

    def _shuffled(self, items: Sequence[int]) -> list[int]:
        return self.choices.sample(items, len(items))

    def _cut(self, rows: pa.Table) -> Iterator[pa.Table]:
        """In one or two pieces."""
        border = self.choices.randint(0, len(rows)) if self._happens(2) else 0
        for part in (rows.slice(0, border), rows.slice(border)):
            if len(part):
                yield part


def run_harness(
    query: Operator | Prepared,
    delivery: Delivery,
    buckets: int,
    choices: Random,
    *,
    faults: bool = True,
) -> Told:
    """The answers to a delivery; sometimes several of its batches are one micro-batch, and
    sometimes the driver tells what is true of the streams."""
    prepared = query if isinstance(query, Prepared) else as_it_is(query, delivery.sources)
    return delivered(Harness(prepared, choices, buckets, faults=faults), delivery, choices).answers


def delivered(run: Harness, delivery: Delivery, choices: Random, beyond: int = 1000) -> Harness:
    """A run that has had everything, and its end; `beyond` is what a stream may promise that has
    no more rows, which moves the last report."""
    waiting: dict[URIRef, list[Stamped]] = {}
    for number, (source, rows) in enumerate(delivery.batches, 1):
        waiting.setdefault(source, []).extend(rows)
        if choices.randrange(4):
            told = [_truth(s, delivery.batches[number:], choices, beyond) for s in run.sources]
            run.push(waiting, [entry for entry in told if not choices.randrange(4)])
            waiting = {}
    run.push(waiting)
    run.end()
    assert {row["output"] for row in run.rows} <= {RESULTS, REPORTS}
    return run


def _truth(
    source: URIRef,
    to_come: Sequence[tuple[URIRef, tuple[Stamped, ...]]],
    choices: Random,
    beyond: int,
) -> str:
    """No earlier row will come; or none at all, so that nothing need wait."""
    times = [row.at for s, rows in to_come for row in rows if s == source]
    if times or choices.randrange(2):
        return json.dumps({"source": source, "mark": min(times, default=beyond)})
    return json.dumps({"source": source, "idle": True})


def _named(entry: bytes, number: int) -> str:
    """The file of an entry; of one that tells who joins it must be the one that was written."""
    with suppress(ValueError, LookupError, TypeError, RecursionError):
        return f"register-{json.loads(entry)['register']['number']:06}.json"
    return f"{number}.json"


@cache
def _temporary() -> str:
    """A folder for the mapped files of all runs of this process."""
    folder = tempfile.mkdtemp(prefix="askos-harness-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder

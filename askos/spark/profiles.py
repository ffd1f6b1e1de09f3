"""Where the time of micro-batches goes, as it was noted beside the checkpoint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from askos.physical.plan import Stage
from askos.physical.skew import HotKey
from askos.physical.tally import OperatorProfile, named, operators_of
from askos.spark.checkpoint import Checkpoint, decoded, read_document, readable
from askos.spark.control import begun
from askos.spark.progress import reported
from askos.spark.records import FOLDER, Growing, Record, read
from askos.spark.timeline import Group, shared_out

_FILE: Final = re.compile(r"(pack|stage)-(?:([0-9]+)-)?([0-9]+)\.jsonl")


@dataclass(frozen=True, slots=True)
class BatchProfile:
    """Milliseconds of one micro-batch that began `at` that instant: all of them, and by part.

    *source*: finding and reading what is new; *packing*: from texts to batches of ids; *shuffle*:
    from there to the stages, and between these; *operators*: those of all stages, and each of them
    in the order of `Profile.operators`; *state*: loading and storing it; *sink*: giving answers,
    until Spark has written them; the *rest* is Spark's own: planning, and the logs of a
    checkpoint.  Where tasks run side by side, the time is shared out as they spent theirs.
    """

    number: int
    at: int
    rows: int
    milliseconds: float
    source: float
    packing: float
    shuffle: float
    operators: float
    state: float
    sink: float
    rest: float
    by_operator: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class BucketProfile:
    """How many elements a bucket of a stage keeps, both counted from 1 on, and its hot key."""

    stage: int
    bucket: int
    elements: int
    hot: HotKey | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """The last micro-batches, the oldest first; what operators have done in all of them; and the
    state of each bucket."""

    batches: tuple[BatchProfile, ...]
    operators: tuple[OperatorProfile, ...]
    buckets: tuple[BucketProfile, ...]


def profile(checkpoint: str | Path) -> Profile:
    """What was noted of a query's micro-batches; of one that has not run, nothing.

    SetupError where there is no checkpoint of askos.
    """
    folder = begun(checkpoint)
    stages = _stages(folder)
    tasks = list(_tasks(folder))
    operators = tuple(_operators(stages, tasks))
    reports = read(folder / FOLDER / "spark.jsonl")
    batches = (_batch(report, tasks, operators) for _, report in sorted(reports.items()))
    buckets = (bucket for task in tasks if (bucket := _bucket(task)) is not None)
    return Profile(tuple(batches), operators, tuple(buckets))


class Recent:
    """The micro-batches of a query that runs, each when Spark has reported it.

    A look reads what tasks have noted since the last one; of what it does not tell of operators,
    it needs no plan.
    """

    def __init__(self, checkpoint: str | Path) -> None:
        self._folder = Path(checkpoint) / FOLDER
        self._tasks: dict[str, tuple[Growing, _Task]] = {}

    def batch(self, report: Mapping[str, Any]) -> BatchProfile:
        """One that is done, by Spark's report; it and those before it cannot be told again."""
        number = report["batchId"]
        self._look()
        told = _batch(reported(report), [task for _, task in self._tasks.values()], ())
        for _, task in self._tasks.values():
            for done in [other for other in task.records if other <= number]:
                del task.records[done]
        return told

    def _look(self) -> None:
        for file in sorted(self._folder.glob("*.jsonl")):
            if file.name not in self._tasks and (found := _FILE.fullmatch(file.name)):
                self._tasks[file.name] = Growing(file), _Task.of(found, {})
        for growing, task in self._tasks.values():
            task.records.update((record["batch"], record) for record in growing.news())


def _stages(folder: Path) -> list[tuple[Stage, Mapping[str, str]]]:
    """The stages of all queries, and by which prefixes these shorten names."""

    def decode(document: Mapping[str, Any]) -> list[Checkpoint]:
        parts = document.get("queries")
        return [decoded({**document, **part}) for part in parts] if parts else [decoded(document)]

    found = readable(folder, read_document(folder), decode)
    return [(stage, part.query.prefixes) for part in found for stage in part.physical.stages]


@dataclass(frozen=True, slots=True)
class _Task:
    """What there is in every micro-batch: a part of packing, or a bucket of a stage."""

    kind: str
    stage: int
    place: int
    records: dict[int, Record]

    @classmethod
    def of(cls, name: re.Match[str], records: dict[int, Record]) -> _Task:
        """By the name of its file."""
        return cls(name[1], int(name[2] or 0), int(name[3]), records)

    @property
    def last(self) -> Record:
        return self.records[max(self.records)]


def _tasks(folder: Path) -> Iterator[_Task]:
    for file in sorted((folder / FOLDER).glob("*.jsonl")):
        found, records = _FILE.fullmatch(file.name), read(file)
        if found and records:
            yield _Task.of(found, records)


# ---- operators and buckets -------------------------------------------------------------------


def _operators(
    stages: Sequence[tuple[Stage, Mapping[str, str]]], tasks: Iterable[_Task]
) -> Iterator[OperatorProfile]:
    done = [task for task in tasks if task.kind == "stage"]
    for place, (stage, prefixes) in enumerate(stages):
        mine = [task.last for task in done if task.stage == place]
        for number, plan in enumerate(operators_of(stage)):
            made = OperatorProfile(place + 1, number, named(plan, prefixes))
            yield _summed(made, [_counted(record, str(number)) for record in mine])


def _counted(record: Record, number: str) -> OperatorProfile:
    """Of one operator in one bucket; older versions noted no switches."""
    rows_in, rows_out, kept, seconds, *more = record["operators"].get(number, (0, 0, 0, 0.0))
    before = record["before"].get(number, (0, 0, 0.0))
    return OperatorProfile(
        0,
        0,
        "",
        rows_in + before[0],
        rows_out + before[1],
        kept,
        (seconds + before[2]) * 1000,
        sum(more) + sum(before[3:]),
    )


def _summed(made: OperatorProfile, counts: Sequence[OperatorProfile]) -> OperatorProfile:
    return replace(
        made,
        rows_in=sum(one.rows_in for one in counts),
        rows_out=sum(one.rows_out for one in counts),
        elements=sum(one.elements for one in counts),
        milliseconds=sum(one.milliseconds for one in counts),
        switches=sum(one.switches for one in counts),
    )


def _bucket(task: _Task) -> BucketProfile | None:
    if task.kind != "stage":
        return None
    kept = sum(counts[2] for counts in task.last["operators"].values())
    hot = task.last["hot"]
    return BucketProfile(task.stage + 1, task.place + 1, kept, HotKey(**hot) if hot else None)


# ---- micro-batches ---------------------------------------------------------------------------


def _batch(
    report: Record, tasks: Iterable[_Task], operators: Sequence[OperatorProfile]
) -> BatchProfile:
    number = report["batch"]
    ran: dict[tuple[str, int], list[Record]] = {}
    for task in tasks:
        if number in task.records:
            ran.setdefault((task.kind, task.stage), []).append(task.records[number])
    spent = shared_out(report, [Group.of(stage, found) for (_, stage), found in ran.items()])
    own = tuple(spent.operators.get((op.stage, op.number), 0.0) * 1000 for op in operators)
    parts = {part: seconds * 1000 for part, seconds in spent.parts.items()}
    began, total = spent.began, spent.seconds
    return BatchProfile(
        number, round(began * 1000), report["rows"], total * 1000, **parts, by_operator=own
    )

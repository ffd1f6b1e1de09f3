"""kill -9, again and again: the driver, its JVM, a worker or all of them, at any moment.

A query reads one small file per micro-batch and writes Parquet.  It is started, killed and started
again, until it has been killed often enough; then it may end.  Some kills come at moments that
chance would hardly find: when the stages have written their files and the log does not name them
yet, and when it does and Spark has not noted that the micro-batch is done.  After each kill
everything that workers had in temporary files is deleted, so that the next run has nothing but the
checkpoint: runs come back from MapState.

That is done with two queries: of two stages, a left join and a join, which send each other files;
and of one, the left join.  By chance the stages read the files, or tasks of their own.

At the end the answers, as Spark reads them, must be those of a run that nobody interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq

from askos import spark as host
from askos.algebra import (
    Join,
    LeftJoin,
    Operator,
    Pattern,
    SlidingWindow,
    StreamAccess,
)
from askos.spark import inputs
from askos.spark.logs import SINK, last_in
from askos.spark.parcels import Parcels
from askos.spark.parts import batch_of
from askos.spark.sinklog import SinkLog
from askos.terms import URIRef, Variable

BASE: Final = "http://kill.example/"
ONE, TWO = URIRef(f"{BASE}one"), URIRef(f"{BASE}two")
X, Y, Z, NAME = (Variable(name) for name in ("x", "y", "z", "name"))
ROWS: Final = 60  # in a file
LATENESS: Final = 10
PATIENCE: Final = 600.0  # seconds after which a run that does nothing is stuck
BEFORE_LOG, AFTER_LOG = "driver, before the log", "driver, after the log"
KINDS: Final = ("all", BEFORE_LOG, "JVM", AFTER_LOG, "worker", "driver")


# ---- the query -------------------------------------------------------------------------------


def plan(stages: int) -> Operator:
    """A left join by ?x, and of two stages a join by ?y."""

    def seen(s: Variable, p: str, o: Variable, stream: URIRef, *window: int) -> Operator:
        return Pattern(s, URIRef(BASE + p), o, SlidingWindow(StreamAccess(stream), *window))

    optional = LeftJoin(seen(X, "p", Y, ONE, 240, 60), seen(X, "q", Z, TWO, 90, 30))
    if stages == 1:
        return optional
    return Join(optional, seen(Y, "r", NAME, ONE, 360, 120))


def rows(stream: URIRef, file: int) -> Iterator[tuple[str, str, str, int]]:
    """What a file holds: a little out of order."""
    for i in range(ROWS):
        at = file * ROWS + i + (LATENESS - 1 if i % 7 == 0 else 0)
        subject, value = f"<{BASE}x{(7 * i + file) % 23}>", f"<{BASE}v{(i * i + file) % 9}>"
        if stream == TWO:
            yield subject, f"<{BASE}q>", f'"{i}"', at
        elif i % 4:
            yield subject, f"<{BASE}p>", value, at
        else:
            yield value, f"<{BASE}r>", f'"name {file}"', at


def write(folder: Path, files: int) -> None:
    """The files of both streams, in the order of age."""
    schema = pa.schema([*((name, pa.string()) for name in "spo"), ("ts", pa.int64())])
    for stream, name in ((ONE, "one"), (TWO, "two")):
        (folder / name).mkdir(parents=True)
        for number in range(files):
            made = [dict(zip("spo", row, strict=False), ts=row[3]) for row in rows(stream, number)]
            file = folder / name / f"{number:04}.parquet"
            pq.write_table(pa.Table.from_pylist(made, schema), file)
            os.utime(file, (1_700_000_000 + number,) * 2)


# ---- who is killed ---------------------------------------------------------------------------


def victim(data: Path, folder: Path, options: argparse.Namespace) -> None:
    """Run the query; if asked for, die at the log, when it has been written to `after` times."""
    if options.die:
        _die_at_the_log(options.die, options.after)
    if options.tasks:
        mock.patch.object(inputs, "LITTLE", 0).start()
    mock.patch("askos.spark.host.Parcels", partial(Parcels, large=0)).start()
    # A Java that starts quickly: it does not live long.
    quick = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    session = host.session(memory="1g", settings=quick, log=folder / "spark.log")
    streams = {
        stream: host.parquet(session, data / name, files_per_trigger=1)
        for stream, name in ((ONE, "one"), (TWO, "two"))
    }
    sink, checkpoint = host.Parquet(folder / "out"), folder / "checkpoint"
    host.run(session, plan(options.stages), streams, sink, checkpoint, lateness=LATENESS)


def _die_at_the_log(die: str, after: int) -> None:
    add, count = SinkLog.add, 0

    def dying(log: SinkLog, batch: int, entries: list[str]) -> None:
        nonlocal count
        count += 1
        if count > after and die == BEFORE_LOG:
            os.kill(os.getpid(), signal.SIGKILL)
        add(log, batch, entries)
        if count > after:
            os.kill(os.getpid(), signal.SIGKILL)

    mock.patch.object(SinkLog, "add", dying).start()


def compare(whole: Path, killed: Path) -> None:
    """Read both as any user of Spark would, and refuse a difference."""
    session = host.session(memory="1g", log=killed / "spark.log")
    tables = [session.read.parquet(str(each / "out")).collect() for each in (whole, killed)]
    assert {row["output"] for rows in tables for row in rows} == {"result"}
    one, other = (changes(row.asDict() for row in rows) for rows in tables)
    assert one == other, f"the answers differ: {list((one - other) + (other - one))[:3]}"
    print(len(tables[1]))


def changes(rows: Iterable[Mapping[str, Any]]) -> Counter[tuple[Any, ...]]:
    """By how much the count of each solution changes at an instant: equal for answers that are
    equal at all instants, however their intervals are cut."""
    found = Counter[tuple[Any, ...]]()
    for row in rows:
        solution = tuple(row.get(str(v)) for v in (X, Y, Z, NAME))
        found[*solution, row["ts"]] += 1
        found[*solution, row["te"]] -= 1
    return Counter({key: count for key, count in found.items() if count})


# ---- who kills -------------------------------------------------------------------------------


class Run:
    """A victim in a folder of its own, and where its temporary files are."""

    def __init__(self, data: Path, folder: Path, stages: int) -> None:
        self.data, self.folder, self.stages = data, folder, stages
        self.temporary = folder / "tmp"

    def start(self, *more: str) -> subprocess.Popen[bytes]:
        self.temporary.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, __file__, "--victim", str(self.data), str(self.folder)]
        command += ["--stages", str(self.stages), *more]
        # A Unix socket's name is short, and so must be the folder.
        environment = {**os.environ, "TMPDIR": str(self.temporary)}
        environment |= {"SPARK_LOCAL_DIRS": str(self.temporary)}
        with open(self.folder / "victim.log", "ab") as log:
            return subprocess.Popen(
                command, stdout=log, stderr=log, env=environment, start_new_session=True
            )

    def batches(self, which: str) -> int:
        """The last micro-batch in a log."""
        log = self.folder / "out" / SINK if which == SINK else self.folder / "checkpoint" / which
        return last_in(log)

    def forget(self) -> None:
        """Delete whatever workers kept for themselves."""
        shutil.rmtree(self.temporary, ignore_errors=True)

    def orphans(self) -> int:
        """Files of answers that the log does not name."""
        named = {json.loads(line)["path"].rpartition("/")[2] for line in self._log().files()}
        found = (file.name for file in (self.folder / "out").glob("output=*/*"))
        return sum(batch_of(name) is not None and name not in named for name in found)

    def _log(self) -> SinkLog:
        return SinkLog(self.folder / "out")

    def fail(self, why: str) -> None:
        raise RuntimeError(f"{why}:\n{(self.folder / 'victim.log').read_text()[-4000:]}")


def kill_once(run: Run, kind: str, chance: random.Random) -> bool:
    """Start, and kill at some moment; whether it was killed before it ended by itself."""
    tasks = ["--tasks"] * chance.randrange(2)
    if kind in (BEFORE_LOG, AFTER_LOG):
        process = run.start("--die", kind, "--after", str(chance.randrange(3)), *tasks)
    else:
        committed = run.batches("commits")
        process = run.start(*tasks)
        _wait_for_work(run, process, committed + chance.randrange(3))
        time.sleep(chance.uniform(0, 1.5))
        family = _family(process.pid)
        _kill(family[kind] if kind == "all" else family[kind][-1:])
        _kill_survivors(run, process)
    _wait_for_end(run, process)
    return process.returncode != 0


def _kill_survivors(run: Run, process: subprocess.Popen[bytes]) -> None:
    """Spark does without a worker that had nothing to do: then all are killed, a bit later."""
    enough = run.batches("commits") + 2
    while process.poll() is None and run.batches("commits") < enough:
        time.sleep(0.02)
    _kill(_family(process.pid)["all"])


def _wait_for_work(run: Run, process: subprocess.Popen[bytes], committed: int) -> None:
    """Until a micro-batch after `committed` is under way, and workers are there."""
    deadline = time.monotonic() + PATIENCE
    while (
        run.batches("commits") < committed
        or run.batches("offsets") <= run.batches("commits")
        or not _family(process.pid)["worker"]
    ):
        if process.poll() is not None or time.monotonic() > deadline:
            run.fail("it has ended, or does nothing")
        time.sleep(0.02)


def _wait_for_end(run: Run, process: subprocess.Popen[bytes]) -> None:
    """A driver without its JVM or a worker ends by itself; what outlives the driver may do so for
    a moment."""
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        _kill(_family(process.pid)["all"])
        run.fail("it goes on without what was killed")
    time.sleep(1)
    _kill(_family(process.pid)["all"])


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):  # one that has just ended by itself
            os.kill(pid, signal.SIGKILL)


def _family(driver: int) -> Mapping[str, list[int]]:
    """The driver, its JVM, its workers, and all of them: a session of its own, as /proc tells."""
    commands = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            status = (entry / "stat").read_text() if entry.name.isdigit() else ""
            if status and int(status.rpartition(")")[2].split()[3]) == driver:
                commands[int(entry.name)] = (entry / "cmdline").read_text()
    jvm = [pid for pid, command in commands.items() if "java" in command.partition("\0")[0]]
    worker = [pid for pid, command in commands.items() if "askos.spark.daemon" in command]
    return {"driver": [driver], "JVM": jvm, "worker": worker[1:], "all": list(commands)}


# ---- all of it -------------------------------------------------------------------------------


def soak(work: Path, stages: int, kills: int, files: int, seed: int) -> Mapping[str, Any]:
    """Kill a run so often, and compare."""
    chance, data = random.Random(seed), work / "data"
    write(data, files)
    whole, killed = Run(data, work / "whole", stages), Run(data, work / "killed", stages)
    for run in (whole, killed):
        run.folder.mkdir()
    alone = whole.start()
    try:
        done, orphans = _kill_often(killed, kills, chance)
        for run, process in ((killed, killed.start()), (whole, alone)):
            if process.wait(PATIENCE):
                run.fail("it does not come to its end")
    finally:
        _kill(_family(alone.pid)["all"])
    command = [sys.executable, __file__, "--compare", str(whole.folder)]
    output = subprocess.run([*command, str(killed.folder)], check=True, capture_output=True)
    return {
        "kills": dict(done),
        "micro_batches": killed.batches("commits") + 1,
        "most_orphans": orphans,
        "orphans_left": killed.orphans(),
        "answers": int(output.stdout.split()[-1]),
    }


def _kill_often(run: Run, kills: int, chance: random.Random) -> tuple[Counter[str], int]:
    """How often each kind of kill was done, and how many orphans one of them left at most."""
    done, orphans = Counter[str](), 0
    for number in range(kills):
        kind = KINDS[number % len(KINDS)]
        if not kill_once(run, kind, chance):
            run.fail("it came to its end too early: give it more --files")
        run.forget()
        done[kind] += 1
        orphans = max(orphans, run.orphans())
        _tell(run, number + 1, kind)
    return done, orphans


def _tell(run: Run, number: int, kind: str) -> None:
    begun, logged, done = (run.batches(which) for which in ("offsets", SINK, "commits"))
    print(
        f"kill {number:2} ({kind}): micro-batches begun up to {begun}, in the log up to {logged},"
        f" done up to {done}; files that the log does not name: {run.orphans()}",
        flush=True,
    )


def main() -> None:
    """Kill and compare; with --json the figures as one object, on the last line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--victim", nargs=2, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--compare", nargs=2, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--stages", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--tasks", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--die", default="", help=argparse.SUPPRESS)
    parser.add_argument("--after", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.victim:
        data, folder = options.victim
        victim(data, folder, options)
    elif options.compare:
        compare(*options.compare)
    else:
        found = {str(stages): _soaked(stages, options) for stages in (2, 1)}
        if options.json:
            print(json.dumps(found))


def _soaked(stages: int, options: argparse.Namespace) -> Mapping[str, Any]:
    """Half of the kills, of a query of so many stages."""
    print(f"a query of {stages} stage{'s' if stages > 1 else ''}\n", flush=True)
    work = Path(tempfile.mkdtemp(prefix="kill-"))
    try:
        found = soak(work, stages, options.kills // 2, options.files, options.seed)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    _summary(found)
    return found


def _summary(found: Mapping[str, Any]) -> None:
    kinds = ", ".join(f"{kind} {count}" for kind, count in found["kills"].items())
    print(
        f"\n{sum(found['kills'].values())} kills: {kinds}\n"
        f"{found['micro_batches']} micro-batches; files that the log does not name: at most"
        f" {found['most_orphans']} after a kill, {found['orphans_left']} at the end\n"
        f"{found['answers']:,} answers, equal to those of a run that nobody interrupted\n",
        flush=True,
    )


if __name__ == "__main__":
    main()

"""Spark sessions that can host askos, and what is wrong with those that cannot.

What a query needs belongs to it: Spark copies the settings of a session when a query starts, and
notes with each function which Python is to run it, so `settings` puts ours in place for that moment
only.  One thing of ours holds for a whole application: with `spark.python.daemon.module` set to
`askos.spark.daemon`, workers start faster, since their parent has imported what they need.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pyspark
from pyspark import SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from askos.errors import SetupError, shortened
from askos.spark import classes
from askos.spark.faults import known, told
from askos.spark.java import check_room, starting

_STREAMING: Final = "spark.sql.streaming"
_STATE: Final = f"{_STREAMING}.stateStore"
PROVIDER: Final = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
DAEMON: Final = "askos.spark.daemon"

# What a query needs when it starts, and as many shuffle partitions as Spark has cores.
RUNTIME: Final = {
    f"{_STATE}.providerClass": PROVIDER,
    f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{_STATE}.rocksdb.trackTotalNumberOfRows": "false",  # it reads a run before it removes it
    f"{_STATE}.rocksdb.boundedMemoryUsage": "true",  # all stores of a JVM together, to 500 MB
    "spark.sql.execution.arrow.maxRecordsPerBatch": "200000",
    f"{_STREAMING}.noDataMicroBatches.enabled": "false",  # time comes with the data
    "spark.sql.adaptive.enabled": "false",  # else Spark says that no stream can have it
    "spark.sql.session.timeZone": "UTC",  # timestamps without a time zone are meant so
}
# And where Spark itself sees few rows: making and compiling code takes longer than it saves, and
# Spark makes it anew in every micro-batch, in the driver and in each task.
INTERPRETED: Final = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
_PARTITIONS: Final = "spark.sql.shuffle.partitions"
# What only a new session can have.
_STATIC: Final = {
    "spark.python.daemon.module": DAEMON,
    "spark.ui.enabled": "false",
    "spark.log.level": "ERROR",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
_MANAGER: Final = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)
_KEPT: Final = f"{_STREAMING}.fileSource.log.cleanupDelay"
_SOCKETS: Final = "spark.python.unix.domain.socket"
_LONGEST: Final = 60  # of a folder of sockets: their paths have 108 bytes, with a name of Spark's
_CLASSES: Final = "spark.driver.extraClassPath"
# The quick compiler alone would have 48 MB for what it makes, which a few queries fill: then it
# throws code away and makes it again, all the time.
_QUICK_JAVA: Final = "-XX:+UseParallelGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m"
_READ: Final = 2**20


def session(
    cores: int = 2,
    memory: str = "2g",
    settings: Mapping[str, str] | None = None,
    log: str | Path | None = None,
) -> SparkSession:
    """An embedded Spark on this machine, set up for askos; if this process has a session already,
    that one, with no change but `settings`.

    `settings` are further Spark settings, and go before ours.  What Spark and its workers
    write to stderr goes to the file `log`, if given.  SetupError where Java is missing.
    """
    running = _running()
    if running is not None:
        check(running)
        for name, value in (settings or {}).items():
            running.conf.set(name, value)
        return running
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{cores}]").appName("askos")
    wanted = {
        **_STATIC,
        **RUNTIME,
        "spark.driver.memory": memory,
        _PARTITIONS: str(cores),
        # The workers must find this very package, installed or not.
        "spark.executorEnv.PYTHONPATH": _python_path(),
    }
    for name, value in {**wanted, **_quick(settings or {}), **(settings or {})}.items():
        builder = builder.config(name, value)
    before = _length(log)
    try:
        with told(), _stderr_to(log), starting():  # Java keeps the stderr it was started with
            check_room()
            made = builder.getOrCreate()
            classes.forget_unused(made)
            return made
    except PySparkRuntimeError as error:
        said = _said(log, before)
        ours = known(said)
        if ours is None:
            ours = SetupError(f"Spark does not start: {error}", hint=_java(said))
        raise ours from error


def _quick(given: Mapping[str, str]) -> Mapping[str, str]:
    """What an embedded Spark does faster: files without processes and checksums, sockets that are
    files, and for few cores a collector of garbage and a compiler that leave these to the query.
    See docs/operations.md for what that costs."""
    found = {
        f"{_STREAMING}.checkpointFileManagerClass": _MANAGER,
        _KEPT: "5s",  # not ten minutes: it looks at all of them in every micro-batch
        "spark.driver.extraJavaOptions": _QUICK_JAVA,
    }
    folder = tempfile.gettempdir()
    if len(os.fsencode(folder)) <= _LONGEST:
        found |= {f"{_SOCKETS}.enabled": "true", f"{_SOCKETS}.dir": folder}
    made = classes.jar() if _CLASSES not in given and classes.usable() else None
    if made is not None:
        found |= {_CLASSES: str(made), "spark.hadoop.fs.file.impl": classes.CLASS}
    return found


def _java(said: str) -> str:
    """What Spark needs of Java, what there is, and what that said first; warnings do not count."""
    home, found = os.environ.get("JAVA_HOME"), shutil.which("java")
    here = f"JAVA_HOME is {home}" if home else f"on the PATH is {found or 'none'}"
    lines = [line for line in said.splitlines() if line.strip() and "WARN" not in line]
    more = f"; it said: {shortened(lines[0])}" if lines else ""
    return f"it needs Java 17 or later, and {here}{more}"


def _length(log: str | Path | None) -> int:
    return Path(log).stat().st_size if log is not None and Path(log).exists() else 0


def _said(log: str | Path | None, before: int) -> str:
    """What the log has beyond what it had before; at most its first part."""
    if log is None:
        return ""
    with open(log, "rb") as file:
        file.seek(before)
        return file.read(_READ).decode(errors="replace")


@contextmanager
def _stderr_to(log: str | Path | None) -> Iterator[None]:
    if log is None:
        yield
        return
    own = os.dup(2)
    with open(log, "ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(own, 2)
        os.close(own)


_PACKAGE: Final = str(Path(__file__).parents[2])


def _python_path() -> str:
    known = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    path = os.pathsep.join(dict.fromkeys([_PACKAGE, *known]))
    os.environ["PYTHONPATH"] = path  # embedded Spark takes the environment of this process
    return path


def _running() -> SparkSession | None:
    """The session of this process, if it has one that has not been stopped."""
    try:
        found = SparkSession.active()
    except PySparkRuntimeError:
        return None
    return None if _stopped(found) else found


def cores(spark: SparkSession) -> int:
    """How many tasks Spark runs at once, as far as it knows: see `spark.default.parallelism`."""
    return spark.sparkContext.defaultParallelism


def on_this_machine(spark: SparkSession) -> bool:
    """Whether all tasks run here, as far as Spark says."""
    master = str(spark.sparkContext.master)
    return master.startswith("local") and not master.startswith("local-cluster")


def tells_tasks() -> bool:
    """Whether tasks can know of which micro-batch they are."""
    return os.environ.get("PYSPARK_PIN_THREAD", "true").lower() == "true"


_CHANGING: Final = threading.RLock()


@contextmanager
def settings(
    spark: SparkSession, *, few_rows: bool = False, partitions: int | None = None
) -> Iterator[None]:
    """Inside, a session has the settings a query of ours must be compiled and started with;
    afterwards it has its own again.  `few_rows` if files are read and answers written by our own
    workers, so that Spark sees nothing but packed rows; `partitions` is how many tasks a stage has,
    by default as many as Spark has cores.

    A query keeps what it was started with.  One thread at a time: another's query would start
    with half of each.
    """
    check(spark)
    tasks = {_PARTITIONS: str(partitions or cores(spark))}
    ours = {**RUNTIME, **(INTERPRETED if few_rows else {}), **tasks}
    with _CHANGING, _workers(spark.sparkContext):
        own = {name: spark.conf.get(name, None) for name in ours}
        try:
            for name, value in ours.items():
                spark.conf.set(name, value)
            yield
        finally:
            for name, before in own.items():
                _restore(spark, name, before)


def _restore(spark: SparkSession, name: str, before: str | None) -> None:
    if before is None:
        spark.conf.unset(name)
    else:
        spark.conf.set(name, before)


@contextmanager
def _workers(context: SparkContext) -> Iterator[None]:
    """Inside, functions are sent to workers that are this very Python and find this package, where
    Spark runs on this machine and nobody has said otherwise."""
    if not str(context.master).startswith("local"):
        yield
        return
    python, environment = context.pythonExec, context.environment
    if "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable
    known = environment.get("PYTHONPATH", "").split(os.pathsep)
    path = os.pathsep.join(filter(None, [*known, _PACKAGE]))
    context.environment = {**environment, "PYTHONPATH": path}
    try:
        yield
    finally:
        context.pythonExec, context.environment = python, environment


def check(spark: SparkSession) -> None:
    """Refuse a session that can never do, with all that is wrong with it."""
    wrong = list(_faults(spark))
    if wrong:
        raise SetupError(
            f"this Spark session cannot run askos: {'; '.join(wrong)}",
            hint="stop it, if it has not been, and make one with askos.spark.session()",
        )


def _faults(spark: SparkSession) -> Iterator[str]:
    if not hasattr(spark, "_jsparkSession"):
        yield "it is one of Spark Connect, which knows no stateful processors in Python"
        return
    if _stopped(spark):
        yield "it has been stopped"
        return
    if spark.version.split(".")[:2] != pyspark.__version__.split(".")[:2]:
        yield f"it is Spark {spark.version}, and pyspark is {pyspark.__version__}: see SPARK_HOME"


def _stopped(spark: SparkSession) -> bool:
    context: Any = spark.sparkContext
    return context._jsc is None or bool(context._jsc.sc().isStopped())

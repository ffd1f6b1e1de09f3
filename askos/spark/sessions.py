"""Spark sessions that can host askos, and what is wrong with those that cannot.

Two things hold for the whole application, because Spark starts Python workers for all of its
sessions alike: `spark.python.daemon.module` must be `askos.spark.daemon`, since a worker that has
not imported `askos.terms` first rewrites the literals it unpickles, and the workers must find
this package.  Everything else belongs to a query: Spark copies the settings of a session when a
query starts, so `settings` puts ours in place for that moment only.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

from askos.errors import SetupError

_STREAMING: Final = "spark.sql.streaming"
_STATE: Final = f"{_STREAMING}.stateStore"
PROVIDER: Final = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
DAEMON: Final = "askos.spark.daemon"

# What a query needs when it starts.
RUNTIME: Final = {
    f"{_STATE}.providerClass": PROVIDER,
    f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{_STATE}.rocksdb.trackTotalNumberOfRows": "false",  # it reads a run before it removes it
    "spark.sql.execution.arrow.maxRecordsPerBatch": "200000",
    f"{_STREAMING}.noDataMicroBatches.enabled": "false",  # time comes with the data
    "spark.sql.session.timeZone": "UTC",  # timestamps without a time zone are meant so
}
# What only a new session can have.
_STATIC: Final = {
    "spark.python.daemon.module": DAEMON,
    "spark.ui.enabled": "false",
    "spark.log.level": "ERROR",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def session(
    cores: int = 2,
    memory: str = "2g",
    settings: Mapping[str, str] | None = None,
    log: str | Path | None = None,
) -> SparkSession:
    """An embedded Spark on this machine, set up for askos.

    `settings` are further Spark settings, and go before ours.  What Spark and its workers
    write to stderr goes to the file `log`, if given.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{cores}]").appName("askos")
    wanted = {
        **_STATIC,
        **RUNTIME,
        "spark.driver.memory": memory,
        "spark.sql.shuffle.partitions": str(cores),
        # The workers must find this very package, installed or not.
        "spark.executorEnv.PYTHONPATH": _python_path(),
    }
    for name, value in {**wanted, **(settings or {})}.items():
        builder = builder.config(name, value)
    with _stderr_to(log):  # Spark's JVM keeps the stderr it was started with
        return builder.getOrCreate()


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


def _python_path() -> str:
    package = str(Path(__file__).parents[2])
    known = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    path = os.pathsep.join(dict.fromkeys([package, *known]))
    os.environ["PYTHONPATH"] = path  # embedded Spark takes the environment of this process
    return path


_CHANGING: Final = threading.RLock()


@contextmanager
def settings(spark: SparkSession) -> Iterator[None]:
    """Inside, a session has the settings a query of ours must be compiled and started with;
    afterwards it has its own again.

    A query keeps what it was started with.  One thread at a time: another's query would start
    with half of each.
    """
    check(spark)
    with _CHANGING:
        own = {name: spark.conf.get(name, None) for name in RUNTIME}
        try:
            for name, value in RUNTIME.items():
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


def check(spark: SparkSession) -> None:
    """Refuse a session that can never do."""
    if spark.sparkContext.getConf().get("spark.python.daemon.module") != DAEMON:
        raise SetupError(
            "this Spark session starts Python workers that do not know askos",
            hint=f"make it with askos.spark.session(), or set spark.python.daemon.module={DAEMON}",
        )

"""Spark sessions that can host askos, and what is wrong with those that cannot."""

from __future__ import annotations

import os
import sys
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

# What may be set while a session runs; `start` sets it.
RUNTIME: Final = {
    f"{_STATE}.providerClass": PROVIDER,
    f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{_STATE}.rocksdb.trackTotalNumberOfRows": "false",  # it reads a run before it removes it
    "spark.sql.adaptive.enabled": "false",  # it would not help a stream, and plans anew each time
    "spark.sql.execution.arrow.maxRecordsPerBatch": "200000",
    f"{_STREAMING}.noDataMicroBatches.enabled": "false",  # time comes with the data
    "spark.sql.session.timeZone": "UTC",
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


def prepare(spark: SparkSession) -> None:
    """Set what a running session lets us set, and refuse one that can never do."""
    if spark.sparkContext.getConf().get("spark.python.daemon.module") != DAEMON:
        raise SetupError(
            "this Spark session starts Python workers that do not know askos",
            hint=f"make it with askos.spark.session(), or set spark.python.daemon.module={DAEMON}",
        )
    for name, value in RUNTIME.items():
        spark.conf.set(name, value)

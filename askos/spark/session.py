"""Spark sessions that can host askos, and what is wrong with those that cannot."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

from askos.errors import AskosError

_STREAMING: Final = "spark.sql.streaming"
_STATE: Final = f"{_STREAMING}.stateStore"
PROVIDER: Final = (
    "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
)
DAEMON: Final = "askos.spark.daemon"

# What may be set while a session runs; `start` sets it.
RUNTIME: Final = {
    f"{_STATE}.providerClass": PROVIDER,
    f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
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


class EnvironmentError_(AskosError):
    """The machine or the Spark session lacks something."""

    exit_code = 4


def session(
    cores: int = 2, memory: str = "2g", settings: Mapping[str, str] | None = None
) -> SparkSession:
    """An embedded Spark on this machine, set up for askos.

    `settings` are further Spark settings, and go before ours.
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
    return builder.getOrCreate()


def _python_path() -> str:
    package = str(Path(__file__).parents[2])
    known = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    path = os.pathsep.join(dict.fromkeys([package, *known]))
    os.environ["PYTHONPATH"] = path  # embedded Spark takes the environment of this process
    return path


def prepare(spark: SparkSession) -> None:
    """Set what a running session lets us set, and refuse one that can never do."""
    if spark.sparkContext.getConf().get("spark.python.daemon.module") != DAEMON:
        raise EnvironmentError_(
            "this Spark session starts Python workers that do not know askos",
            hint=f"make it with askos.spark.session(), or set spark.python.daemon.module={DAEMON}",
        )
    for name, value in RUNTIME.items():
        spark.conf.set(name, value)

"""A Kafka broker on this machine, for the example beside it, and Spark's connector to it.

Java is all that must be there: the jars come from the public Maven repository, by the Ivy that
pyspark brings along, once, into a folder of yours.
"""

from __future__ import annotations

import base64
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyspark

_BROKER: Final = "org.apache.kafka:kafka_2.13:4.3.1"
_CONNECTOR: Final = "org.apache.spark:spark-sql-kafka-0-10_2.13"
_OLDER: Final = (
    f"{_CONNECTOR}:4.2.0",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.1.0-preview1",
    "org.apache.kafka:kafka-clients:3.9.2",
    "org.apache.commons:commons-pool2:2.13.1",
)
"""Works with pyspark 4.3; for where its own connector is not to be had."""

_QUICK: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_SETTINGS: Final = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
log.dirs={data}
num.partitions={partitions}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.retention.ms=-1
"""


def connector(folder: Path) -> list[Path]:
    """The jars that let Spark read and write Kafka: of pyspark's own version, else older ones."""
    own = folder / f"connector-{pyspark.__version__}"
    if own.is_dir() or _fetch(own, f"{_CONNECTOR}:{pyspark.__version__}"):
        return sorted(own.glob("*.jar"))
    older = folder / "connector-older"
    print(f"no connector of {pyspark.__version__} is to be had; taking {_OLDER[0]}", flush=True)
    for jar in _OLDER if not older.is_dir() else ():
        if not _fetch(older, jar, "-notransitive"):
            raise SystemExit(f"cannot fetch {jar}")
    return sorted(older.glob("*.jar"))


def _fetch(folder: Path, coordinates: str, *options: str) -> bool:
    """Whether a jar, with all that it needs, could be put into the folder."""
    jars = Path(pyspark.__path__[0]) / "jars" / "*"
    pattern = f"{folder}/[artifact]-[revision].[ext]"
    command = ["java", *_QUICK, "-cp", str(jars), "org.apache.ivy.Main", "-confs", "default"]
    wanted = ["-dependency", *coordinates.split(":"), "-retrieve", pattern]
    made = subprocess.run([*command, *options, *wanted], capture_output=True, check=False)
    return made.returncode == 0


@contextmanager
def broker(folder: Path, partitions: int = 2) -> Iterator[str]:
    """Runs while inside, on loopback, with nothing in it; gives its address."""
    libs, data = folder / "broker", folder / f"data-{secrets.token_hex(4)}"
    if not libs.is_dir() and not _fetch(libs, _BROKER):
        raise SystemExit(f"cannot fetch {_BROKER}")
    port, controller = _free_port(), _free_port()
    data.mkdir(parents=True)
    settings = data / "server.properties"
    settings.write_text(
        _SETTINGS.format(port=port, controller=controller, data=data, partitions=partitions)
    )
    java = ["java", "-Xmx256m", *_QUICK, "-cp", f"{libs}/*"]
    name = base64.urlsafe_b64encode(secrets.token_bytes(16)).decode().rstrip("=")
    with (data / "broker.log").open("wb") as log:
        made = [*java, "kafka.tools.StorageTool", "format", "-t", name, "-c", str(settings)]
        subprocess.run(made, stdout=log, stderr=log, check=True)
        run = subprocess.Popen([*java, "kafka.Kafka", str(settings)], stdout=log, stderr=log)
    try:
        _wait(port, run)
        yield f"127.0.0.1:{port}"
    finally:
        run.terminate()
        run.wait()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _wait(port: int, run: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if run.poll() is not None:
            break
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == os.EX_OK:
                return
        time.sleep(0.1)
    raise SystemExit("the broker does not start; see its broker.log")

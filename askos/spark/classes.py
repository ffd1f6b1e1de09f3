"""Classes of Java that an embedded Spark does with less than with its own.

`LocalFiles` is a local file system that starts no processes: Hadoop's own starts `chmod` for every
file it makes.  `Folders` says which files are new in several folders, and opens none, and `Look`
when there can be no new ones, and `Rows` names them to tasks; `Parts` runs micro-batches and hands
over the few rows that come out.
They are compiled once for each version of Spark, by Janino, which comes with Spark, so that no JDK
is needed; what comes out is kept in the user's cache folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias, cast

import pyspark
from py4j.java_gateway import JavaClass
from pyspark import SparkContext
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

_NAMES: Final = ("LocalFiles", "Parts", "Folders", "Look", "Rows")
_SOURCES: Final = tuple(Path(__file__).with_name(f"{name}.java") for name in _NAMES)
_COMPILER: Final = "org.codehaus.commons.compiler.samples.CompilerDemo"
_PATIENCE: Final = 120  # seconds
CLASS: Final = "askos.LocalFiles"
FOLDERS: Final = "askos.Folders"
_UNUSED: Final = ("yarn-default.xml", "mapred-default.xml")


def jar() -> Path | None:
    """The jar that holds the classes; None, with a warning, where it cannot be made."""
    made = _cache() / f"classes-{_version()}.jar"
    if made.exists():
        return made
    try:
        _make(made)
    except (OSError, subprocess.SubprocessError) as error:
        warnings.warn(f"Spark uses Hadoop's own, slower files: {_why(error)}", stacklevel=3)
        return None
    return made


def usable() -> bool:
    """Whether Spark's Java finds the classes: not where somebody has started that without them."""
    java: Any = SparkContext._jvm
    return java is None or isinstance(java.askos.Folders, JavaClass)


def _parts(java: Any) -> Any:
    """The class `Parts` of a Java that has it, else None."""
    found = java.askos.Parts
    return found if isinstance(found, JavaClass) else None


Take: TypeAlias = Callable[[list[bytes], int], None]
"""What is done with the values of a micro-batch, and its number."""


def handed_over(rows: DataFrame, column: str, take: Take) -> DataStreamWriter | None:
    """A writer that runs every micro-batch and hands over the values of a binary column; None where
    Java does not have the class for it."""
    context: Any = rows.sparkSession.sparkContext
    parts = _parts(context._jvm)
    if parts is None:
        return None
    writer, listen = rows.writeStream, cast("Callable[[Any], None]", ensure_callback_server_started)
    cast("Any", writer)._jwrite.foreachBatch(parts(rows.columns.index(column), _Taker(take)))
    listen(context._gateway)
    return writer


class _Taker:
    """Called by Java at the end of every micro-batch."""

    def __init__(self, take: Take) -> None:
        self._take = take

    def take(self, values: bytes, batch: int) -> None:
        """Values, each after its length."""
        self._take(list(_cut(values)), batch)

    class Java:
        """What py4j asks for."""

        implements: ClassVar = ["askos.Parts$Taker"]


def _cut(values: bytes) -> Iterator[bytes]:
    begin = 0
    while begin < len(values):
        begin, size = begin + 4, int.from_bytes(values[begin : begin + 4], "big")
        yield values[begin : begin + size]
        begin += size


def forget_unused(spark: SparkSession) -> None:
    """Let a session that has the classes forget most of Hadoop's settings, those of a manager of
    clusters and of its jobs, which an embedded Spark does not have.  They come back where something
    asks for them: Hadoop reads its files again.  So it does when a session gets its state, which is
    made first."""
    context: Any = spark.sparkContext
    if context.getConf().get("spark.hadoop.fs.file.impl") == CLASS:
        cast("Any", spark)._jsparkSession.sessionState()
        for file in _UNUSED:
            context._jvm.askos.LocalFiles.forget(context._jsc.hadoopConfiguration(), file)


def _why(error: Exception) -> str:
    said = getattr(error, "stderr", None)
    return str(said.strip().splitlines()[-1]) if said and said.strip() else str(error)


def _version() -> str:
    """Of Spark, and of the sources."""
    source = hashlib.sha256(b"".join(source.read_bytes() for source in _SOURCES)).hexdigest()
    return f"{pyspark.__version__}-{source[:8]}"


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "askos"


def _make(made: Path) -> None:
    """Compile beside where the jar is to be, and move it there as a whole: others may do the
    same at the same time."""
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as folder:
        classes, whole = Path(folder) / "classes", Path(folder) / made.name
        _compile(classes)
        with zipfile.ZipFile(whole, "w") as archive:
            for file in sorted(classes.rglob("*.class")):
                archive.write(file, file.relative_to(classes))
        whole.replace(made)


def _compile(classes: Path) -> None:
    home = os.environ.get("JAVA_HOME")
    java = Path(home) / "bin" / "java" if home else shutil.which("java")
    if java is None:
        raise FileNotFoundError("there is no Java")
    jars = Path(pyspark.__file__).with_name("jars")
    path = os.pathsep.join(map(str, sorted(jars.glob("*.jar"))))
    options = ["-d", str(classes), "-classpath", path, *map(str, _SOURCES)]
    command = [str(java), "-XX:TieredStopAtLevel=1", "-cp", path, _COMPILER, *options]
    subprocess.run(command, check=True, timeout=_PATIENCE, capture_output=True, text=True)

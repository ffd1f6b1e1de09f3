"""A local file system for an embedded Spark that starts no processes.

Hadoop's own starts a process `chmod` for every file it makes.  `LocalFiles`
does the same by a system call.  It is compiled once for each version of Spark, by Janino, which
comes with Spark, so that no JDK is needed; what comes out is kept in the user's cache folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any, Final

import pyspark
from py4j.java_gateway import JavaClass
from pyspark import SparkContext
from pyspark.sql import SparkSession

_SOURCE: Final = Path(__file__).with_name("LocalFiles.java")
_LIBRARIES: Final = (
    "janino",
    "commons-compiler",
    "hadoop-client-api",
    "hadoop-client-runtime",
    "slf4j-api",
)
_COMPILER: Final = "org.codehaus.commons.compiler.samples.CompilerDemo"
_PATIENCE: Final = 120  # seconds
CLASS: Final = "askos.LocalFiles"
_UNUSED: Final = "yarn-default.xml"


def jar() -> Path | None:
    """The jar that holds the class; None, with a warning, where it cannot be made."""
    made = _cache() / f"files-{_version()}.jar"
    if made.exists():
        return made
    try:
        _make(made)
    except (OSError, subprocess.SubprocessError, StopIteration) as error:
        warnings.warn(f"Spark uses Hadoop's own, slower files: {_why(error)}", stacklevel=3)
        return None
    return made


def usable() -> bool:
    """Whether Spark's Java finds the class: not where somebody has started that without it."""
    java: Any = SparkContext._jvm
    return java is None or isinstance(java.askos.LocalFiles, JavaClass)


def forget_unused(spark: SparkSession) -> None:
    """Let a session that has the class forget half of Hadoop's settings, those of a manager of
    clusters that an embedded Spark does not have.  They come back where something asks for them:
    Hadoop reads its files again."""
    context: Any = spark.sparkContext
    if context.getConf().get("spark.hadoop.fs.file.impl") == CLASS:
        context._jvm.askos.LocalFiles.forget(context._jsc.hadoopConfiguration(), _UNUSED)


def _why(error: Exception) -> str:
    said = getattr(error, "stderr", None)
    return str(said.strip().splitlines()[-1]) if said and said.strip() else str(error)


def _version() -> str:
    """Of Spark, and of the source."""
    source = hashlib.sha256(_SOURCE.read_bytes()).hexdigest()
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
    path = os.pathsep.join(str(next(jars.glob(f"{name}-[0-9]*.jar"))) for name in _LIBRARIES)
    options = ["-d", str(classes), "-classpath", path, str(_SOURCE)]
    command = [str(java), "-XX:TieredStopAtLevel=1", "-cp", path, _COMPILER, *options]
    subprocess.run(command, check=True, timeout=_PATIENCE, capture_output=True, text=True)

"""What Spark's stack traces mean; those here are as Spark 4 writes them, but shorter."""

from __future__ import annotations

import errno

import pytest
from py4j.protocol import Py4JNetworkError
from pyspark.errors import PySparkException

from askos.errors import AskosError, QueryError, SetupError, StreamError
from askos.spark.faults import known, told

FAILED = (
    "org.apache.spark.sql.streaming.StreamingQueryException: [STREAM_FAILED] Query [id = 1]"
    " terminated with exception: {} SQLSTATE: XXKST\n"
    "=== Streaming Query ===\n"
    "Identifier: [id = 1, runId = 2]\n"
    "Current Available Offsets: {{FileStreamSource[file:/data/d]: {{}}}}\n"
    "~WriteToMicroBatchDataSource\n+- Filter (o#1 = No space left on device)\n"
    "\tat org.apache.spark.sql.execution.streaming.StreamExecution.java:35)\n"
    "Caused by: {}\n\tat java.lang.Thread.run(Thread.java:840)\n"
)
READING = "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///data/1 .gz. "
GONE = "[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file file:///d/1. File"
SOURCES = (
    "assertion failed: There are [2] sources in the checkpoint offsets and now there are [3]"
    " sources requested by the query. Cannot continue."
)


@pytest.mark.parametrize(
    ("message", "cause", "kind", "means"),
    [
        (
            "Job aborted",
            "java.io.IOException: No space left on device",
            SetupError,
            "Spark has no space left on a disk",
        ),
        (
            "Job aborted",
            "java.lang.OutOfMemoryError: Java heap space",
            SetupError,
            "Spark has run out of memory",
        ),
        (
            READING,
            "java.io.IOException: not a gzip file",
            StreamError,
            "/data/1 .gz cannot be read: not a gzip file",
        ),
        (GONE, "java.lang.Exception: x", StreamError, "/d/1 was read before, and is gone"),
        (
            "Wrong basePath /data/new for the root path: file:/data/old/1.nq",
            "java.lang.IllegalArgumentException: Wrong basePath /data/new for the root path:"
            " file:/data/old/1.nq",
            QueryError,
            "the checkpoint was made with other files: /data/old/1.nq, not below /data/new",
        ),
        (
            SOURCES,
            f"java.lang.AssertionError: {SOURCES}",
            QueryError,
            "the checkpoint was made with streams from other sources",
        ),
        (
            "Job aborted",
            "org.apache.spark.api.python.PythonException: Traceback\n"
            "ModuleNotFoundError: No module named 'askos'",
            SetupError,
            "Spark's Python workers do not find askos",
        ),
        (
            "Job aborted",
            'java.io.IOException: Cannot run program "python9": error=2, No such file or directory',
            SetupError,
            'Spark cannot start its Python workers: Cannot run program "python9"',
        ),
        (
            "Python worker failed to connect back.",
            "java.net.SocketTimeoutException: Timed out while waiting for the Python worker",
            SetupError,
            "Spark's Python workers did not start in time",
        ),
        (
            "Job aborted",
            "java.io.FileNotFoundException: /ck/commits/0 (Read-only file system)",
            SetupError,
            "Spark cannot write: Read-only file system",
        ),
    ],
)
def test_a_stack_trace_is_put_into_words(
    message: str, cause: str, kind: type[AskosError], means: str
) -> None:
    error = known(FAILED.format(message, cause))
    assert type(error) is kind
    assert error.message.startswith(means)
    assert "\n" not in error.message
    assert error.hint


def test_what_is_not_known_is_left_alone() -> None:
    """Also where the plan, or the data, has the words of what is known."""
    assert known(FAILED.format("key not found", "java.util.NoSuchElementException: 5")) is None
    with pytest.raises(PySparkException, match="odd"), told():
        raise PySparkException("odd")


def test_files_that_cannot_be_used_and_a_spark_that_is_gone() -> None:
    with pytest.raises(SetupError, match="No space left on device: ck"), told():
        raise OSError(errno.ENOSPC, "No space left on device", "ck")
    with pytest.raises(SetupError, match="File exists: ck\nhint: a folder is needed"), told():
        raise FileExistsError(errno.EEXIST, "File exists", "ck")
    with pytest.raises(SetupError, match="Spark has been stopped"), told():
        raise Py4JNetworkError("Answer from Java side is empty")
    with pytest.raises(SetupError, match="Spark has been stopped"), told():
        raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")

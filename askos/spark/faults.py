"""What Spark or the file system cannot do, as errors of ours: what is wrong, and what to do.

Spark tells it by the stack trace of its JVM.  Only the lines there that name an exception are
looked at: others may hold anything, the data too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException

from askos.errors import AskosError, QueryError, SetupError, StreamError
from askos.spark.errors import read

_Meaning: TypeAlias = Callable[[re.Match[str]], AskosError]

_CLASS: Final = r"^(?:: |Caused by: )?[\w.$]*(?:Exception|Error)\w*: "
_THROWN: Final = re.compile(f"{_CLASS}.*", re.MULTILINE)
_GO_ON: Final = "then start it again: with its checkpoint, it goes on where it stopped"


@contextmanager
def told() -> Iterator[None]:
    """Inside, what Spark and files cannot do is raised as an error of ours, if it is known what it
    means; what is not known is left alone."""
    try:
        yield
    except ConnectionError as error:  # what py4j finds where the JVM has been killed
        raise _gone() from error
    except OSError as error:
        raise SetupError.of(error) from error
    except (PySparkException, Py4JError) as error:
        ours = meaning(error)
        if ours is None:
            raise
        raise ours from error


def meaning(error: Exception) -> AskosError | None:
    """What an error of Spark's means, if that is known."""
    if isinstance(error, Py4JNetworkError):
        return _gone()
    trace = str(getattr(error, "_stackTrace", "") or error)
    return read(trace) or known(trace)


def known(trace: str) -> AskosError | None:
    """What a stack trace means, if that is known.

    >>> print(known("Caused by: java.io.IOException: No space left on device"))
    Spark has no space left on a disk
    hint: make room for the checkpoint, the answers and Spark's temporary files (spark.local.dir), \
then start it again: with its checkpoint, it goes on where it stopped
    """
    thrown = "\n".join(_THROWN.findall(trace))
    for pattern, means in _KNOWN:
        found = pattern.search(thrown)
        if found:
            return means(found)
    return None


def _cause(thrown: str) -> str:
    """What the innermost exception says, without its class."""
    return re.sub(_CLASS, "", thrown.splitlines()[-1])


# ---- what each means -------------------------------------------------------------------------


def _full(found: re.Match[str]) -> AskosError:
    hint = (
        "make room for the checkpoint, the answers and Spark's temporary files (spark.local.dir),"
        f" {_GO_ON}"
    )
    return SetupError("Spark has no space left on a disk", hint=hint)


def _unwritable(found: re.Match[str]) -> AskosError:
    hint = (
        "see that you may write to the checkpoint, the answers and the folder of Spark's temporary"
        f" files (spark.local.dir), {_GO_ON}"
    )
    return SetupError(f"Spark cannot write: {found[1]}", hint=hint)


def _other_folder(found: re.Match[str]) -> AskosError:
    return QueryError(
        f"the checkpoint was made with other files: {_path(found[2])}, not below {found[1]}",
        hint=_AS_BEFORE,
    )


def _other_sources(found: re.Match[str]) -> AskosError:
    return other_sources()


def other_sources() -> QueryError:
    """What Spark says where a checkpoint has more sources than before, or fewer."""
    return QueryError(
        "the checkpoint was made with streams from other sources, or from another number of them",
        hint=_AS_BEFORE,
    )


def _lost_file(found: re.Match[str]) -> AskosError:
    hint = f"put it back, {_GO_ON}; or start with an empty checkpoint"
    return StreamError(f"{_path(found[1])} was read before, and is gone", hint=hint)


def _bad_file(found: re.Match[str]) -> AskosError:
    cause = _cause(found.string)
    hint = f"put a whole file in its place, {_GO_ON}"
    return StreamError(f"{_path(found[1])} cannot be read: {cause}", hint=hint)


def _no_path(found: re.Match[str]) -> AskosError:
    hint = "a stream is a file, or a folder of files, which must be there before it is read"
    return StreamError(f"{_path(found[1])} is not there", hint=hint)


def _no_askos(found: re.Match[str]) -> AskosError:
    hint = "install askos for the Python of Spark's workers (PYSPARK_PYTHON), on every machine"
    return SetupError("Spark's Python workers do not find askos", hint=hint)


def _no_python(found: re.Match[str]) -> AskosError:
    hint = "set PYSPARK_PYTHON to the Python that runs askos, before Spark starts"
    return SetupError(f"Spark cannot start its Python workers: {found[1]}", hint=hint)


def _slow(found: re.Match[str]) -> AskosError:
    hint = f"the machine may be too busy: wait until it is not, {_GO_ON}"
    return SetupError("Spark's Python workers did not start in time", hint=hint)


def _no_memory(found: re.Match[str]) -> AskosError:
    hint = f"give it more, as in askos.spark.session(memory='4g'), {_GO_ON}"
    return SetupError("Spark has run out of memory", hint=hint)


def _in_use(found: re.Match[str]) -> AskosError:
    hint = "stop the other query, or give this one a checkpoint of its own"
    return SetupError("another query is using the checkpoint", hint=hint)


def _gone(found: re.Match[str] | None = None) -> AskosError:
    hint = "start a new one with askos.spark.session(), and the query again: it goes on"
    return SetupError("Spark has been stopped, or has come to its end", hint=hint)


def _path(name: str) -> str:
    """A path as users write it, not as an address."""
    return re.sub("^file:/+", "/", name)


_AS_BEFORE: Final = "go on with the streams it was made with, or start with an empty checkpoint"

# The first that is found counts: what comes first is the cause of what follows.
_KNOWN: Final[tuple[tuple[re.Pattern[str], _Meaning], ...]] = tuple(
    (re.compile(pattern), means)
    for pattern, means in (
        (r"No space left on device|Disk quota exceeded|not enough space", _full),
        (r"OutOfMemoryError", _no_memory),
        (r"Wrong basePath (\S+) for the root path: (\S+)", _other_folder),
        (
            r"There are \[\d+\] sources in the checkpoint offsets|For input string: \"{\"path",
            _other_sources,
        ),
        (r"FAILED_READ_FILE\.FILE_NOT_EXIST\].* reading file (.+?)\. ", _lost_file),
        (r"FAILED_READ_FILE[.\w]*\].* reading file (.+?)\. ", _bad_file),
        (r"PATH_NOT_FOUND\] Path does not exist: (.+?)\. ", _no_path),
        (r"No module named '(askos)", _no_askos),
        (r"((?:\[PYTHON_VERSION_MISMATCH\]|Cannot run program).*)", _no_python),
        (r"Python worker failed to connect back", _slow),
        (r"CONCURRENT_STREAM_LOG_UPDATE", _in_use),
        (
            r"((?:Permission denied|Read-only file system|Operation not permitted|Mkdirs failed to"
            r"|Parent path is not a directory|Not a directory).*)",
            _unwritable,
        ),
        (r"stopped SparkContext|SparkContext was shut down", _gone),
    )
)

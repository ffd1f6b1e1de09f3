"""Errors on their way from a worker to the driver, and from Spark to the user.

Spark brings back nothing but the text of a traceback.  So a worker that meets one of our errors
raises another, whose text is one line of JSON between marks that no JSON contains.  What Spark
itself cannot do, `askos.spark.faults` puts into words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from askos.errors import AskosError, QueryError, SetupError, StreamError, UnsupportedError

_KINDS: Final = {k.__name__: k for k in (QueryError, UnsupportedError, StreamError, SetupError)}
_START, _END = "<askos error ", " askos error>"

T = TypeVar("T")
R = TypeVar("R")


class WorkerError(Exception):
    """One of our errors, as the text that `read` reads."""


@contextmanager
def written() -> Iterator[None]:
    """Raise our errors as WorkerErrors; whatever else is raised is left alone."""
    try:
        yield
    except AskosError as error:
        entry = json.dumps({"kind": type(error).__name__, "args": error.args})
        escaped = entry.replace("<", r"\u003c").replace(">", r"\u003e")
        # Not `from error`: the traceback would print its text too, which may hold anything.
        raise WorkerError(f"{_START}{escaped}{_END}") from None


def writing(function: Callable[[Iterable[T]], Iterator[R]], batches: Iterable[T]) -> Iterator[R]:
    """`function`, its errors as `written`."""
    with written():
        yield from function(batches)


def read(text: str) -> AskosError | None:
    """The error a worker wrote into the text of a traceback, as it was raised there.

    >>> try:
    ...     with written():
    ...         raise StreamError("no row <a>", hint="look")
    ... except WorkerError as error:
    ...     read(f"Traceback ... {error} ...")
    StreamError('no row <a>', '', 0, 0, 'look')
    """
    entry = text.partition(_START)[2].partition(_END)[0]
    try:
        match json.loads(entry):
            case {"kind": str(kind), "args": list(args)}:
                return _KINDS[kind](*args)
    except (ValueError, KeyError, TypeError):
        pass
    return None

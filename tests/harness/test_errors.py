"""Errors come from workers to the driver as they were raised, and nothing else is taken for one."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.errors import AskosError, QueryError, SetupError, StreamError, UnsupportedError
from askos.spark.errors import read, writing, written

KINDS = st.sampled_from([QueryError, UnsupportedError, StreamError, SetupError])
TEXTS = st.text() | st.sampled_from(
    ["two\nlines", "hint: none", " askos error>", "askos.errors.QueryError: no", '"}', "\udc80"]
)


def as_spark_tells(error: AskosError) -> str:
    def work() -> None:
        with written():
            raise error

    with pytest.raises(Exception, match="askos error") as raised:
        work()
    trace = "".join(traceback.format_exception(raised.value))
    return f"[STREAM_FAILED] Query [id = 1] terminated with exception:\n{trace}\n at java.lang"


@given(KINDS, TEXTS, TEXTS, TEXTS, st.integers(0, 9), st.integers(0, 9))
def test_every_error_comes_back_as_it_was_raised(
    kind: type[AskosError], message: str, hint: str, source: str, line: int, column: int
) -> None:
    error = kind(message, source, line, column, hint)
    found = read(as_spark_tells(error))
    assert type(found) is kind
    assert found.args == error.args
    assert str(found) == str(error)


def test_what_is_not_ours_is_left_alone() -> None:
    with pytest.raises(ZeroDivisionError), written():
        raise ZeroDivisionError
    for text in (
        "",
        "ValueError: askos.errors.StreamError: no",
        "<askos error  askos error>",
        '<askos error {"kind": "KeyboardInterrupt", "args": []} askos error>',
        '<askos error {"kind": "StreamError", "args": []} askos error>',
        '<askos error {"kind": "StreamError"} askos error>',
    ):
        assert read(text) is None


def test_packing_is_covered_too() -> None:
    def pack(batches: Iterable[int]) -> Iterator[int]:
        yield 1
        raise StreamError("a bad row")

    steps = writing(pack, [])
    assert next(steps) == 1
    with pytest.raises(Exception, match="a bad row") as raised:
        next(steps)
    assert str(read(str(raised.value))) == "a bad row"

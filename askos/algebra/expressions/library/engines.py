r"""Two engines for regular expressions, so that no pattern hangs a query.

RE2 takes time linear in the text, whatever the pattern; (a+)+$ sends a backtracking engine through
2ⁿ ways instead.  What RE2 does not have, references to groups and more than 1,000 repetitions, is
for `regex`, which backtracks and stops at `TIME_LIMIT`: an error of the call.  Which of them is
asked depends on pattern and text alone; only that error depends on how fast a machine is.

By pyarrow's RE2 a call for a single string takes 60 µs and, with \w in the pattern, 4 ms, since it
compiles at every call; by google-re2 it takes 3 µs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from askos.algebra.expressions.expression import ExpressionError
from askos.algebra.expressions.library.patterns import Translated, translate
from askos.algebra.expressions.library.strings import LONGEST

if TYPE_CHECKING:
    import regex

TIME_LIMIT: Final = 1.0
"""Seconds of computing that a call may take where time is not linear."""
TIME_PER_BYTE: Final = 5e-5
"""Seconds more for each byte of the text: several times what a match takes that looks at itself
alone, so that no replacement ends for being long."""
_WORK: Final = 2**27
"""States of RE2 times bytes of text: some seconds at the very worst."""

Group: TypeAlias = Callable[[int], str]
"""What a group of a match has captured, "" for nothing; 0 is the match."""


@lru_cache(maxsize=64)  # an RE2 may take 8 MB
def compile_pattern(pattern: str, flags: str = "") -> Compiled:
    """The pattern for both engines; an error where XPath does not allow it."""
    return Compiled(pattern, translate(pattern, flags))


class Compiled:
    """A pattern whose engines are made when they are first asked."""

    def __init__(self, pattern: str, translated: Translated) -> None:
        self.pattern = pattern
        self.groups = translated.groups
        self._translated = translated

    def matches(self, text: str) -> bool:
        """Whether some part of the text matches."""
        data = _encoded(text)
        if _affordable(self._finder, data):
            return self._finder.search(data) is not None
        with self._timed():
            return self._backtracker.search(text, timeout=_time(data)) is not None

    def replaced(self, text: str, by: Callable[[Group], str]) -> str:
        """The text with every match, from left to right, replaced by what `by` makes of its
        groups; for patterns that do not match the empty string."""
        data = _encoded(text)
        limited = _Limited(self.pattern, by, _time(data))
        if _affordable(self._capturer, data):
            return _decoded(_substituted(self._capturer, data, limited))
        with self._timed():
            return self._backtracker.sub(
                lambda found: limited(lambda number: found[number] or ""), text, timeout=_time(data)
            )

    @cached_property
    def _finder(self) -> Any:
        return self._linear(captures=False)

    @cached_property
    def _capturer(self) -> Any:
        return self._linear(captures=True)

    def _linear(self, *, captures: bool) -> Any:
        """RE2's, or None where it has no words for the pattern."""
        if self._translated.refers:
            return None
        import re2

        options = re2.Options()
        options.log_errors = False
        options.never_capture = not captures
        try:
            return re2.compile(_encoded(self._translated.notation), options)
        except re2.error:  # too many repetitions, or too large
            return None

    @cached_property
    def _backtracker(self) -> regex.Pattern[str]:
        import regex  # takes a while, and few queries need it

        notation = self._translated.notation.replace(r"\z", r"\Z")
        try:
            return regex.compile(notation)
        except (regex.error, OverflowError) as error:
            message = f"the pattern {self.pattern!r} does not compile: {error}"
            raise ExpressionError(message) from None

    @contextmanager
    def _timed(self) -> Iterator[None]:
        try:
            yield
        except TimeoutError:
            raise _expired(self.pattern) from None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _time(data: bytes) -> float:
    return TIME_LIMIT + TIME_PER_BYTE * len(data)


def _affordable(linear: Any, data: bytes) -> bool:
    return linear is not None and linear.programsize * len(data) <= _WORK


def _substituted(linear: Any, data: bytes, by: Callable[[Group], str]) -> bytes:
    """Every match replaced: each takes linear time, and may look at all that follows."""
    pieces: list[bytes] = []
    done = 0
    for found in linear.finditer(data):
        start, end = found.span()
        pieces += (data[done:start], _encoded(by(_groups(found))))
        done = end
    return b"".join((*pieces, data[done:]))


def _groups(found: Any) -> Group:
    return lambda number: _decoded(found[number] or b"")


class _Limited:
    """A replacement that ends in an error when the time is over, or the result too long."""

    def __init__(self, pattern: str, by: Callable[[Group], str], seconds: float) -> None:
        self._pattern, self._by = pattern, by
        self._until = time.thread_time() + seconds  # however busy the machine is with others
        self._length = 0

    def __call__(self, group: Group) -> str:
        if time.thread_time() > self._until:
            raise _expired(self._pattern)
        result = self._by(group)
        self._length += len(result)
        if self._length > LONGEST:
            raise ExpressionError(f"REPLACE: the result is longer than {LONGEST} characters")
        return result


def _expired(pattern: str) -> ExpressionError:
    return ExpressionError(f"the pattern {pattern!r} takes too long for this text")

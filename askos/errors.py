"""The four families of errors a user can meet.

Anything else that surfaces is a fault of ours.  All arguments stay in `args`,
because errors cross process borders pickled.
"""

from __future__ import annotations

from typing import ClassVar, Final, Self

from askos.screen import visible, width

_LINE: Final = 200
_MESSAGE: Final = 2_000


class AskosError(Exception):
    """What went wrong, where in the text (if there is a text), and how to mend it.

    >>> print(AskosError("WINDOW needs a RANGE", "FROM STREAM <w> WINDOW SLIDE 5", 1, 24,
    ...                  "write WINDOW RANGE 30 MINUTE SLIDE 5 MINUTE"))
    line 1, column 24: WINDOW needs a RANGE
      FROM STREAM <w> WINDOW SLIDE 5
                             ^
    hint: write WINDOW RANGE 30 MINUTE SLIDE 5 MINUTE
    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self, message: str, source: str = "", line: int = 0, column: int = 0, hint: str = ""
    ) -> None:
        super().__init__(message, source, line, column, hint)
        self.message = message
        self.source = source
        self.line = line
        self.column = column
        self.hint = hint

    def at(self, source: str, line: int, column: int) -> Self:
        """The same error, with the position its raiser could not know."""
        return type(self)(self.message, source, line, column, self.hint)

    def __str__(self) -> str:
        parts = [_shortened(self.message)]
        if self.line:
            parts = [f"line {self.line}, column {self.column}: {parts[0]}", *self._excerpt()]
        if self.hint:
            parts.append(f"hint: {_shortened(self.hint)}")
        return "\n".join(parts)

    def _excerpt(self) -> list[str]:
        lines = self.source.split("\n")  # not splitlines: a form feed is no end of line
        if self.line > len(lines):
            return []
        text, column = _around(lines[self.line - 1].removesuffix("\r"), self.column)
        before = text[: column - 1]
        # A tab before the caret must stay a tab, or the caret points elsewhere.
        margin = "".join(c if c == "\t" else " " * width(visible(c)) for c in before)
        margin += " " * (column - 1 - len(before))
        shown = "".join(c if c == "\t" else visible(c) for c in text)
        return [f"  {shown}", f"  {margin}^"]


def _around(text: str, column: int) -> tuple[str, int]:
    """What of a line is shown, and where in it the column is: a query may be one long line."""
    if len(text) <= _LINE:
        return text, column
    start = max(0, min(column - 1, len(text)) - _LINE // 2)
    end = start + _LINE
    shown = f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"
    return shown, column - start + (start > 0)


def _shortened(text: str) -> str:
    """A message may quote what it speaks of, which may be long."""
    half = _MESSAGE // 2
    return text if len(text) <= _MESSAGE else f"{text[:half]} … {text[-half:]}"


class QueryError(AskosError):
    """The query, or a plan built by hand, is wrong: mend it."""

    exit_code = 2


class UnsupportedError(AskosError):
    """The query is valid, but asks for something we do not offer."""

    exit_code = 2


class StreamError(AskosError):
    """A source or its data is wrong: a missing source, a bad triple, an impossible time."""

    exit_code = 3


class SetupError(AskosError):
    """The machine, or the Spark session, lacks something: set it up."""

    exit_code = 4

    @classmethod
    def of(cls, error: OSError) -> SetupError:
        """A file or folder that cannot be read or written.

        >>> print(SetupError.of(NotADirectoryError(20, "Not a directory", "notes.txt/kept")))
        Not a directory: notes.txt/kept
        hint: check that the path exists, is yours and has room
        """
        file = f": {error.filename}" if error.filename else ""
        hint = "check that the path exists, is yours and has room"
        if isinstance(error, FileExistsError):
            hint = "a folder is needed, and a file has its name: choose another"
        return cls(f"{error.strerror or error}{file}", hint=hint)


def require(condition: bool, message: str, hint: str = "") -> None:
    """Refuse a plan that makes no sense, naming the part at fault."""
    if not condition:
        raise QueryError(message, hint=hint)


def require_whole(value: object, least: int, what: str) -> None:
    """Refuse anything but a whole number >= `least` that 64 bits can hold; True and 1.0 are not
    whole numbers here."""
    whole = isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**63
    require(whole, f"{what} must be a whole number >= {least}, not {value!r}")


def require_flag(value: object, what: str) -> None:
    """Refuse anything but True and False: "no" would count as true."""
    require(isinstance(value, bool), f"{what} must be True or False, not {value!r}")


def require_text(value: object, what: str) -> None:
    """Refuse anything but a string."""
    require(isinstance(value, str), f"{what} must be text, not {value!r}")


def shortened(text: str, most: int = 200) -> str:
    """The text as an error quotes it: data may be megabytes long.

    >>> shortened("turbines", 4)
    'turb… (8 characters)'
    """
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"

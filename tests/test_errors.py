from __future__ import annotations

import pickle

import pytest

from askos.errors import AskosError, QueryError, StreamError, UnsupportedError

TEXT = "SELECT ?x\nFROM STREAM <wind> WINDOW SLIDE 5 MINUTE"


def test_an_error_shows_line_caret_and_hint() -> None:
    error = QueryError("WINDOW needs a RANGE", TEXT, 2, 27, "write WINDOW RANGE 30 MINUTE")
    assert str(error) == (
        "line 2, column 27: WINDOW needs a RANGE\n"
        "  FROM STREAM <wind> WINDOW SLIDE 5 MINUTE\n"
        "                            ^\n"
        "hint: write WINDOW RANGE 30 MINUTE"
    )


def test_an_error_without_a_position_is_its_message_and_hint() -> None:
    assert str(StreamError("no data")) == "no data"
    assert str(StreamError("no data", hint="give some")) == "no data\nhint: give some"


def test_the_caret_stays_under_its_column_behind_a_tab() -> None:
    lines = str(QueryError("here", "\tab", 1, 3)).splitlines()
    assert lines[1:] == ["  \tab", "  \t ^"]


def test_a_position_past_the_text_shows_no_excerpt() -> None:
    assert str(QueryError("unexpected end", "SELECT", 2, 1)) == "line 2, column 1: unexpected end"


def test_a_caret_may_point_just_behind_the_line() -> None:
    assert str(QueryError("end", "ab", 1, 5)).splitlines()[-1] == "      ^"


def test_a_position_can_be_added_later() -> None:
    error = QueryError("bad", hint="mend").at("abc", 1, 2)
    assert (error.line, error.column, error.hint) == (1, 2, "mend")


@pytest.mark.parametrize("kind", [AskosError, QueryError, UnsupportedError, StreamError])
def test_errors_survive_pickling(kind: type[AskosError]) -> None:
    error = kind("message", TEXT, 2, 27, "hint")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert str(copy) == str(error)


def test_exit_codes_tell_the_families_apart() -> None:
    codes = [QueryError.exit_code, UnsupportedError.exit_code, StreamError.exit_code]
    assert codes == [2, 2, 3]


def test_of_a_long_line_only_what_is_around_the_caret_is_shown() -> None:
    line = "".join(chr(ord("a") + i % 26) for i in range(99_000))
    for column in (1, 50, 40_000, 98_990, 99_001):
        text = str(QueryError("here", line, 1, column))
        _, shown, caret = text.splitlines()
        assert len(text) < 500
        assert (shown + " ")[caret.index("^")] == (line + " ")[column - 1]
        assert shown.strip().strip("…") in line
        assert shown.startswith("  …") is (column > 101)
        assert shown.endswith("…") is (column < 98_890)


def test_a_line_that_fits_is_shown_as_it_is() -> None:
    line = "x" * 200
    assert str(QueryError("here", line, 1, 200)).splitlines()[1] == f"  {line}"


def test_a_message_that_quotes_something_long_is_shortened_when_it_is_shown() -> None:
    error = QueryError(f"unknown word {'x' * 99_000}", hint="y" * 99_000)
    assert len(str(error)) < 5_000
    assert "…" in str(error)
    assert len(error.message) > 99_000


@pytest.mark.parametrize(
    ("text", "column", "shown", "margin"),
    [
        ("SELECT '風車' WERE", 13, "SELECT '風車' WERE", 14),
        ("SELECT 'e\u0301' WERE", 13, "SELECT 'e\u0301' WERE", 11),
        ("\x1b[2J WERE", 6, r"\u001B[2J WERE", 10),
        ("ab", 5, "ab", 4),
    ],
)
def test_the_caret_stands_below_what_the_terminal_shows(
    text: str, column: int, shown: str, margin: int
) -> None:
    lines = str(QueryError("unknown word", text, 1, column)).split("\n")
    assert lines[1:] == [f"  {shown}", "  " + " " * margin + "^"]

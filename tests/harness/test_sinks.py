"""What the console prints of a micro-batch; without Spark."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import Row

from askos.spark import Console


class Frame:
    """What a sink needs of a DataFrame."""

    def __init__(self, types: dict[str, str], *rows: tuple[Any, ...]) -> None:
        self.columns, self.dtypes = list(types), list(types.items())
        self._rows = [Row(**dict(zip(types, row, strict=True))) for row in rows]

    def collect(self) -> list[Row]:
        return self._rows


LAST = {"output": "string", "note": "string"}


def printed(frame: Frame, capsys: pytest.CaptureFixture[str]) -> str:
    Console({"": "http://e/"})._print(frame, 0)  # type: ignore[arg-type]
    return capsys.readouterr().out


def test_a_report_is_a_table_and_one_without_rows_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    frame = Frame(
        {"x": "string", "at": "bigint"} | LAST,
        (None, 20, "report", None),
        ("<http://e/b>", 10, "result", None),
        (None, 10, "report", None),
        ("<http://e/a>", 10, "result", None),
        (None, 5, "late", "{x: 1}"),
    )
    times = [f"at 1970-01-01T00:00:00.0{at}Z" for at in (10, 20)]
    assert printed(frame, capsys) == (
        f"{times[0]}\nx\n:a\n:b\n{times[1]}: no rows\nlate: {{x: 1}}\n"
    )


def test_rows_of_a_report_are_in_the_querys_order(capsys: pytest.CaptureFixture[str]) -> None:
    frame = Frame(
        {"ts": "string", "at": "bigint", "place": "bigint"} | LAST,
        ("<http://e/a>", 1000, 2, "result", None),
        ("<http://e/b>", 1000, 1, "result", None),
        (None, 1000, None, "report", None),
    )
    assert printed(frame, capsys) == "at 1970-01-01T00:00:01Z\nts\n:b\n:a\n"


def test_intervals_may_have_variables_named_like_the_columns_of_reports(
    capsys: pytest.CaptureFixture[str],
) -> None:
    types = {"at": "string", "place": "string", "ts": "bigint", "te": "bigint"} | LAST
    frame = Frame(types, ("<http://e/a>", "<http://e/b>", 0, 1000, "result", None))
    heading, row = printed(frame, capsys).splitlines()
    assert heading.split() == ["at", "place", "ts", "te"]
    assert row.split() == [":a", ":b", "1970-01-01T00:00:00Z", "1970-01-01T00:00:01Z"]

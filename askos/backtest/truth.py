"""What really happened: a file of episodes.

turbine,kind,begin,end,fault
http://wind.example/T07,gearbox,2026-06-01T03:10:00Z,2026-06-01T05:00:00Z,true
http://wind.example/T03,maintenance,2026-06-01T08:00:00Z,2026-06-01T12:00:00Z,false
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from askos.errors import AskosError, StreamError
from askos.interval import Interval

COLUMNS: Final = ("turbine", "kind", "begin", "end", "fault")
_FLAGS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_HEADING: Final = f"its first line names the columns: {','.join(COLUMNS)}"


@dataclass(frozen=True, slots=True)
class Episode:
    """Something that happened to a turbine: a fault of some kind, or what is none, such as a
    maintenance or a curtailment."""

    turbine: str
    kind: str
    interval: Interval
    fault: bool


def read_truth(file: str | Path) -> list[Episode]:
    """The episodes of a file; StreamError names the first line that is none, since a score
    against half of the truth is worth nothing."""
    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as text:
            rows = csv.DictReader(text)
            if missing := [name for name in COLUMNS if name not in (rows.fieldnames or ())]:
                raise StreamError(f"{file} lacks the columns {', '.join(missing)}", hint=_HEADING)
            return [_episode(row, file, rows.line_num) for row in rows]
    except OSError as error:
        raise StreamError(f"{file}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise StreamError(f"{file} is no CSV in UTF-8: {error}") from error


def _episode(row: Mapping[str, str | None], file: str | Path, line: int) -> Episode:
    try:
        turbine, kind, begin, end, fault = ((row[name] or "").strip() for name in COLUMNS)
        if not (turbine and kind):
            raise ValueError("it names no turbine, or no kind")
        if fault.lower() not in _FLAGS:
            raise ValueError(f"fault is {fault!r}: write true or false")
        interval = Interval(_instant(begin), _instant(end))
        return Episode(turbine, kind, interval, _FLAGS[fault.lower()])
    except ValueError as error:
        raise StreamError(f"{file}, line {line}: {error}") from None
    except AskosError as error:
        raise StreamError(f"{file}, line {line}: {error.message}", hint=error.hint) from None


def _instant(text: str) -> int:
    """Milliseconds, of digits or of ISO 8601 with a zone."""
    if text.isdecimal():
        return int(text)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is no time; write 2026-06-01T00:00:00Z") from None
    if time.tzinfo is None:
        raise ValueError(f"{text} has no time zone: write {text}Z, or +02:00")
    return (time - _EPOCH) // timedelta(milliseconds=1)

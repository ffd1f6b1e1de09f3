"""The monitoring jobs that come with askos: query files, each with a head that says what for.

The comment at the top of a file says what the job watches and why it is written so.  A line
`# detects: KIND` in it names the kind of truth that its answers are judged against; a job without
such a line is not judged.  The answers of a job that is judged are alerts: a column `?turbine`, and
an interval.  Alerts of one turbine that overlap or touch are one alert, whatever else is in them.

A line `# every: 1 MINUTE` names the period of a job that reports the whole answer now and then; the
others answer in intervals.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_DETECTS: Final = re.compile(r"^# detects: (\S+)$", re.MULTILINE)
_EVERY: Final = re.compile(r"^# every: (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Job:
    """A query that watches a park."""

    name: str
    text: str

    @property
    def about(self) -> str:
        """What the head of the file says, as one paragraph."""
        lines = []
        for line in self.text.splitlines():
            if not line.startswith("#"):
                break
            if not (_DETECTS.match(line) or _EVERY.match(line)):
                lines.append(line.removeprefix("#").strip())
        return " ".join(lines)

    @property
    def detects(self) -> str | None:
        """The kind of truth that its alerts are judged against."""
        found = _DETECTS.search(self.text)
        return found[1] if found else None

    @property
    def every(self) -> str | None:
        """Its period, as `askos run --every` takes it; none, if it answers in intervals."""
        found = _EVERY.search(self.text)
        return found[1] if found else None


def folder() -> Path:
    """Where the jobs are: inside the package where it was installed, else in the examples."""
    installed = Path(__file__).parent.parent / "windpark"
    return installed if installed.is_dir() else installed.parent.parent / "examples" / "windpark"


def jobs() -> dict[str, Job]:
    """All of them, by name."""
    files = sorted(folder().glob("*.rq"))
    return {file.stem: Job(file.stem, file.read_text(encoding="utf-8")) for file in files}

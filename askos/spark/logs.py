"""Spark's own logs: folders of files, each named by the number of a micro-batch.

A checkpoint has three: `offsets` of what micro-batches have begun, `commits` of those that are
done, and `sources`, by source, of the files that they read; where several folders are one source,
each has a log below that (see `askos.spark.inputs`).  A file sink has one beside its answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

COMPACT: Final = ".compact"
"""How the names of files end that repeat all before them."""
SINK: Final = "_spark_metadata"
"""The log of a file sink, in the folder of its answers."""
_NAME: Final = re.compile(r"([0-9]+)(\.compact)?")
_CONTROL: Final = re.compile(r'/control/([^/"]+)"')
_OFFSET: Final = re.compile(r'\{"logOffset":([0-9]+)\}')
_OFFSETS: Final = re.compile(r"\[-?[0-9]+(?:, -?[0-9]+)*\]")


def batch_number(file: str) -> int | None:
    """The micro-batch of a file; every so often one repeats all before it.  None if it is of none.

    >>> batch_number("9"), batch_number("9.compact"), batch_number(".9.crc")
    (9, 9, None)
    """
    found = _NAME.fullmatch(file)
    return int(found[1]) if found else None


def last(files: Iterable[str]) -> int:
    """The last micro-batch of a log, -1 if it has none."""
    return max((number for file in files if (number := batch_number(file)) is not None), default=-1)


def last_in(log: Path) -> int:
    """The same of a folder, which need not be there."""
    return last(file.name for file in log.glob("*"))


def has_heard_end(checkpoint: Path) -> bool:
    """Whether a micro-batch that read the end of input is done, and with it everything.

    Sources note their files before the micro-batch is noted that will read them: where a disk was
    full in between, the end stands in a log, and nobody has heard it.
    """
    done = last_in(checkpoint / "commits")
    if done < 0 or last_in(checkpoint / "offsets") != done:
        return False
    read = _read_by(checkpoint / "offsets" / str(done))
    return any(
        "/control/end" in file.read_text("utf-8", "replace")
        for source, until in read.items()
        for file in (checkpoint / "sources" / source).glob("[0-9]*")
        if last([file.name]) <= until
    )


def is_one_source(checkpoint: Path) -> bool | None:
    """Whether a checkpoint reads all its folders as one source; None if it has not begun."""
    sources = checkpoint / "sources"  # not every source has a log there, but the control stream has
    return (sources / "0" / "0").is_dir() if sources.exists() else None


def control_logs(checkpoint: Path, batch: int) -> tuple[tuple[Path, int], ...]:
    """The logs that name files of the control stream, and up to which of its files each was read by
    a micro-batch and those before it.

    Spark notes it before the micro-batch begins, and goes by it when it runs that one again: so all
    its tasks find the same, whenever they look.
    """
    read = _read_by(checkpoint / "offsets" / str(batch))
    logs = ((checkpoint / "sources" / source, until) for source, until in read.items())
    return tuple(each for each in logs if _is_of_control(*each))


def _is_of_control(log: Path, until: int) -> bool:
    """By the first that a file says, below its version: streams may have many files."""
    with _numbered(log, until).open(encoding="utf-8") as lines:
        return any(map(_CONTROL.search, islice(lines, 2)))


def control_files(log: Path, until: int) -> list[str]:
    """The names of the files of the control stream that a log has, up to one of its own."""
    found = list[str]()
    for number in range(until, -1, -1):
        file = _numbered(log, number)
        found += _CONTROL.findall(file.read_text("utf-8"))
        if file.name.endswith(COMPACT):
            break
    return found


def _numbered(log: Path, number: int) -> Path:
    """By its name, and not by a list of all: some file systems remember lists for a while."""
    file = log / str(number)
    return file if file.exists() else log / f"{number}{COMPACT}"


def _read_by(offsets: Path) -> dict[str, int]:
    """How far the sources of files were read by a micro-batch, by the places of their logs."""
    _, _, *lines = offsets.read_text("utf-8").splitlines()
    found = dict[str, int]()
    for number, line in enumerate(lines):
        if offset := _OFFSET.fullmatch(line):
            found[str(number)] = int(offset[1])
        elif _OFFSETS.fullmatch(line):
            each = enumerate(json.loads(line))
            found |= {f"{number}/{folder}": until for folder, until in each if until >= 0}
    return found

"""askos generate: streams for a try."""

from __future__ import annotations

import json
import shutil
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from askos.cli.common import DONE, EPOCH, Commands, choice, instant
from askos.errors import AskosError

if TYPE_CHECKING:
    from askos.generate.windpark import Written


def add_generate(commands: Commands) -> None:
    """Declare `askos generate`."""
    text = "make up streams for a try"
    parser = commands.add_parser("generate", help=text, description=f"{text.capitalize()}.")
    _add_windpark(choice(parser, "park"))


def _add_windpark(parks: Commands) -> None:
    text = "wind, power, starts, stops and alarms of turbines"
    parser = parks.add_parser("windpark", help=text, description=f"{text.capitalize()}.")
    parser.set_defaults(command=generate_windpark)
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder, new or empty")
    for name, default, meaning in [
        ("turbines", 8, "how many turbines"),
        ("minutes", 60, "how long"),
        ("seed", 7, "the same seed gives the same streams"),
        ("interval", 10, "seconds between readings"),
        ("lateness", 30, "seconds a triple may be under way"),
        ("files", 12, "spans of time, each a file"),
    ]:
        explained = f"{meaning} (default: {default})"
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=explained)
    parser.add_argument(
        "--start",
        type=instant,
        default="2026-06-01T00:00:00Z",
        metavar="TIME",
        help="ISO 8601 or milliseconds (default: %(default)s)",
    )
    parser.add_argument("--format", choices=["nquads", "parquet", "both"], default="both")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--force", action="store_true", help="replace OUT/nquads and OUT/parquet")


def generate_windpark(arguments: Namespace) -> int:
    """Write the streams of a wind park and say what was written."""
    from askos.generate.windpark import FORMATS, WindPark, check_files, write

    fields = ("turbines", "minutes", "seed", "start", "interval", "lateness")
    park = WindPark(**{name: getattr(arguments, name) for name in fields})
    check_files(arguments.files)
    formats = FORMATS if arguments.format == "both" else (arguments.format,)
    _make_room(arguments.out, FORMATS, arguments.force)
    with _all_or_nothing(arguments.out, formats):
        written = write(park, arguments.out, formats, arguments.files)
    if arguments.json:
        streams = [{**asdict(each), "folder": str(each.folder)} for each in written]
        print(json.dumps({"park": asdict(park), "streams": streams}, indent=2))
    else:
        print(_table(_summary(written)))
    return DONE


def _make_room(out: Path, parts: Sequence[str], force: bool) -> None:
    """Refuse a folder that holds anything, or remove from it the parts about to be written."""
    if force:
        for part in parts:
            if (out / part).exists():
                shutil.rmtree(out / part)
    elif out.is_dir() and any(out.iterdir()):
        hint = f"choose another folder, or --force to replace {' and '.join(parts)} in it"
        raise AskosError(f"{out} is not empty", hint=hint)


@contextmanager
def _all_or_nothing(out: Path, parts: Sequence[str]) -> Iterator[None]:
    """Remove the parts if writing them fails, or is interrupted: the same command may be given
    again."""
    try:
        yield
    except BaseException:
        for part in parts:
            shutil.rmtree(out / part, ignore_errors=True)
        raise


def _summary(written: Sequence[Written]) -> list[tuple[str, ...]]:
    """A row for each stream and format, below a heading."""
    return [
        ("stream", "format", "rows", "files", "first", "last", "folder"),
        *(
            (
                each.stream,
                each.format,
                str(each.rows),
                str(each.files),
                _time(each.first),
                _time(each.last),
                str(each.folder),
            )
            for each in written
        ),
    ]


# --- text


def _time(instant: int | None) -> str:
    """ISO 8601, to the millisecond; a dash where there is no instant.

    >>> _time(1780272000500), _time(None)
    ('2026-06-01T00:00:00.500Z', '-')
    """
    if instant is None:
        return "-"
    time = EPOCH + timedelta(milliseconds=instant)
    return time.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned: numbers to the right, text to the left.

    >>> print(_table([("stream", "rows"), ("scada", "12")]))
    stream  rows
    scada     12
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if cell.isdecimal() else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    )
    return "\n".join(lines)

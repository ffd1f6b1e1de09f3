"""askos generate: streams for a try."""

from __future__ import annotations

import json
import shutil
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from askos.cli.common import DONE, EPOCH, Commands, choice, instant
from askos.errors import AskosError, require

if TYPE_CHECKING:
    from askos.generate.park import Park
    from askos.generate.simulate import Simulation


_LARGEST: Final = 10_000_000


class _Written(Protocol):
    """What was written of a stream."""

    @property
    def stream(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def folder(self) -> Path: ...
    @property
    def files(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def first(self) -> int | None: ...
    @property
    def last(self) -> int | None: ...


def add_generate(commands: Commands) -> None:
    """Declare `askos generate`."""
    text = "make up streams for a try"
    parser = commands.add_parser("generate", help=text, description=f"{text.capitalize()}.")
    parks = choice(parser, "park")
    _add_windpark(parks)
    _add_readings(parks)
    for name, (size, text) in _SCENARIOS.items():
        _add_scenario(parks, name, size, text)


_SCENARIOS: Final = {
    "city": (60, "cars that tollgates and cameras of a city register"),
    "brokers": (40, "three days of a stock exchange"),
    "social": (60, "what people look at on a social site, and who knows whom"),
    "conference": (60, "who is detected in which room of a conference"),
    "books": (120, "books that cite each other"),
    "university": (60, "a department in the words of LUBM"),
}
"""The papers' other scenarios, by name: how large, and what it is."""


def _add_scenario(parks: Commands, name: str, size: int, text: str) -> None:
    parser = parks.add_parser(name, help=text, description=f"{text.capitalize()}.")
    parser.set_defaults(command=generate_scenario, scenario=name)
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder, new or empty")
    for option, default, meaning in [
        ("size", size, "about how many rows"),
        ("seed", 1, "the same seed gives the same data"),
    ]:
        explained = f"{meaning} (default: {default})"
        parser.add_argument(f"--{option}", type=int, default=default, metavar="N", help=explained)


def _add_windpark(parks: Commands) -> None:
    text = "a wind park with faults, its static graph, and what really happened"
    parser = parks.add_parser("windpark", help=text, description=f"{text.capitalize()}.")
    parser.set_defaults(command=generate_windpark)
    _add_common(
        parser,
        [
            ("turbines", 50, "how many turbines"),
            ("hours", 24, "how long"),
            ("seed", 1, "the same seed gives the same park"),
            ("interval", 60, "seconds between readings"),
            ("lateness", 120, "seconds a triple may be under way"),
            ("files", 24, "spans of time, each a file"),
        ],
        start="2026-01-15T00:00:00Z",
    )
    parser.add_argument(
        "--layout",
        action="append",
        default=[],
        choices=["openoa", "kelmarsh"],
        help="CSV as such exports have it, beside the streams; may be repeated",
    )
    parser.add_argument(
        "--joining", action="store_true", help="a turbine of a third vendor joins halfway"
    )
    parser.add_argument(
        "--strays", action="store_true", help="put late and wrongly stamped rows into the streams"
    )
    parser.add_argument(
        "--live",
        type=float,
        metavar="SPEED",
        help="deliver the files one by one, so many times as fast as they would come",
    )


def _add_readings(parks: Commands) -> None:
    text = "wind, power, starts, stops and alarms of a few turbines, without faults"
    parser = parks.add_parser("readings", help=text, description=f"{text.capitalize()}.")
    parser.set_defaults(command=generate_readings)
    _add_common(
        parser,
        [
            ("turbines", 8, "how many turbines"),
            ("minutes", 60, "how long"),
            ("seed", 7, "the same seed gives the same streams"),
            ("interval", 10, "seconds between readings"),
            ("lateness", 30, "seconds a triple may be under way"),
            ("files", 12, "spans of time, each a file"),
        ],
        start="2026-06-01T00:00:00Z",
    )


def _add_common(
    parser: ArgumentParser, numbers: Iterable[tuple[str, int, str]], start: str
) -> None:
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder, new or empty")
    for name, default, meaning in numbers:
        explained = f"{meaning} (default: {default})"
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=explained)
    parser.add_argument(
        "--start",
        type=instant,
        default=start,
        metavar="TIME",
        help="ISO 8601 or milliseconds (default: %(default)s)",
    )
    parser.add_argument("--format", choices=["nquads", "parquet", "both"], default="both")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument(
        "--force", action="store_true", help="replace what an earlier run wrote into OUT"
    )


def generate_windpark(arguments: Namespace) -> int:
    """Write a simulated park, at once or live, and say what was written."""
    from askos.generate.park import Park
    from askos.generate.simulate import simulate
    from askos.generate.writing import FORMATS, OWN, Wanted, summary, write_park

    park = Park(**{field.name: getattr(arguments, field.name) for field in fields(Park)})
    formats = FORMATS if arguments.format == "both" else (arguments.format,)
    wanted = Wanted(formats, arguments.files, arguments.layout, arguments.strays)
    if arguments.live is not None:
        return _live(arguments, park)
    _make_room(arguments.out, OWN, arguments.force)
    with _all_or_nothing(arguments.out, OWN):
        written = write_park(simulate(park), arguments.out, wanted)
    if arguments.json:
        print(json.dumps(summary(park, written, arguments.out), indent=2))
    else:
        print(_table(_summary(written)))
    return DONE


def _live(arguments: Namespace, park: Park) -> int:
    """Deliver a park as it would come, but faster."""
    from askos.generate.simulate import simulate
    from askos.generate.writing import OWN

    hint = "say --format nquads or --format parquet"
    require(arguments.format != "both", "a live park is written in one format", hint)
    require(arguments.live > 0, "--live needs a speed above 0")
    require(not arguments.layout, "a live park has no layouts of CSV")
    _make_room(arguments.out, OWN, arguments.force)
    arguments.out.mkdir(parents=True, exist_ok=True)
    _deliver(simulate(park), arguments, _paced(arguments.live))
    return DONE


def _deliver(made: Simulation, arguments: Namespace, wait: Callable[[float], None]) -> None:
    from askos.generate.writing import live

    for number, rows in live(made, arguments.out, arguments.format, arguments.files, wait):
        print(f"part {number + 1} of {arguments.files}: {rows} rows", file=sys.stderr, flush=True)


def _paced(speed: float) -> Callable[[float], None]:
    """Waits until so many seconds of the park have passed, at that speed."""
    began = time.monotonic()

    def wait(seconds: float) -> None:
        time.sleep(max(began + seconds / speed - time.monotonic(), 0.0))

    return wait


def generate_readings(arguments: Namespace) -> int:
    """Write the streams of some turbines and say what was written."""
    from askos.generate.windpark import FORMATS, WindPark, check_files, write

    names = ("turbines", "minutes", "seed", "start", "interval", "lateness")
    park = WindPark(**{name: getattr(arguments, name) for name in names})
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


def generate_scenario(arguments: Namespace) -> int:
    """Write the data of one of the papers' scenarios, and say what was written."""
    from askos.generate.scenarios import scenario

    require(10 <= arguments.size <= _LARGEST, f"--size must be from 10 to {_LARGEST:,}")
    require(arguments.seed >= 0, "--seed must be 0 or more")
    _make_room(arguments.out, (), force=False)
    made = scenario(arguments.scenario, arguments.size, arguments.seed)
    rows = [*made.streams.values(), *made.graphs.values()]
    written = zip(made.write(arguments.out), rows, strict=True)
    print(_table([("file", "rows"), *((str(file), str(len(rows))) for file, rows in written)]))
    return DONE


def _make_room(out: Path, parts: Sequence[str], force: bool) -> None:
    """Refuse a folder that holds anything, or remove from it the parts about to be written."""
    if force:
        _remove(out, parts)
    elif out.is_dir() and any(out.iterdir()):
        hint = "choose another folder, or --force to replace what an earlier run wrote there"
        raise AskosError(f"{out} is not empty", hint=hint)


@contextmanager
def _all_or_nothing(out: Path, parts: Sequence[str]) -> Iterator[None]:
    """Remove the parts if writing them fails, or is interrupted: the same command may be given
    again."""
    try:
        yield
    except BaseException:
        _remove(out, parts)
        raise


def _remove(out: Path, parts: Sequence[str]) -> None:
    for part in parts:
        if (out / part).is_dir():
            shutil.rmtree(out / part, ignore_errors=True)
        elif (out / part).is_file():
            (out / part).unlink()


def _summary(written: Sequence[_Written]) -> list[tuple[str, ...]]:
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

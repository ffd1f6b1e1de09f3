"""askos demo: a day of a wind park, its jobs on Spark, their score, and a page that shows it."""

from __future__ import annotations

import shutil
import time
from argparse import ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from askos.cli.common import DONE, Commands
from askos.cli.telling import Live, told_warnings
from askos.errors import AskosError

if TYPE_CHECKING:
    from askos.demo.folder import Folder

_PARTS: Final = 6  # of the day: each is a micro-batch, and each of these has its price
# The day is over before Java's second compiler has paid for itself.
_QUICK: Final = {"spark.driver.extraJavaOptions": "-XX:+UseParallelGC -XX:TieredStopAtLevel=1"}
_PAGE: Final = "report.html"
_OWN: Final = ("park", "checkpoint", "live", _PAGE, "spark.log")
"""What the demo writes into its folder, the page at the end."""
_OTHERWISE: Final = "choose another folder, or --force to replace what an earlier demo wrote there"


def add_demo(commands: Commands) -> None:
    """Declare `askos demo`."""
    text = "watch a day of a simulated wind park, and write a page about it"
    parser = commands.add_parser("demo", help=text, description=f"{text.capitalize()}.")
    parser.set_defaults(command=demo)
    parser.add_argument(
        "out",
        metavar="OUT",
        nargs="?",
        type=Path,
        default=Path("askos-demo"),
        help="a folder for the park, the answers and report.html (default: askos-demo)",
    )
    for name, default, meaning in [
        ("turbines", 50, "how many turbines; one more joins halfway"),
        ("hours", 24, "how long"),
        ("seed", 1, "the same seed gives the same park"),
    ]:
        explained = f"{meaning} (default: {default})"
        parser.add_argument(f"--{name}", type=_number, default=default, metavar="N", help=explained)
    parser.add_argument("--force", action="store_true", help="replace what an earlier demo wrote")
    parser.add_argument("--quiet", "-q", action="store_true", help="no line that tells progress")


def demo(arguments: Namespace) -> int:
    """Generate, run, judge, show."""
    out, live = arguments.out, Live(quiet=arguments.quiet)
    _make_room(out, force=arguments.force)
    begun = time.monotonic()
    live.say("generating the park …")
    folder = _generated(arguments)
    took = [("seconds to have the park", f"{time.monotonic() - begun:.1f}")]
    live.clear()
    print(_opening(folder), flush=True)
    with told_warnings(live):
        _watched(folder, out, live, took)
    return DONE


def _watched(folder: Folder, out: Path, live: Live, took: list[tuple[str, str]]) -> None:
    from askos.cli.on_spark import session
    from askos.demo.running import run_jobs
    from askos.demo.showing import html, joined, summary
    from askos.generate.jobs import jobs

    known = list(jobs().values())
    live.say("starting Spark …")
    with session(out, _QUICK) as spark:
        run = run_jobs(spark, folder, known, out / "checkpoint", live.say)
    live.clear()
    print("\n".join(["", *summary(run), joined(run)]))
    (out / _PAGE).write_text(html(run, known, took), encoding="utf-8")
    print(f"\nOpen {out / _PAGE} in a browser. The park is in {out / 'park'}.")


def _generated(arguments: Namespace) -> Folder:
    """The park, which may be there already."""
    from askos.demo.folder import Folder
    from askos.generate.park import Park
    from askos.generate.simulate import simulate
    from askos.generate.writing import Wanted, write_park

    asked = {name: getattr(arguments, name) for name in ("turbines", "hours", "seed")}
    folder, park = Folder(arguments.out / "park"), Park(**asked, joining=True)
    if not folder.is_whole:
        shutil.rmtree(folder.path, ignore_errors=True)
        write_park(simulate(park), folder.path, Wanted(("parquet",), _PARTS))
    elif not folder.is_of(park):
        raise AskosError(
            f"{arguments.out} holds an unfinished demo of another park",
            hint=f"--turbines, --hours and --seed as before to go on; {_OTHERWISE}",
        )
    return folder


def _opening(folder: Folder) -> str:
    from askos.demo.folder import local

    rows = {local(stream["iri"]): stream["rows"] for stream in folder.said["streams"]}
    faults = sum(episode.fault for episode in folder.truth)
    return (
        f"A park of {len(folder.turbines)} turbines: {rows['scada']:,} readings,"
        f" {rows['events']:,} events, {faults} faults."
    )


def _make_room(out: Path, *, force: bool) -> None:
    """Refuse a folder that holds anything but a demo that was interrupted; or remove what a demo
    wrote."""
    if force:
        for name in _OWN:
            path = out / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    elif (out / _PAGE).exists():
        raise AskosError(f"{out} holds a demo that is done", hint=f"open {_PAGE}; {_OTHERWISE}")
    elif out.is_dir() and not {file.name for file in out.iterdir()} <= {*_OWN}:
        raise AskosError(f"{out} is not empty", hint=_OTHERWISE)
    out.mkdir(parents=True, exist_ok=True)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)

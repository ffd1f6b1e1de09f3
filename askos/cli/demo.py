"""askos demo: a day of a wind park, its jobs on Spark, their score, and a page that shows it."""

from __future__ import annotations

import shutil
import time
from argparse import ArgumentTypeError, Namespace
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

from askos.cli.common import DONE, Commands
from askos.cli.telling import Live, told_warnings
from askos.errors import AskosError

if TYPE_CHECKING:
    from askos.demo.folder import Folder
    from askos.generate.park import Park

_PARTS: Final = 4  # of the day: each is a micro-batch, and each of these has its price
_DIFFERENT: Final = 1  # as diff says it
_PAGE: Final = "report.html"
_PROOF: Final = ("plain", "shuffled")
_OWN: Final = (*_PROOF, "park", "checkpoint", "live", _PAGE, "spark.log")
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
    proof = (
        "not a day, but four hours of ten turbines, twice: shuffled and killed, it says the same"
    )
    parser.add_argument("--proof", action="store_true", help=proof)
    parser.add_argument("--force", action="store_true", help="replace what an earlier demo wrote")
    parser.add_argument("--quiet", "-q", action="store_true", help="no line that tells progress")


def demo(arguments: Namespace) -> int:
    """Generate, run, judge, show."""
    out, live = arguments.out, Live(quiet=arguments.quiet)
    _make_room(out, force=arguments.force)
    if arguments.proof:
        return _proof(out, live)
    with told_warnings(live):
        _watched(arguments, live)
    return DONE


def _watched(arguments: Namespace, live: Live) -> None:
    """The park is generated while Spark starts: there is more than one core."""
    from askos.cli.on_spark import session
    from askos.demo.running import run_jobs
    from askos.demo.showing import html, joined, summary
    from askos.generate.jobs import jobs

    out, known = arguments.out, list(jobs().values())
    _check_park(arguments)
    live.say("generating the park, and starting Spark …")
    with ThreadPoolExecutor(1) as beside:
        making = beside.submit(_generated, arguments)
        with session(out) as spark:
            folder, took = making.result()
            live.clear()
            print(_opening(folder), flush=True)
            run = run_jobs(spark, folder, known, out / "checkpoint", live.say)
    live.clear()
    print("\n".join(["", *summary(run), joined(run)]))
    figures = [("seconds to have the park", f"{took:.1f}")]
    (out / _PAGE).write_text(html(run, known, figures), encoding="utf-8")
    print(f"\nOpen {out / _PAGE} in a browser. The park is in {out / 'park'}.")


def _proof(out: Path, live: Live) -> int:
    """Whether there is a difference; what was left of an earlier try is gone."""
    from askos.demo.proof import prove
    from askos.demo.showing import proof_text

    for name in _PROOF:
        shutil.rmtree(out / name, ignore_errors=True)
    proof = prove(out, live.say)
    live.clear()
    print("\n".join(proof_text(proof)))
    return _DIFFERENT if proof.difference else DONE


def _park(arguments: Namespace) -> Park:
    from askos.generate.park import Park

    asked = {name: getattr(arguments, name) for name in ("turbines", "hours", "seed")}
    return Park(**asked, joining=True)


def _check_park(arguments: Namespace) -> None:
    """Refuse to go on with another park than the one that is there."""
    from askos.demo.folder import Folder

    folder = Folder(arguments.out / "park")
    if folder.is_whole and not folder.is_of(_park(arguments)):
        raise AskosError(
            f"{arguments.out} holds an unfinished demo of another park",
            hint=f"--turbines, --hours and --seed as before to go on; {_OTHERWISE}",
        )


def _generated(arguments: Namespace) -> tuple[Folder, float]:
    """The park, which may be there already, and how many seconds that took."""
    from askos.demo.folder import Folder
    from askos.generate.simulate import simulate
    from askos.generate.writing import Wanted, write_park

    begun, folder = time.monotonic(), Folder(arguments.out / "park")
    if not folder.is_whole:
        shutil.rmtree(folder.path, ignore_errors=True)
        write_park(simulate(_park(arguments)), folder.path, Wanted(("parquet",), _PARTS))
    return folder, time.monotonic() - begun


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

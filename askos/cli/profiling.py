"""askos explain --profile: where the time of a query's micro-batches goes."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from askos.cli.common import DONE
from askos.errors import QueryError

if TYPE_CHECKING:
    from askos.spark.profiles import BatchProfile, Profile


def explain_profile(arguments: Namespace) -> int:
    """Print what was noted of the micro-batches of a checkpoint."""
    if arguments.file or arguments.query is not None:
        hint = "give the checkpoint alone: it has the query"
        raise QueryError("--profile takes no query", hint=hint)
    if arguments.format not in ("text", "json"):
        raise QueryError(f"--profile is no {arguments.format}", hint="write text or json")
    from askos.spark.profiles import profile

    found = profile(arguments.profile)
    form = arguments.format
    print(json.dumps(asdict(found), indent=2) if form == "json" else "\n".join(_lines(found)))
    return DONE


def add_profile(parser: ArgumentParser) -> None:
    """Declare the option."""
    parser.add_argument(
        "--profile",
        metavar="CHECKPOINT",
        type=Path,
        help="instead of a query's plan, where the time of a run with this checkpoint went",
    )


def in_a_line(batch: BatchProfile) -> str:
    """The time of a micro-batch, and the parts that have most of it."""
    from askos.spark.timeline import PARTS

    spent = sorted(((getattr(batch, part), part) for part in PARTS), reverse=True)[:3]
    shares = ", ".join(f"{part} {_share(ms, batch.milliseconds)}" for ms, part in spent)
    return f"{batch.milliseconds:,.0f} ms: {shares}"


def _share(ms: float, whole: float) -> str:
    return f"{ms / whole if whole else 0:.0%}"


# ---- tables ----------------------------------------------------------------------------------


def _lines(found: Profile) -> Iterator[str]:
    if found.batches:
        first, last = found.batches[0], found.batches[-1]
        yield f"micro-batches {first.number} to {last.number}, medians"
        yield from _table(("", "ms", "share"), _parts(found.batches))
    else:
        yield "no micro-batch has been noted yet"
    yield ""
    heads = ("stage, operator", "ms", "rows in", "rows out", "elements")
    switches = ("switches",) if any(made.switches for made in found.operators) else ()
    yield from _table((*heads, *switches), _operators(found, switches))
    yield ""
    yield from _table(("stage, bucket", "elements", "hot key"), _buckets(found))


def _parts(batches: Sequence[BatchProfile]) -> Iterator[Sequence[str]]:
    from askos.spark.timeline import PARTS

    whole = median(batch.milliseconds for batch in batches)
    for part in PARTS:
        ms = median(getattr(batch, part) for batch in batches)
        yield part, f"{ms:,.0f}", _share(ms, whole)
    yield "all", f"{whole:,.0f}", ""
    yield "rows", f"{median(batch.rows for batch in batches):,.0f}", ""


def _operators(found: Profile, more: Sequence[str] = ()) -> Iterator[Sequence[str]]:
    for place, made in enumerate(found.operators):
        times = [batch.by_operator[place] for batch in found.batches]
        counts = [getattr(made, name) for name in ("rows_in", "rows_out", "elements", *more)]
        ms = f"{median(times):,.1f}" if times else ""
        yield f"{made.stage} {made.name}", ms, *(f"{count:,}" for count in counts)


def _buckets(found: Profile) -> Iterator[Sequence[str]]:
    for bucket in found.buckets:
        hot = f"{bucket.hot.key} {bucket.hot.share:.0%}" if bucket.hot else ""
        yield f"{bucket.stage}, {bucket.bucket}", f"{bucket.elements:,}", hot


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Texts to the left, numbers to the right."""
    cells = [head, *rows]
    widths = [max(len(row[place]) for row in cells) for place in range(len(head))]
    for name, *numbers in cells:
        aligned = (f"{text:>{width}}" for text, width in zip(numbers, widths[1:], strict=True))
        yield "  ".join([f"{name:<{widths[0]}}", *aligned]).rstrip()

"""What is asked of a query beside its text: what it reports and when, and how its windows count."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from typing import TYPE_CHECKING, Final

from askos.cli.common import instant

if TYPE_CHECKING:
    from askos.prepared import Options

_REPORTS: Final = ("intervals", "rstream", "istream", "dstream")
_BOUNDARIES: Final = ("(o,c]", "[o,c)")
_REASONERS: Final = ("rdfs",)


def add_options(parser: ArgumentParser) -> None:
    """Declare the options that `askos.prepare` takes, each by its name there."""
    parser.add_argument(
        "--report",
        choices=_REPORTS,
        type=str.lower,
        help="what is told: answers with their intervals; or at each report the whole answer, what"
        " is new, what is gone (default: what the query's dialect does)",
    )
    parser.add_argument(
        "--every",
        metavar="DURATION",
        action="append",
        help="how often, as 10s or 5m; may be repeated (default: as the query's windows step)",
    )
    parser.add_argument(
        "--nonempty",
        action=BooleanOptionalAction,
        help="leave out reports without rows (default: what the query's dialect does)",
    )
    parser.add_argument(
        "--plan",
        metavar="PLAN",
        type=_plan,
        help="which physical plan runs: its number or name in `askos explain --level physical"
        " --all`, or words that are to be true of it, as hash or hash+products (default: the"
        " cheapest)",
    )
    add_meaning(parser)


def add_meaning(parser: ArgumentParser) -> None:
    """Declare those of them that say what answers are, not when they are told."""
    parser.add_argument(
        "--boundary",
        choices=_BOUNDARIES,
        help="which edge of a stepped window belongs to it (default: the dialect's)",
    )
    parser.add_argument(
        "--origin",
        metavar="TIME",
        type=instant,
        help="from when windows and reports count: ISO 8601 or milliseconds (default: 1970)",
    )
    parser.add_argument(
        "--reasoning",
        choices=_REASONERS,
        help="match what triples entail, too, by the subclasses, subproperties, domains and ranges"
        " that the static graphs of the query tell",
    )


def options(arguments: Namespace) -> Options:
    """What was asked, as `askos.prepare` takes it."""
    return {
        "report": getattr(arguments, "report", None),
        "every": getattr(arguments, "every", None),
        "nonempty": getattr(arguments, "nonempty", None),
        "boundary": arguments.boundary,
        "origin": arguments.origin,
        "reasoning": arguments.reasoning,
        "plan": getattr(arguments, "plan", None),
    }


def _plan(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text

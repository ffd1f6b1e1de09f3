"""askos reload: other triples of a static graph, for a query that runs."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from askos.cli.common import DONE, Commands, instant
from askos.cli.query import named


def add_reload(commands: Commands) -> None:
    """Declare `askos reload`."""
    text = "give a static graph other triples while a query runs on Spark"
    parser = commands.add_parser("reload", help=text, description=f"{text.capitalize()}.")
    parser.set_defaults(command=reload)
    parser.add_argument("checkpoint", metavar="CHECKPOINT", type=Path, help="of the query")
    parser.add_argument(
        "graph",
        metavar="IRI=FILE",
        type=named,
        help="a graph that was declared reloadable, and the file of its triples from now on",
    )
    parser.add_argument(
        "--at",
        metavar="TIME",
        type=instant,
        help="the instant of the streams from which they count, in ISO 8601 or milliseconds; not"
        " before what has been told already (default: as soon as may be)",
    )


def reload(arguments: Namespace) -> int:
    """Tell the query of a checkpoint; its answers say from when on the new triples count."""
    from askos.spark import Control

    iri, file = arguments.graph
    number = Control(arguments.checkpoint).reload(iri, file, at=arguments.at)
    print(f"reload {number} of <{iri}> is told to {arguments.checkpoint}")
    return DONE

"""askos register: queries that join others of their kind, which run."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from askos.cli.asking import add_options, options
from askos.cli.common import DONE, Commands
from askos.cli.query import add_reading, read_queries
from askos.errors import QueryError


def add_register(commands: Commands) -> None:
    """Declare `askos register`."""
    text = "let queries join others, which differ in constants only, while these run on Spark"
    parser = commands.add_parser("register", help=text, description=f"{text.capitalize()}.")
    parser.set_defaults(command=register)
    parser.add_argument("checkpoint", metavar="CHECKPOINT", type=Path, help="of those that run")
    parser.add_argument("file", metavar="FILE", nargs="+", help="a query; - is standard input")
    parser.add_argument(
        "--name",
        metavar="NAME",
        action="append",
        default=[],
        help="what a query is called, one for each FILE (default: what it is registered as, or"
        " query-1 and so on)",
    )
    parser.add_argument("--dialect", metavar="D", help="the one it is written in")
    add_reading(parser)
    add_options(parser)


def register(arguments: Namespace) -> int:
    """Tell the queries of a checkpoint who joins them: all of the files, or none."""
    from askos.queries import Text
    from askos.spark import Control

    names, files = arguments.name, arguments.file
    if names and len(names) != len(files):
        hint = "give a --name for each file, or none"
        raise QueryError(f"{len(files)} queries cannot have {len(names)} names", hint=hint)
    trees: list[Text] = [*read_queries(arguments, arguments.dialect, files)]
    given = dict(zip(names, trees, strict=True)) if names else trees
    if names and len(given) < len(trees):
        raise QueryError("two queries cannot have one name", hint="give each another --name")
    for name in Control(arguments.checkpoint).register_all(given, **options(arguments)):
        print(f"{name} joins the queries of {arguments.checkpoint}")
    return DONE

"""The command `askos`: arguments in, text out, and an exit code.

One function per command, which takes the parsed arguments and returns the exit code; one more
declares its arguments and is named in `_parser`.  What is heavy is imported by the command that
needs it, so that `askos --help` stays quick.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from askos import __version__
from askos.cli.common import CANNOT_WRITE, Command, choice
from askos.cli.generate import add_generate
from askos.cli.query import add_explain, add_format, add_parse, add_select
from askos.cli.reload import add_reload
from askos.cli.run import add_run
from askos.errors import AskosError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; errors a user can mend are told on stderr, others surface."""
    arguments = _parser().parse_args(argv)
    command: Command = arguments.command
    try:
        return command(arguments)
    except AskosError as error:
        print(f"askos: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"askos: {error.strerror or error}: {error.filename}", file=sys.stderr)
        print("hint: check that the path exists, is yours and has room", file=sys.stderr)
        return CANNOT_WRITE


def _parser() -> ArgumentParser:
    parser = ArgumentParser("askos", description="Continuous SPARQL over RDF streams.")
    parser.add_argument("--version", action="version", version=f"askos {__version__}")
    commands = choice(parser, "command")
    every = (add_generate, add_parse, add_format, add_explain, add_select, add_run, add_reload)
    for add in every:
        add(commands)
    return parser

"""The command `askos`: arguments in, text out, and an exit code.

One function per command, which takes the parsed arguments and returns the exit code; one more
declares its arguments and is named in `_parser`.  What is heavy is imported by the command that
needs it, so that `askos --help` stays quick.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import suppress

from askos import __version__
from askos.cli.backtest import add_backtest
from askos.cli.common import INTERRUPTED, UNREAD, Command, choice
from askos.cli.demo import add_demo
from askos.cli.generate import add_generate
from askos.cli.query import add_explain, add_format, add_parse, add_select
from askos.cli.register import add_register
from askos.cli.reload import add_reload
from askos.cli.run import add_run
from askos.errors import AskosError, SetupError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; errors a user can mend are told on stderr, others surface."""
    try:
        try:
            return _run(argv)
        finally:
            print(end="", flush=True)  # here, where it can be told that this does not work
    except AskosError as error:
        print(f"askos: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("askos: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # as in `askos .. | head`: whoever reads has had enough
        _write_no_more()
        return UNREAD
    except OSError as error:
        print(f"askos: {SetupError.of(error)}", file=sys.stderr)
        _write_no_more()
        return SetupError.exit_code


def _run(argv: Sequence[str] | None) -> int:
    arguments = _parser().parse_args(argv)
    command: Command = arguments.command
    return command(arguments)


def _write_no_more() -> None:
    """What is left for standard output goes nowhere: at its end Python would try once more to
    write it, and complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(AttributeError, OSError, ValueError):  # where it is no file, nothing is left
        os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _parser() -> ArgumentParser:
    parser = ArgumentParser("askos", description="Continuous SPARQL over RDF streams.")
    parser.add_argument("--version", action="version", version=f"askos {__version__}")
    commands = choice(parser, "command")
    for add in (
        add_demo,
        add_generate,
        add_parse,
        add_format,
        add_explain,
        add_select,
        add_run,
        add_backtest,
        add_reload,
        add_register,
    ):
        add(commands)
    return parser

"""The command `askos`: arguments in, text out, and an exit code.

One function per command, which takes the parsed arguments and returns the exit code; one more
declares its arguments and is named in `_parser`.  What is heavy is imported by the command that
needs it, so that `askos --help` stays quick.
"""

from __future__ import annotations

import json
import shutil
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from askos import __version__
from askos.errors import AskosError, QueryError, StreamError

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from askos.generate.windpark import Written
    from askos.terms import Literal, URIRef
    from askos.translate.ast import Query

Command: TypeAlias = Callable[[Namespace], int]
Commands: TypeAlias = "_SubParsersAction[ArgumentParser]"

DONE: Final = 0
CANNOT_WRITE: Final = 4
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


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
    commands = _choice(parser, "command")
    _add_generate(commands)
    _add_parse(commands)
    _add_format(commands)
    return parser


def _choice(parser: ArgumentParser, what: str) -> Commands:
    return parser.add_subparsers(title=f"{what}s", metavar=what.upper(), required=True)


# --- generate


def _add_generate(commands: Commands) -> None:
    text = "make up streams for a try"
    parser = commands.add_parser("generate", help=text, description=f"{text.capitalize()}.")
    _add_windpark(_choice(parser, "park"))


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
        type=_instant,
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


# --- parse and format

_DIALECT: Final = "sparql, streaming-sparql, csparql, cqels, rspql or sparqlstream"


def _add_parse(commands: Commands) -> None:
    parser = _query_command(commands, "parse", "check a query, and print its syntax tree", parse)
    parser.add_argument("--dialect", metavar="D", help=f"{_DIALECT} (default: what it looks like)")
    parser.add_argument("--json", action="store_true", help="print the tree as JSON")


def _add_format(commands: Commands) -> None:
    text = "print a query in canonical layout, without its comments"
    parser = _query_command(commands, "format", text, format_query)
    parser.add_argument("--dialect", metavar="D", help=f"the one to write: {_DIALECT}")
    parser.add_argument("--from", metavar="D", dest="source", help="the one it is written in")
    parser.add_argument(
        "--allow",
        metavar="WHAT",
        action="append",
        default=[],
        choices=["boundary", "duplicates", "report", "static"],
        help="a difference between dialects that does not matter: "
        "boundary, duplicates, report or static",
    )
    parser.add_argument("--write", "-w", action="store_true", help="replace FILE")
    parser.add_argument("--force", action="store_true", help="replace it, comments and all")


def _query_command(commands: Commands, name: str, text: str, command: Command) -> ArgumentParser:
    parser = commands.add_parser(name, help=text, description=f"{text.capitalize()}.")
    parser.set_defaults(command=command)
    parser.add_argument("file", metavar="FILE", help="the query; - is standard input")
    parser.add_argument("--base", metavar="IRI", help="resolves relative IRIs")
    parser.add_argument(
        "--param",
        metavar="NAME=TERM",
        type=_parameter,
        action="append",
        default=[],
        help='what $NAME$ stands for in CQELS: <iri>, "text" or "5"^^<datatype>',
    )
    return parser


def parse(arguments: Namespace) -> int:
    """Print the syntax tree of a query."""
    from askos.translate.tree import encode, outline

    query = _query(arguments, arguments.dialect)
    print(json.dumps(encode(query), indent=2) if arguments.json else outline(query))
    return DONE


def format_query(arguments: Namespace) -> int:
    """Print a query in canonical layout, or put it into its file."""
    from askos.translate import format  # noqa: A004
    from askos.translate.formatting import comments

    query = _query(arguments, arguments.source)
    text = format(query, dialect=arguments.dialect, allow=arguments.allow)
    lost = len(comments(query.text))
    if arguments.write:
        _replace(arguments, text, lost)
    else:
        print(text, end="")
        if lost:
            print("askos: warning: comments are not kept", file=sys.stderr)
    return DONE


def _replace(arguments: Namespace, text: str, lost: int) -> None:
    if arguments.file == "-":
        raise AskosError("standard input cannot be written to", hint="name a file, or omit --write")
    if lost and not arguments.force:
        message = f"{arguments.file} has comments, which would be lost"
        raise AskosError(message, hint="without --write it goes to standard output; or --force")
    Path(arguments.file).write_text(text, encoding="utf-8")


def _query(arguments: Namespace, dialect: str | None) -> Query:
    """The query of a file; what is odd about it is told on stderr."""
    from askos.translate import parse

    text = _read(arguments.file)
    query = parse(text, dialect=dialect, base=arguments.base, parameters=dict(arguments.param))
    for remark in query.remarks:
        told = AskosError(remark.message, text, *remark.at, remark.hint)
        print(f"askos: warning: {told}", file=sys.stderr)
    return query


def _read(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{file} is no UTF-8 text: byte {error.start + 1} begins no character"
        raise QueryError(message, hint="save the query as UTF-8") from None


def _parameter(text: str) -> tuple[str, URIRef | Literal]:
    from askos.terms import BNode, parse_term

    name, equals, value = text.partition("=")
    try:
        term = parse_term(value)
    except StreamError as error:
        raise ArgumentTypeError(f"{error.message}; {error.hint}") from None
    if not (name and equals) or isinstance(term, BNode):
        raise ArgumentTypeError(f'{text!r} is no NAME=<iri> or NAME="text"')
    return name, term


# --- text


def _instant(text: str) -> int:
    """Milliseconds from ISO 8601 (UTC unless it says otherwise) or from digits.

    >>> _instant("2026-06-01T02:00:00+02:00") == _instant("1780272000000")
    True
    """
    if text.isdecimal():
        return int(text)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(
            f"{text!r} is no time; write 2026-06-01T00:00:00Z or 1780272000000"
        ) from None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return (time - _EPOCH) // timedelta(milliseconds=1)


def _time(instant: int | None) -> str:
    """ISO 8601, to the millisecond; a dash where there is no instant.

    >>> _time(1780272000500), _time(None)
    ('2026-06-01T00:00:00.500Z', '-')
    """
    if instant is None:
        return "-"
    time = _EPOCH + timedelta(milliseconds=instant)
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

"""askos parse, format, explain and select: what is done with the text of a query."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Final

from askos.cli.asking import add_options, options
from askos.cli.common import DONE, Command, Commands
from askos.cli.profiling import add_profile, explain_profile
from askos.errors import AskosError, QueryError, StreamError

if TYPE_CHECKING:
    from askos.terms import Literal, URIRef
    from askos.translate.ast import Query

_DIALECT: Final = "sparql, streaming-sparql, csparql, cqels, rspql or sparqlstream"


def add_parse(commands: Commands) -> None:
    """Declare `askos parse`."""
    parser = query_command(commands, "parse", "check a query, and print its syntax tree", parse)
    parser.add_argument("--dialect", metavar="D", help=f"{_DIALECT} (default: what it looks like)")
    parser.add_argument("--json", action="store_true", help="print the tree as JSON")


def add_format(commands: Commands) -> None:
    """Declare `askos format`."""
    text = "print a query in canonical layout, without its comments"
    parser = query_command(commands, "format", text, format_query)
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


def query_command(
    commands: Commands,
    name: str,
    text: str,
    command: Command,
    *,
    several: bool = False,
    inline: bool = False,
) -> ArgumentParser:
    """A command that takes the file of a query, or of `several`; or its text, `inline`."""
    fewest = ("*" if inline else "+") if several else "?" if inline else None
    parser = commands.add_parser(name, help=text, description=f"{text.capitalize()}.")
    parser.set_defaults(command=command)
    more = "; several run together, and may read each other's streams" if several else ""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs=fewest,
        help=f"the query; - is standard input{more}",
    )
    if inline:
        parser.add_argument("--query", "-q", metavar="TEXT", help="the query itself, not a file")
    add_reading(parser)
    return parser


def add_reading(parser: ArgumentParser) -> None:
    """Declare the options that say how the text of a query is read."""
    parser.add_argument("--base", metavar="IRI", help="resolves relative IRIs")
    parser.add_argument(
        "--param",
        metavar="NAME=TERM",
        type=_parameter,
        action="append",
        default=[],
        help='what $NAME$ stands for in CQELS: <iri>, "text" or "5"^^<datatype>',
    )


def parse(arguments: Namespace) -> int:
    """Print the syntax tree of a query."""
    from askos.translate.tree import encode, outline

    query = read_query(arguments, arguments.dialect)
    print(json.dumps(encode(query), indent=2) if arguments.json else outline(query))
    return DONE


def format_query(arguments: Namespace) -> int:
    """Print a query in canonical layout, or put it into its file."""
    from askos.translate import format  # noqa: A004
    from askos.translate.formatting import comments

    query = read_query(arguments, arguments.source)
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


def read_query(arguments: Namespace, dialect: str | None) -> Query:
    """The query of a file, or of `--query`; what is odd about it is told on stderr."""
    inline = getattr(arguments, "query", None)
    if arguments.file is not None and inline is not None:
        raise QueryError("FILE and --query are both a query", hint="give one of them")
    if inline is not None:
        return _query(arguments, dialect, inline)
    if arguments.file is None:
        raise QueryError("there is no query", hint="give a file, or --query 'SELECT …'")
    return read_queries(arguments, dialect, [arguments.file])[0]


def read_queries(arguments: Namespace, dialect: str | None, files: Sequence[str]) -> list[Query]:
    """The queries of several files."""
    return [_query(arguments, dialect, _read(file)) for file in files]


def _query(arguments: Namespace, dialect: str | None, text: str) -> Query:
    from askos.translate import parse

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


# --- explain


def add_explain(commands: Commands) -> None:
    """Declare `askos explain`."""
    text = "print the plan of a query, or where its time goes"
    parser = query_command(commands, "explain", text, explain, several=True, inline=True)
    parser.add_argument("--dialect", metavar="D", help=f"{_DIALECT} (default: what it looks like)")
    for name, choices, meaning in [
        ("level", ["canonical", "optimized", "physical"], "how far on its way to the engine"),
        ("format", ["text", "json", "mermaid", "svg"], "how it is written"),
        ("view", ["plan", "ograph", "dgraph"], "the plan, or C-SPARQL's O-Graph or D-Graph"),
    ]:
        explained = f"{meaning}: {', '.join(choices)} (default: {choices[0]})"
        parser.add_argument(
            f"--{name}", choices=choices, default=choices[0], metavar=name.upper(), help=explained
        )
    parser.add_argument(
        "--all",
        action="store_true",
        help="with --level physical: all plans that are considered, with costs and reasons",
    )
    add_options(parser)
    add_profile(parser)


def explain(arguments: Namespace) -> int:
    """Print the plan of a query, or where its time goes."""
    if arguments.profile is not None:
        return explain_profile(arguments)
    if len(arguments.file) > 1:
        return _explain_several(arguments)
    from askos import api

    arguments.file = arguments.file[0] if arguments.file else None
    query = read_query(arguments, arguments.dialect)
    chosen = {name: getattr(arguments, name) for name in ("level", "format", "view")}
    words = list(chosen.values()) == ["physical", "text", "plan"]
    if arguments.all:
        if not words:
            raise QueryError("--all tells physical plans in words", hint="add --level physical")
        print(api.plans(query, **options(arguments)))
        return DONE
    print(api.explain(query, **chosen, **options(arguments)))
    if words:
        print(f"\n{api.stages(query, **options(arguments))}")
    return DONE


def _explain_several(arguments: Namespace) -> int:
    """Print what hosts run of each query, stage by stage, and what all of them do together."""
    from askos import api
    from askos.queries import prepare_all

    if arguments.level != "physical" or arguments.all or arguments.query is not None:
        message = "several queries are explained as they run together"
        raise QueryError(message, hint="add --level physical, without --all and --query")
    trees = read_queries(arguments, arguments.dialect, arguments.file)
    queries = prepare_all(trees, **options(arguments))
    for query in queries.queries:
        print(f"{query.name}:\n{indent(api.stages(query), '  ')}")
    print(api.shared(queries.queries))
    return DONE


# --- select

FORMATS: Final = ("table", "csv", "tsv", "json", "xml", "nq")


def add_select(commands: Commands) -> None:
    """Declare `askos select`."""
    text = "answer a SPARQL query over files of static data"
    parser = query_command(commands, "select", text, select, inline=True)
    parser.add_argument(
        "--graph",
        metavar="DATA",
        action="append",
        default=[],
        help="a file of the default graph: .nt .ttl .rdf .owl, also .gz; or of that and named"
        " graphs: .nq .trig .jsonld; may be repeated",
    )
    parser.add_argument(
        "--stream",
        metavar="DATA",
        action="append",
        default=[],
        help="a file of the default graph that is not loaded first: answers come while it is read,"
        " and only what the query needs is kept; .nt, also .gz, - is standard input; may be"
        " repeated",
    )
    parser.add_argument(
        "--named",
        metavar="IRI=DATA",
        type=named,
        action="append",
        default=[],
        help="a file of the graph that GRAPH and FROM call IRI; may be repeated",
    )
    parser.add_argument("--reasoning", choices=["rdfs"], help="what the graphs entail, too")
    parser.add_argument("--format", choices=FORMATS, help="default: table")
    parser.add_argument("--json", action="store_true", help="SPARQL's JSON results, or N-Triples")
    parser.add_argument("--quiet", action="store_true", help="no line that tells progress")


def select(arguments: Namespace) -> int:
    """Print the answer of a query over static data: a table, triples, or yes or no."""
    from askos.cli import arriving

    query = read_query(arguments, None)
    form = _form(query, arguments)
    told = arriving.texts(query, arguments, form) if arguments.stream else _loaded(query, arguments)
    for text in told:
        print(text, end="")
    return DONE


def _loaded(query: Query, arguments: Namespace) -> Iterator[str]:
    """The answer over graphs that are loaded first."""
    from askos.io import results
    from askos.static import Solutions, select

    found = select(
        query,
        graph=arguments.graph,
        named=dict(arguments.named),
        reasoning=arguments.reasoning,
    )
    columns = found.variables if isinstance(found, Solutions) else ()
    rows = [(item, None) for item in ([found] if isinstance(found, bool) else found)]
    form = _form(query, arguments)
    return results.write(form, columns, rows, prefixes=query.prefixes)


def _form(query: Query, arguments: Namespace) -> str:
    """How the answer is written; triples always as N-Triples."""
    from askos.translate import ast

    triples = isinstance(query.form, ast.Construct | ast.Describe)
    if arguments.format == "nq" and not triples:
        hint = f"SELECT and ASK can be written as {', '.join(FORMATS[:-1])}"
        raise QueryError("--format nq is for triples", hint=hint)
    if arguments.format:
        return str(arguments.format)
    return "table" if not arguments.json else "nq" if triples else "json"


def named(text: str) -> tuple[str, str]:
    """IRI=FILE, apart."""
    name, equals, file = text.rpartition("=")
    if not (name and equals and file):
        raise ArgumentTypeError(f"{text!r} is no IRI=FILE")
    return name, file

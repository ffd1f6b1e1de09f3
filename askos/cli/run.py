"""askos run: a query over streams in files, and its answers."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from askos.cli import on_local, on_spark
from askos.cli.asking import add_options, options
from askos.cli.common import DONE, INTERRUPTED, Commands, instant
from askos.cli.query import FORMATS, named, query_command, read_queries
from askos.cli.streams import Streams, find
from askos.errors import QueryError

if TYPE_CHECKING:
    from askos.io.csvmap import CsvMap
    from askos.prepared import Prepared
    from askos.queries import Queries
    from askos.sources import Catalogue

Host: TypeAlias = "Callable[[Queries, Streams, Namespace], Generator[tuple[str, Any]]]"
"""Gives, with the name of its query, elements where it reports intervals, else answers."""

HOSTS: Final[Mapping[str, Host]] = {"spark": on_spark.answers, "local": on_local.answers}
_T = TypeVar("_T")


def add_run(commands: Commands) -> None:
    """Declare `askos run`."""
    parser = query_command(commands, "run", "run a query over streams in files", run, several=True)
    add_data(parser)
    add_options(parser)
    add_hosts(parser)
    parser.add_argument("--format", choices=FORMATS, default="table", help="default: table")


def add_data(parser: ArgumentParser) -> None:
    """Declare the options that say what queries read."""
    parser.add_argument("--dialect", metavar="D", help="the one it is written in")
    parser.add_argument(
        "--stream",
        metavar="IRI=PATH",
        type=named,
        action="append",
        default=[],
        help="a stream: a file of N-Quads (.nq), of Parquet, or with --csv-map of CSV, or a folder"
        " of them; may be repeated",
    )
    parser.add_argument(
        "--csv-map",
        metavar="[IRI=]MAP",
        type=_mapped,
        action="append",
        default=[],
        help="what the columns of CSV files mean, of all streams or of one: a file in TOML, or a"
        " layout that is known, openoa or kelmarsh; may be repeated",
    )
    parser.add_argument(
        "--static",
        metavar="IRI=FILE",
        type=named,
        action="append",
        default=[],
        help="a static graph: .nt .ttl .rdf .owl .jsonld, also .gz; may be repeated",
    )
    parser.add_argument(
        "--reloadable",
        metavar="IRI=FILE",
        type=named,
        action="append",
        default=[],
        help="a static graph that `askos reload` may give other triples while the query runs; may"
        " be repeated",
    )
    parser.add_argument(
        "--schema",
        metavar="IRI=FILE",
        type=named,
        action="append",
        default=[],
        help="a static graph that says, for --reasoning, what classes and properties mean, whether"
        " the query reads it or not; may be repeated",
    )


def add_hosts(parser: ArgumentParser) -> None:
    """Declare the options that say where queries run, and what of their times is believed."""
    parser.add_argument("--host", choices=list(HOSTS), default="spark", help="default: spark")
    parser.add_argument(
        "--checkpoint",
        metavar="DIR",
        type=Path,
        help="where Spark keeps state and answers: if it is stopped, the same command goes on",
    )
    parser.add_argument(
        "--lateness",
        metavar="MS",
        type=_milliseconds,
        help="by how much rows may be out of order on Spark, in milliseconds; those that are"
        " later are left out (default: any order, so all state is kept until the end)",
    )
    parser.add_argument(
        "--files-per-trigger",
        metavar="N",
        type=_count,
        help="how many files of a stream Spark reads at a time at most (default: 16)",
    )
    parser.add_argument(
        "--state-limit",
        metavar="N",
        type=_count,
        help="stop if a bucket keeps more elements than this (default: 10 million)",
    )
    parser.add_argument(
        "--not-after",
        metavar="[IRI=]TIME",
        type=_latest,
        action="append",
        default=[],
        help="the latest time that rows may have, of all streams or of one, in ISO 8601 or"
        " milliseconds: those beyond it are left out; may be repeated",
    )
    parser.add_argument(
        "--stamp",
        choices=["data", "arrival"],
        default="data",
        help="where times come from: the data, or when it is read; then also from .nt"
        " (default: data)",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="no line that tells progress")


def run(arguments: Namespace) -> int:
    """Print the answers of a query over streams in files: reports as they come, intervals at the
    end, since until then they come in pieces.  Those of several queries have their names."""
    from askos.queries import prepare_all

    trees = read_queries(arguments, arguments.dialect, arguments.file)
    queries = prepare_all(trees, sources=catalogue(arguments), **options(arguments))
    for query in queries.queries:
        _check(query, arguments)
    try:
        with closing(HOSTS[arguments.host](queries, streams(arguments), arguments)) as told:
            for text in _texts(queries, told, arguments.format):
                print(text, end="")
    except KeyboardInterrupt:
        goes_on = arguments.checkpoint is not None
        hint = ": the same command goes on where it stopped" if goes_on else ""
        print(f"askos: interrupted{hint}", file=sys.stderr)
        return INTERRUPTED
    return DONE


def _texts(queries: Queries, told: Iterable[tuple[str, Any]], form: str) -> Iterator[str]:
    if len(queries.queries) > 1:
        from askos.cli.split import texts

        return texts(queries, _flushing(told), form)
    return _text(queries.queries[0], (answer for _, answer in told), form)


def _text(query: Prepared, told: Iterable[Any], form: str) -> Iterator[str]:
    from askos.algebra import Intervals
    from askos.io.results import Time, settled, write, write_reports

    if isinstance(query.report, Intervals):
        rows = settled((element.item, element.interval) for element in told)
        return write(form, query.columns, rows, Time.INTERVAL, query.prefixes)
    reports = ((answer.at, answer.rows) for answer in _flushing(told))
    return write_reports(form, query.columns, reports, query.prefixes)


def _flushing(told: Iterable[_T]) -> Iterator[_T]:
    """One after the other; before the next is waited for, what was printed is seen."""
    for answer in told:
        yield answer
        print(end="", flush=True)


def _check(query: Prepared, arguments: Namespace) -> None:
    if not query.streams:
        hint = "askos select answers queries over static data"
        raise QueryError("the query reads no stream", hint=hint)
    if arguments.format == "nq" and len(arguments.file) > 1:
        hint = f"write {', '.join(FORMATS[:-1])}; or run each query by itself"
        raise QueryError("--format nq does not say which query a triple is of", hint=hint)
    if arguments.format == "nq" and query.form in ("SELECT", "ASK"):
        hint = f"{query.form} can be written as {', '.join(FORMATS[:-1])}"
        raise QueryError("--format nq is for triples", hint=hint)


def _milliseconds(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{text!r} is no whole number of milliseconds")
    return int(text)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 2**63):
        raise ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def _latest(text: str) -> tuple[str, int]:
    """[IRI=]TIME, apart; without an IRI, that is empty."""
    name, _, time = text.rpartition("=")
    return name, instant(time)


def _mapped(text: str) -> tuple[str, str]:
    """[IRI=]MAP, apart; without an IRI, that is empty."""
    name, _, file = text.rpartition("=")
    return name, file


def _maps(arguments: Namespace) -> dict[str, CsvMap]:
    """What CSV files mean, by stream."""
    from askos.io.csvmap import read_map

    if arguments.csv_map and arguments.stamp == "arrival":
        raise QueryError("a CSV map says where times are", hint="leave --stamp out")
    for name in dict(arguments.csv_map).keys() - {"", *dict(arguments.stream)}:
        raise QueryError(f"--csv-map: there is no stream <{name}>", hint="name one of --stream")
    return {name: read_map(file) for name, file in arguments.csv_map}


def streams(arguments: Namespace) -> Streams:
    """Where the streams are; StreamError if one is not there."""
    from askos.terms import URIRef

    maps, most = _maps(arguments), arguments.files_per_trigger

    def said(iri: URIRef) -> CsvMap | None:
        return maps.get(str(iri), maps.get(""))

    found: dict[URIRef, list[Path]] = {}
    for name, path in arguments.stream:
        found.setdefault(URIRef(name), []).append(Path(path))
    return {
        iri: [find(iri, path, arguments.stamp, said(iri), most) for path in paths]
        for iri, paths in found.items()
    }


def catalogue(arguments: Namespace) -> Catalogue:
    """The sources that options declare."""
    from askos.sources import Catalogue

    known = Catalogue()
    latest = dict(arguments.not_after)
    for name in dict(arguments.stream):
        known = known.stream(name, not_after=latest.get(name, latest.get("")))
    for name in latest.keys() - {"", *dict(arguments.stream)}:
        hint = known.nearest(name)
        raise QueryError(f"--not-after: there is no stream <{name}>", hint=hint)
    for name, file in arguments.static:
        known = known.graph(name, file)
    for name, file in arguments.reloadable:
        known = known.graph(name, file, reloadable=True)
    for name, file in arguments.schema:
        known = known.graph(name, file, schema=True)
    return known

"""askos run: a query over streams in files, and its answers."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from askos.cli.common import DONE, Commands
from askos.cli.query import named, query_command, read_query
from askos.errors import QueryError, StreamError, UnsupportedError

if TYPE_CHECKING:
    from askos.io.results import Row
    from askos.prepared import Prepared
    from askos.sources import Catalogue
    from askos.terms import URIRef

Files: TypeAlias = "Mapping[URIRef, list[Path]]"
Host: TypeAlias = "Callable[[Prepared, Files, Namespace], Iterator[Row]]"

_FORMATS: Final = ("table", "csv", "tsv", "json", "xml", "nq")
_KINDS: Final = (".nq", ".parquet")


def add_run(commands: Commands) -> None:
    """Declare `askos run`."""
    parser = query_command(commands, "run", "run a query over streams in files", run)
    parser.add_argument("--dialect", metavar="D", help="the one it is written in")
    parser.add_argument(
        "--stream",
        metavar="IRI=PATH",
        type=named,
        action="append",
        default=[],
        help="a stream: a file of N-Quads (.nq) or Parquet, or a folder of them; may be repeated",
    )
    parser.add_argument(
        "--static",
        metavar="IRI=FILE",
        type=named,
        action="append",
        default=[],
        help="a static graph: .nt .ttl .rdf .owl, also .gz; may be repeated",
    )
    parser.add_argument("--host", choices=list(HOSTS), default="spark", help="default: spark")
    parser.add_argument(
        "--checkpoint", metavar="DIR", type=Path, help="where Spark keeps its state"
    )
    parser.add_argument("--format", choices=_FORMATS, default="table", help="default: table")


def run(arguments: Namespace) -> int:
    """Print the answers of a query over streams in files."""
    from askos.io.results import Time, write
    from askos.prepared import prepare

    query = prepare(read_query(arguments, arguments.dialect), sources=_catalogue(arguments))
    if arguments.format == "nq" and query.form in ("SELECT", "ASK"):
        hint = f"{query.form} can be written as {', '.join(_FORMATS[:-1])}"
        raise QueryError("--format nq is for triples", hint=hint)
    files = {iri: _files(iri, paths) for iri, paths in _streams(arguments).items()}
    rows = HOSTS[arguments.host](query, files, arguments)
    for text in write(arguments.format, query.columns, rows, Time.INTERVAL, query.prefixes):
        print(text, end="")
    return DONE


def _streams(arguments: Namespace) -> dict[URIRef, list[Path]]:
    from askos.terms import URIRef

    streams: dict[URIRef, list[Path]] = {}
    for name, path in arguments.stream:
        streams.setdefault(URIRef(name), []).append(Path(path))
    return streams


def _catalogue(arguments: Namespace) -> Catalogue:
    from askos.sources import Catalogue

    catalogue = Catalogue()
    for name in _streams(arguments):
        catalogue = catalogue.stream(name)
    for name, file in arguments.static:
        catalogue = catalogue.graph(name, file)
    return catalogue


def _files(iri: URIRef, paths: list[Path]) -> list[Path]:
    """The files of a stream; of a folder, all that are streams, by name."""
    found = []
    for path in paths:
        inside = sorted(f for f in path.rglob("*") if f.suffix in _KINDS) if path.is_dir() else []
        if not inside and not (path.is_file() and path.suffix in _KINDS):
            message = f"stream <{iri}>: {path} is neither a stream nor a folder that has some"
            raise StreamError(message, hint=f"files of streams end with {' or '.join(_KINDS)}")
        found += inside or [path]
    return found


# --- hosts


def _local(query: Prepared, files: Files, arguments: Namespace) -> Iterator[Row]:
    """In this process; rows of a file may have any order."""
    if arguments.checkpoint is not None:
        raise QueryError("--host local keeps no checkpoint", hint="leave --checkpoint out")
    from askos import local

    streams = {iri: _table(files[iri]) for iri in query.streams}
    for element in local.run(query.plan, streams, report=query.report):
        yield element.item, element.interval


def _spark(query: Prepared, files: Files, arguments: Namespace) -> Iterator[Row]:
    raise UnsupportedError("askos run does not reach Spark yet", hint="write --host local")


HOSTS: Final[Mapping[str, Host]] = {"spark": _spark, "local": _local}


def _table(files: list[Path]) -> Any:
    """The rows of a stream's files, by time."""
    import pyarrow as pa

    return pa.concat_tables([_read(file) for file in files]).sort_by("ts")


def _read(file: Path) -> Any:
    """The columns s, p, o and ts of a file; lines that are no statements are told and left out."""
    from askos.io import nquads, read_nquads

    columns = [*nquads.TERMS, "ts"]
    if file.suffix == ".parquet":
        return _from_parquet(file, columns)
    statements, rejected = read_nquads(file)
    for row in rejected.to_pylist():
        print(f"askos: warning: {file}, line {row['line']}: {row['reason']}", file=sys.stderr)
    return statements.select(columns)


def _from_parquet(file: Path, columns: list[str]) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from askos.io.nquads import STATEMENTS

    try:
        found = pq.ParquetFile(file).read(columns=columns)
        if missing := [name for name in columns if name not in found.column_names]:
            raise StreamError(f"{file} lacks the columns {', '.join(missing)}", hint=_COLUMNS)
        if pa.types.is_timestamp(found.schema.field("ts").type):
            place = found.schema.get_field_index("ts")
            millis = found["ts"].cast(pa.timestamp("ms")).cast(pa.int64())
            found = found.set_column(place, "ts", millis)
        return found.select(columns).cast(pa.schema([STATEMENTS.field(name) for name in columns]))
    except pa.ArrowException as error:
        raise StreamError(f"{file}: {error}", hint=_COLUMNS) from error


_COLUMNS: Final = "s, p and o are N-Triples texts, ts is milliseconds as int64, or a timestamp"

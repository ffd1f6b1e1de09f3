"""What a checkpoint says of its query: askos.json, plain data.

A restart runs what stands there, not what today's rules would make of the same text: the plan,
with every choice in it, shapes the state.  Where they would choose otherwise, a warning says so.

    {"askos": the version that wrote it, "formats": {..}, "key": of the term ids,
     "buckets": 2, "partitions": 2, "streams": [..], "tables": [a hash for each], "graphs": {..},
     "contents": of graphs from which tables may be made again, a hash for each,
     "query": text, plans and report, "clock": .., "physical": the plan that runs}
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from askos import __version__
from askos.algebra import Node, SlidingWindow, SteppedWindow, node_from_json, to_json
from askos.columns import Coder
from askos.errors import AskosError, QueryError, SetupError, StreamError
from askos.physical import PhysicalPlan
from askos.physical.graphs import Graphs
from askos.physical.reloading import Reloading
from askos.physical.tables import FIRST
from askos.physical.versions import Version
from askos.planning import physical as planned
from askos.prepared import Prepared
from askos.sources import Graph
from askos.spark.control import FILE
from askos.spark.files import write_whole
from askos.spark.job import ALONE, STATE_FORMAT, Fingerprint, Job, Place
from askos.spark.records import FOLDER
from askos.spark.tables import TableFiles, TableShelf, table_file, write_tables
from askos.static.data import StaticData
from askos.static.watched import file_hash
from askos.terms import URIRef

FORMATS: Final = {"checkpoint": 3, "state": STATE_FORMAT, "ids": 1, "buckets": 2, "batch": 1}
"""Versions: of this file, of a bucket's stored state, of term ids, of which bucket a key belongs
to, of a batch as bytes.  Whoever changes one of these counts its version up."""

_MALFORMED: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
_UNKNOWN: Final = "of an unknown version"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A query as it was when it first started, and what else its state depends on."""

    query: Prepared
    physical: PhysicalPlan
    key: str
    buckets: int
    partitions: int
    tables: tuple[str, ...] = ()  # their names: the hash of each
    graphs: Mapping[str, str] = field(default_factory=dict)  # the hash of each file
    contents: Mapping[str, str] = field(default_factory=dict)  # the name of each graph's triples
    version: str = __version__

    def job(self, folder: Path, cache: str, place: Place = ALONE) -> Job:
        """As workers see it."""
        plan = hashlib.sha256(to_json(self.physical).encode()).hexdigest()
        same = Fingerprint(plan, self.buckets, self.partitions, self.key)
        tables, profile = self.files(folder, place.name), str((folder / FOLDER).absolute())
        return Job(self.physical, same, str(folder), cache, tables, place, profile=profile)

    def files(self, folder: Path, name: str = "") -> TableFiles:
        """Its tables; `name` is the query's, where there are several."""
        keys = tuple(table.key for table in self.physical.tables)
        return TableFiles(str(tables_of(folder, name).absolute()), self.tables, keys)

    def reloading(self, folder: Path, name: str = "") -> Reloading:
        """How its graphs are reloaded."""
        query, shelf = self.query, TableShelf(tables_of(folder, name))
        return Reloading(self.physical, query.graphs, query.reloadable, Coder(self.key), shelf)

    @property
    def first(self) -> Version:
        """What may be reloaded, as it was when the query first started."""
        contents = {URIRef(iri): name for iri, name in self.contents.items()}
        return Version(0, contents, dict.fromkeys(self.physical.reloadable, FIRST))

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "askos": self.version,
            "formats": FORMATS,
            "key": self.key,
            "buckets": self.buckets,
            "partitions": self.partitions,
            "streams": [str(stream) for stream in self.physical.sources],
            "tables": list(self.tables),
            "graphs": dict(self.graphs),
            "contents": dict(self.contents),
            "query": json.loads(self.query.to_json()),
            "clock": _plain(self.query.clock),
            "physical": _plain(self.physical),
        }


def tables_of(folder: Path, query: str = "") -> Path:
    """Where a checkpoint keeps what reads no stream; of each query by itself, if it has several."""
    tables = folder / "tables"
    return tables / hashlib.sha256(query.encode()).hexdigest()[:16] if query else tables


def _plain(node: Node) -> Any:
    return json.loads(to_json(node))


# ---- a new one -------------------------------------------------------------------------------


def begin(
    folder: Path,
    query: Prepared,
    physical: PhysicalPlan,
    buckets: int,
    partitions: int,
    key: str | None = None,
) -> Checkpoint:
    """Evaluate what reads no stream, and write down what is to run; the key is drawn here."""
    new = made(tables_of(folder), query, physical, buckets, partitions, key or fresh_key())
    write_document(folder, new.document())
    return new


def fresh_key() -> str:
    """Of a checkpoint's term ids."""
    return secrets.token_hex(8)


def made(
    tables: Path,
    query: Prepared,
    physical: PhysicalPlan,
    buckets: int,
    partitions: int,
    key: str,
) -> Checkpoint:
    """A query that starts for the first time; what reads no stream is evaluated."""
    shutil.rmtree(tables, ignore_errors=True)  # of a query that never ran
    names: tuple[str, ...] = ()
    contents: dict[str, str] = {}
    if physical.tables or query.reloadable:
        graphs, shelf = Graphs(StaticData.of(query), Coder(key)), TableShelf(tables)
        names = write_tables(shelf, physical.tables, graphs)
        reloading = Reloading(physical, query.graphs, query.reloadable, Coder(key), shelf)
        first = reloading.begin(graphs).versions[0]
        contents = {str(iri): name for iri, name in first.graphs.items()}
    files = dict(_graphs(query))
    return Checkpoint(query, physical, key, buckets, partitions, names, files, contents)


def write_document(folder: Path, document: dict[str, Any]) -> None:
    """Write askos.json, as a whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / FILE, json.dumps(document, indent=1) + "\n")


def _graphs(query: Prepared) -> Iterator[tuple[str, str]]:
    """The static graphs that are read from files, and the hashes of these."""
    for iri in query.graphs:
        graph = query.sources.get(iri)
        if isinstance(graph, Graph) and graph.path is not None:
            yield str(iri), file_hash(graph.path)


# ---- one that has run ------------------------------------------------------------------------


def resume(folder: Path, given: Prepared, buckets: int | None) -> Checkpoint | None:
    """What a checkpoint that has run goes on with; None if it has not run yet.

    Refused is another text, report, stream or number of buckets, and what cannot be read.
    """
    if not has_run(folder):
        return None
    stored = read(folder)
    for what in differences(stored, given, buckets):
        raise other(folder, what)
    check_tables(folder, tables_of(folder), stored)
    for remark in remarks(stored, given):
        warnings.warn(f"checkpoint {folder}: {remark}", stacklevel=3)
    return stored


def has_run(folder: Path) -> bool:
    """Whether Spark has begun a micro-batch with it."""
    return any((folder / "offsets").glob("*"))


def drop_unfinished(folder: Path) -> None:
    """Remove what Spark began to note of its first micro-batch and could not finish, as on a full
    disk: with that it takes a checkpoint for one that has lost its offsets.  Later it copes."""
    found = list((folder / "offsets").glob("*"))
    if all(file.name.startswith(".") for file in found):
        for file in found:
            file.unlink(missing_ok=True)


def other(folder: Path, what: str) -> QueryError:
    """A checkpoint of something else."""
    hint = "go on with what it was made with, or start with an empty checkpoint"
    return QueryError(f"checkpoint {folder} was made with {what}", hint=hint)


def _same(before: Prepared, given: Prepared) -> bool:
    """By their texts; where one is only a plan, by what they mean."""
    if before.text is None or given.text is None:
        return before.canonical == given.canonical
    return before.text == given.text


def differences(stored: Checkpoint, given: Prepared, buckets: int | None) -> Iterator[str]:
    """What a query must not differ in."""
    before = stored.query
    if not _same(before, given):
        yield "another query"
    for option, mine, theirs in _window_options(before, given):
        if mine != theirs:
            yield f"the {option} {mine}, not {theirs}"
    if before.report != given.report:
        yield f"the report {before.report!r}, not {given.report!r}"
    if set(before.streams) != set(given.streams):
        mine, theirs = (", ".join(sorted(query.streams)) for query in (before, given))
        yield f"the streams {mine}, not {theirs}"
    if stored.version == __version__ and before.canonical != given.canonical:
        yield "another meaning of the same text: another dialect, base or catalogue"
    if given.chosen not in (None, before.chosen):
        mine, theirs = ("+".join(plan.ways) for plan in (stored.physical, planned(given)))
        if mine != theirs:
            yield f"the plan {mine or 'of no choices'}, not {theirs or 'one of no choices'}"
    if buckets not in (None, stored.buckets):
        yield f"a bucket count of {stored.buckets}, not {buckets}"


def _window_options(*queries: Prepared) -> Iterator[tuple[str, str, str]]:
    """What callers may say of time windows, as each of two queries has it."""
    stepped, timed = SteppedWindow, SteppedWindow | SlidingWindow
    windows = [query.clock.windows for query in queries]
    edges = [{w.boundary.value for w in found if isinstance(w, stepped)} for found in windows]
    origins = [{str(w.origin) for w in found if isinstance(w, timed)} for found in windows]
    for name, (mine, theirs) in (("boundary", edges), ("origin", origins)):
        yield name, " and ".join(sorted(mine)), " and ".join(sorted(theirs))


def check_tables(folder: Path, tables: Path, stored: Checkpoint) -> None:
    """Refuse to go on without the static data that the query began with."""
    for number, name in enumerate(stored.tables):
        if file_hash(table_file(tables, name)) != name:
            raise StreamError(
                f"checkpoint {folder} has lost part of its static data: table {number}",
                hint="restore its folder `tables` from a copy, or start with an empty checkpoint",
            )


def remarks(stored: Checkpoint, given: Prepared) -> Iterator[str]:
    """What is otherwise today, and changes nothing."""
    if given.plan != stored.query.plan or _today(stored, given) != stored.physical:
        yield (
            f"askos {__version__} would plan this query otherwise today; it goes on with the plan"
            f" that askos {stored.version} made"
        )
    now = dict(_graphs(given))
    for iri in sorted(now.keys() & stored.graphs.keys()):
        if now[iri] != stored.graphs[iri]:
            yield f"the file of the graph <{iri}> has changed; the query goes on with what it read"


def _today(stored: Checkpoint, given: Prepared) -> PhysicalPlan | None:
    """What a query would run as, by what is expected now; the choices that were asked for first
    stay, if they are still there."""
    try:
        return planned(replace(given, chosen=stored.query.chosen))
    except QueryError:
        return None


def read(folder: Path) -> Checkpoint:
    """What askos.json says of one query."""
    document = read_document(folder)
    if "queries" in document:
        names = ", ".join(str(part["query"]["name"]) for part in document["queries"])
        raise other(folder, f"several queries: {names}")
    return readable(folder, document, decoded)


def read_document(folder: Path) -> dict[str, Any]:
    """askos.json; SetupError, with both versions, where this askos cannot read it."""
    try:
        document = json.loads((folder / FILE).read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(folder, _UNKNOWN, str(error)) from error
    known = document if isinstance(document, dict) else {}
    version, formats = known.get("askos", _UNKNOWN), known.get("formats")
    formats = formats if isinstance(formats, dict) else {}
    for name, ours in FORMATS.items():
        if formats.get(name) != ours:
            what = f"its format of {name} is {formats.get(name)}, and this one reads {ours}"
            raise _unreadable(folder, version, what)
    return known


def readable(
    folder: Path, document: Mapping[str, Any], decode: Callable[[Mapping[str, Any]], _T]
) -> _T:
    """What a document says; SetupError where that cannot be."""
    try:
        return decode(document)
    except (AskosError, *_MALFORMED) as error:
        version = document.get("askos", _UNKNOWN)
        raise _unreadable(folder, version, f"{type(error).__name__}: {error}") from error


def _unreadable(folder: Path, version: str, why: str) -> SetupError:
    return SetupError(
        f"{folder / FILE} was written by askos {version}, and askos {__version__} cannot read it:"
        f" {why}",
        hint="go on with the askos that wrote it, or start with an empty checkpoint",
    )


def decoded(document: Mapping[str, Any]) -> Checkpoint:
    """What `Checkpoint.document` wrote."""
    physical = node_from_json(json.dumps(document["physical"]))
    if not isinstance(physical, PhysicalPlan):
        raise TypeError(f"{type(physical).__name__} is no physical plan")
    return Checkpoint(
        Prepared.from_json(json.dumps(document["query"])),
        physical,
        str(document["key"]),
        int(document["buckets"]),
        int(document["partitions"]),
        tuple(document["tables"]),
        dict(document["graphs"]),
        dict(document["contents"]),
        str(document["askos"]),
    )

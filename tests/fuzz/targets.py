"""What is attacked, with what; each target takes one input."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import pyarrow as pa
from hypothesis import HealthCheck, given, seed, settings

import askos
from askos.algebra import to_json
from askos.algebra.serialize import node_from_json
from askos.cli import main
from askos.columns import Coder
from askos.errors import AskosError
from askos.io.lines import read_lines
from askos.io.nquads import read_nquads
from askos.physical import build
from askos.physical.ingest import ingest
from askos.prepared import Prepared
from askos.spark.checkpoint import begin, read
from askos.spark.control import FILE, read_control
from askos.static.load import load
from askos.terms import parse_term
from askos.translate import Dialect
from tests.fuzz import readers
from tests.fuzz.mutate import mutated_bytes, mutated_json, mutated_text
from tests.suites import FOLDER
from tests.translate.generate import queries

ROOT: Final = Path(__file__).parents[2]
DATA: Final = {
    ".nt": b'<http://e/a> <http://e/p> "x\\u0041"@en .\n_:b <http://e/p> "1"^^<http://e/d> . # c\n',
    ".nq": b'<http://e/a> <http://e/p> "x" "2026-06-01T00:00:00Z"^^'
    b"<http://www.w3.org/2001/XMLSchema#dateTime> .\n_:a <http://e/p> _:b <http://e/g> .\n",
    ".ttl": b'@prefix : <http://e/> . :a :p "x"@en, 1.5, [ :q ( 1 2 ) ] ; a :C .'
    b' <#r> :p """l\n""" .',
    ".trig": b'@prefix : <http://e/> . :g { :a :p "x", <r> } GRAPH :h { [] :q true . } :a :b :c .',
    ".jsonld": b'{"@context": {"p": "http://e/p"}, "@id": "http://e/a", "p": [{"@value": "x"}, 5]}',
    ".rdf": b'<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    b' xmlns:e="http://e/"><rdf:Description rdf:about="http://e/a"><e:p xml:lang="en">x</e:p>'
    b"</rdf:Description></rdf:RDF>",
}
"""A file of every format."""
CONTROL: Final = (
    '{"end": true}',
    '{"source": "http://e/s", "mark": 5}',
    '{"source": "http://e/s", "idle": true}',
    '{"reload": {"": {"number": 1, "graph": "http://e/g", "versions":'
    ' [{"at": 5, "graphs": {"http://e/g": "ab01"}, "tables": {"0": ""}}]}}}',
)


@dataclass(frozen=True)
class Target:
    """`make` draws an input; `run` is what must take it, or refuse it with an AskosError."""

    make: Callable[[Random], Any]
    run: Callable[[Any], object]
    share: int = 1  # of all inputs


# ---- texts -----------------------------------------------------------------------------------


def texts() -> list[str]:
    """Queries of all dialects: those of the papers, the examples, the suites, and random ones."""
    files = [*ROOT.glob("tests/queries/**/*.rq"), *ROOT.glob("examples/**/*.rq")]
    files += FOLDER.glob("rsp/**/*.rq")
    found = [file.read_text("utf-8", "replace") for file in sorted(files)]
    return [text for text in found if len(text) < 4_000] + _drawn()


def _drawn() -> list[str]:
    """Queries that the grammar's own generator draws."""
    made: list[str] = []

    @seed(1)
    @settings(max_examples=150, database=None, deadline=None, suppress_health_check=[*HealthCheck])
    @given(queries())
    def draw(query: Any) -> None:
        with suppress(AskosError):
            made.append(askos.format(query))

    draw()
    return made


def ask(text: str) -> None:
    """What is done with a text before data is read: each text goes one way further."""
    parsed = askos.parse(text)
    ways = [*Dialect, *_LEVELS, None]
    way = ways[len(text) % len(ways)]
    if isinstance(way, Dialect):
        askos.format(parsed, dialect=way)
    elif way:
        askos.explain(parsed, level=way)
    else:
        query = askos.prepare(parsed)
        assert Prepared.from_json(query.to_json()) == query


_LEVELS: Final = ("canonical", "optimized", "physical")


# ---- data ------------------------------------------------------------------------------------


def files(folder: Path) -> tuple[Callable[[Random], Any], Callable[[Any], None]]:
    """Files of every format, some of them compressed."""

    def make(random: Random) -> tuple[str, bytes]:
        kind = random.choice(list(DATA))
        data = mutated_bytes([DATA[kind]], random)
        if random.randrange(6):
            return kind, data
        packed = gzip.compress(data, 1)
        return f"{kind}.gz", mutated_bytes([packed], random) if random.randrange(2) else packed

    def run(given: tuple[str, bytes]) -> None:
        kind, data = given
        file = folder / f"data{kind}"
        file.write_bytes(data)
        with suppress(AskosError):
            load(file)
        if kind == ".nt":
            list(read_lines([file]))
        if kind == ".nq":
            read_nquads(file)

    return make, run


def rows(texts_of: Sequence[tuple[Any, ...]]) -> None:
    """Rows of a stream, as strings."""
    columns = zip(zip(*texts_of, strict=True), _KINDS, strict=True)
    s, p, o, ts = (pa.array(list(column), kind) for column, kind in columns)
    got = ingest(s, p, o, ts, Coder("0123456789abcdef"))
    assert len(got.batch) + len(got.refused) == len(texts_of)
    for texts in texts_of:
        with suppress(AskosError):
            parse_term(str(texts[2]))


_KINDS: Final = (pa.string(), pa.string(), pa.string(), pa.int64())
_TERMS: Final = (
    "<http://e/a>",
    '"x"@en',
    '"1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>',
    "_:b",
)


def make_rows(random: Random) -> list[tuple[Any, ...]]:
    def term() -> str | None:
        text = mutated_text(_TERMS, random) if random.randrange(3) else random.choice(_TERMS)
        return None if not random.randrange(20) else text.encode("utf-8", "replace").decode()

    times = (None, -1, 0, 5, 2**63 - 1)
    return [(term(), term(), term(), random.choice(times)) for _ in range(random.randint(1, 4))]


# ---- documents -------------------------------------------------------------------------------


def plans(seeds: Sequence[str]) -> Iterator[str]:
    """Plans as JSON, logical and physical."""
    for text in seeds[:200]:
        with suppress(AskosError):
            query = askos.prepare(text)
            yield to_json(query.canonical)
            yield to_json(build(query.plan, query.report, query.columns, query.clock))


def checkpoints(folder: Path) -> list[str]:
    """askos.json of a query."""
    text = "SELECT ?t FROM STREAM <http://e/s> WINDOW RANGE 9 SLIDE { ?t <http://e/p> ?v }"
    query = askos.prepare(text)
    physical = build(query.plan, query.report, query.columns, query.clock)
    return [json.dumps(begin(folder, query, physical, 2, 2).document())]


def read_checkpoint(folder: Path, text: str) -> None:
    """What a restart reads first."""
    (folder / FILE).write_text(text, "utf-8", "surrogatepass")
    read(folder)


# ---- the command -----------------------------------------------------------------------------

_WORDS: Final = (
    "parse", "format", "explain", "select", "run", "reload", "generate", "windpark",
    "readings", "-", "--",
    "--dialect", "csparql", "--json", "--base", "http://e/", "not an iri<>", "--level", "physical",
    "--format", "svg", "--graph", "--named", "x=y", "=", "--at", "--param", "a=<b>", "--stream",
    "--help", "--version", "--static", "--checkpoint", "", "--every", "10s", "--report",
)  # fmt: skip


def make_arguments(random: Random) -> list[str]:
    """Words in any order; never `run` on Spark, which takes seconds, nor a folder to fill."""
    words = [random.choice(_WORDS) for _ in range(random.randint(1, 6))]
    return [word for word in words if word not in ("run", "generate", "--checkpoint")]


def command(arguments: list[str]) -> None:
    """The command itself: it says what is wrong, and how to mend it."""
    quiet = io.StringIO()
    with redirect_stdout(quiet), redirect_stderr(quiet), suppress(SystemExit):
        assert main(arguments) in (0, 1, 2, 3, 4)


# ---- all of them -----------------------------------------------------------------------------


def targets(folder: Path) -> dict[str, Target]:
    """By name."""
    seeds = texts()
    documents = list(plans(seeds))
    stored = checkpoints(folder / "checkpoint")
    make_file, read_file = files(folder)
    control = ["http://e/s"]
    return {
        "texts": Target(lambda random: mutated_text(seeds, random), ask, 8),
        "files": Target(make_file, read_file, 4),
        "expanded": Target(readers.make_expanded, readers.read_expanded(folder), 2),
        "lines": Target(readers.make_lines, readers.read_lines(folder), 2),
        "depth": Target(readers.make_deep, readers.look_deep, 1),
        "rows": Target(make_rows, rows, 3),
        "plans": Target(lambda random: mutated_json(documents, random), node_from_json, 3),
        "control": Target(
            lambda random: mutated_json(CONTROL, random),
            lambda text: read_control(text, control),
            3,
        ),
        "checkpoints": Target(
            lambda random: mutated_json(stored, random),
            lambda text: read_checkpoint(folder / "checkpoint", text),
            1,
        ),
        "arguments": Target(make_arguments, command, 1),
    }

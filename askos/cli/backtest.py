"""askos backtest: rules over an archive, and how well they find what really happened."""

from __future__ import annotations

import json
import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from askos.cli.asking import add_meaning, options
from askos.cli.common import DONE, Commands
from askos.cli.query import query_command, read_queries
from askos.cli.run import HOSTS, add_data, add_hosts, catalogue, streams
from askos.cli.telling import warn
from askos.errors import QueryError, require

if TYPE_CHECKING:
    from askos.backtest import Episode
    from askos.interval import Interval
    from askos.prepared import Prepared
    from askos.queries import Queries
    from askos.terms import Term
    from askos.translate.ast import Query

_DETECTS: Final = re.compile(r"^#\s*detects:\s*(\S+)\s*$", re.MULTILINE)
_HINT: Final = "write one line such as `# detects: gearbox`: a kind that the truth knows"


def add_backtest(commands: Commands) -> None:
    """Declare `askos backtest`."""
    text = "score rules over an archive against what really happened"
    parser = query_command(commands, "backtest", text, backtest, several=True)
    parser.add_argument(
        "--truth",
        metavar="CSV",
        type=Path,
        required=True,
        help="what really happened: a file with the columns turbine, kind, begin, end and fault",
    )
    parser.add_argument(
        "--gap",
        metavar="DURATION",
        type=_duration,
        default=0,
        help="alerts of one turbine that are at most so far apart are one, as 10m (default: 0)",
    )
    parser.add_argument(
        "--turbines",
        metavar="N",
        type=_number,
        help="how many there are, for false alarms per turbine-month (default: as many as the truth"
        " or an alert names)",
    )
    add_data(parser)
    add_meaning(parser)
    add_hosts(parser)
    parser.add_argument("--list", action="store_true", help="also each miss and false alarm")
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")


def backtest(arguments: Namespace) -> int:
    """Print, of each kind of fault that the rules detect, how well they do."""
    from askos.backtest import MONTH, Score, judge, read_truth, spans, total
    from askos.backtest.text import listing, table
    from askos.cli.extent import extent

    require(arguments.stamp == "data", "a backtest is about the times in the data", "no --stamp")
    truth = read_truth(arguments.truth)
    queries, kinds = _prepared(arguments)
    held = _held(queries, kinds, {episode.turbine for episode in truth}, arguments)
    first, last = extent(streams(arguments), dict(arguments.not_after)) or (0, 0)
    told = {kind: spans(rows, arguments.gap, last) for kind, rows in held.items()}
    verdicts = [judge(kind, told[kind], truth) for kind in sorted(told)]
    months = _turbines(arguments, truth, told) * (last - first) / MONTH
    scores = [Score.of(verdict, months) for verdict in verdicts]
    _tell_unwatched(truth, told)
    every = [*scores, total(scores)] if len(scores) > 1 else scores
    if arguments.json:
        rows = [score.document() for score in every]
        became = [verdict.document() for verdict in verdicts]
        print(json.dumps({"scores": rows, "verdicts": became}, indent=1))
        return DONE
    print(table(every))
    for line in ["", *listing(verdicts)] if arguments.list else []:
        print(line)
    return DONE


def _prepared(arguments: Namespace) -> tuple[Queries, Mapping[str, str]]:
    """The rules by the names of their files, and what each detects.

    A rule tells when its answers hold, whatever its dialect reports; one that is registered as a
    stream reports to its readers.
    """
    from askos.prepared import prepare
    from askos.queries import declared, prepare_all

    trees = dict(_rules(arguments))
    known = declared(catalogue(arguments), trees.values())
    kinds = {name: kind for name, tree in trees.items() if (kind := _detected(name, tree))}
    require(bool(kinds), "no rule says which kind of fault it detects", _HINT)
    queries: dict[str, Prepared] = {}
    for name, tree in trees.items():
        own = options(arguments)
        own["report"] = "intervals" if name in kinds else None
        queries[name] = prepare(tree, sources=known, **own)
    return prepare_all(queries), kinds


def _rules(arguments: Namespace) -> Iterator[tuple[str, Query]]:
    """The queries that matter: those that detect something, and those that are read by others."""
    from askos.prepared import published

    seen = set[str]()
    trees = read_queries(arguments, arguments.dialect, arguments.file)
    for file, tree in zip(arguments.file, trees, strict=True):
        name = Path(file).stem
        require(name not in seen, f"two rules are called {name}", "rename one of the files")
        seen.add(name)
        if published(tree) is not None or _detected(name, tree):
            yield name, tree
        else:
            warn(f"{file} does not say what it detects, and is left out")


def _detected(name: str, query: Query) -> str | None:
    """The kind of fault that a query says it detects."""
    from askos.prepared import published

    found = _DETECTS.findall(query.text)
    require(len(found) < 2, f"{name} says more than once which kind of fault it detects", _HINT)
    if found and published(query) is not None:
        hint = "say it in the query that reads the stream"
        raise QueryError(f"{name} is registered as a stream, and tells no alerts", hint=hint)
    return str(found[0]) if found else None


def _held(
    queries: Queries, kinds: Mapping[str, str], known: set[str], arguments: Namespace
) -> dict[str, list[tuple[str, Interval]]]:
    """Of each kind that some rule detects: the turbines that are named, and when."""
    columns = {q.name or "": _turbine(q) for q in queries.queries if q.name in kinds}
    held: dict[str, list[tuple[str, Interval]]] = {kind: [] for kind in kinds.values()}
    with closing(HOSTS[arguments.host](queries, streams(arguments), arguments)) as told:
        for name, element in told:
            if name in kinds and (term := element.item.get(columns[name])) is not None:
                held[kinds[name]].append((_called(term, known), element.interval))
    return held


def _turbine(query: Prepared) -> Any:
    """The column that names the turbine: ?turbine, else the first."""
    from askos.terms import Variable

    if query.form != "SELECT":
        hint = "write SELECT ?turbine …: the first column names what the alert is about"
        raise QueryError(f"{query.name} is no SELECT, and names no turbines", hint=hint)
    named = Variable("turbine")
    return named if named in query.columns else query.columns[0]


def _called(term: Term, known: set[str]) -> str:
    """A turbine as the truth calls turbines: by IRIs, or by the last parts of these."""
    name = str(term)
    return name if any(":" in other for other in known) else re.split(r"[/#]", name)[-1]


def _turbines(
    arguments: Namespace, truth: Iterable[Episode], told: Mapping[str, Mapping[str, Any]]
) -> int:
    """How many there are: as is said, else as many as are named."""
    if arguments.turbines is not None:
        return int(arguments.turbines)
    return len({episode.turbine for episode in truth}.union(*told.values()))


def _tell_unwatched(truth: Iterable[Episode], told: Mapping[str, Any]) -> None:
    missing = sorted({e.kind for e in truth if e.fault} - told.keys())
    if missing:
        warn(f"no rule detects {', '.join(missing)}: these are not in the score")
    for kind in sorted(told.keys() - {e.kind for e in truth if e.fault}):
        warn(f"the truth has no fault {kind}: all its alerts are false")


def _duration(text: str) -> int:
    from askos.translate.durations import milliseconds

    try:
        return milliseconds(text)[0]
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ArgumentTypeError(f"{text!r} is no number of turbines")
    return int(text)

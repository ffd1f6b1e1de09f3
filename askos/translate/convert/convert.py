"""From one dialect to another."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from askos.algebra import windows as algebra
from askos.algebra.report import Intervals, Kind, OnChange, Periodic, Report
from askos.errors import QueryError, UnsupportedError
from askos.terms import URIRef, Variable
from askos.translate import ast
from askos.translate.convert.difference import (
    Difference,
    is_ambient,
    notices_duplicates,
    reads_static,
)
from askos.translate.convert.put import put_together
from askos.translate.convert.reads import Read, refuse, take_apart
from askos.translate.convert.windows import context, express, meaning, other_boundary, windowed
from askos.translate.dialect import Dialect
from askos.translate.plan.reports import default_report

_REGISTERS: Final = frozenset((Dialect.CSPARQL, Dialect.CQELS))


def convert(query: ast.Query, dialect: Dialect, allow: Collection[Difference] = ()) -> ast.Query:
    """The query in `dialect`; UnsupportedError names the part that it cannot say.

    *The same* is: at every instant the same answer, so the same windows over the same sources,
    with the same say of duplicates; and the same report, unless the caller gives another.  These
    may differ where `allow` says so:

    - BOUNDARY: RSP-QL's windows are [o,c), those of others (o,c]: they differ for elements that
      arrive at the very millisecond of a boundary.
    - REPORT: what is told of the answer, and when (`default_report`); NOW() is the instant of a
      report, and goes with it.
    - DUPLICATES: the windows of Streaming SPARQL and SPARQLstream are bags of triples, those of
      others are sets.  Only asked where the query could notice.
    - STATIC: in C-SPARQL and CQELS the engine's static graphs are in every dataset, in others
      those that FROM names.  Only asked where the query reads static graphs.

    The name a query is registered by may get lost, a stream that it publishes does not.
    """
    if dialect is query.dialect:
        return query
    try:
        return _convert(query, dialect, allow)
    except UnsupportedError as error:
        raise error.at(query.text, error.line, error.column) from None


def _convert(query: ast.Query, dialect: Dialect, allow: Collection[Difference]) -> ast.Query:
    _check_parts(query, dialect)
    reads, body = take_apart(query)
    own = tuple(_read(read, query.dialect, dialect, allow) for read in reads)
    new = _registered(query, put_together(own, body, query.dialect, dialect), dialect)
    if Difference.DUPLICATES not in allow:
        _check_duplicates(query, dialect, reads)
    if Difference.STATIC not in allow:
        part = reads_static(new if is_ambient(dialect) else body, body)
        _check_static(query, part, dialect, reads)
    if Difference.REPORT not in allow:
        _check_report(query, new)
    return new


# ---- parts that only one dialect has ----------------------------------------------------------


def _check_parts(query: ast.Query, dialect: Dialect) -> None:
    for node in query.walk():
        match node:
            case ast.Group(window=ast.Node() as window):
                raise refuse(f"{dialect.title} has no window for a group", window)
            case ast.PredicateWindow():
                raise refuse(f"{dialect.title} has no window from one event to another", node)
            case ast.AggregateClause():
                hint = "GROUP BY gives a solution a group, AGGREGATE keeps them all"
                raise refuse(f"{dialect.title} has no AGGREGATE", node, hint)
            case ast.Call("TIMESTAMP"):
                raise refuse(f"{dialect.title} has no timestamp()", node)
            case ast.Term(Variable() as name) if "-" in name:
                raise refuse(f"{dialect.title} has no - in variables", node, f"rename ?{name}")


# ---- windows ----------------------------------------------------------------------------------


def _read(read: Read, source: Dialect, target: Dialect, allow: Collection[Difference]) -> Read:
    if target is Dialect.SPARQL:
        return read  # refused where a place for it is looked for
    wanted = meaning(read.window, source)
    twin = other_boundary(wanted)
    moved = express(twin, target) if twin else None
    window = express(wanted, target) or (moved if Difference.BOUNDARY in allow else None)
    if window is None:
        message = f"{target.title} has no window with this content: {_content(read, source)}"
        raise refuse(message, read.window, _hint(Difference.BOUNDARY) if moved else "")
    return replace(read, window=replace(window, at=read.window.at))


def _content(read: Read, dialect: Dialect) -> str:
    """Who is in its window at which time."""
    match windowed(read.window, dialect):
        case algebra.SlidingWindow(slide=1):
            return "all of the last w, at every instant"
        case algebra.SlidingWindow():
            return "an element enters when it arrives, and leaves at a multiple of SLIDE"
        case algebra.SteppedWindow(until=until) if until:
            return "it ends before now"
        case algebra.SteppedWindow(boundary=algebra.Boundary.CLOSED_OPEN):
            return "at each step t the elements of [t - w, t), those of t not among them"
        case algebra.SteppedWindow():
            return "at each step t the elements of (t - w, t], those of t among them"
    return "the last elements, by number"


# ---- differences ------------------------------------------------------------------------------


def _hint(difference: Difference) -> str:
    return f"if that does not matter, allow the difference: {difference.value}"


def _check_duplicates(query: ast.Query, dialect: Dialect, reads: tuple[Read, ...]) -> None:
    sets = context(query.dialect).sets
    if reads and sets != context(dialect).sets and notices_duplicates(query):
        words = ("a set", "a bag") if sets else ("a bag", "a set")
        raise refuse(
            f"a window is {words[0]} of triples in {query.dialect.title}, {words[1]} in"
            f" {dialect.title}, and this query counts",
            query.form,
            _hint(Difference.DUPLICATES),
        )


def _check_static(
    query: ast.Query, part: ast.Node | None, dialect: Dialect, reads: tuple[Read, ...]
) -> None:
    """`part` reads static graphs, in that of the two dialects that always has some."""
    if is_ambient(query.dialect) == is_ambient(dialect) or not (query.dataset or reads):
        return
    if part is not None:
        ambient, plain = query.dialect, dialect
        if is_ambient(dialect):
            ambient, plain = dialect, query.dialect
        raise refuse(
            f"{ambient.title} reads the engine's static graphs here, {plain.title} only what FROM"
            " names",
            part,
            _hint(Difference.STATIC),
        )


def _check_report(query: ast.Query, new: ast.Query) -> None:
    old, part = _report(query), query.register or query.form
    try:
        own = _report(new)
    except QueryError as error:
        raise refuse(f"in {new.dialect.title} {error.message}", part, error.hint) from None
    if old != own:
        raise refuse(
            f"{query.dialect.title} reports {_told(old)}, {new.dialect.title} {_told(own)}",
            part,
            _hint(Difference.REPORT),
        )


def _report(query: ast.Query) -> Report | None:
    """None for a query without streams, which reports once."""
    kinds = ast.FromStream | ast.FromWindow | ast.StreamPattern
    streams = any(isinstance(node, kinds) for node in query.walk())
    every = query.register is not None and query.register.every is not None
    return default_report(query) if streams or every else None


def _kind(query: ast.Query) -> Kind:
    """What of the answer is told."""
    match default_report(query):
        case Periodic(kind) | OnChange(kind):
            return kind
    return Kind.RSTREAM


def _told(report: Report | None) -> str:
    match report:
        case Intervals():
            return "intervals"
        case Periodic(kind, every):
            return f"{kind.value} every {' and '.join(map(str, every))} ms"
        case OnChange(kind):
            return f"{kind.value} on change"
    return "once"


# ---- registration -----------------------------------------------------------------------------


def _registered(query: ast.Query, new: ast.Query, dialect: Dialect) -> ast.Query:
    """`new` with the query's registration and report, as far as the dialect has words for them."""
    register, form = query.register, _without_report(new.form)
    triples = isinstance(form, ast.Construct | ast.Describe)
    publishes = register is not None and register.stream and triples
    if dialect is Dialect.RSPQL:
        register = _rspql_register(query)
    elif dialect in _REGISTERS and register:
        register = replace(register, stream=publishes, report=None)
    elif publishes and register:
        raise refuse(f"{dialect.title} has no REGISTER, so it publishes no stream", register)
    else:
        register = None
    told = _kind(query) if dialect is Dialect.SPARQLSTREAM and _report(query) else None
    if told and isinstance(form, ast.Select | ast.Construct):
        form = replace(form, report=told)
    return replace(new, dialect=dialect, form=form, register=register, remarks=())


def _without_report(form: ast.Form) -> ast.Form:
    return replace(form, report=None) if isinstance(form, ast.Select | ast.Construct) else form


def _rspql_register(query: ast.Query) -> ast.Register | None:
    """RSP-QL says what is told; the whole answer, if it does not."""
    if query.register is None and _kind(query) is Kind.RSTREAM:
        return None
    name: ast.Term | str = query.register.name if query.register else "result"
    if isinstance(name, str):
        name = ast.Term(URIRef(f"urn:query:{quote(name)}"))
    at = query.register.at if query.register else query.form.at
    return ast.Register(name, stream=True, report=_kind(query), at=at)

"""Plain SPARQL over graphs that arrive: a file as a finite stream."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from askos.algebra import (
    Ask,
    Call,
    Constant,
    Distinct,
    Element,
    Expression,
    Extend,
    GraphAccess,
    Intervals,
    Operator,
    OrderBy,
    Payload,
    Project,
    Reduced,
    Ref,
    Slice,
    SortKey,
    StreamAccess,
    Values,
)
from askos.algebra.answer import answer_columns
from askos.algebra.depth import check_depth
from askos.algebra.expressions.registry import Nature
from askos.errors import require
from askos.interval import FOREVER, Interval, moment
from askos.io.lines import Wanted, read_lines
from askos.io.results.settled import item_text
from askos.local.engine import Engine
from askos.local.rows import Refused, Row, table_of
from askos.prepared import Options, Prepared
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.static.evaluate import evaluate
from askos.static.queries import check_static
from askos.terms import XSD, Literal, Solution, URIRef, anonymous
from askos.translate import ast, create_plan, early, optimize, parse, wanted
from askos.translate.finite import END, decides_by_exists

Arriving: TypeAlias = "PathLike[str] | Iterable[Row] | pa.Table"
"""A file of N-Triples, or rows, of which only the triples count."""

_OF_STREAMS: Final = (StreamAccess, ast.FromStream, ast.FromWindow, ast.StreamPattern)
_EPOCH: Final = Constant(Literal(moment(0), datatype=XSD.dateTime))


class Finite:
    """A query over `graphs` that arrive triple by triple, and over static ones of `sources`.

    Set semantics: a triple is valid from its place on, for ever; another copy changes nothing.
    What `push` gives can no longer change: solutions of patterns, joins, unions, filters and
    the partners of an OPTIONAL come at once, everything else when `close` says that nothing
    follows.  All together they are the answer of `askos.select`, each row as often; where the
    query gives no order, they come by the place that decided them, then by their text.

    Groppe et al., section 3.  State: what patterns match, and what the query makes of it.

    >>> north = Finite("SELECT ?t { ?t <site> <north> . ?t <power> ?p }")
    >>> north.push(DEFAULT_GRAPH, table_of([("<T1>", "<site>", "<north>", 1)]))
    []
    >>> [row] = north.push(DEFAULT_GRAPH, table_of([("<T1>", "<power>", '"5"', 2)]))
    >>> print(row.item, row.interval)
    {?t → <T1>} [2, ∞)
    >>> north.close()
    []
    """

    def __init__(
        self,
        query: str | ast.Query | Operator,
        *,
        graphs: Collection[URIRef] = (DEFAULT_GRAPH,),
        sources: Catalogue | None = None,
        base: str | None = None,
        buckets: int = 1,
    ) -> None:
        tree = parse(query, base=base) if isinstance(query, str) else query
        static = Catalogue() if sources is None else sources
        canonical = tree if isinstance(tree, Operator) else _plan(tree, graphs, static)
        check_depth(canonical)
        self.columns = answer_columns(canonical)
        self.payload = canonical.payload
        self._asks = isinstance(canonical, Ask)
        self.decided = False
        whole = _asked(canonical).transform(_ranked_by_columns).rewrite(Expression, _at_epoch)
        assert isinstance(whole, Operator)
        known = _with_streams(static, graphs)
        plan = optimize(early(whole, graphs), sources=known)
        self._tail = plan
        self._body = plan if self._asks else _body(plan)  # whoever asks looks at no order
        self._held: list[Solution] = []
        shown = plan
        if self._body is not plan:
            shown = Project(tuple(sorted(self._body.variables)), self._body)
        # What is told once is kept once, however much it is: a graph has an end.
        self._engine = Engine(sources=known, buckets=buckets, state_limit=FOREVER)
        prepared = Prepared(shown, shown, Intervals(), sources=known)
        self._query = self._engine.register(prepared)
        self._places = 0

    @property
    def reads(self) -> tuple[URIRef, ...]:
        """The arriving graphs that the answer depends on."""
        return self._query.plan.sources

    @property
    def wanted(self) -> Wanted:
        """Which triples can match: those that have all terms of one of the sets; None: all."""
        return wanted(self._query.prepared.plan)

    @property
    def refused(self) -> list[Refused]:
        """Rows that were no triples."""
        return self._engine.refused

    @refused.setter
    def refused(self, rows: list[Refused]) -> None:
        self._engine.refused = rows

    def push(self, graph: URIRef, triples: pa.Table, places: int = 0) -> list[Element]:
        """Triples of a graph: s, p, o, and as ts their places; give what they decide.  `places`
        is how far the graph has come, where that is further than the triples."""
        furthest = pc.max(triples["ts"]).as_py() if len(triples) else 0
        self._places = max(self._places, places, furthest or 0)
        if self.decided or graph not in self.reads or not len(triples):
            return []
        self._engine.push(graph, triples)
        return self._told(self._query.take())

    def close(self) -> list[Element]:
        """All has arrived: give the rest."""
        if self.decided:
            return []
        self._engine.close()
        told = self._told(self._query.take())
        if self._asks and not self.decided:
            told = [self._from_now(False)]
        if self._body is not self._tail:
            told = [self._from_now(row) for row in self._in_order()]
        self.decided = True
        return told

    def _told(self, found: Iterable[Element]) -> list[Element]:
        """What holds for ever; the rest was valid for a while, before the graph was whole."""
        kept = [element for element in found if element.interval.end == FOREVER]
        if self._asks:
            self.decided = bool(kept)
            return [Element(True, self._since(kept[0]))] if kept else []
        if self._body is not self._tail:
            self._held += [e.item for e in kept if isinstance(e.item, Solution)]
            return []
        told = [replace(element, interval=self._since(element)) for element in kept]
        return sorted(told, key=lambda answer: (answer.interval.start, item_text(answer.item)))

    def _since(self, element: Element) -> Interval:
        """From the place that decided it; what waited for the end, from the last place."""
        start = element.interval.start
        return Interval(start if start < END else self._places, FOREVER)

    def _from_now(self, item: Any) -> Element:
        return Element(item, Interval(self._places, FOREVER))

    def _in_order(self) -> Iterable[Any]:
        """What ORDER BY and LIMIT make of the solutions that came."""
        columns = tuple(sorted(self._body.variables))
        rows = (tuple(row.get(v) for v in columns) for row in self._held)
        held = Values(columns, tuple(rows))
        whole = self._tail.transform(lambda node: held if node is self._body else node)
        found = evaluate(whole, {})
        assert not isinstance(found, bool)
        return found


def _plan(query: ast.Query, graphs: Collection[URIRef], static: Catalogue) -> Operator:
    check_static(query)
    for name in graphs:
        static = static.graph(name) if static.get(name) is None else static
    return create_plan(query, sources=static)


def _asked(plan: Operator) -> Operator:
    """Of ASK one solution is enough, whatever it binds."""
    return Distinct(Project((), plan.input)) if isinstance(plan, Ask) else plan


def _ranked_by_columns(plan: Operator) -> Operator:
    """ORDER BY what EXISTS says: that is found while the graph is there, and kept as a column."""
    if not isinstance(plan, OrderBy) or not decides_by_exists(plan):
        return plan
    keys, rows = list[SortKey](), plan.input
    for number, key in enumerate(plan.keys):
        column = anonymous(f"#key{number}")
        rows = Extend(column, key.expression, rows)
        keys.append(replace(key, expression=Ref(column)))
    return Project(tuple(sorted(plan.variables)), OrderBy(tuple(keys), rows))


def _at_epoch(part: Expression) -> Expression:
    """NOW() says what it does in `askos.select`: graphs have no time."""
    instant = isinstance(part, Call) and part.function.nature is Nature.INSTANT
    return _EPOCH if instant else part


def _with_streams(static: Catalogue, graphs: Collection[URIRef]) -> Catalogue:
    known = Catalogue(tuple(source for source in static.sources if source.iri not in graphs))
    for name in graphs:
        known = known.stream(name, not_after=FOREVER - 1)  # places, which may well jump
    return known


def _body(plan: Operator) -> Operator:
    """What is below the ORDER BY and LIMIT of a whole query; the plan itself without them."""
    body = node = plan
    while isinstance(node, Project | Slice | OrderBy | Distinct | Reduced | Extend):
        if decides_by_exists(node):
            break
        node = node.input
        if node.payload is not Payload.SOLUTION:
            break
        body = node if isinstance(plan, Slice | OrderBy) else body
        plan = node
    return body


# ---- in one go -----------------------------------------------------------------------------------


def finite(
    query: str | ast.Query | Operator | Prepared,
    graphs: Collection[URIRef],
    sources: Catalogue | None,
    buckets: int,
    options: Options,
) -> Finite | None:
    """The query, if it is plain SPARQL and reads some of the `graphs`; None if it is not: then
    it runs over streams."""
    tree: ast.Query | Operator
    match query:
        case Prepared():
            tree, sources = query.canonical, sources or query.sources
        case str():
            tree = parse(query, dialect=options.get("dialect"), base=options.get("base"))
        case _:
            tree = query
    if not graphs or any(isinstance(node, _OF_STREAMS) for node in tree.walk()):
        return None
    plan = tree if isinstance(tree, Operator) else _plan(tree, graphs, sources or Catalogue())
    if not any(isinstance(node, GraphAccess) and node.source in graphs for node in plan.walk()):
        return None  # and whoever runs it refuses what nobody reads
    for name, value in options.items():
        if name not in ("dialect", "base"):
            message = f"{name}={value!r} does not apply to graphs, which have no time"
            require(value is None, message, "plain SPARQL is told as it is decided")
    return Finite(plan, graphs=graphs, sources=sources, buckets=buckets)


def run_finite(query: Finite, graphs: Mapping[URIRef, Arriving], batch: int) -> Iterator[Element]:
    """What a query answers to graphs that arrive in turns of `batch` rows, or of a file's
    blocks."""
    turns = [_tables(query, name, graphs[name], batch) for name in query.reads]
    while turns and not query.decided:
        for turn in list(turns):
            name, table, places = next(turn, (None, None, 0))
            if name is None:
                turns.remove(turn)
            else:
                yield from query.push(name, table, places)
    yield from query.close()


def _tables(
    query: Finite, name: URIRef, rows: Arriving, batch: int
) -> Iterator[tuple[URIRef, pa.Table, int]]:
    if isinstance(rows, PathLike):
        for block in read_lines([Path(rows)], query.wanted):
            query.refused += [Refused("", note) for note in block.refused]
            yield name, block.triples, block.places
        return
    place, given = 0, iter(_slices(rows, batch))
    for part in given:
        places = range(place + 1, place + len(part) + 1)
        place += len(part)
        yield name, part.select(["s", "p", "o"]).append_column("ts", pa.array(places)), place


def _slices(rows: Iterable[Row] | pa.Table, batch: int) -> Iterator[pa.Table]:
    if isinstance(rows, pa.Table):
        yield from (rows.slice(start, batch) for start in range(0, len(rows), batch))
        return
    source = iter(rows)
    while part := list(islice(source, batch)):
        yield table_of(part)

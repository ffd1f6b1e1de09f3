"""`prepare`: the one value between a text and a host."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypedDict, TypeVar

from askos.algebra import (
    Ask,
    Boundary,
    Clock,
    Construct,
    Describe,
    GraphAccess,
    Node,
    Operator,
    Payload,
    Periodic,
    Report,
    node_from_json,
    to_json,
)
from askos.algebra.answer import answer_columns
from askos.algebra.depth import check_depth
from askos.algebra.expressions.instant import uses_instant
from askos.algebra.expressions.library.iris import resolve
from askos.errors import QueryError, UnsupportedError, require
from askos.sources import Catalogue, Stream
from askos.terms import URIRef, Variable
from askos.translate import (
    Dialect,
    Every,
    Reasoning,
    asked_report,
    ast,
    create_plan,
    optimize,
    parse,
)

VERSION: Final = 1
_NODES: Final = ("canonical", "plan", "report")
_N = TypeVar("_N", bound=Node)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query as hosts take it: what it means, what runs, and what it reports.

    `canonical` is the plan as `create_plan` makes it, `plan` the optimised one, which runs.
    `text` is None where a plan was given; `publishes` is the stream that the query registers, and
    `name` what it is registered as, if it is: engines name the others, `query-1` for instance.
    `chosen` is the physical plan that runs, by number or name; None: the cheapest.
    """

    canonical: Operator
    plan: Operator
    report: Report
    text: str | None = None
    publishes: URIRef | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict, hash=False)
    sources: Catalogue = field(default_factory=Catalogue)
    name: str | None = None
    chosen: int | str | None = None

    def __post_init__(self) -> None:
        require(
            self.publishes is None or isinstance(self.report, Periodic),
            f"the stream <{self.publishes}> needs a periodic report, not {self.report!r}",
            "say how often, with COMPUTED EVERY or a STEP",
        )
        if uses_instant(self.canonical) and not isinstance(self.report, Periodic):
            hint = "NOW() is the instant of a report: ask for a periodic one"
            raise UnsupportedError(f"NOW() has no value in {self.report!r}", hint=hint)

    @property
    def clock(self) -> Clock:
        """When the query reports, first and last: by its canonical plan alone."""
        return Clock.of(self.canonical)

    @property
    def form(self) -> str:
        """SELECT, CONSTRUCT, DESCRIBE or ASK."""
        match self.canonical:
            case Construct() | Describe() | Ask():
                return type(self.canonical).__name__.upper()
        # Triples without a template, by a plan given: what CONSTRUCT yields.
        return "CONSTRUCT" if self.canonical.payload is Payload.TRIPLE else "SELECT"

    @property
    def columns(self) -> tuple[Variable, ...]:
        """The columns of an answer, in order: what SELECT projects; s, p, o; or `answer`."""
        return answer_columns(self.canonical)

    @property
    def streams(self) -> tuple[URIRef, ...]:
        """The streams that the query reads, EXISTS included, in the order of its plan."""
        return self.clock.streams

    @property
    def graphs(self) -> tuple[URIRef, ...]:
        """The static graphs that the query reads, likewise."""
        nodes = self.canonical.walk()
        return tuple(dict.fromkeys(n.source for n in nodes if isinstance(n, GraphAccess)))

    @property
    def reloadable(self) -> tuple[URIRef, ...]:
        """Those of them that may be reloaded while the query runs."""
        nodes = (node for node in self.canonical.walk() if isinstance(node, GraphAccess))
        return tuple(dict.fromkeys(node.source for node in nodes if node.reloadable))

    @property
    def rows_per_batch(self) -> int | None:
        """About how many triples come at a time from all its streams; None where the catalogue does
        not say it of each."""
        found = [self.sources.get(iri) for iri in self.streams]
        rows = [each.rows_per_batch for each in found if isinstance(each, Stream)]
        known = [count for count in rows if count is not None]
        return sum(known) if found and len(known) == len(found) else None

    def to_json(self, *, indent: int | None = None) -> str:
        """All but the catalogue, as JSON."""
        document = {
            "askos query": VERSION,
            "text": self.text,
            "name": self.name,
            "publishes": self.publishes,
            "prefixes": dict(self.prefixes),
            "chosen": self.chosen,
            **{part: json.loads(to_json(getattr(self, part))) for part in _NODES},
        }
        return json.dumps(document, indent=indent)

    @classmethod
    def from_json(cls, text: str, *, sources: Catalogue | None = None) -> Prepared:
        """What `to_json` wrote; equal to what it was, given the same catalogue."""
        document = _document(text)
        publishes = document["publishes"]
        return cls(
            _node(document, "canonical", Operator),
            _node(document, "plan", Operator),
            _node(document, "report", Report),
            document["text"],
            None if publishes is None else URIRef(publishes),
            document["prefixes"],
            sources or Catalogue(),
            document.get("name"),
            document.get("chosen"),
        )


class Options(TypedDict, total=False):
    """What a caller may say of a query beside its sources; `prepare` tells what each means, and
    every host takes them."""

    report: Report | str | None
    every: Every | None
    nonempty: bool | None
    boundary: Boundary | str | None
    origin: int | None
    reasoning: Reasoning | None
    plan: int | str | None
    dialect: Dialect | str | None
    base: str | None


def prepare(
    query: str | ast.Query | Operator | Prepared,
    *,
    sources: Catalogue | None = None,
    report: Report | str | None = None,
    every: Every | None = None,
    nonempty: bool | None = None,
    boundary: Boundary | str | None = None,
    origin: int | None = None,
    reasoning: Reasoning | None = None,
    plan: int | str | None = None,
    dialect: Dialect | str | None = None,
    base: str | None = None,
) -> Prepared:
    """The value that every host takes: of a text, a parsed query, or a plan.

    - `sources`: which streams and graphs there are; without it, what the query's clauses say.
    - `report`: a `Report`, or a name, "intervals", "rstream", "istream" or "dstream", which keeps
      the query's own period.  By default what the query's dialect does; a plan gives intervals.
    - `every`: the period, in milliseconds or as "10s", or several of them; of an RSTREAM, where
      the query would give intervals.
    - `nonempty`: whether reports without rows are left out.
    - `boundary`: "(o,c]" or "[o,c)", which elements on the edge of a stepped window are in it.
    - `origin`: the instant from which time windows and periodic reports count.
    - `reasoning`: "rdfs": triples of streams and graphs entail what subclasses, subproperties,
      domains and ranges say.  The schema is what the static graphs of the query's dataset say of
      them, and the graphs that the catalogue declares with schema=True.
    - `plan`: which physical plan runs, by its number or name in `explain --all`, or by words that
      are to be true of it, as "hash" or "hash+products"; by default the cheapest.
    - `dialect`, `base`: how a text is read.

    A plan has its own windows, and what is prepared already is given back as it is: what cannot
    apply to them is refused.

    >>> text = "SELECT ?t FROM STREAM <wind> WINDOW RANGE 9 SLIDE { ?t <power> ?p FILTER(?p > 5) }"
    >>> query = prepare(text)
    >>> query.form, [str(v) for v in query.columns], [str(s) for s in query.streams], query.report
    ('SELECT', ['t'], ['wind'], Intervals())
    """
    windows: dict[str, object] = {"boundary": boundary, "origin": origin, "reasoning": reasoning}
    reports: dict[str, object] = {"report": report, "every": every, "nonempty": nonempty}
    if isinstance(query, Prepared):
        options = {**windows, **reports, "plan": plan}
        _refuse(options, "a prepared query", "say it to askos.prepare")
        return query
    known = Catalogue() if sources is None else sources
    if isinstance(query, Operator):
        _refuse(windows, "a plan, which has its own windows and patterns", "make them with it")
        check_depth(query)
        asked = asked_report(None, report, every=every, nonempty=nonempty)
        best = optimize(query, sources=known)
        return Prepared(query, best, asked, sources=known, chosen=plan)
    tree = parse(query, dialect=dialect, base=base) if isinstance(query, str) else query
    canonical = create_plan(
        tree, sources=sources, boundary=boundary, origin=origin, reasoning=reasoning
    )
    with _placed(tree):
        check_depth(canonical)
        return Prepared(
            canonical,
            optimize(canonical, sources=known),
            asked_report(tree, report, every=every, nonempty=nonempty, origin=origin),
            tree.text,
            published(tree),
            tree.prefixes,
            known,
            _registered(tree),
            plan,
        )


@contextmanager
def _placed(query: ast.Query) -> Iterator[None]:
    """What is not offered is said of a plan, which has no positions: of NOW(), else of the whole
    query."""
    try:
        yield
    except UnsupportedError as error:
        instant = (n for n in query.walk() if isinstance(n, ast.Call) and n.name == "NOW")
        node = next(instant, query) if "NOW()" in error.message else query
        raise error if error.line else error.at(query.text, *node.at) from None


def _refuse(options: Mapping[str, object], what: str, hint: str) -> None:
    """Options that would be ignored."""
    for name, value in options.items():
        require(value is None, f"{name}={value!r} does not apply to {what}", hint)


def _registered(query: ast.Query) -> str | None:
    """What REGISTER calls the query, as it is written; an IRI in full."""
    if query.register is None:
        return None
    name = query.register.name
    return name if isinstance(name, str) else str(name.value)


def published(query: ast.Query) -> URIRef | None:
    """The stream of triples that REGISTER STREAM names; a bare name is a relative IRI."""
    register = query.register
    triples = isinstance(query.form, ast.Construct | ast.Describe)
    if register is None or not register.stream or not triples:
        return None
    if isinstance(register.name, str):
        return URIRef(resolve(register.name, query.base) if query.base else register.name)
    assert isinstance(register.name.value, URIRef)
    return register.name.value


def _document(text: str) -> dict[str, Any]:
    """The parts of a prepared query, all of them there."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise QueryError(f"query JSON: {error.msg}", text, error.lineno, error.colno) from None
    except RecursionError:
        raise QueryError("query JSON: it is nested too deeply") from None
    version = document.get("askos query") if isinstance(document, dict) else None
    if version != VERSION:
        hint = f"this askos reads version {VERSION}"
        raise QueryError(f"query JSON: version {version!r} is not known", hint=hint)
    for part in ("text", "publishes", "prefixes", *_NODES):
        require(part in document, f"query JSON: the part {part!r} is missing")
    return dict(document)


def _node(document: Mapping[str, Any], part: str, kind: type[_N]) -> _N:
    node = node_from_json(json.dumps(document[part]))
    if not isinstance(node, kind):
        raise QueryError(f"query JSON: {part} cannot be {type(node).__name__}")
    return node

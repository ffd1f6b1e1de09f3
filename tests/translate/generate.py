"""Random queries of every dialect, as the parser would make them: what hypothesis draws from.

The trees keep SPARQL's rules of scope: a variable after AS is new, a blank node's label stays in
its triples, a grouped query projects keys and aggregates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from hypothesis import strategies as st

from askos.algebra.report import Kind
from askos.terms import XSD, BNode, Literal, URIRef, Variable, canonical
from askos.translate import Dialect, ast
from askos.translate.scope import in_scope
from askos.translate.words import AGGREGATES, ARITY

T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[Any]], Any]

NAMESPACES = {
    "": "http://wind.example/",
    "w": "http://wind.example/park#",
    "a.b": "http://a.example/?q=",
    "SELECT": "urn:select:",
}
LOCALS = st.one_of(
    st.sampled_from(["", "power", "x.y", "a-b", "1", "a:b", "größe", "_", "%41", "from", "p.q.r"]),
    st.text("ab1_-.:~!$&'()*+,;=/?#@%é", max_size=5),
)
NUMBERS = ["0", "7", "007", "-5", "+5", "1.5", "-.5", "+0.50", "1e5", "-1.e-3", ".5E+7", "12e0"]
TEXTS = st.one_of(
    st.sampled_from(
        ["", "plain", 'a "b" \\ c', "two\nlines\r\t", "\\u0041", "\u2028", "it's", "☃"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
)
DURATIONS = st.one_of(
    st.sampled_from([1, 500, 1_000, 60_000, 90_000, 5_400_000, 86_400_000, 604_800_000]),
    st.integers(1, 10**12),
)
COUNTS = st.integers(1, 2_000)
KINDS = st.sampled_from(list(Kind))
DIALECTS = st.sampled_from(list(Dialect))


@st.composite
def queries(draw: Draw, dialect: Dialect | None = None) -> ast.Query:
    """A query of the dialect, or of any."""
    return _Maker(draw, dialect or draw(DIALECTS)).query()


class _Maker:
    """Draws the parts of one query; counts what must be new."""

    def __init__(self, draw: Draw, dialect: Dialect) -> None:
        self.draw = draw
        self.dialect = dialect
        self.has_base = draw(st.booleans())
        self.used = 0
        names = ["x", "y", "größe", "_z", "1"]
        self.names = names + ["total-sensor"] * (dialect is Dialect.CSPARQL)
        self.streams: list[ast.Term] = []
        self.windows: list[ast.Term] = []

    # ---- small things -------------------------------------------------------------------------

    def one_of(self, *makers: Callable[[], T]) -> T:
        maker: Callable[[], T] = self.draw(st.sampled_from(makers))
        return maker()

    def many(self, maker: Callable[[], T], least: int = 1, most: int = 2) -> tuple[T, ...]:
        return tuple(maker() for _ in range(self.draw(st.integers(least, most))))

    def maybe(self, maker: Callable[[], T]) -> T | None:
        return maker() if self.flag() else None

    def flag(self) -> bool:
        return bool(self.draw(st.booleans()))

    def new(self) -> ast.Term:
        self.used += 1
        return ast.Term(Variable(f"new{self.used}"))

    def variable(self) -> ast.Term:
        return ast.Term(Variable(self.draw(st.sampled_from(self.names))))

    def iri(self) -> ast.Term:
        namespace = self.draw(st.sampled_from(list(NAMESPACES.values())))
        iris = st.builds(str.__add__, st.just(namespace), LOCALS)
        others = ["http://other.example/a/b?c#d", "urn:x:y", "mailto:a@b", "http://é.example/☃"]
        if not self.has_base:
            others += ["relative", "", "../up", "#here", "http://other.example/a/../b"]
        return ast.Term(URIRef(self.draw(iris | st.sampled_from(others))))

    def name(self) -> ast.Term:
        return self.one_of(self.iri, self.variable)

    def literal(self) -> ast.Term:
        return ast.Term(self.one_of(self._number, self._string, self._typed))

    def _number(self) -> Literal:
        text = self.draw(st.sampled_from(NUMBERS))
        kind = XSD.double if "e" in text.lower() else XSD.decimal if "." in text else XSD.integer
        return Literal(text, datatype=kind)

    def _string(self) -> Literal:
        language = self.draw(st.sampled_from([None, "en", "de-at-1996"]))
        return Literal(self.draw(TEXTS), lang=language)

    def _typed(self) -> Literal:
        kinds = [XSD.integer, XSD.boolean, XSD.dateTime, XSD.double, XSD.decimal, XSD.string]
        datatype = self.draw(st.sampled_from([*kinds, URIRef("http://wind.example/unit#kW")]))
        text = self.draw(st.sampled_from(["true", "TRUE", "1", "abc", "1.", "1e1", "é\n"]) | TEXTS)
        return canonical(Literal(text, datatype=datatype))  # type: ignore[return-value]

    # ---- triples and paths --------------------------------------------------------------------

    def block(self, paths: bool = True) -> ast.Block:
        self.used += 1
        label = ast.Term(BNode(f"b.{self.used}-x"))

        def term() -> ast.Term:
            return self.one_of(self.variable, self.iri, self.literal, lambda: label, self._nil)

        return ast.Block(self.many(lambda: self._triples(term, paths), most=3))

    def _nil(self) -> ast.Term:
        return ast.Term(URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"))

    def _triples(self, term: Callable[[], ast.Term], paths: bool) -> ast.Triples:
        subject = self._object(term, paths, 2)
        alone = isinstance(subject, ast.Collection) or (
            isinstance(subject, ast.Bracketed) and bool(subject.properties)
        )
        return ast.Triples(subject, self._properties(term, paths, 2, 0 if alone else 1))

    def _object(self, term: Callable[[], ast.Term], paths: bool, depth: int) -> ast.Object:
        if depth == 0 or self.draw(st.integers(0, 3)):
            return term()
        kinds: list[Callable[[], ast.Object]] = [
            lambda: ast.Bracketed(self._properties(term, paths, depth - 1, 0)),
            lambda: ast.Collection(self.many(lambda: self._object(term, paths, depth - 1))),
        ]
        return self.one_of(*kinds)

    def _properties(
        self, term: Callable[[], ast.Term], paths: bool, depth: int, least: int
    ) -> tuple[ast.Property, ...]:
        def verb() -> ast.Path:
            plain = self.one_of(self.variable, self.iri, self._type)
            return self.path(2) if paths and self.flag() else plain

        def one() -> ast.Property:
            return ast.Property(verb(), self.many(lambda: self._object(term, paths, depth)))

        return self.many(one, least)

    def _type(self) -> ast.Term:
        return ast.Term(URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"))

    def path(self, depth: int) -> ast.Path:
        if depth == 0:
            return self.one_of(self.iri, self._type)

        def deeper() -> ast.Path:
            return self.path(depth - 1)

        def excluded() -> ast.Path:
            step = self.path(0)
            return ast.PathInverse(step) if self.flag() else step

        return self.one_of(
            deeper,
            lambda: ast.PathSequence(self.many(deeper, 2, 3)),
            lambda: ast.PathAlternative(self.many(deeper, 2, 3)),
            lambda: ast.PathInverse(deeper()),
            lambda: ast.PathRepeat(deeper(), self.draw(st.sampled_from("*+?"))),
            lambda: ast.PathNegated(self.many(excluded, 0)),
        )

    # ---- expressions --------------------------------------------------------------------------

    def expression(
        self, depth: int = 2, leaf: Callable[[], ast.Expression] | None = None
    ) -> ast.Expression:
        """An expression whose leaves come from `leaf`; without one, it may use EXISTS."""
        atom: Callable[[], ast.Expression] = leaf or self.name
        if depth == 0:
            return self.one_of(atom, self.literal)

        def part() -> ast.Expression:
            return self.expression(depth - 1, leaf)

        kinds: list[Callable[[], ast.Expression]] = [
            lambda: ast.Or(self.many(part, 2, 3)),
            lambda: ast.And(self.many(part, 2, 3)),
            lambda: ast.Unary(self.draw(st.sampled_from("!+-")), part()),
            lambda: ast.Compare(self._sign("= != < > <= >="), part(), part()),
            lambda: ast.In(part(), self.many(part, 0), self.flag()),
            lambda: self._arithmetic(part),
            lambda: self._call(part, leaf in (None, self.variable)),
            lambda: ast.FunctionCall(self.iri(), self.many(part), self.flag()),
            lambda: ast.FunctionCall(self.iri(), ()),
        ]
        if leaf is None and depth > 1:
            kinds.append(lambda: ast.Exists(self.group(1), self.flag()))
        return self.one_of(part, *kinds)

    def _sign(self, signs: str) -> str:
        return str(self.draw(st.sampled_from(signs.split())))

    def _arithmetic(self, part: Callable[[], ast.Expression]) -> ast.Arithmetic:
        operands = self.many(part, 2, 3)
        family = self._sign("+- */")
        signs = tuple(self.draw(st.sampled_from(family)) for _ in operands[1:])
        return ast.Arithmetic(operands, signs)

    def _call(self, part: Callable[[], ast.Expression], free: bool) -> ast.Call:
        """A call; `free` to use any variable, as some functions must."""
        foreign = {"TIMESTAMP"} if self.dialect is not Dialect.CSPARQL else set()
        takes_variable = {"BOUND", "TIMESTAMP"}
        names = ARITY.keys() - foreign - (set() if free else takes_variable)
        name = self.draw(st.sampled_from(sorted(names)))
        least, most = ARITY[name]
        arguments = self.many(part, least, least + 2 if most is None else most)
        if name in takes_variable:
            arguments = (self.variable(), *(self.iri() for _ in arguments[1:]))
        return ast.Call(name, arguments)

    def aggregate(self, leaf: Callable[[], ast.Expression] | None = None) -> ast.Aggregate:
        name = self.draw(st.sampled_from(sorted(AGGREGATES)))
        expression = self.expression(1, leaf or self.variable)
        if name == "COUNT":
            return ast.Aggregate(name, self.maybe(lambda: expression), self.flag())
        separator = self.draw(st.none() | TEXTS) if name == "GROUP_CONCAT" else None
        return ast.Aggregate(name, expression, self.flag(), separator)

    # ---- windows ------------------------------------------------------------------------------

    def window(self) -> ast.Window:
        both: list[Callable[[], ast.Window]] = [self._sliding, self._counting]
        kinds: dict[Dialect, list[Callable[[], ast.Window]]] = {
            Dialect.STREAMING: [*both, self._predicate],
            Dialect.CSPARQL: both,
            Dialect.CQELS: [
                self._any_sliding,
                self._any_counting,
                ast.NowWindow,
                ast.AllWindow,
            ],
            Dialect.RSPQL: [self._stepping, self._any_counting],
            Dialect.SPARQLSTREAM: [self._past, ast.NowWindow],
        }
        return self.one_of(*kinds[self.dialect])

    def _sliding(self) -> ast.TimeWindow:
        width = self.draw(DURATIONS)
        return ast.TimeWindow(width, min(width, self.draw(DURATIONS)))

    def _any_sliding(self) -> ast.TimeWindow:
        return ast.TimeWindow(self.draw(DURATIONS), self.maybe(lambda: self.draw(DURATIONS)))

    def _stepping(self) -> ast.TimeWindow:
        return ast.TimeWindow(self.draw(DURATIONS), self.draw(DURATIONS))

    def _counting(self) -> ast.CountWindow:
        count = self.draw(COUNTS)
        return ast.CountWindow(count, min(count, self.draw(COUNTS)))

    def _any_counting(self) -> ast.CountWindow:
        return ast.CountWindow(self.draw(COUNTS), self.draw(COUNTS))

    def _predicate(self) -> ast.PredicateWindow:
        start, end = (self.expression(1, self.variable) for _ in range(2))
        return ast.PredicateWindow(start, end, self.draw(st.none() | DURATIONS))

    def _past(self) -> ast.PastWindow:
        end = self.draw(st.just(0) | DURATIONS)
        return ast.PastWindow(end + self.draw(DURATIONS), end, self.draw(st.none() | DURATIONS))

    # ---- groups -------------------------------------------------------------------------------

    def group(self, depth: int = 2) -> ast.Group:
        if depth and self.draw(st.integers(0, 7)) == 0:
            return ast.Group((self._sub_select(depth - 1),))
        members: list[ast.Member] = []
        for member in self.many(lambda: self._member(depth), 0, 4):
            if not (
                members and isinstance(members[-1], ast.Block) and isinstance(member, ast.Block)
            ):
                members.append(member)
        closing = self.window if self.dialect is Dialect.STREAMING and self.flag() else None
        return ast.Group(tuple(members), closing() if closing else None)

    def _member(self, depth: int) -> ast.Member:
        flat: list[Callable[[], ast.Member]] = [
            self.block,
            self.block,
            lambda: ast.Filter(self.expression(min(depth + 1, 2))),
            lambda: ast.Bind(self.expression(1, self.variable), self.new()),
            self.values,
        ]
        return self.one_of(*flat, *(self._nested(depth - 1) if depth else []))

    def _nested(self, depth: int) -> list[Callable[[], ast.Member]]:
        def inner() -> ast.Group:
            return self.group(depth)

        kinds: list[Callable[[], ast.Member]] = [
            inner,
            lambda: ast.Optional(inner()),
            lambda: ast.Union(self.many(inner, 2, 3)),
            lambda: ast.Minus(inner()),
            lambda: ast.Graph(self.name(), inner()),
            lambda: ast.Service(self.name(), inner(), self.flag()),
        ]
        if self.dialect is Dialect.CQELS:
            kinds.append(lambda: ast.StreamPattern(self.name(), inner(), self.window()))
            if self.streams:
                kinds.append(lambda: ast.StreamPattern(self._pick(self.streams), inner()))
        if self.windows:
            kinds.append(lambda: ast.WindowPattern(self._pick(self.windows), inner()))
        return kinds

    def _pick(self, names: list[ast.Term]) -> ast.Term:
        return self.draw(st.sampled_from(names))  # type: ignore[no-any-return]

    def values(self) -> ast.Values:
        names = self.draw(st.lists(st.sampled_from(self.names), unique=True, max_size=2))
        variables = tuple(ast.Term(Variable(name)) for name in names)

        def cell() -> ast.Term | None:
            return self.maybe(lambda: self.one_of(self.iri, self.literal))

        return ast.Values(variables, self.many(lambda: tuple(cell() for _ in names), 0, 3))

    def _sub_select(self, depth: int) -> ast.SubSelect:
        select, modifiers = self.select()
        return ast.SubSelect(select, self.group(depth), modifiers, self.maybe(self.values))

    # ---- selects ------------------------------------------------------------------------------

    def select(self) -> tuple[ast.Select, ast.Modifiers]:
        distinct, reduced = self.draw(st.sampled_from([(0, 0), (1, 0), (0, 1)]))
        projections, modifiers = self.one_of(self._grouped, self._ungrouped)
        return ast.Select(projections, bool(distinct), bool(reduced)), modifiers

    def _ungrouped(self) -> tuple[tuple[ast.Projection, ...], ast.Modifiers]:
        def projection() -> ast.Projection:
            return self.one_of(
                lambda: ast.Projection(self.variable()),
                lambda: ast.Projection(self.new(), self.expression(1)),
            )

        return self.many(projection, 0, 3), self.modifiers(self.expression)

    def _grouped(self) -> tuple[tuple[ast.Projection, ...], ast.Modifiers]:
        keys = self.many(self._group_key, 0)
        visible = [k.variable or k.expression for k in keys]
        known = [v for v in visible if isinstance(v, ast.Term) and isinstance(v.value, Variable)]

        def leaf() -> ast.Expression:
            return self._pick(known) if known and self.flag() else self.aggregate()

        projections = [ast.Projection(self.new(), self.aggregate())]
        projections += [ast.Projection(self.new(), self.expression(1, leaf))]
        projections += [ast.Projection(key) for key in known]
        return tuple(projections), replace(self.modifiers(leaf), group_by=keys)

    def _group_key(self) -> ast.GroupKey:
        return self.one_of(
            lambda: ast.GroupKey(self.variable()),
            lambda: ast.GroupKey(self.expression(1, self.variable)),
            lambda: ast.GroupKey(self.expression(1, self.variable), self.new()),
        )

    def modifiers(self, leaf: Callable[[], ast.Expression]) -> ast.Modifiers:
        def key() -> ast.SortKey:
            return ast.SortKey(leaf(), self.flag())

        numbers = st.none() | st.integers(0, 10**6)
        having = self.many(leaf, 0) if leaf != self.expression else ()
        return ast.Modifiers((), having, self.many(key, 0), self.draw(numbers), self.draw(numbers))

    # ---- the query ----------------------------------------------------------------------------

    def query(self) -> ast.Query:
        dataset = self._dataset()
        form, where, modifiers = self.one_of(
            self._select_query, self._construct_query, self._other_query, self._short_query
        )
        query = ast.Query(
            self.dialect,
            self._report(form),
            where,
            dataset,
            modifiers,
            self.maybe(self.values),
            declarations=self._declarations(),
            register=self._register(form),
        )
        return self._with_aggregates(query)

    def _select_query(self) -> tuple[ast.Form, ast.Group | None, ast.Modifiers]:
        select, modifiers = self.select()
        return select, self.group(), modifiers

    def _construct_query(self) -> tuple[ast.Form, ast.Group | None, ast.Modifiers]:
        template = self.block(paths=False).triples if self.flag() else ()
        return ast.Construct(template), self.group(), self.modifiers(self.expression)

    def _short_query(self) -> tuple[ast.Form, ast.Group | None, ast.Modifiers]:
        where = ast.Group((self.block(paths=False),))
        return ast.Construct(None), where, self.modifiers(self.expression)

    def _other_query(self) -> tuple[ast.Form, ast.Group | None, ast.Modifiers]:
        modifiers = self.modifiers(self.expression)
        if self.flag():
            return ast.Ask(), self.group(), modifiers
        return ast.Describe(self.many(self.name, 0)), self.maybe(self.group), modifiers

    def _report(self, form: ast.Form) -> ast.Form:
        if self.dialect is Dialect.SPARQLSTREAM and isinstance(form, ast.Select | ast.Construct):
            return replace(form, report=self.draw(st.none() | KINDS))
        return form

    def _declarations(self) -> tuple[ast.Declaration, ...]:
        prefixes = [ast.Prefix(name, URIRef(iri)) for name, iri in NAMESPACES.items()]
        bases = [ast.Base(URIRef("http://base.example/dir/file"))] if self.has_base else []
        return tuple(self.draw(st.permutations([*prefixes, *bases])))

    def _dataset(self) -> tuple[ast.Dataset, ...]:
        graphs = self.many(lambda: ast.From(self.iri(), self.flag()), 0)
        return (*graphs, *self._streams()) if self.flag() else (*self._streams(), *graphs)

    def _streams(self) -> tuple[ast.Dataset, ...]:
        match self.dialect:
            case Dialect.SPARQL:
                return ()
            case Dialect.RSPQL:
                names = [ast.Term(URIRef(f"http://wind.example/w{i}")) for i in range(2)]
                self.windows = [*names, self.variable()]
                return tuple(ast.FromWindow(n, self.iri(), self.window()) for n in names)
        named = {Dialect.STREAMING, Dialect.CSPARQL, Dialect.SPARQLSTREAM}

        def one() -> ast.FromStream:
            is_named = self.dialect in named and self.flag()
            return ast.FromStream(self._stream(), is_named, self.window())

        return self.many(one, 0)

    def _stream(self) -> ast.Term:
        self.streams.append(self.iri())
        return self.streams[-1]

    def _register(self, form: ast.Form) -> ast.Register | None:
        names = st.sampled_from(["FullStreets", "count", "select", "P1D", "two words", "", "a"])
        triples = isinstance(form, ast.Construct | ast.Describe)
        match self.dialect:
            case Dialect.CSPARQL | Dialect.CQELS:
                name = self.one_of(self.iri, lambda: self.draw(names))
                every = self.draw(st.none() | DURATIONS)
                return self.maybe(lambda: ast.Register(name, triples and self.flag(), every))
            case Dialect.RSPQL:
                return self.maybe(lambda: ast.Register(self.iri(), True, None, self.draw(KINDS)))
        return None

    def _with_aggregates(self, query: ast.Query) -> ast.Query:
        known = sorted(in_scope(query.where)) if query.where else []
        if self.dialect is not Dialect.CSPARQL or not known:
            return query

        def bound() -> ast.Term:
            return ast.Term(self.draw(st.sampled_from(known)))

        def clause() -> ast.AggregateClause:
            keys = self.draw(st.lists(st.sampled_from(known), max_size=2))
            filters = self.many(lambda: self.expression(1), 0)
            by = tuple(ast.Term(key) for key in keys)
            return ast.AggregateClause(self.new(), self.aggregate(bound), by, filters)

        return replace(query, aggregates=self.many(clause, 0))

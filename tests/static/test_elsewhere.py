"""Graphs that another engine has: asked as text, as much at once as a text can say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pyoxigraph as ox
import pytest
import rdflib
from hypothesis import given
from rdflib.plugins.stores.sparqlstore import SPARQLStore

from askos import select
from askos.algebra import (
    Distinct,
    Exists,
    Filter,
    GraphAccess,
    Join,
    LeftJoin,
    MarkJoin,
    Not,
    Operator,
    OrderBy,
    Path,
    Pattern,
    Ref,
    Slice,
    SortKey,
    Union,
)
from askos.algebra.operators.paths import Link, OneOrMore
from askos.algebra.reference import evaluate as meaning
from askos.errors import StreamError
from askos.prepared import prepare
from askos.sources import Catalogue, Evaluate
from askos.static import Solutions, evaluate, load_graphs
from askos.static.elsewhere import Elsewhere, questions
from askos.terms import BNode, Literal, Solution, Triple, URIRef, Variable, anonymous
from tests.build import EX, G1, W, X, Y, Z, call, pattern, triple
from tests.static.strategies import chains, graphs, layered_plans, static_plans
from tests.static.test_law import counted, indexed

G2, G3 = EX.graph2, EX.graph3
Data = Mapping[URIRef, Sequence[Triple]]


class Engine:
    """Another engine: it notes what it was asked."""

    def __init__(self, data: Iterable[Triple]) -> None:
        self.data = list(data)
        self.asked: list[str] = []

    def __call__(self, text: str) -> Iterable[Solution]:
        self.asked.append(text)
        found = select(text, graph=self.data)
        assert isinstance(found, Solutions)
        return found


def named(data: Data) -> Data:
    """Without blank nodes, which are another engine's own."""
    return {
        iri: [Triple(*(EX.n if isinstance(t, BNode) else t for t in row)) for row in rows]  # type: ignore[arg-type]
        for iri, rows in data.items()
    }


def check(plan: Operator, data: Data) -> None:
    engines = {iri: Engine(data[iri]) for iri in (G1, G2)}
    answered = Elsewhere(engines).answered(plan)
    assert counted(evaluate(answered, {G3: indexed(data)[G3]})) == meaning(plan, data, 0)
    for engine in engines.values():
        assert len(engine.asked) == len(set(engine.asked)), "a text is asked once"


@given(static_plans(), graphs().map(named))
def test_a_plan_over_several_engines_means_the_same(plan: Operator, data: Data) -> None:
    check(plan, data)


@given(chains(), graphs().map(named))
def test_long_joins_mean_the_same(plan: Operator, data: Data) -> None:
    check(plan, data)


@given(static_plans(3), static_plans(3), graphs().map(named))
def test_exists_means_the_same(plan: Operator, inner: Operator, data: Data) -> None:
    check(Filter(Not(Exists(inner)), plan), data)


@given(layered_plans(), graphs().map(named))
def test_made_graphs_mean_the_same(plan: Operator, data: Data) -> None:
    check(plan, data)


# ---- what is asked -----------------------------------------------------------------------------

PARK = [
    triple("t1", "site", "north"),
    triple("t2", "site", "south"),
    triple("t1", "rated", 5),
    triple("north", "part", "coast"),
]
HERE, THERE = GraphAccess(G3), GraphAccess(G1)
SITE, RATED = pattern(X, "site", Y, THERE), pattern(X, "rated", Z, THERE)
P = f"<{EX}"


def asked(plan: Operator) -> list[str]:
    engine = Engine(PARK)
    Elsewhere({G1: engine}).answered(plan)
    return engine.asked


def test_a_part_that_has_a_text_is_asked_as_a_whole() -> None:
    ordered = Slice(0, 1, OrderBy((SortKey(Ref(X)),), LeftJoin(SITE, RATED)))
    assert asked(ordered) == [
        f"SELECT ?x ?y ?z WHERE {{ ?x {P}site> ?y . OPTIONAL {{ ?x {P}rated> ?z . }} }}"
    ]


def test_a_join_with_another_graph_is_split_and_each_side_asked_as_a_whole() -> None:
    here, rated = pattern(X, "p", W, HERE), Filter(call(">", Z, 3), RATED)
    far = pattern(Variable("a"), "part", Variable("b"), THERE)
    assert asked(Join(Join(rated, here), Join(far, SITE))) == [
        f"SELECT ?a ?b WHERE {{ ?a {P}part> ?b . }}",
        f"SELECT ?x ?y ?z WHERE {{ {{ ?x {P}rated> ?z . FILTER (?z > 3) }} ?x {P}site> ?y . }}",
    ]


def test_what_engines_spell_in_their_own_way_is_computed_here() -> None:
    plan = Filter(call("=", call("/", Z, 2), 2), RATED)
    assert asked(plan) == [f"SELECT ?x ?z WHERE {{ ?x {P}rated> ?z . }}"]


def test_of_merged_graphs_the_triples_that_match_are_asked() -> None:
    plan = pattern(X, "site", Y, Distinct(Union(HERE, THERE)))
    assert asked(plan) == [f"SELECT ?o ?p ?s WHERE {{ VALUES (?p) {{ ({P}site>) }} ?s ?p ?o . }}"]


def test_of_a_path_through_merged_graphs_the_links_are_asked() -> None:
    steps = OneOrMore(Link(EX.part))
    assert asked(Path(X, steps, Y, THERE)) == [f"SELECT ?x ?y WHERE {{ ?x {P}part>+ ?y . }}"]
    both = Path(X, steps, Y, Union(HERE, THERE))
    assert asked(both) == [f"SELECT ?o ?p ?s WHERE {{ VALUES (?p) {{ ({P}part>) }} ?s ?p ?o . }}"]


def test_inside_exists_patterns_are_asked() -> None:
    inner = Filter(call("=", Y, W), Join(SITE, RATED))
    plan = Filter(Exists(inner), pattern(X, "p", W, HERE))
    assert asked(plan) == [
        f"SELECT ?x ?y WHERE {{ ?x {P}site> ?y . }}",
        f"SELECT ?x ?z WHERE {{ ?x {P}rated> ?z . }}",
    ]
    mark = MarkJoin(pattern(X, "p", W, HERE), Join(SITE, RATED), variable=Y)
    assert len(asked(mark)) == 1, "a mark join has no such pattern"


def test_a_name_that_no_text_can_say_is_left_to_us() -> None:
    relative = Pattern(X, URIRef("site"), BNode("n"), THERE)
    assert asked(relative) == ["SELECT ?o ?p ?s WHERE { ?s ?p ?o . }"]


def test_a_text_is_asked_once_whatever_the_plan_calls_its_variables() -> None:
    names = anonymous("a"), anonymous("b"), Variable("z-1")
    parts = [Slice(0, None, pattern(name, "site", Y, THERE)) for name in names]
    plan, engine = Union(Union(parts[0], parts[1]), parts[2]), Engine(PARK)
    answered = Elsewhere({G1: engine}).answered(plan)
    assert counted(evaluate(answered, {})) == meaning(plan, {G1: PARK}, 0)
    assert len(engine.asked) == 1


# ---- what is answered --------------------------------------------------------------------------

TURTLE = f"<{EX}t1> <{EX}site> <{EX}north> ; <{EX}rated> 5 . <{EX}t2> <{EX}site> <{EX}south> ."


def of_rdflib() -> Evaluate:
    graph = rdflib.Graph().parse(data=TURTLE, format="turtle")
    return lambda text: graph.query(text).bindings


def store() -> ox.Store:
    store = ox.Store()
    store.load(TURTLE.encode(), format=ox.RdfFormat.TURTLE)
    return store


def solutions(store: ox.Store, text: str) -> ox.QuerySolutions:
    found = store.query(text)
    assert isinstance(found, ox.QuerySolutions)
    return found


def of_pyoxigraph() -> Evaluate:
    park = store()

    def ask(text: str) -> list[dict[str, object]]:
        found = solutions(park, text)
        return [{v.value: row[v] for v in found.variables} for row in found]

    return ask


@pytest.fixture
def endpoint() -> Iterator[str]:
    """A SPARQL endpoint on this machine."""
    park = store()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            (text,) = parse_qs(urlsplit(self.path).query)["query"]
            self.send_response(200)
            self.send_header("Content-Type", "application/sparql-results+xml")
            self.end_headers()
            answer = solutions(park, text).serialize(format=ox.QueryResultsFormat.XML)
            self.wfile.write(answer or b"")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("localhost", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def test_an_engine_may_be_behind_http(endpoint: str) -> None:
    graph = rdflib.Graph(SPARQLStore(endpoint))
    answered = Elsewhere({G1: lambda text: graph.query(text).bindings}).answered(SITE)
    assert counted(evaluate(answered, {})) == meaning(SITE, {G1: PARK}, 0)


@pytest.mark.parametrize("engine", [of_rdflib, of_pyoxigraph])
def test_answers_of_other_libraries_are_taken_as_they_are(engine: Callable[[], Evaluate]) -> None:
    plan = Join(LeftJoin(SITE, RATED), pattern(X, "p", W, HERE))
    here = [triple("t1", "p", 1), triple("t2", "p", 2)]
    answered = Elsewhere({G1: engine()}).answered(plan)
    assert counted(evaluate(answered, indexed({G3: here}))) == meaning(
        plan, {G3: here, G1: PARK}, 0
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("t1", "north")], "is no mapping"),
        ([{"x": "t1", "y": EX.a}], "'t1' is not an RDF term in N-Triples"),
        ([{"x": EX.a, "y": 5}], "'5' is not an RDF term in N-Triples"),
        ([{"x": EX.a}], r"does not bind \?y"),
        ([{"x": EX.a, "y": None}], r"does not bind \?y"),
        ([{"?x": EX.a, "?y": EX.a}], r"binds \?\?x"),
        (7, "TypeError"),
    ],
)
def test_a_wrong_answer_is_refused_with_the_graph_and_the_text(rows: object, message: str) -> None:
    wrong: Evaluate = lambda text: rows  # type: ignore[assignment, return-value] # noqa: E731
    told = rf"<{G1}> gave no answer: .*{message}.*\n  it was asked SELECT \?x \?y WHERE"
    with pytest.raises(StreamError, match=told):
        Elsewhere({G1: wrong}).answered(SITE)


def test_an_error_of_the_engine_is_told_with_the_graph_and_the_text() -> None:
    def down(text: str) -> list[Solution]:
        raise ConnectionError("no route to host")

    told = rf"<{G1}> gave no answer: ConnectionError\('no route .*\n  it was asked SELECT \?x"
    with pytest.raises(StreamError, match=told):
        Elsewhere({G1: down}).answered(SITE)


def test_blank_nodes_are_those_of_one_answer() -> None:
    """Labels may be given anew in every answer, so that equal ones say nothing."""
    blank = Engine(
        [Triple(BNode("n"), EX.site, EX.north), Triple(BNode("n"), EX.rated, Literal(5))]
    )
    together, apart = Join(SITE, RATED), Join(SITE, Slice(0, None, RATED))
    assert len(evaluate(Elsewhere({G1: blank}).answered(together), {})) == 1  # type: ignore[arg-type]
    assert evaluate(Elsewhere({G1: blank}).answered(apart), {}) == []
    again = Elsewhere({G1: blank}).answered(SITE)
    assert Elsewhere({G1: blank}).answered(SITE) == again, "but they are the same in every run"


def test_all_triples_of_a_graph_can_be_loaded() -> None:
    engine = Engine(PARK)
    known = Catalogue().graph(G1, evaluate=engine)
    query = prepare(f"SELECT * FROM <{G1}> {{ ?s ?p ?o }}", sources=known)
    assert set(load_graphs(query)[G1]) == set(PARK)


def test_what_would_be_asked_is_known_before() -> None:
    plan = Join(SITE, pattern(X, "p", W, HERE))
    assert questions(plan, [G1]) == [(G1, f"SELECT ?x ?y WHERE {{ ?x {P}site> ?y . }}")]
    assert questions(plan, []) == []

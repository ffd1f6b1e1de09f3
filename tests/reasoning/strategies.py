"""Random schemas, triples and queries that meet often, cycles and odd schemas among them."""

from __future__ import annotations

from hypothesis import strategies as st

from askos.algebra import Stamped
from askos.sources import Catalogue
from askos.terms import BNode, Literal, Triple, URIRef
from tests.build import EX, G1, S1, S2
from tests.hosts.strategies import LATENESS, Delivery
from tests.reasoning.closing import DOMAIN, RANGE, SUBCLASS, SUBPROPERTY, TYPE

PROPERTIES = [EX.p, EX.q, EX.r]
CLASSES = [EX.A, EX.B, EX.C]


def schemas(*, odd: bool = False) -> st.SearchStrategy[list[Triple]]:
    """`odd` ones also speak of the properties that schemas are written in, and of what cannot be
    a property."""
    properties = st.sampled_from([*PROPERTIES, *([TYPE, SUBCLASS] if odd else [])])
    above: list[URIRef | BNode | Literal] = [*PROPERTIES, TYPE]
    above += [SUBCLASS, SUBPROPERTY, BNode("b"), Literal("x")] if odd else []
    classes = st.sampled_from(CLASSES)
    return st.lists(
        st.one_of(
            st.builds(Triple, properties, st.just(SUBPROPERTY), st.sampled_from(above)),
            st.builds(Triple, classes, st.just(SUBCLASS), classes),
            st.builds(Triple, properties, st.sampled_from([DOMAIN, RANGE]), classes),
        ),
        max_size=6,
    )


def triples() -> st.SearchStrategy[Triple]:
    """Facts, and now and then what looks like a schema and is none, since it comes and goes."""
    subjects = st.sampled_from([EX.a, EX.b, BNode("n"), EX.A])
    objects = st.sampled_from([EX.a, EX.b, EX.A, EX.B, Literal("1")])
    verbs = st.sampled_from([*PROPERTIES, *PROPERTIES, TYPE, SUBCLASS, SUBPROPERTY])
    return st.builds(Triple, subjects, verbs, objects)


@st.composite
def deliveries(draw: st.DrawFn, *, odd: bool = False, most: int = 6) -> Delivery:
    """Streams in order, in two batches each, and a graph of facts beside the schema."""
    batches: list[tuple[URIRef, tuple[Stamped, ...]]] = []
    for source in (S1, S2):
        rows = draw(st.lists(st.tuples(triples(), st.integers(0, 16)), max_size=most))
        stamped = [Stamped(t, at, i) for i, (t, at) in enumerate(sorted(rows, key=lambda r: r[1]))]
        half = len(stamped) // 2
        batches += [(source, tuple(stamped[:half])), (source, tuple(stamped[half:]))]
    batches.sort(key=lambda batch: max((row.at for row in batch[1]), default=0))
    facts = draw(st.lists(triples().filter(_is_fact), max_size=2))
    graph = dict.fromkeys([*draw(schemas(odd=odd)), *facts])
    return Delivery(tuple(batches), tuple(graph))


def _is_fact(triple: Triple) -> bool:
    return triple.predicate not in (SUBCLASS, SUBPROPERTY)


def known(delivery: Delivery) -> Catalogue:
    """The streams, and the graph as their schema."""
    streams = Catalogue().stream(S1, lateness_ms=LATENESS).stream(S2, lateness_ms=LATENESS)
    return streams.graph(G1, delivery.graph, schema=True)


# ---- queries ---------------------------------------------------------------------------------

PREFIXES = f"PREFIX : <{EX}>\nPREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n"
FORMS = ["SELECT *", "SELECT *", "SELECT *", "SELECT (COUNT(*) AS ?n)", "DESCRIBE ?x :a", "ASK"]
BAGS = [
    "FROM STREAM :stream1 WINDOW RANGE 10 SLIDE 5",
    "FROM STREAM :stream1 WINDOW ELEMS 3",
    "FROM STREAM :stream1 WINDOW RANGE 9 SLIDE 2 FROM STREAM :stream2 WINDOW RANGE 4 FIXED",
    "FROM STREAM :stream1 WINDOW RANGE 10 SLIDE 5 FROM :graph1",
    "FROM STREAM :stream1 WINDOW RANGE 10 SLIDE 5 FROM NAMED :graph1",
]
SETS = [
    "FROM STREAM :stream1 [RANGE 10 STEP 5]",
    "FROM STREAM :stream1 [RANGE TRIPLES 3]",
    "FROM STREAM :stream1 [RANGE 6 STEP 3] FROM STREAM :stream2 [RANGE 8 STEP 4]",
    "FROM NAMED STREAM :stream1 [RANGE 10 STEP 5] FROM STREAM :stream2 [RANGE 8 STEP 4]",
]
SUBJECTS = ["?x", "?x", "?x", "?y", ":a", ":A"]
VERBS = [":p", ":q", "a", "a", "?v", "rdfs:subClassOf", "rdfs:subPropertyOf"]
OBJECTS = ["?y", "?y", "?z", "?x", "?v", ":A", ":B", ":a", '"1"']
PATHS = [":p*", ":p+", "(:p|:q)", "^:p", ":p/a", "a?", "!(:p)", "(a/rdfs:subClassOf*)"]


@st.composite
def pattern(draw: st.DrawFn) -> str:
    verbs = st.sampled_from(VERBS)
    if not draw(st.integers(0, 5)):
        verbs = st.sampled_from(PATHS)
    parts = [draw(one) for one in (st.sampled_from(SUBJECTS), verbs, st.sampled_from(OBJECTS))]
    return " ".join(parts)


@st.composite
def groups(draw: st.DrawFn, *, window: bool) -> str:
    one, other = draw(pattern()), draw(pattern())
    again = "WINDOW RANGE 6 SLIDE 3" if window else ""
    shapes = ["{0}", "{0}", "{0}", "{0} . {1}", "{0} OPTIONAL {{ {1} }}", "{0} MINUS {{ {1} }}"]
    shapes += ["{0} FILTER EXISTS {{ {1} }}", "{0} FILTER NOT EXISTS {{ {1} }}"]
    shapes += ["{{ {0} }} UNION {{ {1} {2} }}", "GRAPH ?g {{ {0} }}", "{0} FILTER (?x != :b)"]
    return draw(st.sampled_from(shapes)).format(one, other, again)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Queries in Streaming SPARQL, whose streams are bags, and in C-SPARQL, which has sets."""
    bags = draw(st.booleans())
    clauses = draw(st.sampled_from(BAGS if bags else SETS))
    where = draw(groups(window=bags))
    return f"{PREFIXES}{draw(st.sampled_from(FORMS))} {clauses} WHERE {{ {where} }}"

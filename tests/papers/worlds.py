"""Generated data for the queries that the papers print, in each paper's own vocabulary.

A world is small, drawn from a seed, and such that every query has something to answer; arrivals
come in order, or out of it by at most LATENESS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

from rdflib import Namespace
from rdflib.namespace import DC, FOAF

from askos.algebra import Stamped
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.terms import RDF, XSD, Literal, Term, Triple, URIRef
from tests.build import term

LATENESS: Final = 2_000
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
EX = Namespace("http://papers.example/")
WTUR = Namespace("http://iec.org/61400-25/root/ln/classes/WTUR#")
MY = Namespace("http://src.net/my#")
TD, SRC = URIRef("http://iec.org/61400-25/root/td.rdf"), URIRef("http://src.net/graph.rdf")
DCTERMS = Namespace("http://purl.org/dc/terms/")
SIOC = Namespace("http://rdfs.org/sioc/ns#")
GLUE = Namespace("http://glue.example/users/")
FRIENDS = URIRef("http://glue.example/friends")
INTERACTIONS = URIRef("http://glue.example/interactions")
CITY = Namespace("http://linkedurbandata.org/city#")
TRAFFIC = Namespace("http://linkedurbandata.org/traffic#")
TOLLGATES = URIRef("http://streams.org/citytollgates.trdf")
CAMERAS = URIRef("http://streams.org/citycameras.trdf")
ACCOUNTS = Namespace("http://brokerscentral.org/accounts#")
EXCHANGE = Namespace("http://stockexchange.org/exchanges#")
EXCHANGES = Namespace("http://stockexchanges.org/exchanges#")  # as section 5.2 prints it
BROKERS = URIRef("http://brokerscentral.org/brokers.rdf")
MARKET = URIRef("http://stockexchange.org/market.trdf")
LV = Namespace("http://deri.org/floorplan/")
SWRC = Namespace("http://swrc.ontoware.org/ontology#")
RFID, FLOORPLAN = URIRef("http://deri.org/streams/rfid"), URIRef("http://deri.org/floorplan/")
PUB = Namespace("http://uni-luebeck.de/publications#")
UB = Namespace("http://www.lehigh.edu/~zhp2/2004/0401/univ-bench.owl#")


@dataclass(frozen=True)
class World:
    """Streams by name, each with its arrivals, and graphs; the default graph is always there."""

    streams: Mapping[URIRef, tuple[Stamped, ...]] = field(default_factory=dict)
    graphs: Mapping[URIRef, tuple[Triple, ...]] = field(default_factory=dict)

    @property
    def sources(self) -> Catalogue:
        known = Catalogue()
        for name in self.streams:
            known = known.stream(name, lateness_ms=LATENESS)
        for name, triples in ({DEFAULT_GRAPH: ()} | dict(self.graphs)).items():
            known = known.graph(name, triples)
        return known

    def deliveries(self, seed: object, batches: int = 3) -> list[tuple[URIRef, list[Stamped]]]:
        """What arrives, cut into so many batches of each stream, out of order within LATENESS."""
        rng = Random(str(seed))
        cut: list[tuple[float, URIRef, list[Stamped]]] = []
        for name, rows in self.streams.items():
            late = sorted(rows, key=lambda row: row.at + rng.randint(0, LATENESS))
            size = -(-len(late) // batches)
            parts = [late[place : place + size] for place in range(0, len(late), size)]
            cut += [(turn + rng.random(), name, part) for turn, part in enumerate(parts)]
        return [(name, part) for _, name, part in sorted(cut, key=lambda one: one[0])]

    def __or__(self, other: World) -> World:
        """Both; default graphs merge, other names must not meet."""
        assert not self.streams.keys() & (other.streams.keys() | other.graphs.keys())
        assert self.graphs.keys() & other.graphs.keys() <= {DEFAULT_GRAPH}
        here, there = (one.graphs.get(DEFAULT_GRAPH, ()) for one in (self, other))
        merged = {DEFAULT_GRAPH: tuple(dict.fromkeys([*here, *there]))}
        streams = {**self.streams, **other.streams}
        return World(streams, {**self.graphs, **other.graphs, **merged})


Rows = Iterable[tuple[Term, URIRef, object]]


def graph(rows: Rows) -> tuple[Triple, ...]:
    """Triples, in the order given, each once."""
    return tuple(dict.fromkeys(Triple(s, p, term(o)) for s, p, o in rows))  # type: ignore[arg-type]


def stream(rows: Iterable[tuple[int, Term, URIRef, object]]) -> tuple[Stamped, ...]:
    """Arrivals in order of time, numbered."""
    ordered = sorted(rows, key=lambda row: row[0])
    return tuple(
        Stamped(Triple(s, p, term(o)), at, place)  # type: ignore[arg-type]
        for place, (at, s, p, o) in enumerate(ordered)
    )


def names(kind: str, count: int) -> list[URIRef]:
    return [EX[f"{kind}{number}"] for number in range(count)]


# ---- Streaming SPARQL --------------------------------------------------------------------------


def turbines(rng: Random) -> World:
    """Counters of starts and stops, over an hour and a half."""
    rows = [
        (rng.randrange(90 * MINUTE), turbine, rng.choice([WTUR.StrCnt, WTUR.StopCnt]), count)
        for turbine in names("turbine", 4)
        for count in range(6)
    ]
    return World({TD: stream(rows)})


def _named(rng: Random) -> list[tuple[Term, URIRef, object]]:
    found: list[tuple[Term, URIRef, object]] = []
    for turbine in names("turbine", 5):
        found += [(turbine, MY.name, Literal(rng.choice(["Anna", "Berta", "Clara"])))]
        found += [(turbine, MY.power, rng.randrange(1, 4) * 500)]
    return found


def known_turbines(rng: Random) -> World:
    return World({}, {SRC: graph(_named(rng))})


def named_turbines(rng: Random) -> World:
    rows = [(rng.randrange(3 * SECOND), *row) for row in _named(rng) + _named(rng)]
    return World({SRC: stream(rows)})


# ---- C-SPARQL ----------------------------------------------------------------------------------


def glue(rng: Random) -> World:
    """Who visits what, and who knows whom; posts of a store with the time of their creation."""
    users, topics = [GLUE[f"id{n}"] for n in range(1, 6)], names("topic", 3)
    rows: list[tuple[int, Term, URIRef, object]] = []
    stored: list[tuple[Term, URIRef, object]] = []
    for post in names("post", 16):
        at = rng.randrange(12 * MINUTE)
        rows += [(at, post, RDF.type, SIOC.Post), (at, post, SIOC.topic, rng.choice(topics))]
        rows += [(at + rng.randrange(SECOND), post, SIOC.has_creator, rng.choice(users))]
    for post in names("stored", 12):
        made = f"2009-07-20T22:{rng.randrange(45, 53)}:{rng.randrange(60):02}Z"
        stored += [(post, SIOC.topic, rng.choice(topics))]
        stored += [(post, DCTERMS.created, Literal(made, datatype=XSD.dateTime))]
    known = graph((users[0], FOAF.knows, friend) for friend in rng.sample(users[1:], 3))
    return World({INTERACTIONS: stream(rows)}, {FRIENDS: known, DEFAULT_GRAPH: graph(stored)})


def city(rng: Random) -> World:
    """Two districts of streets with tollgates, and lights at which two cameras look."""
    streets, gates = names("street", 4), names("tollgate", 6)
    districts, lights = names("district", 2), names("light", 2)
    cameras, cars = names("camera", 4), names("car", 8)
    static: list[tuple[Term, URIRef, object]] = [
        *((districts[n % 2], CITY.contains, street) for n, street in enumerate(streets)),
        *((street, CITY.hasCapacity, rng.randrange(2, 6)) for street in streets),
        *((gate, CITY.placedIn, rng.choice(streets)) for gate in gates),
        *((sensor, CITY.placedIn, streets[0]) for sensor in names("sensor", 6)),
        *((camera, CITY.placedAt, lights[n % 2]) for n, camera in enumerate(cameras)),
        *((light, CITY.crossing, street) for light, street in zip(lights, streets, strict=False)),
        (cameras[0], CITY.monitors, CITY["Palm-Street"]),
        (cameras[2], CITY.monitors, CITY["Oak-Avenue"]),
    ]
    passages = [
        (rng.randrange(12 * MINUTE), rng.choice(gates), TRAFFIC.registers, rng.choice(cars))
        for _ in range(24)
    ]
    seen = [
        (rng.randrange(12 * MINUTE), rng.choice(cameras), TRAFFIC.registers, rng.choice(cars))
        for _ in range(16)
    ]
    turned = rng.randrange(5 * MINUTE)
    seen += [
        (turned, cameras[0], TRAFFIC.registers, cars[0]),
        (turned + 90 * SECOND, cameras[2], TRAFFIC.registers, cars[0]),
    ]
    return World(
        {TOLLGATES: stream(passages), CAMERAS: stream(seen)}, {DEFAULT_GRAPH: graph(static)}
    )


def market(rng: Random) -> World:
    """Two days of transactions, and where the brokers are from."""
    brokers = names("broker", 4)
    rows: list[tuple[int, Term, URIRef, object]] = []
    for number, transaction in enumerate(names("transaction", 20)):
        at, broker = 2 * HOUR * number + rng.randrange(10 * HOUR), brokers[number % 4]
        rows += [(at, broker, EXCHANGE.does, transaction)]
        rows += [(at, transaction, EXCHANGE["with"], rng.randrange(5, 40))]
        rows += [(at, transaction, EXCHANGES.seller, broker)]
        rows += [(at, transaction, EXCHANGES["with"], rng.randrange(5, 40))]
    countries = ["CH", "CH", "CH", "IT"]
    known = ((b, ACCOUNTS.is_from, Literal(c)) for b, c in zip(brokers, countries, strict=True))
    return World({MARKET: stream(rows)}, {BROKERS: graph(known)})


# ---- CQELS -------------------------------------------------------------------------------------


def conference(rng: Random) -> World:
    """Who is detected where, over a minute; a floor plan; who wrote with whom, and who edits."""
    rooms, people = names("room", 4), names("person", 5)
    called = dict(zip(people, ["Nora", "Omar", "Pia", "Quin", "Rosa"], strict=True))
    plan: list[tuple[Term, URIRef, object]] = []
    for room, near in zip(rooms, rooms[1:] + rooms[:1], strict=True):
        number = Literal(str(room)[-5:])
        plan += [(room, LV.connected, near), (near, LV.connected, room)]
        plan += [(room, LV.name, number), (room, LV.desc, Literal(f"where {number} is"))]
    papers: list[tuple[Term, URIRef, object]] = [(p, FOAF.name, Literal(called[p])) for p in people]
    for paper in names("paper", 3):
        papers += [(paper, DC.creator, people[0]), (paper, DC.creator, rng.choice(people[1:3]))]
        papers += [(paper, DCTERMS.partOf, EX.proceedings)]
    papers += [(EX.proceedings, SWRC.editor, editor) for editor in people[3:]]
    times = rng.sample(range(60), 50)
    seen = [
        (at * SECOND, people[number % 5], LV.detectedAt, rng.choice(rooms))
        for number, at in enumerate(times)
    ]
    # At the end all whom Nora wrote with are where she comes in.
    seen += [(61 * SECOND, person, LV.detectedAt, rooms[0]) for person in people[1:3]]
    seen += [(62 * SECOND, people[0], LV.detectedAt, rooms[0])]
    return World({RFID: stream(seen)}, {FLOORPLAN: graph(plan), DEFAULT_GRAPH: graph(papers)})


# ---- Groppe et al. -----------------------------------------------------------------------------


def books(rng: Random) -> World:
    """Books that cite each other, some cheap, well rated and sold."""
    shelf, rows = names("book", 8), list[tuple[Term, URIRef, object]]()
    for book in shelf:
        author = Literal(rng.choice(["The Unknown", "Adam Adams"]))
        rows += [
            (book, PUB.title, Literal(f"{author} {str(book)[-1]}")),
            (book, PUB.author, author),
        ]
        rows += [(book, PUB.price, rng.randrange(15, 45)), (book, PUB.cite, rng.choice(shelf))]
        rows += [(book, PUB.rate, float(rng.randrange(3, 9)))] * rng.randrange(2)
        rows += [(book, PUB.shop, EX.shop)] * rng.randrange(2)
    return World({}, {DEFAULT_GRAPH: graph(rows)})


def university(rng: Random) -> World:
    """LUBM's vocabulary, with what its ontology would add written out: a department of few."""
    home, department = URIRef("http://www.University0.edu"), _department()
    rows: list[tuple[Term, URIRef, object]] = [
        (home, RDF.type, UB.University),
        (department, RDF.type, UB.Department),
        (department, UB.subOrganizationOf, home),
        *((EX[f"group{n}"], RDF.type, UB.ResearchGroup) for n in range(2)),
        *((EX[f"group{n}"], UB.subOrganizationOf, home) for n in range(2)),
    ]
    courses = [_department(f"GraduateCourse{n}") for n in range(3)]
    rows += [(c, RDF.type, kind) for c in courses for kind in (UB.Course, UB.GraduateCourse)]
    staff = [_department(f"{rank}Professor0") for rank in ("Full", "Associate", "Assistant")]
    for number, professor in enumerate(staff):
        kinds = [UB.Person, UB.Faculty, UB.Professor, *([UB.Chair] if number == 0 else [])]
        rows += [(professor, RDF.type, kind) for kind in kinds]
        rows += [(professor, UB.worksFor, department), (professor, UB.memberOf, department)]
        rows += [(professor, UB.teacherOf, courses[number]), *_contact(professor, number)]
    for number, paper in enumerate(names("publication", 4)):
        rows += [
            (paper, RDF.type, UB.Publication),
            (paper, UB.publicationAuthor, staff[number % 3]),
        ]
        rows += [(paper, UB.publicationAuthor, staff[2])]
    for number, student in enumerate(names("student", 8)):
        own = UB.GraduateStudent if number % 2 else UB.UndergraduateStudent
        teacher = rng.randrange(3)
        rows += [(student, RDF.type, kind) for kind in (UB.Person, UB.Student, own)]
        rows += [(student, UB.memberOf, department), *_contact(student, number)]
        rows += [(student, UB.undergraduateDegreeFrom, home), (home, UB.hasAlumnus, student)]
        rows += [(student, UB.advisor, staff[teacher])]
        rows += [(student, UB.takesCourse, courses[n]) for n in {teacher, number % 3, 0}]
    return World({}, {DEFAULT_GRAPH: graph(rows)})


def _department(member: str = "") -> URIRef:
    return URIRef("http://www.Department0.University0.edu" + (f"/{member}" if member else ""))


def _contact(person: URIRef, number: int) -> list[tuple[Term, URIRef, object]]:
    return [
        (person, UB.name, Literal(f"name {number}")),
        (person, UB.emailAddress, Literal(f"{number}@university.example")),
        (person, UB.telephone, Literal(f"555-{number}")),
    ]


WORLDS: Final[Mapping[str, Callable[[Random], World]]] = {
    made.__name__: made
    for made in (
        turbines,
        known_turbines,
        named_turbines,
        glue,
        city,
        market,
        conference,
        books,
        university,
    )
}


def world(name: str, seed: int = 0) -> World:
    """That world, as the seed has it."""
    return WORLDS[name](Random(f"{name} {seed}"))

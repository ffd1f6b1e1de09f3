"""The results that the papers print, from the queries and the data that they print.

Two of them cannot come from the printed query: the true answer stands beside the table, which a
corrected query gives.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from askos import select
from askos.algebra.reference import evaluate
from askos.io import read_nquads
from askos.prepared import Prepared, prepare
from askos.sources import DEFAULT_GRAPH
from askos.static.queries import Solutions
from askos.terms import XSD, Literal, Solution, Term, Triple, URIRef, Variable, parse_term
from tests.hosts.three import difference
from tests.oracles.hosts import Answers, Deliveries, harness, local, reference
from tests.papers.printed import text_of
from tests.papers.worlds import (
    CITY,
    DCTERMS,
    FLOORPLAN,
    INTERACTIONS,
    LV,
    MINUTE,
    PUB,
    RFID,
    SECOND,
    SIOC,
    TOLLGATES,
    TRAFFIC,
    World,
    graph,
    stream,
)

# ---- how a result is found ---------------------------------------------------------------------


def told(text: str, data: World) -> Answers:
    """What the hosts report, which is what the reference does."""
    query = prepare(text, sources=data.sources)
    given = data.deliveries(0)
    want = reference(query, given)
    check(query, given, want)
    return want


def check(query: Prepared, given: Deliveries, want: Answers) -> None:
    assert difference(want, local(query, given, 2)) is None
    assert difference(want, harness(query, given, 2, 1)) is None


def table(answers: Answers, *columns: str) -> dict[int, set[tuple[object, ...]]]:
    """The rows of each report that has some, as Python values and local names."""
    return {
        answer.at: {cells(row, *columns) for row in answer.rows}
        for answer in answers
        if answer.rows
    }


def triples(answers: Answers) -> dict[int, set[tuple[object, ...]]]:
    """The same of reports of triples."""
    return {answer.at: {cells(row) for row in answer.rows} for answer in answers}


def cells(row: object, *columns: str) -> tuple[object, ...]:
    if isinstance(row, Solution):
        return tuple(_short(row.get(Variable(name))) for name in columns)
    assert isinstance(row, Triple)
    return tuple(map(_short, row))


def _short(term: Term | None) -> object:
    if isinstance(term, URIRef):
        return str(term).rpartition("#")[2].rpartition("/")[2]
    return None if term is None else term.toPython()


# ---- C-SPARQL 2010 -----------------------------------------------------------------------------

PASSAGES = World(
    {
        TOLLGATES: stream(
            (at * SECOND, CITY[gate], TRAFFIC.registers, Literal(car))
            for gate, car, at in (
                ("Distr1", "156", 100),
                ("Distr2", "75", 101),
                ("Distr1", "130", 102),
                ("Distr2", "95", 103),
                ("Distr3", "65", 104),
            )
        )
    }
)


def test_the_stream_of_section_2_1_counted_per_tollgate() -> None:
    """C-SPARQL 2010: the table of section 2.1 under the query of section 2.3; t100 is 100 s."""
    found = table(
        told(text_of("csparql-2010/passages-per-tollgate"), PASSAGES), "tollgate", "passages"
    )
    counts = {("Distr1", 2), ("Distr2", 2), ("Distr3", 1)}
    assert found == {minute * MINUTE: counts for minute in range(2, 12)}


T400, T401 = 400 * 5 * MINUTE, 401 * 5 * MINUTE
ENTERED = {T400: {"Distr1": 100, "Distr2": 75}, T401: {"Distr1": 130, "Distr2": 95, "Distr3": 65}}


def entering() -> World:
    """Cars that make the table of section 2.5: 40 of the first district's leave the window."""
    left = T400 - 29 * MINUTE
    still = T400 - MINUTE
    counts = {
        "Distr1": [(left, 40), (still, 60), (T400 + MINUTE, 70)],
        "Distr2": [(still, 75), (T400 + MINUTE, 20)],
        "Distr3": [(T400 + MINUTE, 65)],
    }
    rows: list[tuple[int, Term, URIRef, object]] = []
    static: list[tuple[Term, URIRef, object]] = []
    for name, parts in counts.items():
        gate, street = CITY[f"gate-of-{name}"], CITY[f"street-of-{name}"]
        static += [(CITY[name], CITY.contains, street), (gate, CITY.placedIn, street)]
        for at, count in parts:
            cars = (Literal(f"{name}/{at}/{number}") for number in range(count))
            rows += [(at, gate, TRAFFIC.registers, car) for car in cars]
    return World({TOLLGATES: stream(rows)}, {DEFAULT_GRAPH: graph(static)})


def test_the_counts_of_section_2_5_come_from_a_query_that_groups_by_district() -> None:
    """C-SPARQL 2010: two evaluations of the stream of cars per district, at t400 and t401."""
    found = triples(told(text_of("csparql-2010/cars-entering-per-district-corrected"), entering()))
    assert {at: found[at] for at in ENTERED} == {
        at: {(name, "has-entering-cars", count) for name, count in counts.items()}
        for at, counts in ENTERED.items()
    }


def test_as_section_2_5_prints_it_every_count_is_one() -> None:
    """It groups by district, tollgate and car: of each there is one in a window, which is a set."""
    found = triples(told(text_of("csparql-2010/cars-entering-per-district-stream"), entering()))
    assert {at: found[at] for at in ENTERED} == {
        at: {(name, "has-entering-cars", 1) for name in counts} for at, counts in ENTERED.items()
    }


# ---- C-SPARQL 2009 -----------------------------------------------------------------------------


def glue_snapshot() -> str:
    """Section 3.2, as the N-Quads that section 3.1 adopts; underscores where the text lost them."""
    first, one, two = ("22:48:52", "22:48:54", "22:48:55")
    rows = [
        ("glueinter:i1", "rdf:type", "sioc:Post", first),
        ("glueinter:i1", "sioc:content", '"The Proposal on imdb.com"', first),
        ("glueinter:i1", "sioc:has_container", "<http://www.getglue.com>", first),
        ("glueinter:i1", "dc:title", '"The Proposal"', first),
        ("glueuser:id1", "rdf:type", "sioc:User", first),
        ("glueinter:i1", "sioc:has_creator", "glueuser:id1", first),
        ("glueinter:i1", "sioc:topic", "gluecat:movies", first),
        ("glueinter:i2", "rdf:type", "sioc:Post", one),
        ("glueinter:i2", "sioc:content", '"Mario Kart Wii on gamefaqs.com"', two),
        ("glueinter:i2", "sioc:has_container", "<http://www.getglue.com>", two),
        ("glueinter:i2", "dc:title", '"Mario Kart Wii"', two),
        ("glueuser:id2", "rdf:type", "sioc:User", two),
        ("glueinter:i2", "sioc:has_creator", "glueuser:id2", two),
        ("glueinter:i2", "sioc:topic", "gluecat:video_games", two),
    ]
    prefixes = {
        "glueinter": "http://glue.example/interactions/",
        "glueuser": "http://glue.example/users/",
        "gluecat": "http://glue.example/categories/",
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "sioc": str(SIOC),
        "dc": "http://purl.org/dc/elements/1.1/",
    }

    def written(name: str) -> str:
        prefix, _, local = name.partition(":")
        return f"<{prefixes[prefix]}{local}>" if prefix in prefixes else name

    return "".join(
        f'{written(s)} {written(p)} {written(o)} "2009-07-20T{at}Z"^^<{XSD.dateTime}> .\n'
        for s, p, o, at in rows
    )


MIDNIGHT = 1_248_048_000_000  # 2009-07-20T00:00:00Z
UNTIL = MIDNIGHT + (22 * 60 + 50) * MINUTE  # what the plain query counts until


def test_the_snapshot_of_glue_counted_by_window_and_by_filter(tmp_path: Path) -> None:
    """C-SPARQL 2009, sections 3.2 and 5: the last three minutes as a window, and in plain SPARQL
    over posts that say when they were made."""
    file = tmp_path / "glue.nq"
    file.write_text(glue_snapshot(), encoding="utf-8")
    read, rejected = read_nquads(file)
    assert not len(rejected)
    rows = stream(
        (row["ts"], *(parse_term(row[name]) for name in "spo")) for row in read.to_pylist()
    )
    text = text_of("csparql-2009/count-users-per-topic")
    found = table(told(text, World({INTERACTIONS: rows})), "topic", "number")
    assert min(found) == MIDNIGHT + (22 * 60 + 49) * MINUTE  # the next of every 10 s
    assert found[UNTIL] == {("movies", 1), ("video_games", 1)}
    created = [
        Triple(row.triple.subject, DCTERMS.created, _date_time(row.at))
        for row in rows
        if row.triple.predicate == SIOC.topic
    ]
    posts = [*(row.triple for row in rows), *created]
    plain = select(text_of("csparql-2009/count-in-plain-sparql"), graph=posts)
    assert isinstance(plain, Solutions)
    assert {cells(row, "topic", "number") for row in plain} == found[UNTIL]


def _date_time(at: int) -> Literal:
    seconds = (at - MIDNIGHT) // SECOND
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return Literal(f"2009-07-20T{clock}Z", datatype=XSD.dateTime)


# ---- CQELS -------------------------------------------------------------------------------------

ROOMS = [("r1", "r2"), ("r1", "r3"), ("r2", "r1"), ("r3", "r1")]
DETECTED = [("m0", "r1"), ("m1", "r2"), ("m2", "r1"), ("m3", "r2")]
LOCALISATION = World(
    {
        RFID: stream(
            (at * SECOND, LV[who], LV.detectedAt, LV[room])
            for at, (who, room) in enumerate(DETECTED)
        )
    },
    {FLOORPLAN: graph((LV[here], LV.connected, LV[there]) for here, there in ROOMS)},
)
TABLE_1 = {1: ("m0", "m1"), 2: ("m1", "m2"), 3: ("m2", "m3")}


@pytest.mark.parametrize(
    ("window", "content"),
    [
        ("NOW", [["m0"], ["m1"], ["m2"], ["m3"]]),
        ("RANGE 2s", [["m0"], ["m0", "m1"], ["m1", "m2"], ["m2", "m3"]]),
    ],
)
def test_the_windows_of_table_1(window: str, content: list[list[str]]) -> None:
    """CQELS, Table 1, the columns Γ1 and Γ2, where T = 2 and a tick is a second."""
    text = f"SELECT ?p {{ STREAM <{RFID}> [{window}] {{ ?p <{LV.detectedAt}> ?l }} }}"
    query = prepare(text, sources=LOCALISATION.sources)
    for tick, people in enumerate(content):
        bag = evaluate(query.canonical, dict(LOCALISATION.streams), tick * SECOND)
        assert {cells(row, "p") for row in bag} == {(person,) for person in people}


def test_table_1_comes_from_a_query_that_turns_the_template_round() -> None:
    found = triples(told(text_of("cqels/q2-corrected"), LOCALISATION))
    assert found == {at * SECOND: {(a, "reachable", b)} for at, (a, b) in TABLE_1.items()}


def test_as_q2_is_printed_the_one_just_detected_comes_first() -> None:
    found = triples(told(text_of("cqels/q2"), LOCALISATION))
    assert found == {at * SECOND: {(b, "reachable", a)} for at, (a, b) in TABLE_1.items()}


# ---- Groppe et al. -----------------------------------------------------------------------------

UNKNOWN = Literal("The Unknown")
FIGURE_1 = graph(
    [
        (PUB.book1, PUB.title, Literal("Twenty Two")),
        (PUB.book1, PUB.price, 22),
        (PUB.book1, PUB.cite, PUB.book2),
        (PUB.book1, PUB.author, UNKNOWN),
        (PUB.book1, PUB.rate, Literal("6.0", datatype=XSD.decimal)),
        (PUB.book1, PUB.shop, URIRef("http://www.my-bookshop.com/")),
        (PUB.book2, PUB.title, Literal("Fourty Two")),
        (PUB.book2, PUB.price, 42),
        (PUB.book2, PUB.cite, PUB.book1),
        (PUB.book2, PUB.author, UNKNOWN),
        (PUB.book3, PUB.title, Literal("The Beginners")),
        (PUB.book3, PUB.price, 23),
        (PUB.book3, PUB.author, Literal("Adam Adams")),
    ]
)
FIGURE_3 = {("Twenty Two", "The Unknown", ""), ("Fourty Two", "The Unknown", None)}
"""The shop of the first book is the site itself, whose IRI ends in a slash."""


def test_figure_3_is_the_answer_of_figure_2_over_figure_1() -> None:
    """Groppe et al., section 2: by `select`, and by the hosts, for which it holds for ever."""
    text, columns = text_of("groppe/figure-2"), ("title", "author", "shop")
    found = select(text, graph=FIGURE_1)
    assert isinstance(found, Solutions)
    assert len(found) == 2
    assert {cells(row, *columns) for row in found} == FIGURE_3
    data = World({}, {DEFAULT_GRAPH: FIGURE_1})
    query = prepare(text, sources=data.sources)
    want = reference(query, [])
    check(query, [], want)
    assert {cells(element.item, *columns) for element in want} == FIGURE_3

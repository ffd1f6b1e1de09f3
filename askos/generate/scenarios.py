"""Data in the shape of the papers' other scenarios: a city, brokers, a social site, a conference,
books and a university.

Each is drawn by a seed, at any size, and such that the papers' queries have something to answer.
What they call things is kept, stand-ins are below `example`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from askos.generate.vocabulary import XSD
from askos.io import write_nquads

EX: Final = "http://papers.example/"
CITY: Final = "http://linkedurbandata.org/city#"
TRAFFIC: Final = "http://linkedurbandata.org/traffic#"
SIOC: Final = "http://rdfs.org/sioc/ns#"
FOAF: Final = "http://xmlns.com/foaf/0.1/"
GLUE: Final = "http://glue.example/users/id"
ACCOUNTS: Final = "http://brokerscentral.org/accounts#"
EXCHANGE: Final = "http://stockexchange.org/exchanges#"
FLOOR: Final = "http://deri.org/floorplan/"
DC: Final = "http://purl.org/dc/elements/1.1/"
DCTERMS: Final = "http://purl.org/dc/terms/"
SWRC: Final = "http://swrc.ontoware.org/ontology#"
PUB: Final = "http://uni-luebeck.de/publications#"
UB: Final = "http://www.lehigh.edu/~zhp2/2004/0401/univ-bench.owl#"
TYPE: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_START: Final = 1_780_272_000_000  # 2026-06-01
_MINUTE: Final = 60_000
_NAMES: Final = ("Nora", "Omar", "Pia", "Quin", "Rosa", "Sven", "Tara", "Udo")

Integers: TypeAlias = npt.NDArray[np.int64]
Texts: TypeAlias = pa.Array
Drawn: TypeAlias = np.random.Generator
Column: TypeAlias = Texts | str
"""Terms as N-Triples has them; one text for all rows."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Streams and graphs by name: tables with the columns s, p, o, and of a stream ts."""

    streams: Mapping[str, pa.Table]
    graphs: Mapping[str, pa.Table]

    def write(self, folder: Path) -> list[Path]:
        """Each into a file, streams as N-Quads and graphs as N-Triples."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in self.streams.items():
            write_nquads(rows, folder / f"{name}.nq")
        for name, rows in self.graphs.items():
            lines = pc.binary_join_element_wise(rows["s"], rows["p"], rows["o"], ".\n", " ")
            (folder / f"{name}.nt").write_text("".join(lines.to_pylist()), encoding="utf-8")
        return [
            *(folder / f"{name}.nq" for name in self.streams),
            *(folder / f"{name}.nt" for name in self.graphs),
        ]


def scenario(name: str, size: int, seed: int) -> Scenario:
    """One of `SCENARIOS`: of about so many rows in its largest stream or graph."""
    return SCENARIOS[name](np.random.default_rng([seed, *name.encode()]), size)


# ---- terms and rows --------------------------------------------------------------------------


def iri(text: str) -> str:
    """A name.

    >>> iri("urn:a")
    '<urn:a>'
    """
    return f"<{text}>"


def iris(prefix: str, numbers: Integers) -> Texts:
    """Names that differ in a number."""
    return pc.binary_join_element_wise(f"<{prefix}", pa.array(numbers).cast(pa.string()), ">", "")


def integers(numbers: Integers) -> Texts:
    """Whole numbers."""
    return _quoted(pa.array(numbers).cast(pa.string()), f"^^<{XSD}integer>")


def strings(texts: Iterable[str]) -> Texts:
    """Words without anything that is to be escaped."""
    return _quoted(pa.array(list(texts), pa.string()), "")


def _quoted(texts: Texts, kind: str) -> Texts:
    return pc.binary_join_element_wise('"', texts, f'"{kind}', "")


def graph(*parts: tuple[Column, str, Column]) -> pa.Table:
    """Triples; each part has one predicate."""
    return pa.concat_tables([_table(part) for part in parts])


def stream(*parts: tuple[Column, str, Column, Integers]) -> pa.Table:
    """The same with times, in milliseconds from the start, and in their order."""
    tables = [_table(part[:3]).append_column("ts", pa.array(part[3] + _START)) for part in parts]
    return pa.concat_tables(tables).sort_by("ts")


def _table(part: tuple[Column, str, Column]) -> pa.Table:
    subject, predicate, value = part
    size = next((len(c) for c in (subject, value) if not isinstance(c, str)), 1)
    columns = (subject, iri(predicate), value)
    return pa.table([_filled(column, size) for column in columns], names=["s", "p", "o"])


def _filled(column: Column, size: int) -> Texts:
    return pa.repeat(pa.scalar(column), size) if isinstance(column, str) else column


def _times(drawn: Drawn, size: int, minutes: int) -> Integers:
    return np.sort(drawn.integers(0, minutes * 60, size)) * 1000


# ---- C-SPARQL --------------------------------------------------------------------------------


def city(drawn: Drawn, size: int) -> Scenario:
    """Streets of three districts, tollgates that register cars, and cameras at traffic lights."""
    streets, gates, cameras = np.arange(6), np.arange(9), np.arange(6)
    cars = max(size // 4, 3)
    passing, seen = drawn.integers(0, len(gates), size), drawn.integers(0, 2, size // 2) * 3
    static = graph(
        (iris(f"{EX}district", streets % 3), f"{CITY}contains", iris(f"{EX}street", streets)),
        (iris(f"{EX}street", streets), f"{CITY}hasCapacity", integers(3 + streets)),
        (iris(f"{EX}gate", gates), f"{CITY}placedIn", iris(f"{EX}street", gates % 6)),
        (iris(f"{EX}camera", cameras), f"{CITY}placedAt", iris(f"{EX}light", cameras % 3)),
        (iris(f"{EX}light", cameras[:3]), f"{CITY}crossing", iris(f"{EX}street", cameras[:3])),
        (iri(f"{EX}camera0"), f"{CITY}monitors", iri(f"{CITY}Palm-Street")),
        (iri(f"{EX}camera3"), f"{CITY}monitors", iri(f"{CITY}Oak-Avenue")),
    )
    registers = f"{TRAFFIC}registers"
    by_gates = stream(
        (
            iris(f"{EX}gate", passing),
            registers,
            iris(f"{EX}car", drawn.integers(0, cars, size)),
            _times(drawn, size, 15),
        )
    )
    by_cameras = stream(
        (
            iris(f"{EX}camera", seen),
            registers,
            iris(f"{EX}car", drawn.integers(0, cars, len(seen))),
            _times(drawn, len(seen), 15),
        )
    )
    return Scenario({"tollgates": by_gates, "cameras": by_cameras}, {"city": static})


def brokers(drawn: Drawn, size: int) -> Scenario:
    """Three days of transactions, and where the brokers are from."""
    who, what = np.arange(5), np.arange(size)
    times = _times(drawn, size, 3 * 24 * 60)
    market = stream(
        (
            iris(f"{EX}broker", drawn.integers(0, 5, size)),
            f"{EXCHANGE}does",
            iris(f"{EX}transaction", what),
            times,
        ),
        (
            iris(f"{EX}transaction", what),
            f"{EXCHANGE}with",
            integers(drawn.integers(5, 400, size)),
            times,
        ),
    )
    countries = strings(("CH", "IT", "CH", "DE", "CH"))
    known = graph((iris(f"{EX}broker", who), f"{ACCOUNTS}is_from", countries))
    return Scenario({"market": market}, {"brokers": known})


def social(drawn: Drawn, size: int) -> Scenario:
    """Two hours of a site on which people say what they look at, and who knows whom."""
    posts, times = np.arange(size), _times(drawn, size, 120)
    post = iris(f"{EX}post", posts)
    told = stream(
        (post, TYPE, iri(f"{SIOC}Post"), times),
        (post, f"{SIOC}topic", iris(f"{EX}topic", drawn.geometric(0.4, size) % 6), times),
        (post, f"{SIOC}has_creator", iris(GLUE, drawn.integers(2, 12, size)), times + 400),
    )
    friends = graph((iri(f"{GLUE}1"), f"{FOAF}knows", iris(GLUE, np.array([3, 5, 8]))))
    return Scenario({"interactions": told}, {"friends": friends})


# ---- CQELS -----------------------------------------------------------------------------------


def conference(drawn: Drawn, size: int) -> Scenario:
    """Who is detected in which room, a floor plan, and who wrote and edited what.

    Each second somebody is, who mostly goes to a room next door.
    """
    rooms, people = np.arange(6), np.arange(len(_NAMES))
    who, steps = drawn.integers(0, len(people), size), drawn.integers(-1, 2, size)
    where = np.empty(size, np.int64)
    for person in people:
        where[who == person] = np.cumsum(steps[who == person]) % len(rooms)
    times = np.arange(size) * 1_000 + drawn.integers(0, 1_000, size)
    seen = stream((iris(f"{EX}person", who), f"{FLOOR}detectedAt", iris(f"{EX}room", where), times))
    room, near = iris(f"{EX}room", rooms), iris(f"{EX}room", (rooms + 1) % len(rooms))
    plan = graph(
        (room, f"{FLOOR}connected", near),
        (near, f"{FLOOR}connected", room),
        (room, f"{FLOOR}name", strings(f"R{number}" for number in rooms)),
        (room, f"{FLOOR}desc", strings(f"floor {number // 3}" for number in rooms)),
    )
    return Scenario({"rfid": seen}, {"floorplan": plan, "papers": _papers(people)})


def _papers(people: Integers) -> pa.Table:
    """The first of them has written something with each of the others but the last, who edits."""
    papers = iris(f"{EX}paper", people[1:-1])
    return graph(
        (iris(f"{EX}person", people), f"{FOAF}name", strings(_NAMES)),
        (papers, f"{DC}creator", iri(f"{EX}person0")),
        (papers, f"{DC}creator", iris(f"{EX}person", people[1:-1])),
        (papers, f"{DCTERMS}partOf", iri(f"{EX}proceedings")),
        (iri(f"{EX}proceedings"), f"{SWRC}editor", iris(f"{EX}person", people[-1:])),
    )


# ---- Groppe et al. ---------------------------------------------------------------------------


def books(drawn: Drawn, size: int) -> Scenario:
    """Books that cite each other; some are cheap, well rated, and in a shop."""
    numbers = np.arange(max(size // 6, 2))
    book, sold = iris(f"{EX}book", numbers), drawn.random(len(numbers)) < 0.6
    some = iris(f"{EX}book", numbers[sold])
    authors = drawn.integers(0, max(len(numbers) // 4, 2), len(numbers))
    shelf = graph(
        (book, f"{PUB}title", strings(f"Book {number}" for number in numbers)),
        (book, f"{PUB}author", strings(f"Author {number}" for number in authors)),
        (book, f"{PUB}cite", iris(f"{EX}book", drawn.integers(0, len(numbers), len(numbers)))),
        (book, f"{PUB}price", integers(drawn.integers(10, 50, len(numbers)))),
        (some, f"{PUB}rate", integers(drawn.integers(1, 10, sold.sum()))),
        (some, f"{PUB}shop", iri(f"{EX}shop")),
    )
    return Scenario({}, {"books": shelf})


def university(drawn: Drawn, size: int) -> Scenario:
    """A department in LUBM's words, with the classes that its ontology would add written out."""
    home = "http://www.Department0.University0.edu"
    students = np.arange(max(size // 6, 4))
    professors, courses = np.arange(6), np.arange(12)
    student, professor = iris(f"{home}/Student", students), iris(f"{home}/Professor", professors)
    course = iris(f"{home}/GraduateCourse", courses)
    taken = drawn.integers(0, len(courses), len(students))
    advisors = drawn.integers(0, len(professors), len(students))
    facts = graph(
        (student, TYPE, iri(f"{UB}GraduateStudent")),
        (student, TYPE, iri(f"{UB}Student")),
        (student, f"{UB}memberOf", iri(home)),
        (student, f"{UB}takesCourse", iris(f"{home}/GraduateCourse", taken)),
        (student, f"{UB}advisor", iris(f"{home}/Professor", advisors)),
        (professor, TYPE, iri(f"{UB}Professor")),
        (professor, TYPE, iri(f"{UB}Faculty")),
        (professor, f"{UB}worksFor", iri(home)),
        (professor, f"{UB}name", strings(f"Professor {number}" for number in professors)),
        (professor, f"{UB}emailAddress", strings(f"p{n}@university.example" for n in professors)),
        (professor, f"{UB}telephone", strings(f"555-{number}" for number in professors)),
        (iris(f"{home}/Professor", courses % 6), f"{UB}teacherOf", course),
        (course, TYPE, iri(f"{UB}Course")),
    )
    return Scenario({}, {"university": facts})


SCENARIOS: Final[Mapping[str, Callable[[Any, int], Scenario]]] = {
    made.__name__: made for made in (city, brokers, social, conference, books, university)
}

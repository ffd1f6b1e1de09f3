"""CityBench: its sample streams as RDF, its queries in three dialects, and what they answer by
the definition of their windows and an engine that is not ours.

The benchmark replays its files: row n of a stream is observed n times its period after the start.
A row is one observation of every property that the sensor observes, as SensorRepository says.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

import pyoxigraph as ox
from rdflib import Namespace

from askos.algebra import Stamped
from askos.prepared import Prepared, prepare
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.terms import RDF, XSD, Literal, Solution, Term, Triple, URIRef, Variable, n3, parse_term
from tests.suites import suite

SES = Namespace("http://www.insight-centre.org/dataset/SampleEventService#")
SSN = Namespace("http://purl.oclc.org/NET/ssnx/ssn#")
SAO = Namespace("http://purl.oclc.org/NET/sao/")
CT = Namespace("http://www.insight-centre.org/citytraffic#")
BASE: Final = "http://citybench/"
QUERIES: Final = tuple(f"Q{number}" for number in range(1, 12))
DIALECTS: Final = ("csparql", "cqels", "rspql", "rspql of the suite")
STEP: Final = 1_000

# How far apart the rows of a stream are replayed, and which column is the value of a property.
_PERIODS: Final = {"Traffic": 1_000, "Weather": 3_100, "Parking": 1_200, "Pollution": 1_100}
_COLUMNS: Final = {
    "CongestionLevel": "vehicleCount",
    "VehicleCount": "vehicleCount",
    "AvgSpeed": "avgSpeed",
    "MeasureTime": "avgMeasuredTime",
    "EstimatedTime": "medianMeasuredTime",
    "Temperature": "tempm",
    "Humidity": "hum",
    "WindSpeed": "wspdm",
    "ParkingVacancy": "vehiclecount",
    "API": "ozone",
}
_GRAPHS: Final = {
    "SensorRepository": "SensorRepository",
    "culturalevents": "AarhusCulturalEvents",
    "libraryevents": "AarhusLibraryEvents",
    "AarhusCulturalEvents": "AarhusCulturalEvents",
    "AarhusLibraryEvents": "AarhusLibraryEvents",
}
_BEFORE: Final = 112  # rows before the user comes near the city
_EVENTS: Final = 4  # of each file: the queries multiply them with everything else


def _folder() -> Path:
    return suite("rsp") / "citybench"


# ---- static data -------------------------------------------------------------------------------


@cache
def graph(file: str) -> tuple[Triple, ...]:
    """A slice of a file: what the queries ask of it, for their sensors, or for some events."""
    store = ox.Store()
    store.load(path=str(_folder() / "data" / "dataset" / f"{file}.n3"), format=ox.RdfFormat.TURTLE)
    found: Any = store.query(_SENSORS if file == "SensorRepository" else _events(store))
    return tuple(sorted({Triple(*map(_term, triple)) for triple in found}, key=str))  # type: ignore[arg-type]


_PREFIXES: Final = (
    f"PREFIX ses: <{SES}> PREFIX ssn: <{SSN}> PREFIX sao: <{SAO}> PREFIX ct: <{CT}>\n"
)
_SENSORS: Final = f"""{_PREFIXES}
CONSTRUCT {{
  ?s ssn:observes ?p . ?p a ?k ; ssn:isPropertyOf ?f .
  ?f ct:hasStartLatitude ?lat ; ct:hasStartLongitude ?lon
}} WHERE {{
  ?s ssn:observes ?p . ?p a ?k
  FILTER REGEX(STR(?s), "Parking|UserLocation|Weather|Data(158505|182955|201399|184892|197626)$")
  OPTIONAL {{ ?p ssn:isPropertyOf ?f . ?f ct:hasStartLatitude ?lat ; ct:hasStartLongitude ?lon }}
}}"""


def _events(store: ox.Store) -> str:
    """Some events, whose places have names instead of blank nodes."""
    chosen = "?e ssn:featureOfInterest ?f ; sao:value ?t . ?f ct:hasFirstNode ?n"
    some: Any = store.query(f"{_PREFIXES} SELECT ?e {{ {chosen} }} ORDER BY ?e LIMIT {_EVENTS}")
    names = " ".join(f"<{row['e'].value}>" for row in some)
    return f"""{_PREFIXES}
CONSTRUCT {{
  ?e a ?k ; ssn:featureOfInterest ?f ; sao:value ?t .
  ?f ct:hasFirstNode ?node . ?node ct:hasLatitude ?lat ; ct:hasLongitude ?lon
}} WHERE {{
  VALUES ?e {{ {names} }} {chosen} . ?e a ?k . ?n ct:hasLatitude ?lat ; ct:hasLongitude ?lon
  BIND(IRI(CONCAT(STR(?f), "/node")) AS ?node)
}}"""


def _term(found: object) -> Term:
    return parse_term(str(found))


# ---- streams -----------------------------------------------------------------------------------


@cache
def stream(name: URIRef, rows: int) -> tuple[Stamped, ...]:
    """The first rows of a stream, replayed."""
    found: list[Stamped] = []
    for number, values in enumerate(_rows(name, rows)):
        at = (number + 1) * _period(name) + 50
        for kind, value in values.items():
            found += [Stamped(t, at + 40, len(found)) for t in _observed(name, number, kind, value)]
    return tuple(found)


def _period(name: URIRef) -> int:
    return next((time for kind, time in _PERIODS.items() if kind in name), 900)


def _rows(name: URIRef, rows: int) -> Iterator[Mapping[str, str]]:
    """What the sensor observes of each row, by the kind of property."""
    file = _folder() / "data" / "streams" / f"{name.removeprefix(SES)}.stream"
    lines = file.read_text(encoding="utf-8").splitlines()
    if name == SES.UserLocationService:
        near = lines[_BEFORE : _BEFORE + rows]
        yield from ({"Location": line.partition("|")[2]} for line in near)
        return
    kinds = [kind for kind in _COLUMNS if kind in _properties(name)]
    for row in csv.DictReader(lines[: rows + 1]):
        yield {kind: row[_COLUMNS[kind]] for kind in kinds}


@cache
def _properties(name: URIRef) -> Mapping[str, URIRef]:
    """The properties of a sensor, by their kind."""
    known = graph("SensorRepository")
    own = {t.object for t in known if t.subject == name and t.predicate == SSN.observes}
    kinds = [t for t in known if t.subject in own and t.predicate == RDF.type]
    return {str(t.object).removeprefix(CT): URIRef(t.subject) for t in kinds}


def _observed(name: URIRef, number: int, kind: str, value: str) -> Iterator[Triple]:
    observation = URIRef(f"{name}/{number}/{kind}")
    yield Triple(observation, RDF.type, SSN.Observation)
    yield Triple(observation, SSN.observedBy, name)
    yield Triple(observation, SSN.observedProperty, _properties(name)[kind])
    if kind != "Location":
        yield Triple(observation, SAO.hasValue, _number(value))
        return
    place = URIRef(f"{observation}/place")
    yield Triple(observation, SAO.hasValue, place)
    for part, text in zip((CT.hasLatitude, CT.hasLongitude), value.split(","), strict=True):
        # To a metre: pyoxigraph's decimals have 18 digits after the point, and it squares them.
        yield Triple(place, part, _number(f"{float(text):.6f}"))


def _number(text: str) -> Literal:
    """Written as both engines would: they calculate in decimals."""
    return Literal(text, datatype=XSD.decimal if "." in text else XSD.integer)


# ---- queries -----------------------------------------------------------------------------------

_IN_RSPQL: Final = "FROM NAMED WINDOW <w{}> ON {} [RANGE PT{}S STEP PT1S]\n"
_STREAM: Final = re.compile(
    r"\bstream\s*(<[^>]*>)\s*\[\s*range\s+(\d+)(ms|s)[^\]]*\]", re.IGNORECASE
)


@dataclass(frozen=True)
class Asked:
    """A query in one dialect, over a slice of the streams."""

    name: str
    dialect: str
    rows: int = 5

    def __str__(self) -> str:
        return f"{self.name} in {self.dialect}"

    @property
    def text(self) -> str:
        if self.dialect == "rspql":
            return _windows(self._read("cqels"))
        if self.dialect == "rspql of the suite":  # which has ssn:hasValue for sao:hasValue
            return self._read("rspql").replace("ssn:hasValue", f"<{SAO.hasValue}>")
        return self._read(self.dialect)

    def _read(self, folder: str) -> str:
        text = (_folder() / folder / f"{self.name}.rq").read_text(encoding="utf-8")
        return re.sub(r"#(?![A-Za-z0-9]*[>:]).*", "", text)  # comments, not fragments

    @cache  # noqa: B019 - few of them
    def prepared(self) -> Prepared:
        """What is asked of the hosts: the whole answer every second, with rows or without."""
        known = Catalogue()
        for stream in self.streams:
            known = known.stream(stream)
        for name, triples in self.graphs.items():
            known = known.graph(name, triples)
        return prepare(
            self.text, sources=known, base=BASE, report="rstream", every=STEP, nonempty=False
        )

    @property
    def streams(self) -> tuple[URIRef, ...]:
        declared = re.findall(r"(?:\bstream\s*<|ON (?:ses:|<))([^>\s]+)", self.text, re.IGNORECASE)
        return tuple(dict.fromkeys(SES[name.removeprefix(SES)] for name in declared))

    @property
    def graphs(self) -> dict[URIRef, tuple[Triple, ...]]:
        """What FROM names; in CQELS and RSP-QL made of it, the sensors are the default graph."""
        named = re.findall(r"FROM\s+(?:NAMED\s+)?<([^>]+)>", self.text, re.IGNORECASE)
        files = {URIRef(name if ":" in name else BASE + name): _stem(name) for name in named}
        found = {name: graph(_GRAPHS[file]) for name, file in files.items()}
        if self.dialect == "cqels":
            found[DEFAULT_GRAPH] = graph("SensorRepository")
        return found

    # What it means, by the definitions.

    def deliveries(self, batches: int = 3) -> list[tuple[URIRef, tuple[Stamped, ...]]]:
        size = -(-self.rows // batches)
        cut = [
            (name, tuple(r for r in stream(name, self.rows) if start <= _row(r) < start + size))
            for start in range(0, self.rows, size)
            for name in self.streams
        ]
        return [(name, rows) for name, rows in cut if rows]

    def answer(self, at: int) -> Counter[object]:
        """The rows at an instant: the windows' content by the set definitions, and pyoxigraph."""
        store = ox.Store()
        for place, (name, width) in enumerate(self._widths(), 1):
            inside = [r.triple for r in stream(name, self.rows) if self._holds(at, r.at, width)]
            label = {"csparql": None, "cqels": name}.get(self.dialect, URIRef(f"{BASE}w{place}"))
            _add(store, inside, label)
        for name, triples in self.graphs.items():
            is_named = self.dialect in ("cqels", "rspql") and name != DEFAULT_GRAPH
            _add(store, triples, name if is_named and "Repository" not in name else None)
        found: Any = store.query(self._plain(), base_iri=BASE)
        if isinstance(found, ox.QueryBoolean):
            return Counter([bool(found)])
        names = [variable.value for variable in found.variables]
        rows = ({Variable(n): row[n] for n in names if row[n] is not None} for row in found)
        return Counter(same(Solution({n: _term(t) for n, t in row.items()})) for row in rows)

    def _holds(self, at: int, time: int, width: int) -> bool:
        if "rspql" in self.dialect:
            return at - width <= time < at
        return at - width < time <= at

    def _widths(self) -> Iterator[tuple[URIRef, int]]:
        for name, size, unit in _STREAM.findall(self.text):
            yield URIRef(name[1:-1]), int(size) * (1 if unit == "ms" else 1_000)
        for name, size in re.findall(r"ON (\S+) \[RANGE PT(\d+)S", self.text):
            iri = name.strip("<>").removeprefix("ses:").removeprefix(SES)
            yield SES[iri], int(size) * 1_000

    def _plain(self) -> str:
        """The text without what makes it a stream query: windows are graphs, if they have names."""
        text = re.sub(r"REGISTER .* AS\b", "", self.text)
        text = re.sub(r"FROM\s+NAMED\s+WINDOW.*", "", text)
        text = re.sub(r"FROM\s+STREAM\s*<[^>]*>\s*\[[^\]]*\]", "", text, flags=re.IGNORECASE)
        text = re.sub(r"FROM\s+(NAMED\s+)?<[^>]*>", "", text, flags=re.IGNORECASE)
        text = _STREAM.sub(r"GRAPH \1", text)
        return re.sub(r"WINDOW (<w\d>)", r"GRAPH \1", text)


def same(row: object) -> object:
    """Numbers by their value: pyoxigraph writes 18.0 as 18."""
    if not isinstance(row, Solution):
        return row
    return tuple(sorted((name, _value(term)) for name, term in row.items()))


def _value(term: Term) -> str:
    if isinstance(term, Literal) and term.datatype == XSD.decimal:
        return f"{Decimal(str(term)).normalize():f}"
    return n3(term)


def _stem(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".rdf")


def _row(row: Stamped) -> int:
    """The number of the row that a triple comes from."""
    return int(str(row.triple.subject).removeprefix(SES).split("/")[1])


def _add(store: ox.Store, triples: Any, label: URIRef | None) -> None:
    name = ox.DefaultGraph() if label is None else ox.NamedNode(label)
    lines = "".join(f"{n3(t.subject)} {n3(t.predicate)} {n3(t.object)} .\n" for t in triples)
    store.load(input=lines, format=ox.RdfFormat.N_TRIPLES, to_graph=name)


def _windows(text: str) -> str:
    """A query in CQELS as RSP-QL: STREAM <s> [range w] {..} reads a window of that width."""
    declared = ""
    for number, (name, size, unit) in enumerate(_STREAM.findall(text), 1):
        seconds = int(size) // (1_000 if unit == "ms" else 1)
        declared += _IN_RSPQL.format(number, name, seconds)
        text = _STREAM.sub(f"WINDOW <w{number}>", text, count=1)
    head, brace, rest = text.partition("{")
    select, _, _ = re.split(r"(from|where)", head, maxsplit=1, flags=re.IGNORECASE)
    named = re.findall(r"from named <[^>]*>", head, re.IGNORECASE)
    sensors = f"FROM <{BASE}SensorRepository.rdf>"
    dataset = f"{declared}{' '.join(named)} {sensors}"
    return f"REGISTER RSTREAM <q> AS {select}\n{dataset}\nWHERE {brace}{rest}"

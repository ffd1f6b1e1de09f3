"""A park that `askos generate windpark` has written: what is where, and who is who."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from askos.backtest import Episode, read_truth
from askos.generate.park import Park
from askos.generate.vocabulary import EVENTS, PARK, SCADA, WIND
from askos.report import Turbine
from askos.sources import Catalogue
from askos.static import Solutions, select
from askos.terms import URIRef

REGION: Final = "http://iec.org/61400-25/root/td.rdf"
"""What the query of the paper, as it was printed, calls the events of its turbines."""
STREAMS: Final = {URIRef(SCADA): "scada", URIRef(EVENTS): "events", URIRef(REGION): "events"}
"""By what jobs call them, where they are."""
_TURBINES: Final = f"""PREFIX : <{WIND}>
SELECT ?turbine ?x ?y ?vendor ?feeder
WHERE {{ ?turbine a :Turbine ; :x ?x ; :y ?y ; :vendor ?vendor ; :feeder ?feeder }}
ORDER BY ?turbine
"""
_TAGS: Final = f"""PREFIX : <{WIND}>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?tag ?signal ?factor ?offset
WHERE {{ ?tag rdfs:subPropertyOf ?signal ; :factor ?factor ; :offset ?offset }}
"""


def local(term: object) -> str:
    """The last part of an IRI.

    >>> local("http://wind.example/T07")
    'T07'
    """
    return str(term).rpartition("/")[2].rpartition("#")[2]


@dataclass(frozen=True)
class Folder:
    """The folder of a park; Parquet is what its jobs read."""

    path: Path

    @cached_property
    def said(self) -> Mapping[str, Any]:
        """What `park.json` says."""
        return dict(json.loads((self.path / "park.json").read_text(encoding="utf-8")))

    @property
    def is_whole(self) -> bool:
        """Whether all of it has been written: `park.json` is the last."""
        return (self.path / "park.json").exists()

    def is_of(self, park: Park) -> bool:
        """Whether it holds that park."""
        return asdict(park).items() <= self.said.items()

    @property
    def start(self) -> int:
        """The first instant of the park."""
        return int(self.said["start"])

    @property
    def end(self) -> int:
        """The first instant after it."""
        return int(self.said["end"])

    @property
    def graph(self) -> Path:
        """The static graph, as it begins."""
        return self.path / "park.ttl"

    @property
    def joining(self) -> Path:
        """The triples by which a turbine joins."""
        return self.path / "joining.ttl"

    @property
    def graphs(self) -> list[Path]:
        """Both, where there are both."""
        return [file for file in (self.graph, self.joining) if file.exists()]

    @property
    def added(self) -> int:
        """How many triples it takes that a turbine joins."""
        ((count,),) = _rows("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", [self.joining])
        return int(count)

    def stream(self, name: str) -> Path:
        """Where a stream is."""
        return self.path / "parquet" / name

    @cached_property
    def truth(self) -> list[Episode]:
        """What really happened."""
        return read_truth(self.path / "truth.csv")

    @property
    def catalogue(self) -> Catalogue:
        """The sources, as jobs name them; the graph may be reloaded."""
        known = Catalogue().graph(URIRef(PARK), self.graph, reloadable=True)
        for stream in STREAMS:
            known = known.stream(stream, lateness_ms=int(self.said["lateness_ms"]))
        return known

    @cached_property
    def turbines(self) -> list[Turbine]:
        """Who stands where, the one that joins too."""
        return [
            Turbine(local(t), float(x), float(y), local(vendor), local(feeder))
            for t, x, y, vendor, feeder in _rows(_TURBINES, self.graphs)
        ]

    @cached_property
    def tags(self) -> dict[str, tuple[str, float, float]]:
        """Of each predicate the signal that it means, as `WTUR#W`, its factor and its offset."""
        return {
            str(tag): (str(signal).rpartition("/")[2], float(factor), float(offset))
            for tag, signal, factor, offset in _rows(_TAGS, self.graphs)
        }


def _rows(query: str, files: Sequence[Path]) -> Iterator[tuple[Any, ...]]:
    found = select(query, graph=[str(file) for file in files])
    assert isinstance(found, Solutions)
    for row in found:
        yield tuple(row[variable] for variable in found.variables)

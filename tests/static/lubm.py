"""LUBM(1, 0): its data, queries and answers, where the suite is."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

from askos.static import StaticGraph, Terms, load

ONTOLOGY = "http://www.lehigh.edu/~zhp2/2004/0401/univ-bench.owl"
QUERIES = tuple(f"q{number:02}" for number in range(1, 15))


def text(folder: Path, query: str) -> str:
    return (folder / "queries" / f"{query}.rq").read_text(encoding="utf-8")


def data(folder: Path, terms: Terms) -> StaticGraph:
    """What the generator wrote: 100,543 triples, without the ontology."""
    return load(folder / "lubm-1.nt.gz", terms=terms)


def inferred(folder: Path, terms: Terms) -> StaticGraph:
    """What the ontology adds, by a reasoner that is not ours."""
    return load(folder / "lubm-1-inferred.nt.gz", terms=terms)


def ontology(folder: Path, terms: Terms) -> StaticGraph:
    return load(folder / "univ-bench.owl", base=ONTOLOGY, terms=terms)


def answers(folder: Path, query: str, columns: list[str]) -> list[tuple[str, ...]]:
    """The reference answers, their columns in that order."""
    with gzip.open(folder / "answers" / f"{query}.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return sorted(tuple(row[column] for column in columns) for row in rows)

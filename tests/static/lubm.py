"""The LUBM queries as plans, and its data where the suite is."""

from __future__ import annotations

import csv
import gzip
from functools import reduce
from pathlib import Path

from rdflib import Namespace

from askos.algebra import GraphAccess, Join, Operator, Pattern, Project
from askos.static import StaticGraph, Terms, load
from askos.terms import RDF, Term, URIRef, Variable

UB = Namespace("http://www.lehigh.edu/~zhp2/2004/0401/univ-bench.owl#")
GRAPH = URIRef("http://example.org/lubm")

UNIVERSITY = "<http://www.University0.edu>"
DEPARTMENT = "<http://www.Department0.University0.edu>"
COURSE = "<http://www.Department0.University0.edu/GraduateCourse0>"
ASSISTANT = "<http://www.Department0.University0.edu/AssistantProfessor0>"
ASSOCIATE = "<http://www.Department0.University0.edu/AssociateProfessor0>"

# Per query: its columns, and its triples.
QUERIES: dict[str, tuple[str, list[str]]] = {
    "q01": ("X", ["X a GraduateStudent", f"X takesCourse {COURSE}"]),
    "q02": (
        "X Y Z",
        [
            "X a GraduateStudent",
            "Y a University",
            "Z a Department",
            "X memberOf Z",
            "Z subOrganizationOf Y",
            "X undergraduateDegreeFrom Y",
        ],
    ),
    "q03": ("X", ["X a Publication", f"X publicationAuthor {ASSISTANT}"]),
    "q04": (
        "X Y1 Y2 Y3",
        [
            "X a Professor",
            f"X worksFor {DEPARTMENT}",
            "X name Y1",
            "X emailAddress Y2",
            "X telephone Y3",
        ],
    ),
    "q05": ("X", ["X a Person", f"X memberOf {DEPARTMENT}"]),
    "q06": ("X", ["X a Student"]),
    "q07": (
        "X Y",
        ["X a Student", "Y a Course", "X takesCourse Y", f"{ASSOCIATE} teacherOf Y"],
    ),
    "q08": (
        "X Y Z",
        [
            "X a Student",
            "Y a Department",
            "X memberOf Y",
            f"Y subOrganizationOf {UNIVERSITY}",
            "X emailAddress Z",
        ],
    ),
    "q09": (
        "X Y Z",
        [
            "X a Student",
            "Y a Faculty",
            "Z a Course",
            "X advisor Y",
            "Y teacherOf Z",
            "X takesCourse Z",
        ],
    ),
    "q10": ("X", ["X a Student", f"X takesCourse {COURSE}"]),
    "q11": ("X", ["X a ResearchGroup", f"X subOrganizationOf {UNIVERSITY}"]),
    "q12": (
        "X Y",
        ["X a Chair", "Y a Department", "X worksFor Y", f"Y subOrganizationOf {UNIVERSITY}"],
    ),
    "q13": ("X", ["X a Person", f"{UNIVERSITY} hasAlumnus X"]),
    "q14": ("X", ["X a UndergraduateStudent"]),
}


def plan(query: str) -> Operator:
    """The canonical plan: a left-deep join in textual order."""
    columns, triples = QUERIES[query]
    patterns: list[Operator] = [_pattern(triple) for triple in triples]
    return Project(tuple(map(Variable, columns.split())), reduce(Join, patterns))


def _pattern(text: str) -> Pattern:
    s, p, o = text.split()
    if p == "a":
        return Pattern(Variable(s), RDF.type, UB[o], GraphAccess(GRAPH))
    return Pattern(_end(s), UB[p], _end(o), GraphAccess(GRAPH))


def _end(text: str) -> Term | Variable:
    return URIRef(text[1:-1]) if text.startswith("<") else Variable(text)


def data(folder: Path, terms: Terms) -> StaticGraph:
    """What the generator wrote: 100,543 triples, without the ontology."""
    return load(folder / "lubm-1.nt.gz", terms=terms)


def inferred(folder: Path, terms: Terms) -> StaticGraph:
    """What the ontology adds, by a reasoner that is not ours."""
    return load(folder / "lubm-1-inferred.nt.gz", terms=terms)


def ontology(folder: Path, terms: Terms) -> StaticGraph:
    return load(folder / "univ-bench.owl", base=str(UB).rstrip("#"), terms=terms)


def answers(folder: Path, query: str) -> list[tuple[str, ...]]:
    """The reference answers, in the order of the query's columns."""
    columns = QUERIES[query][0].split()
    with gzip.open(folder / "answers" / f"{query}.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return sorted(tuple(row[column] for column in columns) for row in rows)

"""The README's tables say what the hosts offer and what dialects report, and nothing else."""

from __future__ import annotations

import re

from askos import default_report, parse
from askos.algebra import Describe, Intervals
from askos.algebra.placement import PLACEMENT
from askos.physical.offers import OFFERS, SERVED
from askos.translate import Dialect
from tests.pages import ROOT, blocks

README = (ROOT / "README.md").read_text(encoding="utf-8")
DIALECTS = {
    "Streaming SPARQL": Dialect.STREAMING,
    "C-SPARQL": Dialect.CSPARQL,
    "CQELS-QL": Dialect.CQELS,
    "RSP-QL": Dialect.RSPQL,
    "SPARQLstream": Dialect.SPARQLSTREAM,
    "SPARQL 1.1": Dialect.SPARQL,
}

# Where the README speaks of an operator.
SPOKEN = {
    "AggregateClauses": "AGGREGATE",
    "AntiJoin": "NOT EXISTS",
    "Ask": "ASK",
    "Construct": "CONSTRUCT",
    "CopyNumber": "RAND",
    "CountWindow": "by count",
    "Describe": "DESCRIBE",
    "Distinct": "DISTINCT",
    "EmptyGraph": "static graphs",
    "Extend": "BIND",
    "Filter": "FILTER",
    "GraphAccess": "static graphs",
    "Group": "GROUP BY",
    "Join": "join",
    "LeftJoin": "OPTIONAL",
    "MarkJoin": "EXISTS",
    "Minus": "MINUS",
    "OrderBy": "ORDER BY",
    "Path": "property paths",
    "Pattern": "triple patterns",
    "PredicateWindow": "by predicate",
    "Project": "SELECT",
    "Reduced": "REDUCED",
    "SemiJoin": "EXISTS",
    "Slice": "LIMIT",
    "SlidingWindow": "by time",
    "Static": "static graphs",
    "SteppedWindow": "by time",
    "StreamAccess": "triple patterns",
    "Union": "UNION",
    "Values": "VALUES",
}


def rows() -> dict[str, list[str]]:
    """What each row of the table says of reference, local and Spark."""
    lines = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", README, re.MULTILINE)
    return {what: list(hosts) for what, *hosts in lines if hosts[0] == "works"}


def test_every_operator_has_a_row_that_says_what_the_hosts_offer() -> None:
    assert {kind.__name__ for kind in PLACEMENT} == set(SPOKEN)
    for kind in PLACEMENT:
        said = [hosts for what, hosts in rows().items() if SPOKEN[kind.__name__] in what]
        assert ["works", "works", "works"] in said, kind.__name__


def test_what_snapshot_serves_is_listed() -> None:
    flat = " ".join(README.split())
    found = re.search(r"with four exceptions\. These are (.+?)\. `Snapshot` evaluates", flat)
    assert found
    said = "DESCRIBE, whatever uses NOW(), a slice of a slice, and copies that their arrival times"
    assert found[1] == f"{said} tell apart"
    served = {kind for kind, offer in OFFERS.items() if offer is SERVED}
    assert served == {Describe}  # the others: tests/physical/test_stages.py


def test_every_dialect_is_listed_with_an_example_and_how_it_reports() -> None:
    rows = re.findall(r"^\| (.+?) \| \[.+?\]\((.+?)\) \| (.+?) \| `askos", README, re.MULTILINE)
    queries = [parse((ROOT / file).read_text("utf-8")) for _, file, _ in rows if file[-3:] == ".rq"]
    assert {query.dialect for query in queries} == {*Dialect} - {Dialect.SPARQL}
    for query, (dialect, _, said) in zip(queries, rows, strict=False):
        assert query.dialect is DIALECTS[dialect]
        assert isinstance(default_report(query), Intervals) == (said == "intervals")
    assert DIALECTS[rows[-1][0]] is Dialect.SPARQL


def test_what_the_readme_says_is_somewhere_is_there() -> None:
    (tree,) = (block.text for block in blocks(ROOT / "README.md") if block.kind == "text")
    for line in tree.splitlines():
        first, *more = line[:33].replace("..", "").replace(",", " ").split()
        package = first.startswith("askos/") and not first.endswith("/")
        for name in [first, *(f"askos/{other}" for other in more)] if package else [first]:
            assert (ROOT / name).is_dir() or (ROOT / f"{name}.py").is_file(), name


def test_the_reader_meets_a_trouble_first_and_reasons_last() -> None:
    order = [
        "Which turbines have been silent",
        "![",
        "## Two commands",
        "## One query, and its answer",
        "How to read it:",
        "## Your own file",
        "## Which dialect runs on what",
        "## The idea",
    ]
    places = [README.index(part) for part in order]
    assert places == sorted(places)

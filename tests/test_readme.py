"""The README's status table says what the hosts offer, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from askos.algebra.placement import PLACEMENT
from askos.physical.offers import OFFERS, SERVED

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")

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
    found = re.search(r"These are (.+?), and Group with (.+?) inside an aggregate", flat)
    assert found
    served = {kind.__name__ for kind, offer in OFFERS.items() if offer is SERVED}
    assert set(re.findall(r"[A-Z]\w+", found[1])) == served
    assert set(re.findall(r"[A-Z_]+", found[2])) == {
        "MIN", "MAX", "SAMPLE", "GROUP_CONCAT", "DISTINCT",
    }  # fmt: skip

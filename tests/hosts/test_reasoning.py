"""A mixed fleet on Spark: two vendors' names of one measurement, one rule for both."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from askos.algebra import Stamped
from askos.prepared import Prepared, prepare
from askos.sources import Catalogue
from tests.build import EX, G1, S1, triple
from tests.hosts.strategies import LATENESS, Delivery
from tests.hosts.three import difference, run_local, run_reference, run_spark
from tests.reasoning.closing import DOMAIN, SUBPROPERTY

FLEET = (
    triple("ActPwr", SUBPROPERTY, "power"),
    triple("P_kW", SUBPROPERTY, "power"),
    triple("power", DOMAIN, "Turbine"),
)
READINGS = [("T1", "ActPwr", 70), ("T2", "P_kW", 30), ("T1", "ActPwr", 70), ("T3", "power", 5)]
ROWS = tuple(Stamped(triple(*row), at, at) for at, row in enumerate(READINGS * 3))
DATA = Delivery(((S1, ROWS[:5]), (S1, ROWS[5:])), FLEET)
QUERIES = {
    "property": "SELECT ?t (AVG(?p) AS ?mean) {} {{ ?t :power ?p }} GROUP BY ?t",
    "type": "SELECT ?t {} {{ ?t a :Turbine }}",
}
CLAUSES = "FROM STREAM :stream1 WINDOW RANGE 6 SLIDE 2"


def query(name: str) -> Prepared:
    text = f"PREFIX : <{EX}> {QUERIES[name].format(CLAUSES)}"
    known = Catalogue().stream(S1, lateness_ms=LATENESS).graph(G1, FLEET, schema=True)
    return prepare(text, sources=known, reasoning="rdfs")


@pytest.mark.parametrize("name", QUERIES)
def test_a_mixed_fleet_in_one_process(name: str) -> None:
    want = run_reference(query(name), DATA)
    assert want
    assert difference(want, run_local(query(name), DATA, 2)) is None


@pytest.mark.thorough
@pytest.mark.parametrize("name", QUERIES)
def test_a_mixed_fleet_on_spark(spark: SparkSession, tmp_path: Path, name: str) -> None:
    want = run_reference(query(name), DATA)
    assert difference(want, run_spark(spark, query(name), DATA, tmp_path)) is None

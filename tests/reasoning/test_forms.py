"""Every place of a query where triples are read, and every language, over the closure."""

from __future__ import annotations

from random import Random

import pytest

from askos.algebra import Intervals
from askos.algebra.reference import change_instants, evaluate
from askos.prepared import Prepared, prepare
from askos.translate import create_plan
from tests.build import S1, S2
from tests.hosts.harness import run_harness
from tests.hosts.strategies import Delivery
from tests.hosts.three import difference, run_local, run_reference
from tests.reasoning.closing import over_closure
from tests.reasoning.strategies import PREFIXES, known
from tests.reasoning.test_patterns import FACTS, ROWS, SCHEMA
from tests.sampling import every

DATA = Delivery(
    ((S1, tuple(ROWS[:7])), (S2, tuple(ROWS[3:6])), (S1, tuple(ROWS[7:]))), (*SCHEMA, *FACTS)
)
BAG = "FROM STREAM :stream1 WINDOW RANGE 6 SLIDE 2"
SET = "FROM STREAM :stream1 [RANGE 6 STEP 2]"
TEXTS = {
    "join": f"SELECT * {BAG} {{ ?x a :B ; :q ?y }}",
    "optional": f"SELECT * {BAG} {{ ?x :r ?y OPTIONAL {{ ?y a :C }} }}",
    "minus": f"SELECT * {SET} {{ ?x :q ?y MINUS {{ ?x a :A }} }}",
    "exists": f"SELECT * {BAG} {{ ?x :p ?y FILTER EXISTS {{ ?y a :B }} }}",
    "not exists": f"SELECT * {SET} {{ ?x :q ?y FILTER NOT EXISTS {{ ?y a :B }} }}",
    "exists, deep": f"SELECT * {BAG} {{ ?x :p ?y FILTER (EXISTS {{ ?y a :B }} || ?y = 1) }}",
    "union": f"SELECT * {BAG} {{ {{ ?x a :C }} UNION {{ ?x :r :b WINDOW RANGE 3 FIXED }} }}",
    "sub-select": f"SELECT * {SET} {{ ?x :q ?y {{ SELECT ?y {{ ?y a :B }} }} }}",
    "aggregate": f"SELECT ?x (COUNT(*) AS ?n) {BAG} {{ ?x :r ?y }} GROUP BY ?x",
    "graph by name": f"SELECT * {BAG} FROM NAMED :graph1 {{ ?x a ?c GRAPH :graph1 {{ ?x a ?c }} }}",
    "any graph": f"SELECT * {SET} {{ GRAPH ?g {{ ?x a :C }} }}",
    "merged graphs": f"SELECT * {BAG} FROM :graph1 {{ ?x :r ?y }}",
    "two streams": f"SELECT * {BAG} FROM STREAM :stream2 WINDOW RANGE 4 FIXED {{ ?x a :B }}",
    "a window that counts": "SELECT * FROM STREAM :stream1 WINDOW ELEMS 4 { ?x a :B }",
    "path": f"SELECT * {BAG} {{ ?x :r+ ?y }}",
    "path of zero length": f"SELECT * {SET} {{ ?x :r* ?y }}",
    "path through types": f"SELECT * {BAG} {{ ?x :p/a ?y }}",
    "construct": f"CONSTRUCT {{ ?x a :Seen }} {BAG} {{ ?x a :B }}",
    "describe": f"DESCRIBE ?x {SET} {{ ?x :p ?y }}",
    "ask": f"ASK {BAG} {{ :b a :C }}",
    "cqels": "SELECT * { STREAM :stream1 [RANGE 5ms] { ?x a :B } ?x :q ?y }",
    "rsp-ql": "REGISTER RSTREAM :out AS SELECT * FROM NAMED WINDOW :w ON :stream1 [RANGE PT0.006S"
    " STEP PT0.002S] { WINDOW :w { ?x :r ?y } }",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_query_sees_the_closure(name: str) -> None:
    text, said = f"{PREFIXES}{TEXTS[name]}", 0
    plain = create_plan(text, sources=known(DATA))
    plan = create_plan(text, sources=known(DATA), reasoning="rdfs")
    for at in change_instants(plain, DATA.data):
        want = over_closure(plain, DATA.data, DATA.graph, at)
        assert evaluate(plan, DATA.data, at) == want
        said += evaluate(plain, DATA.data, at) != want
    assert said, "where nothing is entailed, nothing is tested"


def asked(name: str) -> Prepared:
    text = f"{PREFIXES}{TEXTS[name]}"
    return prepare(text, sources=known(DATA), reasoning="rdfs", report=Intervals())


@pytest.mark.parametrize("name", every(2, TEXTS))
def test_the_local_host_agrees(name: str) -> None:
    want = run_reference(asked(name), DATA)
    buckets = Random(name).choice([1, 2, 5])
    assert difference(want, run_local(asked(name), DATA, buckets)) is None


@pytest.mark.thorough
@pytest.mark.parametrize("name", TEXTS)
def test_the_harness_agrees(name: str) -> None:
    want = run_reference(asked(name), DATA)
    buckets = Random(name).choice([1, 2, 5])
    assert difference(want, run_harness(asked(name), DATA, buckets, Random(name))) is None

"""Every shape of triple pattern over one schema with a little of everything."""

from __future__ import annotations

from itertools import product

import pytest

from askos.algebra.reference import evaluate
from askos.terms import BNode, Literal, Triple
from askos.translate import create_plan
from tests.build import S1, S2, stream, triple
from tests.hosts.strategies import Delivery
from tests.reasoning.closing import DOMAIN, RANGE, SUBCLASS, SUBPROPERTY, TYPE, over_closure
from tests.reasoning.strategies import PATHS, PREFIXES, VERBS, known

SCHEMA = [
    triple("p", SUBPROPERTY, "q"),
    triple("q", SUBPROPERTY, "r"),
    triple("r", SUBPROPERTY, "q"),
    triple("p", SUBPROPERTY, BNode("b")),
    triple("s", SUBPROPERTY, TYPE),
    triple("t", SUBPROPERTY, SUBCLASS),
    triple("A", SUBCLASS, "B"),
    triple("B", SUBCLASS, "C"),
    triple("C", SUBCLASS, "C"),
    triple("p", DOMAIN, "A"),
    triple("r", RANGE, "B"),
    triple("s", DOMAIN, "B"),
]
ODD = [triple(TYPE, SUBPROPERTY, "q"), triple(TYPE, RANGE, "C"), triple(SUBCLASS, DOMAIN, "A")]
ROWS = stream(
    ("a", "p", "b", 1),
    ("a", "p", "b", 2),
    ("a", "q", "b", 3),
    ("a", "p", Literal("1"), 3),
    ("b", "r", "b", 4),
    ("a", TYPE, "A", 4),
    ("a", TYPE, "B", 5),
    ("a", TYPE, "B", 6),
    ("b", "s", "A", 6),
    ("A", "t", "B", 7),
    ("B", "s", "B", 7),
    (BNode("n"), SUBPROPERTY, "p", 8),
    ("p", "p", "p", 8),
)
FROM = {
    "bag": "FROM STREAM :stream1 WINDOW RANGE 20 SLIDE",
    "set": "FROM STREAM :stream1 [RANGE 20 STEP 1]",
    "graph": "FROM STREAM :stream2 WINDOW RANGE 20 SLIDE FROM :graph1",
}
FACTS = [triple("a", TYPE, "A"), triple("a", "q", "b"), triple("A", "p", Literal("1"))]


ENDS = [*product(["?x", ":a", ":A"], ["?y", "?x", "?v", ":B", '"1"'])]
WALKS = [("?x", "?y"), ("?x", ":B"), (":a", "?y")]
CASES = [*((verb, ENDS) for verb in dict.fromkeys([*VERBS, ":s"])), *((p, WALKS) for p in PATHS)]


@pytest.mark.parametrize(("verb", "ends"), CASES, ids=[verb for verb, _ in CASES])
@pytest.mark.parametrize(
    ("clauses", "schema"),
    [("bag", SCHEMA), ("set", SCHEMA + ODD), ("graph", SCHEMA)],
    ids=["bag", "set, odd schema", "graph"],
)
def test_a_pattern_matches_what_is_entailed(
    verb: str, ends: list[tuple[str, str]], clauses: str, schema: list[Triple]
) -> None:
    delivery = Delivery(((S1, tuple(ROWS)), (S2, ())), (*schema, *FACTS))
    for s, o in ends:
        text = f"{PREFIXES}SELECT * {FROM[clauses]} WHERE {{ {s} {verb} {o} }}"
        plain = create_plan(text, sources=known(delivery))
        plan = create_plan(text, sources=known(delivery), reasoning="rdfs")
        want = over_closure(plain, delivery.data, delivery.graph, 8)
        assert evaluate(plan, delivery.data, 8) == want, text

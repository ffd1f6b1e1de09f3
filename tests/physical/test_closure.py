"""Transitive closure (SPARQL 1.1, 18.4) over steps that come and go."""

from __future__ import annotations

import json
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Path, StreamAccess
from askos.algebra.operators.paths import Link, OneOrMore
from askos.algebra.reference.paths import solutions as walked
from askos.columns import Batch
from askos.interval import FOREVER
from askos.physical.closure import ClosureOperator
from askos.physical.nodes import Closure
from askos.terms import Solution, Triple, URIRef
from tests.build import EX, S1, W, X, Y, Z, pattern, solution
from tests.columns.batches import CODER, batch
from tests.physical.runs import Delivery, Store, deliveries, elements, keeps_the_law, ordered, step

NODES = [EX[name] for name in "abcd"]


def closure(start: URIRef | None = None) -> ClosureOperator:
    return ClosureOperator(Closure(start or Z, W, (X, Y), (pattern(X, "p", Y),)), CODER)


def edges() -> st.SearchStrategy[Solution]:
    node = st.sampled_from(NODES)
    return st.builds(lambda x, y: Solution({X: x, Y: y}), node, node)


@given(deliveries(elements(edges(), least=1, most=12)), st.sampled_from([None, EX.a]))
def test_a_closure_keeps_the_law(delivery: Delivery, start: URIRef | None) -> None:
    def meaning(given: Iterable[Solution]) -> Iterable[Solution]:
        triples = [Triple(mu[X], EX.p, mu[Y]) for mu in given]  # type: ignore[arg-type]
        plan = Path(start or Z, OneOrMore(Link(EX.p)), W, StreamAccess(S1))
        return walked(plan, triples).elements()

    keeps_the_law(lambda: closure(start), delivery, meaning, lambda time: time)


def test_a_pair_holds_along_a_path_while_all_its_steps_do() -> None:
    given = [(solution(x="a", y="b"), 0, 10), (solution(x="b", y="c"), 5, 20)]
    assert step(closure(), FOREVER, given) == [
        (solution(z="a", w="b"), 0, 10),
        (solution(z="a", w="c"), 5, 10),
        (solution(z="b", w="c"), 5, 20),
    ]


def test_a_new_step_between_old_ones_connects_them() -> None:
    made = closure()
    step(made, 0, [(solution(x="a", y="b"), 0, 9), (solution(x="c", y="d"), 0, 9)])
    assert step(made, 0, [(solution(x="b", y="c"), 2, 5)]) == [
        (solution(z="a", w="c"), 2, 5),
        (solution(z="b", w="c"), 2, 5),
        (solution(z="a", w="d"), 2, 5),
        (solution(z="b", w="d"), 2, 5),
    ]


def test_from_a_term_only_what_it_reaches_is_kept() -> None:
    made = closure(EX.a)
    given = [(solution(x="a", y="b"), 0, 9), (solution(x="c", y="d"), 0, 9)]
    assert step(made, 0, given) == [(solution(w="b"), 0, 9)]


def test_a_circle_ends() -> None:
    given = [(solution(x="a", y="b"), 0, 9), (solution(x="b", y="a"), 0, 9)]
    assert len(step(closure(), FOREVER, given)) == 4


def test_what_has_ended_is_forgotten() -> None:
    made = closure()
    step(made, 0, [(solution(x="a", y="b"), 0, 5)])
    assert made.advance(5)[1] == 5
    assert not made.snapshot().runs
    assert ordered(made.advance(6)[0]) == []


def test_a_state_that_has_steps_too_is_continued() -> None:
    """Closures of all pairs once kept the steps beside them."""
    old, store, made = closure(), Store(), closure()
    for mu, start, end in [(solution(x="a", y="b"), 0, 9), (solution(x="c", y="d"), 0, 9)]:
        old.process(0, batch((mu, start, end)))
    steps, old._new = Batch.concat(old._new), []
    assert len(list(old._stepped(steps))) == 1
    store.save(old)
    assert json.loads(store.manifest)["steps"]
    store.load(made)
    assert len(step(made, 0, [(solution(x="b", y="c"), 2, 5)])) == 4

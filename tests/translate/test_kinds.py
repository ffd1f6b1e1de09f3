"""Queries that differ in constants only are one plan, which tells whose each solution is."""

from __future__ import annotations

from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from askos.algebra import Bag, Operator, Payload, Project
from askos.algebra.answer import answer_columns
from askos.algebra.reference import Streams, evaluate
from askos.explaining import explain
from askos.terms import Literal, Solution, Term, Triple, URIRef
from askos.translate import optimize
from askos.translate.kinds import WHOSE, Constants, Kind, Shape
from tests.build import EX
from tests.strategies import data, instants, plans, terms
from tests.translate.existing import without_stamps

KIND = URIRef("urn:askos:kind:1")
NAMES = ("one", "two", "three")


def like(term: Term) -> st.SearchStrategy[Term]:
    """Another constant that may stand in the same place."""
    iris = st.sampled_from([EX.a, EX.b, EX.p, EX.q])
    return st.just(term) | (iris if isinstance(term, URIRef) else terms())


@st.composite
def of_one_shape(draw: st.DrawFn) -> tuple[Shape, list[Constants]]:
    plan = draw(plans().map(without_stamps))
    assume(plan.payload is Payload.SOLUTION)
    found = Shape.of(plan)
    assert found is not None
    shape, first = found
    others = (draw(st.tuples(*map(like, first))) for _ in NAMES[1:])
    return shape, [first, *others]


def shared(kind: Kind, rows: list[Constants]) -> list[Triple]:
    told = [kind.triples(name, row) for name, row in zip(NAMES, rows, strict=True)]
    return [triple for each in told if each is not None for triple in each]


def alone(shape: Shape, row: Constants) -> Operator:
    plan = shape.filled(dict(zip(shape.places, row, strict=True)))
    return Project(answer_columns(plan), plan)


def of(name: str, found: Bag) -> Bag:
    """The solutions of one query, without its name."""
    mine: Bag = Counter()
    for solution, count in found.items():
        assert isinstance(solution, Solution)
        if solution[WHOSE] == Literal(name):
            mine[Solution({v: t for v, t in solution.items() if v != WHOSE})] = count
    return mine


@given(of_one_shape(), data(), instants())
def test_each_query_has_the_solutions_that_it_has_alone(
    queries: tuple[Shape, list[Constants]], streams: Streams, instant: int
) -> None:
    shape, rows = queries
    kind = Kind.of(shape, rows, KIND)
    given = {**streams, KIND: shared(kind, rows)}
    for plan in (kind.plan, optimize(kind.plan)):
        found = evaluate(plan, given, instant)
        for name, row in zip(NAMES, rows, strict=True):
            want = evaluate(alone(shape, row), streams, instant)
            assert of(name, found) == want, explain(plan)

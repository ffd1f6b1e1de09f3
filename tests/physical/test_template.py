"""CONSTRUCT's template: triples for each solution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Construct, Distinct, StreamAccess, Template
from askos.algebra.streams import Item
from askos.columns import Batch
from askos.errors import QueryError
from askos.interval import FOREVER
from askos.physical import Operator
from askos.physical.distinct import DistinctOperator
from askos.physical.nodes import Instances
from askos.physical.operator import Progress
from askos.physical.template import TemplateOperator
from askos.sweeparea import Fetch, Saved
from askos.terms import BNode, Literal, Solution, Variable
from tests.build import EX, S1, X, Y, Z, pattern, solution, table, term
from tests.columns.batches import CODER, Row, batch, rows
from tests.physical.runs import (
    Delivery,
    Step,
    deliveries,
    elements,
    few,
    keeps_the_law,
    law,
    step,
)

A = pattern(X, "p", Y)
COPY = Variable("copy")


def template(*triples: Template) -> TemplateOperator:
    return TemplateOperator(Instances(triples, "", None, A), CODER)


def one(mu: Solution, *triples: Template) -> list[Row]:
    return rows(template(*triples).process(0, batch((mu, 2, 9))))


def test_every_solution_gives_each_triple_while_it_is_valid() -> None:
    made = template(Template(X, EX.q, Y), Template(EX.c, EX.r, Literal("new")))
    given = [(solution(x="a", y=1), 0, 5), (solution(x="b", y=2), 3, 9)]
    new = solution(s="c", p="r", o=Literal("new"))
    assert step(made, 0, given) == [
        (new, 0, 5),
        (solution(s="a", p="q", o=1), 0, 5),
        (new, 3, 9),
        (solution(s="b", p="q", o=2), 3, 9),
    ]


@pytest.mark.parametrize(
    "impossible",
    [
        solution(y="c"),
        solution(x=1, y="c"),
        solution(x=Literal("text"), y="c"),
        solution(x="a"),
        solution(x="a", y=1),
        solution(x="a", y=Literal("text")),
        solution(x="a", y=BNode("b")),
    ],
    ids=str,
)
def test_a_triple_with_an_unbound_or_impossible_part_is_left_out(impossible: Solution) -> None:
    assert one(impossible, Template(X, Y, EX.c)) == []


def test_blank_nodes_may_be_subjects_and_anything_an_object() -> None:
    blank = BNode("b")
    for value in (blank, "a", 1, Literal("text")):
        got = one(solution(x=blank, y=value), Template(X, EX.q, Y))
        assert got == [(solution(s=blank, p="q", o=value), 2, 9)]


def test_only_the_triple_with_the_impossible_part_is_left_out() -> None:
    got = one(solution(x="a"), Template(X, EX.q, Y), Template(X, EX.q, EX.c))
    assert got == [(solution(s="a", p="q", o="c"), 2, 9)]


def test_an_empty_template_gives_nothing() -> None:
    assert one(solution(x="a", y=1)) == []


def test_it_keeps_no_state_and_promises_the_watermark() -> None:
    made = template(Template(X, EX.q, Y))
    assert step(made, 7) == []
    assert made.advance(7)[1] == 7
    assert not made.snapshot().runs


def test_a_template_with_blank_nodes_needs_copy_numbers() -> None:
    plan = Instances((Template(BNode("n"), EX.q, X),), "q/1", None, A)
    with pytest.raises(QueryError, match="copy numbers"):
        TemplateOperator(plan, CODER)


def test_blank_nodes_are_new_in_every_copy_and_the_same_in_every_triple() -> None:
    triples = (Template(BNode("n"), EX.q, X), Template(EX.c, EX.q, BNode("n")))
    made = TemplateOperator(Instances(triples, "q/1", COPY, A), CODER)
    mu = solution(x="a", y=1)
    got = rows(made.process(0, batch(*((mu | solution(copy=n), 0, 5) for n in (0, 0, 1)))))
    subjects = [found[Variable("s")] for found, _, _ in got[:3]]
    objects = [found[Variable("o")] for found, _, _ in got[3:]]
    assert subjects == objects
    assert subjects[0] == subjects[1] != subjects[2]


# ---- the law ---------------------------------------------------------------------------------


class Set(Operator):
    """A template, and a distinct above it."""

    def __init__(self, template: TemplateOperator) -> None:
        self._template = template
        self._distinct = DistinctOperator(Distinct(StreamAccess(S1)))

    def process(self, port: int, batch: Batch) -> Batch:
        return self._distinct.process(0, self._template.process(port, batch))

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        return self._distinct.advance(watermark)

    def snapshot(self) -> Saved[Batch]:
        return self._distinct.snapshot()

    def restore(self, manifest: object, fetch: Fetch[Batch]) -> None:
        self._distinct.restore(manifest, fetch)


def templates(*blanks: BNode) -> st.SearchStrategy[tuple[Template, ...]]:
    subjects = st.sampled_from([X, Y, EX.c, *blanks])
    predicates = st.sampled_from([X, Y, EX.q])
    objects = st.sampled_from([X, Z, EX.c, term(1), *blanks])
    return st.lists(st.builds(Template, subjects, predicates, objects), max_size=3).map(tuple)


@given(deliveries(elements(few())), templates())
def test_a_template_keeps_the_law(delivery: Delivery, triples: tuple[Template, ...]) -> None:
    plan = Instances(triples, "", None, delivery.table(0))
    meaning = law(lambda below: Construct(triples, below))
    keeps_the_law(lambda: Set(TemplateOperator(plan, CODER)), delivery, meaning, lambda w: w)


@given(st.lists(st.tuples(few(), st.integers(1, 3)), max_size=4), templates(BNode("m"), BNode("n")))
def test_blank_nodes_are_those_of_the_reference(
    bag: list[tuple[Solution, int]], triples: tuple[Template, ...]
) -> None:
    """Each solution of the bag in so many copies, numbered from 0."""
    copies = dict(bag)
    given = [(mu | solution(copy=n), 0, 5) for mu in copies for n in range(copies[mu])]
    plan = Instances(triples, "q/1", COPY, table())
    delivery = Delivery([Step((given,), FOREVER, False)])

    def meaning(numbered: Sequence[Solution]) -> Iterable[Item]:
        below = [Solution({v: t for v, t in mu.items() if v != COPY}) for mu in numbered]
        return law(lambda table: Construct(triples, table, "q/1"))(below)

    made = TemplateOperator(plan, CODER)
    keeps_the_law(lambda: Set(made), delivery, meaning, lambda watermark: watermark)

"""Who needs one solution does not wait for all of them."""

from __future__ import annotations

import pytest

from askos.algebra import Ask, Constant, Filter, Join, Operator, Union
from askos.columns.keys import Known
from askos.static import StaticGraph, evaluate
from askos.static.leaves import BLOCK
from askos.static.table import Ids
from askos.terms import Literal
from tests.build import EX, G1, X, Y, Z, call, constant
from tests.static.build import graph, match

MANY = 20 * BLOCK
DATA = graph(*((f"t{n}", "site", f"s{n % 7}") for n in range(MANY)), ("s3", "in", "north"))


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many triples each look at a graph found."""
    found, matching = list[int](), StaticGraph.match

    def counted(
        self: StaticGraph, known: list[Known | None], count: int = 1, within: slice | None = None
    ) -> tuple[Ids, list[Ids]]:
        rows, columns = matching(self, known, count, within)
        found.append(len(rows))
        return rows, columns

    monkeypatch.setattr(StaticGraph, "match", counted)
    return found


SITES = match(X, EX.site, Y)


@pytest.mark.parametrize(
    "plan",
    [
        SITES,
        Join(SITES, match(X, EX.site, Z)),
        Union(SITES, match(Y, EX.site, X)),
        Filter(constant(True), SITES),
    ],
    ids=["a pattern", "a join", "a union", "a filter"],
)
def test_the_first_block_answers(plan: Operator, seen: list[int]) -> None:
    evaluate(Ask(plan), {G1: DATA})  # counts what an order of joins is chosen by, once
    seen.clear()
    assert evaluate(Ask(plan), {G1: DATA}) is True
    assert max(seen) <= BLOCK


def test_blocks_double_until_there_is_one(seen: list[int]) -> None:
    rare = Filter(call("STRENDS", call("STR", X), Constant(Literal(f"t{MANY - 1}"))), SITES)
    assert evaluate(Ask(rare), {G1: DATA}) is True
    assert evaluate(Ask(Filter(constant(False), SITES)), {G1: DATA}) is False
    assert max(seen) < MANY

"""Which twin of a join is chosen, and how that is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from askos import explain, prepare
from askos.algebra import (
    Distinct,
    Exists,
    Group,
    Join,
    LeftJoin,
    Node,
    Operator,
    OrderBy,
    Path,
    Project,
    Ref,
    SemiJoin,
    Slice,
    SortKey,
    Union,
    node_from_json,
    to_json,
)
from askos.algebra.operators.paths import Link, OneOrMore
from askos.physical import build
from askos.physical.estimates import FEW
from askos.physical.nodes import OrderedJoin, OrderedLeftJoin, Snapshot
from askos.physical.summary import summary
from askos.sources import Catalogue
from tests.build import EX, W, X, Y, Z, call
from tests.physical.test_stages import COUNTED, STATIC, P, Q, R, by, over


def runs(plan: Operator, rows: int | None) -> set[type[Node]]:
    """The joins of the stages."""
    nodes = (n for stage in build(plan, rows=rows).stages for n in _inside(stage.plan))
    return {type(node) for node in nodes if "Join" in type(node).__name__}


def _inside(plan: Operator) -> Iterator[Operator]:
    yield plan
    for below in plan.inputs:
        yield from _inside(below)


def test_few_expected_rows_are_joined_one_by_one() -> None:
    plan = LeftJoin(Join(P, Q), R)
    assert runs(plan, FEW) == {OrderedJoin, OrderedLeftJoin}
    assert runs(plan, FEW + 1) == runs(plan, None) == {Join, LeftJoin}


def test_joins_stay_columnar_under_a_condition_and_beside_a_table() -> None:
    assert runs(LeftJoin(P, Q, call("<", Y, Z)), 1) == {LeftJoin}
    assert runs(Join(Distinct(Union(R, STATIC)), P), 1) == {Join}
    assert runs(LeftJoin(STATIC, P), 1) == {LeftJoin}
    assert runs(SemiJoin(P, Q), 1) == {SemiJoin}


def test_a_join_that_is_evaluated_anew_is_no_twin() -> None:
    """Its condition has a pattern of its own: it is a Snapshot, whatever is expected."""
    plan = LeftJoin(P, Q, Exists(over(X, "r", W)))
    nodes = [node for stage in build(plan, rows=1).stages for node in stage.plan.walk()]
    assert any(isinstance(node, Snapshot) for node in nodes)
    assert not any(isinstance(node, OrderedLeftJoin) for node in nodes)


def test_the_choice_of_twins_is_read_back_from_json() -> None:
    plan = build(LeftJoin(Group(by(Y), COUNTED, Join(P, Q)), over(Y, "r", W)), rows=1)
    assert node_from_json(to_json(plan)) == plan
    assert plan != build(LeftJoin(Group(by(Y), COUNTED, Join(P, Q)), over(Y, "r", W)))


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (Join(over(X, "p", 1), over(Y, "p", 2)), "the sides of Join have no variable in common"),
        (LeftJoin(over(X, "p", 1), over(Y, "p", 2)), "the sides of LeftJoin have no variable"),
        (Slice(0, 3, Project((X,), OrderBy((SortKey(Ref(Y)),), P))), "Top of all rows"),
        (Path(X, OneOrMore(Link(EX.p)), Y, P.inputs[0]), "Closure needs all rows"),
    ],
)
def test_it_is_said_for_whose_sake_there_is_one_bucket(plan: Operator, why: str) -> None:
    for rows in (None, 1):
        assert f"one bucket: {why}" in summary(build(plan, rows=rows))


# ---- what is expected ------------------------------------------------------------------------

TEXT = """
SELECT ?t ?p ?a FROM STREAM <scada> WINDOW RANGE 1 MINUTE FIXED
FROM STREAM <alarms> WINDOW RANGE 1 MINUTE FIXED { ?t <power> ?p OPTIONAL { ?t <alarm> ?a } }
"""


def expecting(scada: int | None, alarms: int | None) -> Catalogue:
    known = Catalogue().stream("scada", rows_per_batch=scada)
    return known.stream("alarms", rows_per_batch=alarms)


def test_a_query_expects_what_all_its_streams_bring() -> None:
    assert prepare(TEXT, sources=expecting(3, 4)).rows_per_batch == 7
    assert prepare(TEXT, sources=expecting(3, None)).rows_per_batch is None
    assert prepare(TEXT).rows_per_batch is None
    assert prepare("SELECT ?s { ?s <p> ?o }").rows_per_batch is None


def test_explain_shows_the_twin_that_runs() -> None:
    few, many = (explain(TEXT, level="physical", sources=expecting(n, n)) for n in (1, 10**6))
    assert "OrderedLeftJoin" in few
    assert "Ordered" not in many
    assert few.replace("Ordered", "") == many

from __future__ import annotations

import pytest
from hypothesis import given

from askos.algebra import (
    Construct,
    Keyed,
    Node,
    Operator,
    SlidingWindow,
    StreamAccess,
)
from askos.algebra.names import Names
from askos.api import plans as plans_of
from askos.explaining import explain
from askos.terms import XSD, Literal, URIRef
from tests.build import S1, X, Y, call, constant, pattern
from tests.golden import Case, golden, update
from tests.plans import ALL_PREFIXES, PLANS
from tests.strategies import plans


@pytest.mark.parametrize("case", golden("explain"), ids=str)
def test_explain_prints_the_golden_plan(case: Case, pytestconfig: pytest.Config) -> None:
    text = explain(PLANS[case.input], ALL_PREFIXES)
    if pytestconfig.getoption("--update-golden"):
        update("explain", case, text)
        return
    assert text == case.plan


def test_every_plan_built_by_hand_has_a_golden_case() -> None:
    assert {case.input for case in golden("explain")} == set(PLANS)


@given(plans(), plans())
def test_explain_tells_plans_apart(a: Operator, b: Operator) -> None:
    assert (explain(a) == explain(b)) == (a == b)


def test_what_is_easily_taken_for_another_plan_prints_differently() -> None:
    raw = StreamAccess(S1)
    lookalikes: list[Node] = [
        SlidingWindow.now(raw),
        SlidingWindow(raw, 1, 1, origin=5),
        Construct((), pattern(X, "p", Y), "one"),
        Construct((), pattern(X, "p", Y), "two"),
    ]
    texts = [explain(plan) for plan in lookalikes if isinstance(plan, Operator)]
    assert len(set(texts)) == len(lookalikes)
    minus_five = constant(-5)
    assert [str(minus_five), str(call("UNARY -", 5))] == ["-5", "-(5)"]
    assert str(call("UNARY -", call("UNARY -", X))) == "-(-?x)"
    keyed = [Keyed("RAND", (), site, key) for site in ("a", "b") for key in ((), (X,))]
    assert len({str(e) for e in keyed}) == 4


def test_prefixes_shorten_only_what_reads_back() -> None:
    names = Names({"": "http://e/", "x": str(XSD)})
    assert names.text(URIRef("http://e/a")) == ":a"
    assert names.text(URIRef("http://e/a/b")) == "<http://e/a/b>"
    assert names.text(URIRef("http://e/")) == "<http://e/>"
    assert names.text(Literal("5", datatype=XSD.integer)) == "5"
    assert names.text(Literal("5 ", datatype=XSD.integer)) == '"5 "^^x:integer'
    assert names.text(Literal("1e5", datatype=XSD.double)) == "1e5"
    assert names.text(Literal("true", datatype=XSD.boolean)) == "true"
    assert names.text(Literal("1", datatype=XSD.boolean)) == '"1"^^x:boolean'
    assert names.text(None) == "UNDEF"


@pytest.mark.parametrize("case", golden("alternatives"), ids=str)
def test_all_physical_plans_print_as_in_the_golden_file(
    case: Case, pytestconfig: pytest.Config
) -> None:
    every = "1m" if "SUM" in case.input else None
    text = plans_of(case.input, every=every)
    if pytestconfig.getoption("--update-golden"):
        update("alternatives", case, text)
        return
    assert text == case.plan

"""What C-SPARQL's graphs show of a plan, and the paper's figures."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from rdflib import Namespace

from askos.algebra import (
    AggregateClauses,
    And,
    Clause,
    Construct,
    CountWindow,
    Distinct,
    EmptyGraph,
    Exists,
    Extend,
    Filter,
    GraphAccess,
    Join,
    Minus,
    Operator,
    Pattern,
    Project,
    Ref,
    SlidingWindow,
    SteppedWindow,
    StreamAccess,
    Sum,
    Template,
    Union,
    Values,
)
from askos.api import explain as explain_query
from askos.errors import QueryError
from askos.explaining import explain
from askos.sources import Catalogue
from askos.terms import Literal, URIRef, Variable
from askos.translate import create_plan, parse
from tests.build import EX, G1, PREFIXES, S1, S2, W, X, Y, Z, call, constant, pattern
from tests.golden import Case, golden, update
from tests.plans import ALL_PREFIXES, listing_1_1, listing_1_2, listing_1_3

B = Namespace("http://brokerscentral.org/accounts#")
XCH = Namespace("http://stockexchange.org/exchanges#")
SELLING = Namespace("http://stockexchanges.org/exchanges#")  # as section 5.2 prints it
MARKET = [XCH.does, XCH["with"], SELLING.seller, SELLING["with"]]
DAY = 86_400_000

FIGURES: dict[str, Callable[[], Operator]] = {
    "figure 1": listing_1_2,
    "figure 2": listing_1_3,
    "figure 3": listing_1_1,
}


def broker_totals() -> Operator:
    """The example of C-SPARQL's section 3.4: the daily sums of Swiss brokers."""
    broker, country, tx, amount, total = (
        Variable(name) for name in ("broker", "country", "tx", "amount", "total")
    )
    brokers = GraphAccess(URIRef("http://brokerscentral.org/brokers.rdf"))
    market = StreamAccess(URIRef("http://stockexchange.org/market.trdf"))
    today = SteppedWindow(market, DAY, DAY)
    static = Pattern(broker, B.is_from, country, brokers)
    does, amounts = Pattern(broker, XCH.does, tx, today), Pattern(tx, XCH["with"], amount, today)
    swiss = And(call("=", country, constant(Literal("CH"))), call(">=", amount, 10))
    where = Filter(swiss, Join(Join(static, does), amounts))
    sums = AggregateClauses((Clause(total, Sum(Ref(amount)), (broker,)),), where)
    return Distinct(Project((broker, total), sums))


@pytest.mark.parametrize("case", golden("figures"), ids=str)
def test_the_figures_of_the_paper_are_these_plans(case: Case, pytestconfig: pytest.Config) -> None:
    by_hand = FIGURES[case.title.split(":")[0]]()
    query = parse(case.input)
    assert create_plan(query) == by_hand
    text = explain(by_hand, query.prefixes)
    if pytestconfig.getoption("--update-golden"):
        update("figures", case, text)
        return
    assert text == case.plan


@pytest.mark.parametrize("view", ["ograph", "dgraph"])
@pytest.mark.parametrize("plan", [broker_totals, listing_1_1], ids=lambda plan: plan.__name__)
def test_views_print_the_golden_text(
    plan: Callable[[], Operator], view: str, pytestconfig: pytest.Config
) -> None:
    (case,) = (c for c in golden(view) if c.input == plan.__name__)
    text = explain(plan(), {**ALL_PREFIXES, "b": str(B), "x": str(XCH)}, view=view)
    if pytestconfig.getoption("--update-golden"):
        update(view, case, text)
        return
    assert text == case.plan


@pytest.mark.parametrize("case", golden("csparql_figures"), ids=str)
def test_the_optimised_graphs_of_csparql_are_these(case: Case, pytestconfig: pytest.Config) -> None:
    """C-SPARQL 2010, figures 6 and 8 b, as section 5 tells them: two filters on their sources, a
    projection above the last use of a variable; the sums of each market at its stream, for which
    a second one is added here."""
    market = "http://stockexchange.org/market"
    known = Catalogue().graph("http://brokerscentral.org/brokers.rdf", predicates=[B.is_from])
    for name in ("", "2"):
        known = known.stream(f"{market}{name}.trdf", predicates=MARKET)
    text = explain_query(case.input, sources=known, level="optimized", view="ograph")
    if pytestconfig.getoption("--update-golden"):
        update("csparql_figures", case, text)
        return
    assert text == case.plan


def shown(plan: Operator, view: str) -> str:
    return explain(plan, PREFIXES, view=view)


def test_an_ograph_draws_equal_sub_plans_once() -> None:
    twice = Join(pattern(X, "p", Y), pattern(X, "q", Z))
    document = json.loads(explain(twice, view="ograph", format="json"))
    assert [node["title"] for node in document["nodes"]].count("Stream") == 1
    assert [node["title"] for node in document["nodes"]].count("Window") == 1
    assert len(json.loads(explain(twice, format="json"))["nodes"]) == 7


def test_a_plan_joined_with_itself_keeps_both_edges() -> None:
    one = pattern(X, "p", Y)
    edges = json.loads(explain(Join(one, one), view="ograph", format="json"))["edges"]
    assert len(edges) == 4
    assert edges[0] == edges[-1]


def test_an_ograph_marks_what_reads_no_stream() -> None:
    mixed = Join(pattern(X, "p", Y), pattern(X, "q", Z, GraphAccess(G1)))
    lines = shown(mixed, "ograph").splitlines()
    assert [line.split(" →")[0].strip() for line in lines if "static" in line] == [
        "4 Graph pattern ?x :q ?z [static]"
    ]


def test_a_dgraph_frames_each_source_and_leaves_shared_variables_outside() -> None:
    mixed = Join(pattern(X, "p", Y), pattern(X, "q", Z, GraphAccess(G1)))
    assert shown(Project((Y,), mixed), "dgraph") == "\n".join(
        (
            "D-Graph",
            "  1 ?x → 3, 4",
            "  STREAM :stream1 ALL",
            "    2 ?y RESULT",
            "    3 :p → 2",
            "  GRAPH :graph1",
            "    4 :q → 5",
            "    5 ?z",
        )
    )


def test_a_dgraph_keeps_variables_apart_that_a_sub_select_hides() -> None:
    hidden = Project((X,), pattern(X, "q", Y))
    assert shown(Join(pattern(X, "p", Y), hidden), "dgraph").count("?y") == 2
    assert shown(Join(pattern(X, "p", Y), pattern(X, "q", Y)), "dgraph").count("?y") == 1


def test_a_dgraph_keeps_variables_apart_that_only_minus_or_exists_know() -> None:
    for hiding in (
        Minus(pattern(X, "p", Y), pattern(X, "q", W)),
        Filter(Exists(pattern(X, "q", W)), pattern(X, "p", Y)),
    ):
        drawn = shown(Extend(W, constant(1), hiding), "dgraph")
        assert sum(line.strip().split()[1] == "?w" for line in drawn.splitlines()[1:]) == 2


def test_a_dgraph_says_which_branch_a_pattern_is_in() -> None:
    branches = Union(Union(pattern(X, "p", Y), pattern(X, "q", Y)), pattern(X, "r", Y))
    text = shown(branches, "dgraph")
    assert [f":{p} [UNION 1, branch {n}]" in text for n, p in enumerate("pqr", start=1)] == [
        True,
        True,
        True,
    ]


def test_a_dgraph_frames_a_stream_once_for_each_window() -> None:
    recent = CountWindow(pattern(X, "q", Z, StreamAccess(S1)), 5)
    text = shown(Join(pattern(X, "p", Y), recent), "dgraph")
    assert "STREAM :stream1 ALL" in text
    assert "STREAM :stream1 ELEMS 5" in text


def test_a_dgraph_draws_what_makes_the_triples_of_a_pattern() -> None:
    made = Construct(
        (Template(X, EX.r, Y),), pattern(X, "q", Y, SlidingWindow.now(StreamAccess(S2)))
    )
    text = shown(pattern(X, "r", Y, made), "dgraph")
    assert "Construct { ?x :r ?y }" in text
    assert "STREAM :stream2 NOW" in text


def test_a_condition_without_variables_and_an_empty_graph_are_shown() -> None:
    text = shown(Filter(call("<", 1, 2), pattern(X, "p", Y, EmptyGraph())), "dgraph")
    assert "FILTER 1 < 2" in text
    assert "GRAPH without triples" in text


def test_an_unknown_view_or_format_is_refused() -> None:
    with pytest.raises(QueryError, match="one of plan, ograph, dgraph"):
        explain(listing_1_1(), view="graph")
    with pytest.raises(QueryError, match="one of text, json, mermaid, svg"):
        explain(listing_1_1(), format="png")


def test_text_of_a_plan_deeper_than_pythons_stack() -> None:
    plan: Operator = pattern(X, "p", Y)
    for _ in range(3000):
        plan = Join(plan, Values((), ((),)))
    assert explain(plan).count("Join") == 3000

"""What the plans of queries mean, over small streams, by the reference evaluation."""

from __future__ import annotations

from collections import Counter

import pytest

from askos.algebra import Bag, Operator, SteppedWindow, equivalent
from askos.algebra.reference import Streams, evaluate, intervals
from askos.interval import Interval
from askos.physical import build
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.terms import Literal, Solution, URIRef, Variable
from askos.translate import create_plan, optimize, parse
from examples import questions
from tests import plans
from tests.build import EX, S1, S2, SMALL, W, X, Y, Z, bag, solution, stream, triple
from tests.translate.test_canonical import PREFIX, QUERIES


def plan(text: str, sources: Catalogue | None = None) -> Operator:
    return create_plan(PREFIX + text, sources=sources)


def answer(text: str, data: Streams, at: int = 10) -> Bag:
    return evaluate(plan(text), data, at)


STATIC: Streams = {
    DEFAULT_GRAPH: [triple("a", "p", 1), triple("a", "q", 5), triple("b", "p", 2)],
    EX.g1: [triple("a", "p", 1)],
    EX.g2: [triple("a", "p", 1), triple("b", "p", 1)],
}
TWICE: Streams = {S1: stream(("a", "p", 1, 0), ("a", "p", 1, 5), ("b", "p", 2, 5))}

# ---- plans that were built by hand before -----------------------------------------------------


@pytest.mark.parametrize(
    ("file", "by_hand"),
    [
        ("listing-1-1", plans.listing_1_1()),
        ("listing-1-2", plans.listing_1_2()),
        ("listing-1-3", plans.listing_1_3()),
    ],
)
def test_the_listings_of_the_paper_have_the_plans_of_its_figures(
    file: str, by_hand: Operator
) -> None:
    text = (QUERIES / "streaming-sparql" / f"{file}.rq").read_text(encoding="utf-8")
    assert create_plan(text) == by_hand


@pytest.mark.parametrize("question", questions.QUESTIONS, ids=lambda question: question.name)
def test_the_hosts_take_the_plans_of_the_demo(question: questions.Question) -> None:
    query = question.query
    assert build(query.plan, query.report, query.columns, query.clock).stages


def test_the_demo_has_the_papers_query_as_printed() -> None:
    printed = (QUERIES / "streaming-sparql" / "listing-1-1.rq").read_text(encoding="utf-8")
    (question,) = [q for q in questions.QUESTIONS if q.name == "listing-1-1"]
    assert question.query.canonical == create_plan(printed)


# ---- windows ----------------------------------------------------------------------------------


def test_a_stream_is_a_bag_in_streaming_sparql_and_a_set_in_c_sparql() -> None:
    a, b = solution(x=EX.a, y=1), solution(x=EX.b, y=2)
    bags = answer("SELECT * FROM STREAM :stream1 WINDOW RANGE 20 SLIDE { ?x :p ?y }", TWICE)
    assert bags == bag(a, a, b)
    sets = answer("SELECT * FROM STREAM :stream1 [RANGE 20 STEP 10] { ?x :p ?y }", TWICE)
    assert sets == bag(a, b)


def test_a_window_around_a_union_holds_for_its_branches() -> None:
    """Algorithm 1 as printed resets the window in a nested group."""
    text = (
        "SELECT * FROM STREAM :stream1 WINDOW RANGE 1 SLIDE"
        " { { ?x :p 1 } UNION { ?x :p 2 } WINDOW RANGE 6 SLIDE }"
    )
    assert answer(text, TWICE, 10) == bag(solution(x=EX.a), solution(x=EX.b))


def test_a_count_window_of_a_group_counts_over_all_streams_together() -> None:
    data = {S1: stream(("a", "p", 1, 0), ("b", "p", 2, 2)), S2: stream(("c", "p", 3, 1))}
    text = "SELECT ?x FROM STREAM :stream1 FROM STREAM :stream2 { ?x :p ?y WINDOW ELEMS 2 }"
    assert answer(text, data) == bag(solution(x=EX.b), solution(x=EX.c))


def test_a_window_in_the_past_without_a_slide_moves_with_every_instant() -> None:
    text = "SELECT * FROM NAMED STREAM :stream1 [NOW - 10 MS TO NOW - 4 MS] { ?x :p ?y }"
    found = plan(text)
    assert any(isinstance(n, SteppedWindow) and n.step == 1 for n in found.walk())
    elements = intervals(found, {S1: stream(("a", "p", 1, 3))})
    assert [e.interval for e in elements] == [Interval(7, 13)]


def test_static_graphs_are_merged_to_a_set_beside_a_bag_of_triples() -> None:
    data = {**TWICE, EX.g1: STATIC[EX.g1], EX.g2: STATIC[EX.g2]}
    text = "SELECT ?y FROM STREAM :stream1 WINDOW RANGE 20 SLIDE FROM :g1 FROM :g2 { :a :p ?y }"
    assert answer(text, data) == Counter({solution(y=1): 3})


# ---- graphs -----------------------------------------------------------------------------------


def test_the_variable_of_graph_is_not_visible_inside() -> None:
    graphs = "SELECT * FROM NAMED :g1 FROM NAMED :g2"
    inside = answer(f"{graphs} {{ GRAPH ?g {{ ?x :p 1 FILTER(BOUND(?g)) }} }}", STATIC)
    assert inside == bag()
    outside = answer(f"{graphs} {{ GRAPH ?g {{ ?x :p 1 }} FILTER(?x = :b) }}", STATIC)
    assert outside == bag(solution(g=EX.g2, x=EX.b))


def test_what_is_unique_in_graph_is_so_in_each_of_the_graphs() -> None:
    text = "SELECT * FROM NAMED :g1 FROM NAMED :g2 { GRAPH ?g { :a :p 1 BIND(UUID() AS ?u) } }"
    found = answer(text, STATIC)
    assert len({row[Variable("u")] for row in found if isinstance(row, Solution)}) == 2


def test_a_path_of_zero_length_sees_nodes_of_sources_that_lack_its_predicate() -> None:
    known = Catalogue().graph(EX.g1, predicates=[EX.p]).graph(EX.g2, predicates=[EX.q])
    data = {EX.g1: [triple("a", "p", "b")], EX.g2: [triple("c", "q", "d")]}
    star = evaluate(plan("SELECT * FROM :g1 FROM :g2 { ?x :p* ?y }", known), data, 0)
    assert len(star) == 5
    plus = evaluate(plan("SELECT * FROM :g1 FROM :g2 { ?x :p+ ?y }", known), data, 0)
    assert plus == bag(solution(x=EX.a, y=EX.b))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM STREAM :stream1 WINDOW RANGE 5 SLIDE FROM :graph1 { ?x :p ?y ; :q ?z }",
        "SELECT * FROM STREAM :stream1 [RANGE 5 STEP 2] FROM :graph1 { ?x ?y ?z MINUS {?x :p ?z} }",
        "SELECT * FROM STREAM :stream1 WINDOW RANGE 5 SLIDE FROM :graph1 { ?x (:r/:r)|:p ?y }",
    ],
)
def test_leaving_out_sources_that_cannot_match_changes_no_answer(text: str) -> None:
    known = Catalogue().stream(S1, [EX.p, EX.q]).graph(EX.graph1, predicates=[EX.r])
    query = parse(PREFIX + text)
    canonical = create_plan(query, sources=known)
    pruned = optimize(canonical, sources=known)
    assert equivalent(intervals(pruned, SMALL), intervals(canonical, SMALL))


# ---- what comes after WHERE -------------------------------------------------------------------


def test_having_may_use_the_names_that_select_gives() -> None:
    text = (
        "SELECT ?x (SUM(?y) * 2 AS ?z) { ?x :p ?y FILTER(!BOUND(?z)) } GROUP BY ?x HAVING(?z > 3)"
    )
    query = parse(PREFIX + text, dialect="cqels")
    assert evaluate(create_plan(query), STATIC, 0) == bag(solution(x=EX.b, z=4))


def test_all_clauses_of_aggregate_see_the_solutions_before_any_filter() -> None:
    text = (
        "SELECT * FROM STREAM :stream1 [RANGE 20 STEP 10] { ?x :p ?y }"
        " AGGREGATE { (?z, COUNT, {}) FILTER(?y > 1) } AGGREGATE { (?w, SUM(?y), {}) }"
    )
    assert answer(text, TWICE) == bag(solution(x=EX.b, y=2, z=2, w=3))


def test_timestamp_is_the_latest_arrival_of_what_bound_the_variable() -> None:
    text = (
        "SELECT ?x ?z FROM STREAM :stream1 [RANGE 20 STEP 10]"
        " { ?x :p 1 . ?z :p 2 FILTER(timestamp(?x) = timestamp(?z) && timestamp(?x) = 5) }"
    )
    assert answer(text, TWICE) == bag(solution(x=EX.a, z=EX.b))


TIMED = {
    S1: stream(("a", "p", 1, 2), ("a", "p", 1, 6), ("b", "p", 2, 4), ("b", "q", 1, 7)),
    S2: stream(("a", "p", 1, 9), ("b", "p", 3, 8), ("a", "q", 1, 1)),
}
BOTH = "FROM STREAM :stream1 [RANGE 20 STEP 10] FROM STREAM :stream2 [RANGE 20 STEP 10]"


def test_timestamp_may_name_the_stream_by_a_variable_of_graph() -> None:
    text = f"SELECT ?x ?y ?w {BOTH} {{ GRAPH ?g {{ ?x :p ?y }} BIND(timestamp(?x, ?g) AS ?w) }}"
    rows = [(EX.a, 1, 6), (EX.b, 2, 4), (EX.a, 1, 9), (EX.b, 3, 8)]
    assert answer(text, TIMED) == bag(*(solution(x=x, y=y, w=w) for x, y, w in rows))
    joined = (
        f"SELECT ?x ?w {BOTH} {{ GRAPH ?g {{ ?x :p 1 }} GRAPH :stream2 {{ ?x :q 1 }}"
        " BIND(timestamp(?x, ?g) AS ?w) }"
    )
    assert answer(joined, TIMED) == bag(solution(x=EX.a, w=6), solution(x=EX.a, w=9))


def test_timestamp_of_a_triple_is_the_latest_of_its_valid_copies() -> None:
    text = f"SELECT ?x ?y ?w {BOTH} {{ ?x :p ?y BIND(timestamp(?x, :p, ?y) AS ?w) }}"
    rows = [(EX.a, 1, 9), (EX.b, 2, 4), (EX.b, 3, 8)]
    assert answer(text, TIMED) == bag(*(solution(x=x, y=y, w=w) for x, y, w in rows))
    inside = text.replace("{ ?x", "{ GRAPH :stream1 { ?x") + " }"
    assert answer(inside, TIMED) == bag(solution(x=EX.a, y=1, w=6), solution(x=EX.b, y=2, w=4))


def test_timestamp_of_a_triple_that_is_not_there_or_not_said_is_an_error() -> None:
    for call in ("timestamp(?x, :none, ?y)", "timestamp(?x, :p, ?n)", "timestamp(:a, :p, 5)"):
        text = f"SELECT ?x ?n ?w {BOTH} {{ ?x :p 2 BIND({call} AS ?w) }}"
        assert answer(text, TIMED) == bag(solution(x=EX.b))
    maybe = (
        f"SELECT ?x ?z ?w {BOTH}"
        " { ?x :p 1 OPTIONAL { ?x :r ?z } BIND(timestamp(?x, :p, ?z) AS ?w) }"
    )
    assert answer(maybe, TIMED) == bag(solution(x=EX.a))


def test_a_constant_triple_has_a_timestamp_too() -> None:
    text = f"SELECT ?x (timestamp(:a, :p, 1) AS ?w) {BOTH} {{ ?x :q 1 }}"
    assert answer(text, TIMED) == bag(solution(x=EX.a, w=9), solution(x=EX.b, w=9))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT ?x {from} {{ ?x :p ?y FILTER(timestamp(?x, :p, ?y) < 9) }}", [EX.b, EX.b]),
        ("SELECT ?x {from} {{ ?x :p ?y }} ORDER BY timestamp(?x, :p, ?y) LIMIT 1", [EX.b]),
        (
            "SELECT ?x {from} {{ ?x :p ?y }} GROUP BY ?x HAVING(MAX(timestamp(?x, :p, ?y)) > 8)",
            [EX.a],
        ),
        (
            "SELECT ?x {from} {{ ?x :q ?y FILTER EXISTS"
            " {{ ?x :p ?z FILTER(timestamp(?x, :q, ?y) < timestamp(?x, :p, ?z)) }} }}",
            [EX.a, EX.b],
        ),
        ("SELECT ?x {from} {{ ?x :p ?y FILTER(timestamp(?x, :p, 1) = 9) }}", [EX.a]),
        (
            "SELECT ?x {from} {{ ?x :p ?y }} AGGREGATE {{ (?n, MAX(timestamp(?x, :p, ?y)), {{?x}})"
            " FILTER(?n > 8 && timestamp(?x, :p, ?y) = ?n) }}",
            [EX.a],
        ),
    ],
    ids=["filter", "order", "having", "exists", "constant", "aggregate"],
)
def test_timestamp_of_a_triple_stands_wherever_expressions_do(
    text: str, rows: list[URIRef]
) -> None:
    asked = text.replace("{from}", BOTH).replace("{{", "{").replace("}}", "}")
    assert answer(asked, TIMED) == bag(*(solution(x=x) for x in rows))


@pytest.mark.parametrize(
    ("condition", "joined"),
    [
        ("timestamp(?x, :q, ?z) > 5", {EX.b}),  # asked of the right side
        ("timestamp(?x, :p, ?y) > 8", {EX.a}),  # of the left one
        ("timestamp(?v, :p, ?z) > 8", {EX.a}),  # of both
        ("!BOUND(?v) || COALESCE(timestamp(?v, :q, ?y), 0) = 0", {EX.b}),
    ],
)
def test_timestamp_of_a_triple_in_the_filter_of_optional(
    condition: str, joined: set[URIRef]
) -> None:
    text = (
        f"SELECT ?x ?y ?z {BOTH}"
        f" {{ ?x :p ?y BIND(?x AS ?v) OPTIONAL {{ ?x :q ?z FILTER({condition}) }} }}"
    )
    rows = [(EX.a, 1), (EX.b, 2), (EX.b, 3)]
    want = (solution(x=x, y=y, z=1) if x in joined else solution(x=x, y=y) for x, y in rows)
    assert answer(text, TIMED) == bag(*want)


def test_a_label_is_one_blank_node_beside_timestamps_of_triples() -> None:
    text = (
        f"SELECT (BNODE('n') AS ?y) (timestamp(?x, :p, 1) AS ?w) (BNODE('n') AS ?z) {BOTH}"
        " { ?x :p 1 }"
    )
    (row,) = answer(text, TIMED)
    assert isinstance(row, Solution)
    assert row[Y] == row[Z]


def test_a_template_keeps_its_blank_nodes_when_another_copy_comes() -> None:
    text = (
        "CONSTRUCT { ?x :seen [] } FROM STREAM :stream1 [RANGE 20 STEP 5]"
        " { ?x :p 1 FILTER(timestamp(?x, :p, 1) > 0) }"
    )
    early, late = answer(text, TIMED, 5), answer(text, TIMED, 10)
    assert len(early) == 1
    assert early == late


def test_copies_of_a_solution_get_different_identifiers_and_every_run_the_same() -> None:
    text = "SELECT ?x ?u FROM STREAM :stream1 WINDOW RANGE 20 SLIDE { ?x :p ?y BIND(UUID() AS ?u) }"
    first, second = answer(text, TWICE), answer(text, TWICE)
    assert len(first) == 3
    assert first == second
    spaced = answer(text.replace(" WHERE", "").replace("{", "  WHERE {  ", 1), TWICE)
    assert spaced == first
    assert answer(text.replace("?y", "?z"), TWICE) != first


def test_a_label_is_one_blank_node_in_each_solution() -> None:
    text = "SELECT ?x (BNODE('n') AS ?y) (BNODE('n') AS ?z) (BNODE() AS ?w) { ?x :p ?v }"
    rows = [row for row in answer(text, STATIC) if isinstance(row, Solution)]
    assert all(row[Y] == row[Z] != row[W] for row in rows)
    assert len({row[Y] for row in rows}) == len({row[X] for row in rows}) == 2


def test_triples_with_impossible_parts_match_nothing_and_construct_nothing() -> None:
    assert answer("SELECT * { 5 :p ?x }", STATIC) == bag()
    assert answer("CONSTRUCT { ?y :of ?x } { ?x :p ?y }", STATIC) == bag()


def test_a_plain_literal_stays_what_it_was() -> None:
    found = answer("SELECT ?x { VALUES ?x { '01' 01 1.0 } }", {})
    assert bag(solution(x=Literal("01"))) < found


def test_the_base_that_the_caller_gave_is_known_to_iri() -> None:
    query = parse("SELECT (IRI('x') AS ?x) {}", base="http://base.example/a/b")
    expected = bag(solution(x=URIRef("http://base.example/a/x")))
    assert evaluate(create_plan(query), {}, 0) == expected

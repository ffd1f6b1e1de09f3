"""Wide queries: thousands of alternatives, conjuncts, summands, patterns, branches and steps.

Nothing here may recurse as deep as a query is wide.  No test looks at a clock: but what takes the
square of the width would not end in time for anyone.
"""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType

import pytest

import askos
import askos.local
from askos import create_plan, explain, optimize, parse, select
from askos.algebra import Filter, Join, Node, Pattern, from_json, to_json
from askos.algebra.depth import depth
from askos.algebra.reference import evaluate
from askos.algebra.serialize import node_from_json
from askos.api import LEVELS, Level
from askos.errors import QueryError
from askos.physical import build, tree
from askos.prepared import prepare
from askos.sources import DEFAULT_GRAPH
from askos.static.queries import Solutions
from askos.terms import Literal, Triple, URIRef, Variable
from askos.translate.plan.height import HIGHEST

WIDTHS = [
    400,
    pytest.param(1_500, marks=pytest.mark.thorough),
    pytest.param(5_000, marks=pytest.mark.soak),
]
"""More than Python's stack takes."""
SOME = 200
"""For what does more than read and write: as chains, these would exhaust the stack too."""


def _where(sign: str, parts: list[str], frame: str) -> str:
    return frame.replace("..", sign.join(parts))


SHAPES: dict[str, Callable[[int], str]] = {
    "||": lambda n: _where(" || ", [f"?x = {i}" for i in range(n)], "{ ?s <v> ?x FILTER (..) }"),
    "&&": lambda n: _where(
        " && ", [f"?x != {i + 9}" for i in range(n)], "{ ?s <v> ?x FILTER (..) }"
    ),
    "filters": lambda n: _where(
        " ", [f"FILTER (?x != {i + 9})" for i in range(n)], "{ ?s <v> ?x .. }"
    ),
    "+": lambda n: _where(" + ", ["?x"] * n, "{ ?s <v> ?x BIND (.. AS ?y) }"),
    "* /": lambda n: _where(" * ", ["?x / 1.0"] * n, "{ ?s <v> ?x BIND (.. AS ?y) }"),
    "star": lambda n: _where(" ; ", [f"<v> ?x{i}" for i in range(n)], "{ ?s .. }"),
    "star with filters": lambda n: _where(
        " ", [f"?s <v> ?x{i} FILTER (?x{i} >= 1)" for i in range(n)], "{ .. }"
    ),
    "groups": lambda n: _where(" ", [f"{{ ?s <v> ?x{i} }}" for i in range(n)], "{ .. }"),
    "UNION": lambda n: _where(
        " UNION ", [f"{{ ?s <v> ?x FILTER (?x = {i}) }}" for i in range(n)], "{ .. }"
    ),
    "|": lambda n: _where("|", [f"<p{i}>" for i in range(n)] + ["<v>"], "{ ?s .. ?x }"),
    "/": lambda n: _where("/", ["<same>"] * n, "{ ?s .. ?x }"),
    "(/)+": lambda n: _where("/", ["<same>"] * n, "{ ?s (..)+ ?x }"),
    "!(|)": lambda n: _where("|", [f"<p{i}>" for i in range(n)], "{ ?s !(..) ?x }"),
    "IN": lambda n: _where(", ", list(map(str, range(n))), "{ ?s <v> ?x FILTER (?x IN (..)) }"),
    "VALUES": lambda n: _where(
        " ", [f"({i} {i})" for i in range(n)], "{ ?s <v> ?x VALUES (?x ?y) { .. } }"
    ),
}
MANY = {"star", "star with filters", "groups", "UNION", "/", "(/)+"}
"""Those whose plans have as many operators: to draw thousands of them takes a while."""
each_shape = pytest.mark.parametrize("shape", SHAPES)
each_width = pytest.mark.parametrize(
    "width",
    [
        pytest.param(1_500, marks=pytest.mark.thorough),
        pytest.param(5_000, marks=pytest.mark.soak),  # all of them take minutes
    ],
)

A, B = URIRef("a"), URIRef("b")
DATA = [
    Triple(A, URIRef("v"), Literal(1)),
    Triple(B, URIRef("v"), Literal(2)),
    Triple(A, URIRef("same"), A),
]
_ROWS = [(*(term.n3() for term in triple), 5) for triple in DATA]
WINDOW = "FROM STREAM <w> WINDOW RANGE 100 SLIDE 1"


def query(shape: str, width: int, dataset: str = "") -> str:
    return f"SELECT * {dataset} {SHAPES[shape](width)}"


# ---- reading and writing ---------------------------------------------------------------------


@each_shape
@pytest.mark.parametrize("width", WIDTHS)
def test_a_wide_query_is_parsed_planned_and_written(shape: str, width: int) -> None:
    parsed = parse(query(shape, width))
    assert parse(askos.format(parsed)) == parsed
    plan = create_plan(parsed)
    assert _height(plan) < 40
    assert explain(plan)
    copy = from_json(to_json(plan))
    assert copy == plan
    assert hash(copy) == hash(plan)
    assert pickle.loads(pickle.dumps(plan)) == plan


def _height(node: Node) -> int:
    """Operators, expressions and paths upon one another."""
    level, height = [node], 0
    while level:
        level, height = [child for each in level for child in each.children], height + 1
    return height


@each_shape
def test_a_wide_query_is_drawn(shape: str) -> None:
    assert explain(query(shape, SOME, WINDOW), level="physical", format="svg")


@pytest.mark.parametrize(
    "shape", [pytest.param(shape, marks=[pytest.mark.soak] * (shape in MANY)) for shape in SHAPES]
)
@pytest.mark.thorough
def test_a_very_wide_query_is_drawn(shape: str) -> None:
    assert explain(query(shape, 5_000, WINDOW), level="physical", format="svg")


@pytest.mark.parametrize("format", ["json", "mermaid"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_wide_star_is_explained_in_every_way(level: Level, format: str) -> None:
    assert explain(query("star", SOME, WINDOW), level=level, format=format)


@pytest.mark.parametrize("view", ["ograph", "dgraph"])
@each_shape
def test_a_wide_query_has_other_views(shape: str, view: str) -> None:
    assert explain(query(shape, SOME, WINDOW), view=view)


@each_shape
@each_width
def test_a_very_wide_query_is_optimised(shape: str, width: int) -> None:
    best = optimize(create_plan(query(shape, width, WINDOW)))
    assert _height(best) < 60


# ---- meaning ---------------------------------------------------------------------------------


def solutions(text: str) -> Solutions:
    """What is selected of the data."""
    found = select(text, graph=DATA)
    assert isinstance(found, Solutions)
    return found


@each_shape
def test_all_ways_of_evaluating_a_wide_query_agree(shape: str) -> None:
    text = query(shape, SOME)
    plan = create_plan(text)
    judge = evaluate(plan, {DEFAULT_GRAPH: DATA}, 0)
    assert judge
    assert evaluate(optimize(plan), {DEFAULT_GRAPH: DATA}, 0) == judge
    assert Counter(solutions(text)) == judge


@each_shape
def test_a_local_run_of_a_wide_query_says_the_same(shape: str) -> None:
    text = query(shape, 100, WINDOW)
    first = next(iter(askos.local.run(text, {URIRef("w"): _ROWS}, report="rstream", every=10)))
    judge = evaluate(create_plan(query(shape, 100)), {DEFAULT_GRAPH: DATA}, 0)
    assert Counter(first.rows) == judge


def _run(text: str) -> object:
    return list(askos.local.run(text, {URIRef("w"): _ROWS}))


def _draw(text: str) -> object:
    return explain(text, level="physical", format="svg")


@each_shape
@pytest.mark.parametrize("work", [_run, _draw], ids=["run", "draw"])
@pytest.mark.thorough
def test_four_times_the_width_is_four_times_the_work(
    work: Callable[[str], object], shape: str
) -> None:
    """Of reading, planning, building, and running or drawing: in calls, which no busy machine
    makes more."""
    _calls(work, shape, 5)  # what is done once is done
    assert _calls(work, shape, 160) < 4.4 * _calls(work, shape, 40)


def _calls(work: Callable[[str], object], shape: str, width: int) -> int:
    """How many functions are called for a query."""
    made = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal made
        made += event == "call"

    text, before = query(shape, width, WINDOW), sys.getprofile()
    sys.setprofile(count)
    try:
        assert work(text)
    finally:
        sys.setprofile(before)
    return made


@each_shape
@each_width
def test_a_very_wide_query_runs(shape: str, width: int) -> None:
    """Of a star, one stage of thousands of joins; of a path, thousands of stages."""
    few = list(askos.local.run(query(shape, SOME, WINDOW), {URIRef("w"): _ROWS}))
    many = list(askos.local.run(query(shape, width, WINDOW), {URIRef("w"): _ROWS}))
    assert len(many) == len(few)


@each_width
def test_a_very_wide_query_travels_and_is_drawn(width: int) -> None:
    wide = prepare(query("star", width, WINDOW))
    built = build(wide.plan, wide.report, wide.columns, wide.clock)
    text = to_json(built)
    assert to_json(node_from_json(text)) == text
    assert to_json(pickle.loads(pickle.dumps(built))) == text
    assert explain(tree(built), format="svg").count("<title>") > width


@each_shape
@each_width
def test_a_very_wide_query_is_answered(shape: str, width: int) -> None:
    small, wide = solutions(query(shape, SOME)), solutions(query(shape, width))
    assert len(wide) == len(small)
    judge = evaluate(create_plan(query(shape, width)), {DEFAULT_GRAPH: DATA}, 0)
    assert Counter(wide) == judge


def test_a_wide_query_means_what_a_short_one_does() -> None:
    width = 300
    chosen = " || ".join(f"?x = {i}" for i in range(width))
    wide = select(f"SELECT * {{ ?s <v> ?x FILTER ({chosen}) }}", graph=DATA)
    assert wide == select("SELECT * { ?s <v> ?x FILTER (?x < 300) }", graph=DATA)
    summed = select(
        f"SELECT * {{ ?s <v> ?x BIND ({' + '.join(['?x'] * width)} AS ?y) }}", graph=DATA
    )
    assert summed == select("SELECT * { ?s <v> ?x BIND (?x * 300 AS ?y) }", graph=DATA)


def test_a_long_sum_is_added_from_the_left() -> None:
    """(1e16 + 1) + 1 is 1e16, but 1e16 + (1 + 1) is not."""
    text = f"SELECT (1e16 + {' + '.join(['1e0'] * 100)} AS ?y) {{}}"
    (row,) = solutions(text)
    assert float(row[Variable("y")]) == 1e16


# ---- joins -----------------------------------------------------------------------------------


def test_no_part_of_a_wide_join_is_a_product() -> None:
    """A tree of patterns, level by level: neighbours in the text have nothing in common."""
    triples = " . ".join(f"?v{i // 3} <p> ?v{i}" for i in range(1, 200))
    plan = create_plan(f"SELECT * {{ {triples} }}")
    for best in (plan, optimize(plan)):
        joins = [node for node in best.walk() if isinstance(node, Join)]
        assert len(joins) == 198
        assert all(join.left.variables & join.right.variables for join in joins)
        assert depth(best) < 30


def test_conditions_of_a_wide_conjunction_go_where_their_variables_are() -> None:
    best = optimize(create_plan(query("star with filters", 100)))
    filters = [node for node in best.walk() if isinstance(node, Filter)]
    assert len(filters) == 100
    assert all(isinstance(node.input, Pattern) for node in filters)


def test_a_wide_chain_reads_as_it_was_written() -> None:
    for shape, text in {"||": "?x = 0 || ?x = 1 || ?x = 2 ||", "|": "<p0>|<p1>|<p2>|"}.items():
        assert text in explain(create_plan(query(shape, 100)))


# ---- what cannot be balanced -----------------------------------------------------------------


STACKED = {
    "OPTIONAL": "SELECT * {{ ?s <v> ?x {} }}",
    "MINUS": "SELECT * {{ ?s <v> ?x {} }}",
    "BIND": "SELECT * {{ {} }}",
    "SELECT": "SELECT {} {{}}",
}
_CLAUSES: dict[str, Callable[[int], str]] = {
    "OPTIONAL": lambda i: f"OPTIONAL {{ ?s <p{i}> ?o{i} }}",
    "MINUS": lambda i: f"MINUS {{ ?s <p{i}> ?o{i} }}",
    "BIND": lambda i: f"BIND ({i} AS ?b{i})",
    "SELECT": lambda i: f"({i} AS ?b{i})",
}


@pytest.mark.parametrize("clause", STACKED)
def test_too_many_clauses_upon_one_another_are_refused(clause: str) -> None:
    def text(count: int) -> str:
        return STACKED[clause].format(" ".join(map(_CLAUSES[clause], range(count))))

    highest = optimize(create_plan(text(HIGHEST)))
    assert pickle.loads(pickle.dumps(highest)) == highest
    for count in (HIGHEST + 1, 5_000):
        with pytest.raises(QueryError, match="stand upon one another here"):
            create_plan(text(count))


def test_clauses_of_groups_within_groups_add_up() -> None:
    level = " ".join(f"BIND ({i} AS ?b{{0}}x{i})" for i in range(30))
    text = "SELECT * { " + " { ".join(level.format(i) for i in range(10)) + " }" * 10
    with pytest.raises(QueryError, match="stand upon one another here"):
        create_plan(text)


def test_json_that_nests_too_deep_is_refused() -> None:
    with pytest.raises(QueryError, match="the plan is too deep"):
        from_json('{"is": "Join", "left": ' * 100_000)
    plan = create_plan("SELECT * { ?s <v> ?x }")
    for _ in range(3_000):
        plan = Join(plan, plan.inputs[0])
    with pytest.raises(QueryError, match="the plan is too deep"):
        to_json(plan)

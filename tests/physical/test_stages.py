"""How plans become stages."""

from __future__ import annotations

import pytest

from askos.algebra import (
    Ask,
    Avg,
    Binding,
    Call,
    CopyNumber,
    Count,
    CountWindow,
    Describe,
    Distinct,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Intervals,
    Join,
    Kind,
    LeftJoin,
    Max,
    Node,
    OnChange,
    Operator,
    OrderBy,
    Path,
    Periodic,
    PredicateWindow,
    Project,
    Ref,
    Report,
    Slice,
    SlidingWindow,
    SortKey,
    SteppedWindow,
    StreamAccess,
    Sum,
    Union,
    first_difference,
    node_from_json,
    to_json,
)
from askos.algebra.depth import DEPTH
from askos.algebra.operators.paths import Alternative, Link, Negated, ZeroOrMore
from askos.algebra.placement import PLACEMENT
from askos.algebra.reference import intervals
from askos.algebra.serialize import kinds
from askos.errors import UnsupportedError
from askos.explaining import explain
from askos.local import run
from askos.physical import Cut, PhysicalPlan, Port, build, tree
from askos.physical.marks import stage_channels, stream_channels
from askos.physical.nodes import (
    AdaptiveJoin,
    Closure,
    GroupOfPanes,
    Instances,
    OrderedJoin,
    OrderedLeftJoin,
    Panes,
    Products,
    Reporting,
    ScanJoin,
    Snapshot,
    Top,
)
from askos.physical.offers import OFFERS, SERVED
from askos.physical.openends import OpenEnds, Pieces
from askos.physical.plan import Reloadable
from askos.physical.summary import summary
from askos.terms import URIRef, Variable
from tests.build import EX, G1, PREFIXES, S1, S2, W, X, Y, Z, call, pattern, stream
from tests.golden import Case, golden, update
from tests.plans import ALL_PREFIXES

N = Variable("n")


def over(
    s: object, p: object, o: object, source: URIRef = S1, width: int = 10, slide: int = 10
) -> Operator:
    return pattern(s, p, o, SlidingWindow(StreamAccess(source), width, slide))


STATIC = pattern(X, "r", W, GraphAccess(G1))
P, Q, R = over(X, "p", Y), over(X, "q", Z), over(X, "r", W)
COUNTED = (Binding(N, Count()),)


def by(*keys: Variable) -> tuple[Binding, ...]:
    return tuple(Binding(key, Ref(key)) for key in keys)


def keys(plan: PhysicalPlan) -> list[tuple[Variable, ...]]:
    return [stage.key for stage in plan.stages]


def test_a_star_of_joins_on_one_variable_is_one_stage() -> None:
    plan = build(Join(Join(P, Q), R))
    assert keys(plan) == [(X,)]
    assert [feed.port for feed in plan.stages[0].feeds] == [0, 1, 2]
    assert len(build(LeftJoin(LeftJoin(P, Q), R)).stages) == 1


def test_a_physical_plan_is_read_back_from_its_json() -> None:
    plan = build(LeftJoin(Group(by(Y), COUNTED, Join(P, Q)), over(Y, "r", W)))
    assert node_from_json(to_json(plan)) == plan


def test_joins_on_two_variables_are_two_stages() -> None:
    plan = build(Join(Join(P, Q), over(Y, "r", W)))
    assert keys(plan) == [(X,), (Y,)]
    assert plan.stages[1].upstream == ((0, plan.stages[1].ports[0].number),)
    assert stream_channels(plan) == (str(S1),)
    assert stage_channels(plan.stages[1]) == ("stage 0",)


def test_a_join_on_two_variables_shares_the_stage_of_one_on_either() -> None:
    pair = Join(P, over(X, "q", Y))
    assert keys(build(pair)) == [(X, Y)]
    assert keys(build(Join(pair, over(Y, "r", W)))) == [(Y,)]
    assert keys(build(Join(pair, over(X, "r", W)))) == [(X,)]


def test_a_product_has_no_key() -> None:
    assert keys(build(Join(over(X, "p", 1), over(Y, "p", 2)))) == [()]
    assert keys(build(Join(Join(P, Q), over(W, "p", 2)))) == [(X,), ()]
    assert keys(build(Join(Join(over(X, "p", 1), over(Y, "p", 2)), over(Z, "p", 3)))) == [()]


def test_a_variable_that_may_be_unbound_is_no_key() -> None:
    assert keys(build(Join(LeftJoin(P, Q), over(W, "r", Z)))) == [(X,), ()]


def test_a_group_shares_the_stage_of_joins_on_its_key() -> None:
    assert keys(build(Group(by(X), COUNTED, Join(P, Q)))) == [(X,)]
    assert keys(build(Group(by(Y), COUNTED, Join(P, Q)))) == [(X,), (Y,)]
    assert keys(build(Group((), COUNTED, Join(P, Q)))) == [(X,), ()]
    assert keys(build(Group(by(X, Y), COUNTED, P))) == [(X, Y)]


def test_a_group_by_a_computed_key_has_no_key_of_its_input() -> None:
    renamed = Group((Binding(X, Ref(Y)),), COUNTED, Join(P, Q))
    assert keys(build(renamed)) == [(X,), ()]


def test_what_needs_no_state_is_fed_by_the_streams_directly() -> None:
    plan = build(Project((X,), Filter(call("<", Y, 5), P)))
    (stage,) = plan.stages
    assert isinstance(stage.plan, Port)
    assert explain(stage.feeds[0].plan, PREFIXES).splitlines()[0] == "Project ?x"
    assert plan.columns == (X,)


def test_a_union_without_state_is_several_lines_into_one_port() -> None:
    plan = build(Join(Union(P, over(X, "s", Y, S2)), Q))
    (stage,) = plan.stages
    assert [feed.port for feed in stage.feeds] == [0, 0, 1]
    assert plan.sources == (S1, S2)
    window = SlidingWindow(Union(StreamAccess(S1), StreamAccess(S2)), 10, 10)
    (stage,) = build(pattern(X, "p", Y, window)).stages
    assert [(feed.source, feed.port) for feed in stage.feeds] == [(S1, 0), (S2, 0)]


def test_a_union_of_stages_keeps_their_common_key() -> None:
    assert keys(build(Union(Join(P, Q), Join(P, R)))) == [(X,)]
    assert keys(build(Union(Join(P, Q), P))) == [(X,)]
    assert keys(build(Union(Join(P, Q), Join(over(W, "p", Y), over(W, "q", Z))))) == [(W,), (X,)]


HIDDEN = Project((Y,), Join(P, Q))
MANY = stream(*((s, p, 1, 0) for s in "abcdefgh" for p in "pq"))


@pytest.mark.parametrize(
    "plan",
    [
        Group(by(X), COUNTED, HIDDEN),
        Group(by(X), COUNTED, Union(HIDDEN, P)),
        Group(by(X), COUNTED, Union(P, HIDDEN)),
        LeftJoin(HIDDEN, P),
    ],
    ids=["below a group", "left of a union", "right of a union", "below a join"],
)
def test_a_key_that_a_projection_hides_is_none_any_more(plan: Operator) -> None:
    assert len(build(plan).stages) == 2
    got = run(plan, {S1: MANY}, buckets=5)
    assert first_difference(intervals(plan, {S1: MANY}), got) is None


def test_ports_are_numbered_throughout_the_plan() -> None:
    plan = build(Join(Join(Join(P, Q), over(Y, "r", W)), over(W, "s", N)))
    numbers = [port.number for stage in plan.stages for port in stage.ports]
    assert len(set(numbers)) == len(numbers)


def test_the_columns_of_the_answer_are_those_of_the_projection() -> None:
    assert build(Project((Z, X), Q)).columns == (Z, X)
    assert build(Join(P, Q)).columns == (X, Y, Z)


# ---- the cut ---------------------------------------------------------------------------------


def test_the_cut_is_the_smallest_slide_of_the_query() -> None:
    stepped = pattern(X, "q", Z, SteppedWindow(StreamAccess(S1), 10, 3))
    assert build(Join(over(X, "p", Y, width=20, slide=4), stepped)).cut == Cut((3,))
    assert build(pattern(X, "p", Y, StreamAccess(S1))).cut == Cut((1000,))
    assert build(P, Intervals()).cut == Cut((10,))


def test_the_cut_of_a_periodic_report_is_on_its_grid() -> None:
    report = Periodic(Kind.RSTREAM, (60,), 7)
    assert build(P, report).cut == Cut((60,), 7, grid=True)


def test_reports_on_change_cut_at_every_instant() -> None:
    assert build(P, OnChange(Kind.ISTREAM)).cut == Cut((1,))


# ---- what is not offered ---------------------------------------------------------------------

RAW = StreamAccess(S1)


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        (Filter(call("<", X, call("NOW")), P), r"NOW\(\)"),
        (Group((), (Binding(N, Sum(call("NOW"))),), P), r"NOW\(\)"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_is_not_offered_is_refused_by_name(plan: Operator, name: str) -> None:
    with pytest.raises(UnsupportedError, match=name):
        build(plan)


def test_a_plan_deeper_than_the_limit_is_refused_before_anything_starts() -> None:
    plan = P  # three operators
    for _ in range(DEPTH - 3):
        plan = Filter(call("<", Y, 5), plan)
    assert build(plan).stages
    with pytest.raises(UnsupportedError, match=f"{DEPTH + 1} operators deep"):
        build(Filter(call("<", Y, 5), plan))


# ---- every operator --------------------------------------------------------------------------

OPERATORS = {kind for kind in kinds("askos.algebra.").values() if issubclass(kind, Operator)}


def test_every_operator_says_where_it_can_be_placed_and_how_it_runs() -> None:
    assert set(PLACEMENT) == OPERATORS
    physical = {AdaptiveJoin, Closure, Instances, OrderedJoin, OrderedLeftJoin, Products}
    physical |= {GroupOfPanes, OpenEnds, Panes, Pieces, Reloadable, Reporting, ScanJoin}
    physical |= {Snapshot, Top}
    assert set(OFFERS) == OPERATORS | physical


def test_what_snapshot_serves() -> None:
    """The list shrinks as operators get kernels of their own; the README prints it."""
    assert {kind for kind in OPERATORS if OFFERS[kind] is SERVED} == {Describe}
    ordered = OrderBy((SortKey(Ref(Y)),), P)
    served = {
        "a slice of a slice": Slice(0, 1, Slice(0, 2, ordered)),
        "copies in the order of arrival": CopyNumber(N, P, (Y,)),
        "NOW()": Filter(call("<", Y, Call("NOW", ())), P),
        "DESCRIBE": Describe((X,), P, SlidingWindow(StreamAccess(S1), 10, 10)),
    }
    for plan in served.values():
        assert any(map(_evaluates_anew, _nodes(plan)))
    kernels = [
        Group((), (Binding(N, Max(Ref(Y), distinct=True)),), P),
        Slice(2, None, Distinct(Project((X,), ordered))),
        CopyNumber(N, P),
        Path(X, ZeroOrMore(Alternative(Link(EX.p), Negated((EX.q,)))), Y, P.inputs[0]),
    ]
    for plan in kernels:
        assert not any(map(_evaluates_anew, _nodes(plan)))


def _evaluates_anew(node: Node) -> bool:
    return isinstance(node, Snapshot) or (isinstance(node, Reporting) and node.ordered is not None)


def _nodes(plan: Operator) -> list[Node]:
    report = Periodic(Kind.RSTREAM, (10,))
    return [node for stage in build(plan, report).stages for node in stage.plan.walk()]


def test_a_key_that_a_projection_hid_is_none_above_it_whatever_has_its_name() -> None:
    """SELECT DISTINCT ?x {{SELECT ?y {?x :p ?y . ?x :q ?z}} BIND(?y AS ?x)}: equal rows come
    from different buckets of the join."""
    hidden = Project((Y,), Join(P, Q))
    plan = build(Distinct(Extend(X, Ref(Y), hidden)))
    assert keys(plan) == [(X,), (X, Y)]


def test_a_bucket_asks_for_itself_before_one_asks_for_all() -> None:
    plan = build(Ask(Join(P, Q)))
    assert keys(plan) == [(X,), ()]
    assert plan.stages[0].plan.variables == frozenset()
    assert isinstance(plan.stages[0].plan, Distinct)


# ---- explain ---------------------------------------------------------------------------------

LAST = CountWindow(pattern(X, "p", Y, RAW), 5)
PLANS: dict[str, Operator] = {
    "a star of joins": Project((X, Y, Z, W), Join(Join(P, Q), R)),
    "a chain of joins": Join(Join(P, Q), over(Y, "r", W, S2)),
    "a product": Join(over(X, "p", 1), over(Y, "p", 2)),
    "an optional part and a filter": LeftJoin(
        Filter(call("<", Y, 5), P), over(X, "q", Z, width=20), call("<", Y, Z)
    ),
    "a group over a join": Filter(
        call(">", N, 2), Group(by(Y), (Binding(N, Avg(Ref(Z))),), Join(P, Q))
    ),
    "a group over a star by its centre": Group(
        by(X), (*COUNTED, Binding(W, Avg(Ref(Y)))), Join(P, over(X, "q", Z))
    ),
    "panes": Group(by(X), (Binding(N, Avg(Ref(Y))),), P),
    "a union of streams": pattern(
        X, "p", Y, SlidingWindow(Union(StreamAccess(S1), StreamAccess(S2)), 10, 10)
    ),
    "a union of stages": Union(Join(P, Q), Group((), COUNTED, P)),
    "a count window": Join(pattern(X, "p", Y, CountWindow(RAW, 5)), Q),
    "a predicate window": PredicateWindow(
        pattern(X, "p", Y, RAW), call("<", Y, 5), call(">", Y, 5)
    ),
    "a maximum of the last": Group((), (Binding(N, Max(Ref(Y))),), LAST),
    "a mean of the last": Group(by(X), (Binding(N, Avg(Ref(Y))),), LAST),
    "the last as partners": LeftJoin(Q, LAST),
    "the last, and others, once each": Distinct(Union(Filter(call("<", Y, 5), LAST), P)),
    "a reloadable graph": Distinct(Join(P, pattern(X, "q", Z, GraphAccess(G1, True)))),
    "a table": Join(Join(P, STATIC), over(Y, "r", Z, S2)),
    "a table on the preserved side": LeftJoin(STATIC, P),
    "a graph merged with a stream": Join(P, Distinct(Union(R, STATIC))),
    "rstream": P,
    "istream of what is hidden": Project((Y,), Join(P, Q)),
    "on change": Project((Y,), P),
    "in order": Project((X,), OrderBy((SortKey(Ref(Y)),), P)),
    "now": Filter(call("<", X, call("NOW")), P),
    "few rows a batch": LeftJoin(Join(P, Q), R),
}
MINUTE = 60_000
REPORTS: dict[str, Report] = {
    "rstream": Periodic(Kind.RSTREAM, (MINUTE,)),
    "panes": Periodic(Kind.RSTREAM, (MINUTE,)),
    "istream of what is hidden": Periodic(Kind.ISTREAM, (MINUTE, 7000), origin=5),
    "on change": OnChange(Kind.RSTREAM, nonempty=True),
    "in order": OnChange(Kind.DSTREAM),
    "now": Periodic(Kind.DSTREAM, (MINUTE,)),
}


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        ("a group over a star by its centre", "groups each input by itself"),
        ("panes", "takes in panes"),
        ("few rows a batch", "takes one element at a time"),
        ("a count window", "gives elements of CountWindow once, and ends as they are known"),
        ("a count window", "cuts what has an open end into pieces"),
        ("the last as partners", "LeftJoin looks up who is there up to every cut"),
        ("a reloadable graph", "gives rows of table 1 once, and what a reload changes"),
    ],
)
def test_choices_are_told_in_words(shape: str, why: str) -> None:
    rows = 10 if shape == "few rows a batch" else None
    assert why in summary(build(PLANS[shape], REPORTS.get(shape), rows=rows))


@pytest.mark.parametrize("case", golden("physical"), ids=str)
def test_the_physical_plan_prints_as_in_the_golden_file(
    case: Case, pytestconfig: pytest.Config
) -> None:
    report = REPORTS.get(case.input)
    rows = 1 if case.input == "few rows a batch" else None
    text = explain(tree(build(PLANS[case.input], report, rows=rows)), ALL_PREFIXES)
    if pytestconfig.getoption("--update-golden"):
        update("physical", case, text)
        return
    assert text == case.plan


def test_every_shape_has_a_golden_case() -> None:
    assert {case.input for case in golden("physical")} == set(PLANS)

"""EXISTS anywhere in a plan over streams is a join afterwards, and means what it meant."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from askos.algebra import (
    FALSE,
    TRUE,
    UNIT,
    AggregateClauses,
    AntiJoin,
    Binding,
    Bound,
    Clause,
    Coalesce,
    Count,
    Exists,
    Expression,
    Extend,
    Filter,
    GraphAccess,
    Group,
    If,
    Join,
    LeftJoin,
    MarkJoin,
    Max,
    Minus,
    Not,
    Operator,
    Or,
    OrderBy,
    Path,
    Project,
    Ref,
    SemiJoin,
    Slice,
    SortKey,
    Sum,
    Union,
    Values,
)
from askos.algebra.operators.paths import (
    Alternative,
    Link,
    OneOrMore,
    Sequence,
    ZeroOrMore,
    ZeroOrOne,
)
from askos.algebra.reference import Streams, sequence
from askos.explaining import explain
from askos.terms import Solution, Variable
from askos.translate import optimize
from askos.translate.rules.number_exists import number_exists, ways_to_stay
from askos.translate.rules.properties import keeps_stamps, reads_streams
from askos.translate.rules.unnesting import own_exists, streaming_part
from tests.build import EX, G1, S1, W, X, Y, Z, call, constant, forever, pattern, stream, triple
from tests.sampling import every
from tests.strategies import data, instants, plans
from tests.translate.existing import asking, deeper, without_stamps
from tests.translate.parts import parts

DATA: Streams = {
    S1: stream(
        ("a", "p", 1, 0),
        ("a", "p", 1, 1),
        ("b", "p", 2, 2),
        ("c", "p", "b", 3),
        ("a", "q", 1, 4),
        ("a", "q", 2, 5),
        ("b", "q", 3, 6),
        ("c", "q", "b", 7),
        ("b", "r", 2, 8),
        ("a", "r", 3, 9),
        ("b", "q", 2, 10),
    ),
    G1: [triple("a", "s", "b"), triple("b", "s", "c")],
}
OUTER = pattern(X, "p", Y)
# ?z is unbound for some.
PARTLY = LeftJoin(OUTER, pattern(X, "r", Z))
YZ = pattern(Y, "q", Z)
ZERO = ZeroOrMore(Link(EX.q))

INNER: dict[str, Operator] = {
    "MINUS": Minus(pattern(X, "q", Z), pattern(W, "r", Y)),
    "MINUS without a common variable": Minus(pattern(X, "q", Z), pattern(Y, "r", W)),
    "MINUS of a filter": Minus(pattern(X, "q", Z), Filter(call("=", Y, 2), pattern(X, "q", Z))),
    "OFFSET": Slice(1, None, pattern(X, "q", W)),
    "OFFSET and LIMIT of an order": Slice(
        1, 1, OrderBy((SortKey(call("=", W, Y)),), pattern(X, "q", W))
    ),
    "LIMIT of a projection of an order": Filter(
        call("=", W, Y),
        Slice(0, 1, Project((W,), OrderBy((SortKey(Ref(W), True),), pattern(X, "q", W)))),
    ),
    "a group without keys": Filter(
        call("<", W, Y), Group((), (Binding(W, Count()),), pattern(X, "r", Y))
    ),
    "a group without keys that computes an outer variable": Group(
        (), (Binding(Y, Count()),), pattern(X, "r", Y)
    ),
    "a group with a key": Filter(
        call(">", W, 1), Group((Binding(X, Ref(X)),), (Binding(W, Count()),), pattern(X, "q", Z))
    ),
    "a group by an outer value": Group(
        (Binding(Y, Ref(Y)),), (Binding(W, Sum(Ref(Y))),), pattern(X, "q", Z)
    ),
    "aggregate clauses": Filter(
        call(">", W, 1), AggregateClauses((Clause(W, Count(Ref(Y)), ()),), pattern(X, "q", Z))
    ),
    "OPTIONAL with a filter on an outer variable": Filter(
        Not(Bound(W)),
        LeftJoin(pattern(X, "q", Z), pattern(Z, "r", W), call("<", Y, 2)),
    ),
    "OPTIONAL of an outer variable": Filter(
        call("=", Y, Z), LeftJoin(pattern(X, "p", W), pattern(X, "q", Z))
    ),
    "BIND of an outer variable": Extend(Y, call("+", Z, 0), pattern(X, "q", Z)),
    "BIND to an outer value": Filter(call("=", W, 2), Extend(W, Ref(Y), UNIT)),
    "BIND of an error": Extend(Y, call("+", X, 0), pattern(X, "q", Z)),
    "EXISTS of the outermost variable": Filter(
        Not(Exists(Filter(call(">", W, Y), pattern(Z, "r", W)))), pattern(X, "q", Z)
    ),
    "EXISTS two deep": Filter(
        Or(
            Exists(Filter(Exists(Minus(pattern(W, "q", Y), YZ)), pattern(W, "r", Z))),
            call("=", Y, 1),
        ),
        pattern(X, "q", Z),
    ),
    "EXISTS of a value both inside and outside": Filter(
        Exists(Filter(Bound(Y), UNIT)), LeftJoin(pattern(X, "q", W), pattern(X, "r", Y))
    ),
    "a sub-select that hides": Join(
        pattern(X, "q", W), Project((X,), Extend(Y, Coalesce((Ref(Z),)), pattern(X, "r", Z)))
    ),
    "a sub-select that lets in": Project((X, W), Filter(call("=", W, 2), pattern(X, "q", W))),
    "a part of its own": Join(Slice(0, 1, pattern(W, "r", Z)), Minus(pattern(X, "q", Z), UNIT)),
    "VALUES with UNDEF": Filter(
        Not(Bound(Z)), Values((X, Z), ((EX.a, None), (None, constant(2).term)))
    ),
    "MINUS from VALUES with UNDEF": Minus(
        Values((X, Z), ((EX.a, None),)), Project((Z,), pattern(W, "r", Z))
    ),
    "a path of zero length": Filter(call("=", W, 2), Path(Y, ZERO, W, forever())),
    "a path of zero length over a graph": Filter(
        call("=", W, 2), Path(Y, ZERO, W, GraphAccess(G1))
    ),
    "a path of zero length to itself": Minus(Path(Y, ZERO, Y, GraphAccess(G1)), pattern(X, "r", Y)),
    "a path of zero length between two": Path(X, ZERO, Y, GraphAccess(G1)),
    "a path of zero length, in several ways": Slice(
        1,
        1,
        Filter(
            call("=", Y, 1), Path(Y, Alternative(ZERO, ZeroOrOne(Link(EX.p))), W, GraphAccess(G1))
        ),
    ),
    "union": Union(Minus(pattern(X, "q", Z), pattern(X, "r", Y)), pattern(Y, "q", W)),
    "semi- and anti-joins": SemiJoin(
        AntiJoin(pattern(X, "q", W), pattern(X, "r", Z), call("=", Z, Y)),
        pattern(X, "p", Z),
        call("<=", Y, 1),
    ),
    "a mark": Filter(
        Or(Ref(W), call("=", Y, 1)),
        MarkJoin(pattern(X, "q", Z), pattern(X, "r", Z), call("=", Y, Z), variable=W),
    ),
    "OPTIONAL with EXISTS in its filter": Filter(
        Bound(W), LeftJoin(pattern(X, "q", Z), pattern(X, "r", W), Exists(YZ))
    ),
}


def places(exists: Expression, outer: Operator) -> dict[str, Operator]:
    """EXISTS wherever an expression can be."""
    either = Or(exists, call("=", Y, 7))
    one = If(exists, constant(1), constant(0))
    free = W
    return {
        "a filter": Filter(exists, outer),
        "NOT": Filter(Not(exists), outer),
        "a condition": Filter(either, outer),
        "OPTIONAL's filter": LeftJoin(outer, pattern(X, "q", free), exists),
        "a semi-join": SemiJoin(outer, pattern(X, "q", free), either),
        "an anti-join": AntiJoin(outer, pattern(X, "q", free), exists),
        "a mark join": MarkJoin(outer, pattern(X, "q", Z), either, variable=free),
        "BIND": Extend(free, exists, outer),
        "a sort key": Slice(0, 1, OrderBy((SortKey(exists, True),), outer)),
        "an aggregate": Group((Binding(X, Ref(X)),), (Binding(free, Sum(one)),), outer),
        "a key": Group((Binding(free, exists),), (Binding(Z, Count()),), outer),
        "a clause": AggregateClauses((Clause(free, Max(one), (Y,)),), outer),
    }


PLACES = list(places(TRUE, OUTER))


def left_over(plan: Operator) -> list[Exists]:
    """EXISTS outside of static parts."""
    return [exists for node in streaming_part(plan) for exists in own_exists(node)]


def check(plan: Operator, streams: Streams = DATA, times: range = range(12)) -> None:
    for new in (number_exists(plan), optimize(plan)):
        assert not left_over(new), explain(new)
        for t in times:
            assert sequence(new, streams, t) == sequence(plan, streams, t), (
                f"at {t}\n{explain(plan)}\nbecame\n{explain(new)}"
            )


# In quick runs every pattern and every place, but not each pattern in each place.
ANYWHERE = [
    pytest.param(name, place, marks=() if (row + column) % 5 == 0 else pytest.mark.thorough)
    for row, name in enumerate(INNER)
    for column, place in enumerate(PLACES)
]


@pytest.mark.parametrize(("name", "place"), ANYWHERE)
def test_exists_anywhere_keeps_its_meaning(name: str, place: str) -> None:
    check(places(Exists(INNER[name]), OUTER)[place], times=range(3, 12, 4))


@pytest.mark.parametrize("name", every(2, INNER))
def test_an_unbound_outer_variable_is_a_value(name: str) -> None:
    inner = INNER[name]
    check(Filter(Exists(inner), PARTLY))
    check(Filter(Not(Exists(inner)), Project((Y, Z), PARTLY)))


@pytest.mark.parametrize("inner", INNER.values(), ids=INNER)
def test_it_holds_for_some_outer_solutions_and_not_for_others(inner: Operator) -> None:
    """Else the tests above would show nothing."""
    outer, mark = Union(PARTLY, Project((Y, Z), PARTLY)), Variable("mark")
    plan = Extend(mark, Exists(inner), outer)
    found = {
        row[mark] for t in range(12) for row in sequence(plan, DATA, t) if isinstance(row, Solution)
    }
    assert found == {TRUE.term, FALSE.term}


def test_numbers_and_marks_are_hidden() -> None:
    plan = Filter(Or(Exists(INNER["MINUS"]), Exists(YZ)), OUTER)
    assert number_exists(plan).variables == plan.variables


def test_what_is_static_keeps_its_exists() -> None:
    graph = pattern(X, "s", Z, GraphAccess(G1))
    still = Filter(Exists(Slice(1, 1, pattern(X, "s", W, GraphAccess(G1)))), graph)
    assert number_exists(still) is still
    assert number_exists(Join(OUTER, still)) == Join(OUTER, still)
    assert not left_over(number_exists(Filter(Exists(still), OUTER)))


def test_ways_of_staying_where_one_is() -> None:
    link = Link(EX.p)
    maybe = ZeroOrOne(link)
    assert ways_to_stay(link) == 0
    assert ways_to_stay(Alternative(maybe, maybe)) == 2
    assert ways_to_stay(Sequence(Alternative(maybe, ZERO), Alternative(maybe, maybe))) == 4
    assert ways_to_stay(Sequence(maybe, link)) == 0
    assert ways_to_stay(OneOrMore(Alternative(maybe, maybe))) == 1
    assert ways_to_stay(OneOrMore(link)) == 0


@given(asking(deeper(), parts()).map(without_stamps), data(), instants())
def test_no_exists_is_left_in_a_plan_over_streams(plan: Operator, streams: Streams, t: int) -> None:
    assume(reads_streams(plan))
    check(plan, streams, range(t, t + 1))


@given(plans(6).map(without_stamps))
def test_no_exists_is_left_in_any_plan_without_arrival_times(plan: Operator) -> None:
    assert not keeps_stamps(plan)
    assert not left_over(optimize(plan))

"""EXISTS by substitution: what the outer solution does to the pattern."""

from __future__ import annotations

from askos.algebra import (
    UNIT,
    AggregateClauses,
    Bag,
    Binding,
    Bound,
    Clause,
    CopyNumber,
    Count,
    Distinct,
    Exists,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Join,
    Minus,
    Not,
    Operator,
    Path,
    Project,
    Ref,
    SlidingWindow,
    StreamAccess,
    Sum,
    Values,
)
from askos.algebra.operators.paths import Link, ZeroOrMore
from askos.algebra.reference import substitute
from askos.terms import Solution
from tests.build import (
    EX,
    G1,
    S1,
    W,
    X,
    Y,
    Z,
    at,
    bag,
    call,
    constant,
    pattern,
    solution,
    table,
    term,
)


def exists(inner: Operator, outer: Operator) -> Bag:
    return at(Filter(Exists(inner), outer))


def test_exists_sees_outer_bindings_in_filters_of_the_pattern() -> None:
    inner = Filter(call("<", Y, Z), table(solution(z=2)))
    assert exists(inner, table(solution(y=1), solution(y=3))) == bag(solution(y=1))


def test_exists_is_a_boolean_anywhere_in_an_expression() -> None:
    seen = Exists(pattern(X, "q", Z))
    plan = Project((X, W), Extend(W, seen, Distinct(Project((X,), pattern(X, "p", Y)))))
    assert at(plan) == bag(solution(x="a", w=True), solution(x="b", w=False))


def test_exists_changes_with_time() -> None:
    plan = Filter(Not(Exists(pattern(X, "q", Z))), pattern(X, "p", Y))
    assert [len(at(plan, t)) for t in (2, 3)] == [2, 1]


def test_a_path_of_zero_length_exists_from_any_outer_node() -> None:
    inner = Path(X, ZeroOrMore(Link(EX.nothing)), Y, GraphAccess(G1))
    assert exists(inner, table(solution(x="unknown"))) == bag(solution(x="unknown"))


def test_a_sub_select_hides_what_it_does_not_project() -> None:
    inner = Project((X,), pattern(X, "p", Y))
    assert exists(inner, table(solution(x="a", y=99))) == bag(solution(x="a", y=99))
    assert exists(pattern(X, "p", Y), table(solution(x="a", y=99))) == bag()


def test_what_a_pattern_computes_must_agree_with_the_outer_value() -> None:
    inner = Extend(Z, call("+", Y, 1), Project((X, Y), pattern(X, "p", Y)))
    assert exists(inner, table(solution(x="a", z=2))) == bag(solution(x="a", z=2))
    assert exists(inner, table(solution(x="a", z=3))) == bag()
    counted = Group((Binding(X, Ref(X)),), (Binding(W, Count()),), pattern(X, "p", Y))
    assert at(Filter(Exists(counted), Extend(W, constant(2), table(solution(x="a"))))) != bag()
    assert at(Filter(Exists(counted), Extend(W, constant(3), table(solution(x="a"))))) == bag()
    clauses = AggregateClauses((Clause(Z, Count(), (X,)),), pattern(X, "p", Y))
    assert exists(clauses, table(solution(x="a", z=2))) != bag()
    assert exists(clauses, table(solution(x="a", z=3))) == bag()
    numbered = CopyNumber(Z, pattern(X, "p", Y))
    assert exists(numbered, table(solution(x="a", z=1))) != bag()


def test_values_in_exists_must_agree() -> None:
    inner = Values((X, Y), ((term("a"), None), (term("b"), term(2))))
    outer = table(solution(x="a"), solution(x="b", y=2), solution(x="b", y=3))
    assert exists(inner, outer) == bag(solution(x="a"), solution(x="b", y=2))


def test_minus_inside_exists_still_sees_the_shared_variable() -> None:
    """By the letter of the specification the variable would be gone, and MINUS without effect."""
    inner = Minus(pattern(X, "p", Y), pattern(X, "q", Z))
    assert exists(inner, table(solution(x="a"), solution(x="b"))) == bag(solution(x="b"))


def test_bound_inside_exists_knows_the_outer_bindings() -> None:
    inner = Filter(Bound(W), pattern(X, "p", Y))
    outer = Extend(W, constant(1), table(solution(x="a")))
    assert at(Filter(Exists(inner), outer)) == bag(solution(x="a", w=1))


def test_substitution_reaches_nested_exists_but_not_windows() -> None:
    window = SlidingWindow(pattern(X, "p", Y, StreamAccess(S1)), 5, 5)
    plan = Filter(Exists(window), UNIT)
    substituted = substitute(plan, solution(x="a"))
    inside = [node for node in substituted.walk() if isinstance(node, SlidingWindow)]
    assert inside == [window]
    assert substituted != plan


def test_a_pattern_with_nothing_to_substitute_stays_the_same_object() -> None:
    plan = Join(pattern(X, "p", Y), pattern(X, "q", Z))
    assert substitute(plan, Solution()) is plan


def test_what_a_group_aggregates_is_hidden_from_outside() -> None:
    total = Group((Binding(X, Ref(X)),), (Binding(W, Sum(Ref(Y))),), pattern(X, "p", Y))
    inner = Filter(call("=", W, 2), total)
    assert exists(inner, table(solution(x="a", y=99))) == bag(solution(x="a", y=99))

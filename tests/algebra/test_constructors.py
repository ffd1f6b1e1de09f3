"""Operators built from parts that do not fit are refused, and the message names the part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from askos.algebra import (
    TRUE,
    AggregateClauses,
    And,
    AntiJoin,
    Ask,
    Binding,
    Bound,
    Call,
    Clause,
    Coalesce,
    Constant,
    Construct,
    CopyNumber,
    Count,
    CountWindow,
    Describe,
    Distinct,
    Exists,
    Extend,
    Filter,
    GraphAccess,
    Group,
    GroupConcat,
    If,
    In,
    Join,
    Keyed,
    Kind,
    LeftJoin,
    MarkJoin,
    Minus,
    Not,
    OnChange,
    Operator,
    OrderBy,
    Path,
    Pattern,
    Periodic,
    PredicateWindow,
    Project,
    Reduced,
    Ref,
    SemiJoin,
    Slice,
    SlidingWindow,
    SortKey,
    SteppedWindow,
    StreamAccess,
    Sum,
    Template,
    Timestamp,
    Union,
    Values,
)
from askos.algebra.operators.paths import Inverse, Link, Negated, Sequence
from askos.errors import QueryError
from askos.terms import XSD, BNode, Literal
from tests.build import EX, G1, S1, W, X, Y, Z, call, pattern, solution, table, term

RAW, GRAPH, ROWS = StreamAccess(S1), GraphAccess(G1), pattern(X, "p", Y)
ANY: Any = None
L = Literal("l")


def window(**parts: Any) -> Operator:
    return SlidingWindow(**{"input": RAW, "width": 10, "slide": 5, **parts})


def stepped(**parts: Any) -> Operator:
    return SteppedWindow(**{"input": RAW, "width": 10, "step": 5, **parts})


REFUSED: list[tuple[Callable[[], object], str]] = [
    # parts of the wrong kind
    (lambda: Join(RAW, ROWS), "Join: left must yield solutions, but StreamAccess yields triples"),
    (lambda: Join(ROWS, ANY), "Join: right must be an operator, not None"),
    (lambda: LeftJoin(ROWS, GRAPH), "LeftJoin: right must yield solutions"),
    (lambda: LeftJoin(ROWS, ROWS, ANY), "LeftJoin: condition must be an expression, not None"),
    (lambda: SemiJoin(ROWS, RAW), "SemiJoin: right must yield solutions"),
    (lambda: AntiJoin(ROWS, ROWS, ANY), "AntiJoin: condition must be an expression"),
    (lambda: MarkJoin(ROWS, ROWS, variable=X), "MarkJoin: ?x is bound already"),
    (lambda: Minus(ROWS, ROWS, (X, X)), "Minus: by names a variable twice"),
    (lambda: Slice(0, 1, ROWS, ANY), "Slice: by must be a tuple of variables, not None"),
    (lambda: Minus(Ask(ROWS), ROWS), "Minus: left must yield solutions, but Ask yields a boolean"),
    (lambda: Union(RAW, ROWS), "Union: right must yield triples, but Pattern yields solutions"),
    (lambda: Filter(X, ROWS), "Filter: condition must be an expression"),  # type: ignore[arg-type]
    (lambda: Filter(TRUE, RAW), "Filter: input must yield solutions"),
    (lambda: Pattern(X, EX.p, Y, ROWS), "Pattern: input must yield triples"),
    (lambda: Path(X, Link(EX.p), Y, ROWS), "Path: input must yield triples"),
    (lambda: Ask(RAW), "Ask: input must yield solutions"),
    (lambda: Distinct(ANY), "Distinct: input must be an operator"),
    (lambda: Distinct(Ask(ROWS)), "Distinct: input must not be the answer of ASK"),
    (lambda: Union(Ask(ROWS), Ask(ROWS)), "Union: left must not be the answer of ASK"),
    (lambda: Reduced(RAW), "Reduced: input must yield solutions"),
    (lambda: Exists(RAW), "Exists: pattern must yield solutions"),
    (lambda: Describe((X,), ROWS, ROWS), "Describe: graph must yield triples"),
    (lambda: Describe((L,), ROWS, RAW), "are not all IRIs or variables"),  # type: ignore[arg-type]
    (lambda: StreamAccess(L), "StreamAccess: source must be an IRI"),  # type: ignore[arg-type]
    # patterns and paths
    (lambda: Pattern(X, L, Y, RAW), 'Pattern: predicate "l" is a literal'),
    (lambda: Pattern(5, EX.p, Y, RAW), "Pattern: subject must be a term or variable, not 5"),  # type: ignore[arg-type]
    (lambda: Pattern(X, EX.p, Y, RAW, (Z,)), "Pattern: stamps names ?z"),
    (lambda: Path(X, EX.p, Y, RAW), "Path: path must be a path"),  # type: ignore[arg-type]
    (lambda: Inverse(EX.p), "Inverse: path must be a path"),  # type: ignore[arg-type]
    (lambda: Sequence(Link(EX.p), ANY), "Sequence: right must be a path"),
    (lambda: Link(L), "Link: predicate must be an IRI"),  # type: ignore[arg-type]
    (lambda: Negated([EX.p]), "Negated: forward must be a tuple of IRIs"),  # type: ignore[arg-type]
    (lambda: Negated((), (L,)), "Negated: backward must be a tuple of IRIs"),  # type: ignore[arg-type]
    # windows
    (lambda: window(width=0), "SlidingWindow: width must be a whole number >= 1, not 0"),
    (lambda: window(slide=0), "SlidingWindow: slide must be a whole number >= 1, not 0"),
    (lambda: window(slide=11), "SlidingWindow: slide 11 is larger than width 10"),
    (lambda: window(width=1.5), "SlidingWindow: width must be a whole number >= 1, not 1.5"),
    (lambda: window(width=True), "width must be a whole number >= 1, not True"),
    (lambda: window(origin=-1), "SlidingWindow: origin must be a whole number >= 0, not -1"),
    (lambda: stepped(width=0), "SteppedWindow: width must be a whole number >= 1, not 0"),
    (lambda: stepped(step=0), "SteppedWindow: step must be a whole number >= 1, not 0"),
    (lambda: stepped(step=11), "SteppedWindow: step 11 is larger than the window"),
    (lambda: stepped(until=6), "step 5 is larger than the window, which spans 4"),
    (lambda: stepped(until=10), "SteppedWindow: until 10 leaves nothing of width 10"),
    (lambda: stepped(until=-1), "SteppedWindow: until must be a whole number >= 0"),
    (lambda: stepped(boundary="(]"), "SteppedWindow: boundary must be a Boundary"),
    (lambda: stepped(origin=-1), "SteppedWindow: origin must be"),
    (lambda: CountWindow(RAW, 0), "CountWindow: count must be a whole number >= 1, not 0"),
    (lambda: CountWindow(RAW, 5, 0), "CountWindow: step must be a whole number >= 1"),
    (lambda: CountWindow(RAW, 5, 6), "CountWindow: step 6 is larger than count 5"),
    (lambda: PredicateWindow(RAW, TRUE, TRUE, 0), "PredicateWindow: within must be"),
    (lambda: PredicateWindow(RAW, ANY, TRUE), "PredicateWindow: start must be an expression"),
    (
        lambda: PredicateWindow(RAW, TRUE, Exists(ROWS)),
        "PredicateWindow: end may use neither EXISTS nor NOW()",
    ),
    (lambda: PredicateWindow(RAW, call("NOW"), TRUE), "start may use neither EXISTS nor NOW()"),
    (lambda: stepped(gaps="no"), "SteppedWindow: gaps must be True or False, not 'no'"),
    (lambda: CountWindow(RAW, 2, 5, gaps="no"), "CountWindow: gaps must be True or False"),  # type: ignore[arg-type]
    (lambda: window(width=2**70), "SlidingWindow: width must be a whole number >= 1"),
    # windows over what does not arrive
    (lambda: window(input=GRAPH), "input must be a stream, or a pattern over streams, but Graph"),
    (lambda: window(input=window()), "but SlidingWindow is not"),
    (lambda: window(input=Join(ROWS, ROWS)), "but Join is not"),
    (lambda: window(input=Union(RAW, GRAPH)), "but Union is not"),
    (lambda: CountWindow(pattern(X, "p", Y, GRAPH), 5), "but Pattern is not"),
    (lambda: CountWindow(Filter(Exists(ROWS), pattern(X, "p", Y, RAW)), 5), "but Filter is not"),
    (lambda: CountWindow(Distinct(RAW), 5), "but Distinct is not"),
    # solutions
    (lambda: Extend(X, TRUE, ROWS), "Extend: ?x is bound already"),
    (lambda: Extend(ANY, TRUE, ROWS), "Extend: None is not a variable"),
    (lambda: CopyNumber(X, ROWS), "CopyNumber: ?x is bound already"),
    (lambda: CopyNumber(ANY, ROWS), "CopyNumber: None is not a variable"),
    (lambda: Project((X, X), ROWS), "Project: columns names a variable twice: ?x ?x"),
    (lambda: Project([X], ROWS), "Project: columns must be a tuple of variables"),  # type: ignore[arg-type]
    (lambda: Values((X, Y), ((term(1),),)), "does not have 2 terms"),
    (lambda: Slice(-1, None, ROWS), "Slice: offset must be a whole number >= 0, not -1"),
    (lambda: Slice(0, -1, ROWS), "Slice: limit must be a whole number >= 0, not -1"),
    (lambda: OrderBy((), ROWS), "OrderBy: keys must be sort keys, one or more"),
    (lambda: OrderBy((Ref(X),), ROWS), "OrderBy: keys must be sort keys"),  # type: ignore[arg-type]
    (lambda: SortKey(TRUE, "no"), "SortKey: descending must be True or False"),  # type: ignore[arg-type]
    (lambda: Values((X,), ((5,),)), "Values: [5] are not terms"),  # type: ignore[arg-type]
    (lambda: Values((X,), ANY), "Values: rows must be a tuple"),
    (lambda: SortKey(X), "SortKey: expression must be an expression"),  # type: ignore[arg-type]
    # groups
    (lambda: Group((), (Binding(X, Ref(X)),), ROWS), "Group: aggregates must bind variables to"),
    (lambda: Group((Binding(X, Count()),), (), ROWS), "Group: keys must bind variables to"),
    (
        lambda: Group((Binding(X, Ref(X)),), (Binding(X, Count()),), ROWS),
        "Group: ?x is defined twice",
    ),
    (lambda: Binding(X, X), "is neither an expression nor an aggregate"),  # type: ignore[arg-type]
    (lambda: Binding(ANY, TRUE), "Binding: None is not a variable"),
    (lambda: Sum(ANY), "Sum: expression must be an expression, not None"),
    (lambda: Count(distinct=ANY), "Count: distinct must be True or False"),
    (lambda: AggregateClauses((), ROWS), "AggregateClauses: clauses must be clauses, one or more"),
    (
        lambda: AggregateClauses((Clause(Z, Count()), Clause(Z, Count())), ROWS),
        "AggregateClauses: ?z is bound already",
    ),
    (lambda: Clause(ANY, Count()), "Clause: None is not a variable"),
    (lambda: Clause(Z, TRUE), "is not an aggregate"),  # type: ignore[arg-type]
    # templates
    (lambda: Template(L, EX.p, X), 'Template: the subject "l" is a literal'),
    (lambda: Template(X, BNode("b"), X), "Template: the predicate _:b is not an IRI"),
    (lambda: Template(X, EX.p, 5), "Template: object 5 is neither term nor variable"),  # type: ignore[arg-type]
    (lambda: Construct((ANY,), ROWS), "Construct: template must be a tuple of Template"),
    (
        lambda: Construct((Template(X, EX.p, BNode("b")),), ROWS),
        "Construct: a template with blank nodes needs a call site",
    ),
    # expressions
    (lambda: And(ANY, TRUE), "And: left must be an expression"),
    (lambda: Not(X), "Not: operand must be an expression"),  # type: ignore[arg-type]
    (lambda: If(TRUE, TRUE, ANY), "If: otherwise must be an expression"),
    (lambda: Coalesce((X,)), "Coalesce: choices must be a tuple of expressions"),  # type: ignore[arg-type]
    (lambda: In(TRUE, ANY), "In: choices must be a tuple of expressions"),
    (lambda: Ref(ANY), "Ref: None is not a variable"),
    (lambda: Bound(ANY), "Bound: None is not a variable"),
    (lambda: Timestamp(ANY), "Timestamp: None is not a variable"),
    (lambda: Timestamp(X, L), "is not the IRI of a stream"),  # type: ignore[arg-type]
    (lambda: Call("RAND"), "Call: RAND differs from solution to solution"),
    (lambda: Keyed("STR", (TRUE,), "q", ()), "Keyed: STR needs no key"),
    (lambda: Constant(5), "Constant: 5 is not a term"),  # type: ignore[arg-type]
    (lambda: Keyed("RAND", (), 5, ()), "Keyed: site must be text, not 5"),  # type: ignore[arg-type]
    (lambda: Construct((), ROWS, 5), "Construct: site must be text"),  # type: ignore[arg-type]
    (lambda: GroupConcat(TRUE, separator=3), "GroupConcat: separator must be text"),  # type: ignore[arg-type]
    (lambda: Keyed("RAND", (), "", ()), "Keyed: RAND needs a call site"),
    (lambda: Call("NO SUCH"), "unknown function NO SUCH"),
    # reports
    (lambda: Periodic(Kind.RSTREAM, ()), "Periodic: every must be a tuple of periods"),
    (lambda: Periodic(Kind.RSTREAM, (0,)), "Periodic: a period must be a whole number >= 1"),
    (lambda: Periodic("RSTREAM", (5,)), "Periodic: kind must be a Kind"),  # type: ignore[arg-type]
    (lambda: OnChange(Kind.RSTREAM, "no"), "OnChange: nonempty must be True or False"),  # type: ignore[arg-type]
    (lambda: OnChange(ANY), "OnChange: kind must be a Kind"),
]


@pytest.mark.parametrize(("build", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_a_plan_that_makes_no_sense_is_refused(build: Callable[[], object], message: str) -> None:
    with pytest.raises(QueryError) as caught:
        build()
    assert message in str(caught.value)


def test_a_refusal_says_how_to_mend_it() -> None:
    with pytest.raises(QueryError) as caught:
        window(slide=11)
    assert caught.value.hint.endswith("make SLIDE at most RANGE")


def test_gaps_between_windows_can_be_asked_for() -> None:
    assert stepped(step=11, gaps=True)
    assert CountWindow(RAW, 5, 6, gaps=True)


def test_plans_are_values() -> None:
    assert pattern(X, "p", Y) == pattern(X, "p", Y)
    assert len({pattern(X, "p", Y), pattern(X, "p", Y), pattern(X, "q", Y)}) == 2
    with pytest.raises(AttributeError):
        ROWS.subject = Y  # type: ignore[misc]


def test_terms_in_plans_are_canonical() -> None:
    text = Literal("a", datatype=XSD.string)
    assert Pattern(X, EX.p, text, RAW) == Pattern(X, EX.p, Literal("a"), RAW)
    assert Values((X,), ((text,),)) == Values((X,), ((Literal("a"),),))
    assert Template(X, EX.p, text) == Template(X, EX.p, Literal("a"))


@pytest.mark.parametrize(
    ("plan", "possible", "certain"),
    [
        (ROWS, {X, Y}, {X, Y}),
        (Union(ROWS, pattern(Y, "p", Z)), {X, Y, Z}, {Y}),
        (Join(ROWS, pattern(Y, "p", Z)), {X, Y, Z}, {X, Y, Z}),
        (LeftJoin(ROWS, pattern(Y, "p", Z)), {X, Y, Z}, {X, Y}),
        (Minus(ROWS, pattern(Y, "p", Z)), {X, Y}, {X, Y}),
        (SemiJoin(ROWS, pattern(Y, "p", Z)), {X, Y}, {X, Y}),
        (MarkJoin(ROWS, pattern(Y, "p", Z), variable=W), {X, Y, W}, {X, Y, W}),
        (Extend(Z, call("+", Y, 1), ROWS), {X, Y, Z}, {X, Y}),
        (Extend(Z, Ref(Y), ROWS), {X, Y, Z}, {X, Y, Z}),
        (Extend(Z, TRUE, ROWS), {X, Y, Z}, {X, Y, Z}),
        (Project((X, Z), ROWS), {X}, {X}),
        (table(solution(x=1, y=2), solution(x=1)), {X, Y, Z}, {X}),
        (Group((Binding(X, Ref(X)),), (Binding(Z, Count()),), ROWS), {X, Z}, {X, Z}),
        (Group((Binding(X, call("+", Y, 1)),), (Binding(Z, Sum(Ref(Y))),), ROWS), {X, Z}, set()),
        (AggregateClauses((Clause(Z, Count()),), ROWS), {X, Y, Z}, {X, Y, Z}),
        (AggregateClauses((Clause(Z, Sum(Ref(Y))),), ROWS), {X, Y, Z}, {X, Y}),
        (CopyNumber(Z, ROWS), {X, Y, Z}, {X, Y, Z}),
        (RAW, set(), set()),
        (Construct((), ROWS), set(), set()),
        (Describe((X,), ROWS, RAW), set(), set()),
        (Ask(ROWS), set(), set()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_operators_know_what_they_may_and_do_bind(
    plan: Operator, possible: set[object], certain: set[object]
) -> None:
    assert plan.variables == possible
    assert plan.bound == certain


def test_plans_name_their_sources_in_textual_order() -> None:
    plan = Filter(Exists(pattern(X, "p", Y, GRAPH)), Join(ROWS, pattern(X, "p", Y, GRAPH)))
    assert list(plan.sources) == [G1, S1, G1]

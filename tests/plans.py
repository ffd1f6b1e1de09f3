"""Plans built by hand: the paper's listings, and one for every feature `explain` can show."""

from __future__ import annotations

from rdflib import Namespace

from askos.algebra import (
    UNIT,
    AggregateClauses,
    And,
    AntiJoin,
    Arithmetic,
    Ask,
    Avg,
    Binding,
    Bound,
    Boundary,
    Clause,
    Coalesce,
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
    Latest,
    LeftJoin,
    MarkJoin,
    Max,
    Min,
    Minus,
    Not,
    Operator,
    Or,
    OrderBy,
    Path,
    Pattern,
    PredicateWindow,
    Project,
    Reduced,
    Ref,
    Sample,
    SemiJoin,
    Slice,
    SlidingWindow,
    SortKey,
    Static,
    SteppedWindow,
    StreamAccess,
    Sum,
    Template,
    Timestamp,
    Union,
    Values,
)
from askos.algebra.operators.paths import (
    Alternative,
    Inverse,
    Link,
    Negated,
    OneOrMore,
    Sequence,
    ZeroOrMore,
    ZeroOrOne,
)
from askos.terms import RDF, BNode, Literal, URIRef, Variable, anonymous
from tests.build import EX, G1, PREFIXES, S1, S2, W, X, Y, Z, call, constant, pattern, term

WTUR = Namespace("http://iec.org/61400-25/root/ln/classes/WTUR#")
TD = URIRef("http://iec.org/61400-25/root/td.rdf")
MY = Namespace("http://src.net/my#")
SRC = URIRef("http://src.net/graph.rdf")
ALL_PREFIXES = {**PREFIXES, "wtur": str(WTUR), "my": str(MY)}
MINUTE = 60_000
C = anonymous("copy")


def listing_1_1() -> Operator:
    """Starts in the last 30 minutes and, if any, stops among the last 1500 solutions."""
    starts = Pattern(X, WTUR.StrCnt, Y, SlidingWindow(StreamAccess(TD), 30 * MINUTE, MINUTE))
    stops = CountWindow(Pattern(X, WTUR.StopCnt, Z, StreamAccess(TD)), 1500)
    return Project((X, Y, Z), LeftJoin(starts, stops))


def listing_1_2() -> Operator:
    """Names and powers of a static graph."""
    return _names_and_powers(GraphAccess(SRC))


def listing_1_3() -> Operator:
    """The same over a stream, in a window of a second that slides by a millisecond."""
    return _names_and_powers(SlidingWindow(StreamAccess(SRC), 1000, 1))


def _names_and_powers(graph: Operator) -> Operator:
    names, powers = Pattern(W, MY.name, X, graph), Pattern(Y, MY.power, Z, graph)
    return Project((W, X, Y, Z), Union(names, powers))


def _windows() -> Operator:
    raw = StreamAccess(S1)
    cut = PredicateWindow(raw, call(">", Variable("o"), 5), call("<=", Variable("o"), 5), 90_000)
    windows = [
        SlidingWindow(raw, 2 * 3_600_000, 1_500),
        SlidingWindow(raw, 86_400_000, 86_400_000, 5),
        SlidingWindow.now(raw),
        SlidingWindow.all(raw),
        SteppedWindow(raw, 10 * MINUTE, MINUTE),
        SteppedWindow(raw, MINUTE, 7 * 86_400_000, 5, Boundary.CLOSED_OPEN, True, 7),
        CountWindow(raw, 100),
        CountWindow(raw, 3, 5, gaps=True),
        cut,
        PredicateWindow(raw, call("=", Variable("p"), "on"), call("=", Variable("p"), "off")),
    ]
    plan: Operator = pattern(X, "p", Y, windows[0])
    for window in windows[1:]:
        plan = Union(plan, pattern(X, "p", Y, window))
    return plan


def _expressions() -> Operator:
    plan: Operator = Join(pattern(X, "p", Y), pattern(X, RDF.type, "Turbine"))
    nested = Filter(Exists(pattern(Z, "r", W)), pattern(X, "q", Z))
    conditions = [
        And(Or(call("=", X, 1), Bound(Y)), Not(call("<", Y, 2.5))),
        call("*", call("+", X, Y), call("-", call("-", X, Y), call("UNARY -", Z))),
        call("=", call("-", X, call("-", Y, Z)), call("/", call("*", X, Y), call("*", Y, Z))),
        Arithmetic((Ref(X), call("*", Y, 2), call("-", Y, Z)), ("+", "-")),
        In(call("+", X, 1), (constant(2), Ref(Y))),
        If(Bound(X), Coalesce((Ref(X), constant(True))), constant(Literal("no", lang="en"))),
        call("=", call("STR", X), constant(Literal('a "quoted" text'))),
        Not(Exists(pattern(X, "q", Z, GraphAccess(G1)))),
        And(Exists(nested), Exists(pattern(X, "s", W))),
        call(">", Timestamp(X), Timestamp(Y, S1)),
        call(">", Timestamp(X, Z), Latest((Y, Z))),
        Keyed("BNODE", (constant(Literal("label")),), "query/1", (X, Y)),
        call("=", call("=", X, Y), constant(Literal("5", datatype=EX.knots))),
    ]
    for condition in conditions:
        plan = Filter(condition, plan)
    return plan


def _groups() -> Operator:
    per_turbine = Group(
        (Binding(X, Ref(X)), Binding(W, call("/", Y, 10))),
        (
            Binding(Variable("n"), Count()),
            Binding(Variable("d"), Count(Ref(Y), distinct=True)),
            Binding(Variable("s"), Sum(Ref(Y))),
            Binding(Variable("a"), Avg(call("*", Y, 2))),
            Binding(Variable("lo"), Min(Ref(Y))),
            Binding(Variable("hi"), Max(Ref(Y))),
            Binding(Variable("any"), Sample(Ref(Y))),
            Binding(Variable("all"), GroupConcat(Ref(Y), distinct=True, separator=", ")),
        ),
        pattern(X, "p", Y),
    )
    whole = Group((), (Binding(Variable("n"), Count(distinct=True)),), pattern(X, "p", Y))
    distinct_keys = Group((Binding(X, Ref(X)),), (), pattern(X, "p", Y))
    clauses = AggregateClauses(
        (Clause(Z, Count(), (X,)), Clause(W, Avg(Ref(Y)))), pattern(X, "p", Y)
    )
    having = Filter(call(">", Variable("n"), 5), per_turbine)
    return Join(Join(having, whole), Join(distinct_keys, clauses))


def _solutions() -> Operator:
    stamped = Pattern(X, EX.p, Y, SlidingWindow(StreamAccess(S2), 5, 5), (X, Y))
    table = Values((X, Y), ((term("a"), None), (term("b"), term(2))))
    plan: Operator = Minus(Join(stamped, table), UNIT)
    plan = SemiJoin(plan, pattern(X, "q", Z), call("<", Y, Z))
    plan = AntiJoin(plan, pattern(X, "r", W))
    plan = LeftJoin(plan, pattern(X, "s", Z), call("<", Y, Z))
    plan = Extend(W, call("+", Y, 1), CopyNumber(C, Reduced(plan)))
    ranked = OrderBy((SortKey(Ref(Y), True), SortKey(call("+", Y, Z))), plan)
    return Slice(20, 10, Distinct(Project((X, W), ranked)))


def _paths() -> Operator:
    p, q = Link(EX.p), Link(EX.q)
    walks = [
        ZeroOrMore(Sequence(p, Alternative(q, Inverse(p)))),
        Sequence(Alternative(p, q), Sequence(p, q)),
        OneOrMore(ZeroOrOne(Inverse(Sequence(p, q)))),
        Negated((EX.p, EX.q), (EX.p,)),
        ZeroOrMore(Negated()),
        Alternative(p, Alternative(Inverse(Inverse(p)), q)),
    ]
    graph = Union(GraphAccess(G1), SlidingWindow(StreamAccess(S1), 5, 5))
    plan: Operator = Path(X, walks[0], Y, graph)
    for walk in walks[1:]:
        plan = Join(plan, Path(X, walk, constant("a").term, GraphAccess(G1)))
    return plan


def _construct() -> Operator:
    made = (Template(X, EX.has, BNode("b")), Template(BNode("b"), RDF.type, EX.Alarm))
    return Construct(made, pattern(X, "p", Y), "query/2")


PLANS: dict[str, Operator] = {
    "listing 1.1": listing_1_1(),
    "listing 1.2": listing_1_2(),
    "listing 1.3": listing_1_3(),
    "every window": _windows(),
    "every expression": _expressions(),
    "groups and aggregates": _groups(),
    "operators on solutions": _solutions(),
    "property paths": _paths(),
    "construct": _construct(),
    "describe": Describe((EX.a, X), pattern(X, "p", Y), Distinct(GraphAccess(G1))),
    "ask, limited": Ask(Slice(0, 1, pattern(X, "p", Y))),
    "offset without limit": Slice(3, None, pattern(X, "p", Y)),
    "marked": Filter(
        Or(Ref(W), call("<", Y, 1)),
        MarkJoin(pattern(X, "p", Y), pattern(X, "q", Z), call("<", Y, Z), variable=W),
    ),
    "by group": Slice(1, 2, Minus(pattern(X, "p", Y), pattern(X, "q", Y), by=(X,)), by=(X,)),
    "static part": Join(pattern(X, "p", Y), Static(pattern(X, "r", Z, GraphAccess(G1)))),
}

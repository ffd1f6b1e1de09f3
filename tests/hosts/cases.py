"""A plan for every operator and window the hosts offer, and data that makes them work."""

from __future__ import annotations

from rdflib.namespace import RDFS

from askos.algebra import (
    AggregateClauses,
    AntiJoin,
    Ask,
    Avg,
    Binding,
    Bound,
    Boundary,
    Clause,
    Construct,
    CopyNumber,
    Count,
    CountWindow,
    Describe,
    Distinct,
    EmptyGraph,
    Exists,
    Extend,
    Filter,
    GraphAccess,
    Group,
    GroupConcat,
    Join,
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
    Stamped,
    Static,
    SteppedWindow,
    StreamAccess,
    Sum,
    Template,
    Timestamp,
    Union,
    Values,
    Window,
)
from askos.algebra.operators.paths import Link, OneOrMore, ZeroOrMore
from askos.sources import Catalogue
from askos.terms import BNode, URIRef, Variable
from askos.translate import create_plan, optimize
from tests.build import EX, G1, S1, S2, W, X, Y, Z, call, pattern, stream, term, triple
from tests.hosts.strategies import Delivery

RAW1, RAW2 = StreamAccess(S1), StreamAccess(S2)


def sliding(access: Operator = RAW1, width: int = 10, slide: int = 5) -> Window:
    return SlidingWindow(access, width, slide)


def _p(window: Operator) -> Operator:
    return pattern(X, "p", Y, window)


def _q(window: Operator) -> Operator:
    return pattern(X, "q", Z, window)


def _group(*keys: Variable) -> Operator:
    made = (Binding(W, Avg(Ref(Y))), Binding(Variable("n"), Count()), Binding(Z, Sum(Ref(Y))))
    return Group(tuple(Binding(v, Ref(v)) for v in keys), made, _p(sliding()))


CASES: dict[str, Operator] = {
    "window: sliding": _p(sliding(width=7, slide=3)),
    "window: sliding, over a pattern": SlidingWindow(_p(RAW1), 7, 7, 2),
    "window: now": _p(SlidingWindow.now(RAW1)),
    "window: all": _p(SlidingWindow.all(RAW1)),
    "window: stepped": _p(SteppedWindow(RAW1, 10, 5)),
    "window: RSP-QL's boundary, with gaps": _p(
        SteppedWindow(RAW1, 3, 5, boundary=Boundary.CLOSED_OPEN, gaps=True, origin=1)
    ),
    "window: in the past": _p(SteppedWindow(RAW1, 9, 3, until=4)),
    "no window": _p(RAW1),
    "pattern: a variable twice": pattern(X, Y, X, sliding()),
    "filter": Filter(call("<", Y, 2), _p(sliding())),
    "filter: whatever else": Filter(call("=", call("+", Y, 1), 2), _p(sliding())),
    "project": Project((Y,), _p(sliding())),
    "union": Union(_p(sliding()), _q(sliding(RAW2))),
    "union below a window": sliding(Union(_p(RAW1), pattern(X, "p", Y, RAW2))),
    "join": Join(_p(sliding()), _q(sliding(RAW2))),
    "join: no shared variable": Join(
        pattern(X, "p", Y, sliding()), pattern(Z, "q", W, sliding(RAW2))
    ),
    "join: unbound on one side": Join(
        LeftJoin(_p(sliding()), _q(sliding(RAW2, 4, 4))), pattern(Y, "q", Z, sliding(RAW1))
    ),
    "left join": LeftJoin(_p(sliding()), _q(sliding(RAW2))),
    "left join: condition": LeftJoin(_p(sliding()), _q(sliding(RAW2)), call("<", Y, Z)),
    "left join: must fail": Filter(
        Not(Bound(Z)), LeftJoin(_p(sliding()), _q(sliding(RAW2, 3, 1)), call("<", Y, Z))
    ),
    "group": _group(X),
    "group: without keys": _group(),
    "two stages": LeftJoin(
        Join(_p(sliding()), pattern(Y, "q", Z, sliding(RAW2))),
        pattern(Z, "p", W, sliding(RAW1, 6, 2)),
    ),
    "three stages": Group(
        (Binding(Z, Ref(Z)),),
        (Binding(W, Count()),),
        Join(Join(_p(sliding()), pattern(Y, "q", Z, sliding(RAW2))), _group()),
    ),
}

_A, _B = _p(sliding()), _q(sliding(RAW2, 4, 2))
_STATIC = pattern(X, "r", W, GraphAccess(G1))
_TEMPLATE = (Template(X, EX.seen, Y), Template(BNode("n"), EX.of, X))
CASES |= {
    "distinct": Distinct(Project((X,), _A)),
    "distinct: triples": pattern(X, "p", Y, Distinct(Union(sliding(), sliding(RAW2)))),
    "reduced": Reduced(_A),
    "semi-join": SemiJoin(_A, _B, call("!=", Y, Z)),
    "anti-join": AntiJoin(_A, _B, call("!=", Y, Z)),
    "mark join": MarkJoin(_A, _B, call("!=", Y, Z), variable=W),
    "minus": Minus(_A, _B),
    "minus: by": Minus(_A, pattern(X, "p", Y, sliding(RAW2)), by=(X,)),
    "minus: what may be unbound": Minus(LeftJoin(_A, _B), pattern(Y, "q", Z, sliding(RAW2))),
    "exists: deep inside": Filter(
        Or(call("=", Y, 1), Exists(Minus(pattern(X, "q", Z, sliding(RAW2)), _p(sliding())))), _A
    ),
    "extend": Extend(W, call("+", Y, 1), _A),
    "values": Join(_A, Values((X, W), ((EX.a, term(1)), (EX.b, None)))),
    "values: a constant": Join(_A, Values((W,), ((EX.a,),))),
    "static: joined": Join(_A, _STATIC),
    "static: preserved": LeftJoin(_STATIC, _A),
    "static: to every bucket": LeftJoin(_A, pattern(Z, "r", W, GraphAccess(G1))),
    "static: what it binds is no key": Distinct(
        Project((Z,), Join(Extend(Z, call("+", Y, 1), _A), Values((Z,), ((term(2),), (term(4),)))))
    ),
    "static: marked": Join(_A, Static(_STATIC)),
    "static: merged with a stream": pattern(X, Y, Z, Union(sliding(), GraphAccess(G1))),
    "no triples": Union(_A, pattern(X, "p", Y, EmptyGraph())),
    "group: other aggregates": Group(
        (Binding(X, Ref(X)),),
        (
            Binding(Z, Min(Ref(Y))),
            Binding(Variable("hi"), Max(Ref(Y))),
            Binding(W, Count(Ref(Y), distinct=True)),
            Binding(Variable("any"), Sample(Ref(Y))),
            Binding(Variable("all"), GroupConcat(Ref(Y), separator=" ")),
        ),
        _A,
    ),
    "aggregate clauses": AggregateClauses((Clause(W, Count(), (X,)),), _A),
    "slice": Slice(1, 2, _A),
    "slice: by": Slice(0, 1, _A, by=(X,)),
    "order and slice": Slice(0, 2, OrderBy((SortKey(Ref(Y), True),), _A)),
    "order and slice: distinct between": Slice(
        0, 1, Distinct(Project((X,), OrderBy((SortKey(Ref(Y)),), _A)))
    ),
    "order": OrderBy((SortKey(Ref(Y)),), _A),
    "copy number": CopyNumber(W, Project((X,), _A)),
    "path": Path(X, OneOrMore(Link(EX.p)), Y, Union(sliding(), sliding(RAW2))),
    "path: zero length": Path(X, ZeroOrMore(Link(EX.r)), Y, Union(sliding(), GraphAccess(G1))),
    "construct": Construct(_TEMPLATE, _A, "q/1"),
    "construct: over static data": Construct(_TEMPLATE, pattern(X, "r", Y, GraphAccess(G1)), "q/1"),
    "construct: no blank nodes": Construct(_TEMPLATE[:1], Join(_A, _B)),
    "describe": Describe((EX.c, X), _A, Union(sliding(), GraphAccess(G1))),
    "ask": Ask(Filter(call(">", Y, 2), _A)),
}


_LAST, _BETWEEN = (
    CountWindow(RAW1, 4),
    PredicateWindow(_q(RAW2), call(">", Z, 1), call("<", Z, 2), 9),
)
CASES |= {
    "open ends: join": Join(_p(_LAST), _q(sliding(RAW2))),
    "open ends: join of two": Join(_p(CountWindow(RAW1, 3, 2)), _BETWEEN),
    "open ends: left join": LeftJoin(_p(sliding()), _q(CountWindow(RAW2, 3)), call("!=", Y, Z)),
    "open ends: anti-join": AntiJoin(_p(_LAST), _BETWEEN),
    "open ends: group": Group(
        (Binding(X, Ref(X)),), (Binding(W, Avg(Ref(Y))), Binding(Z, Count())), _p(_LAST)
    ),
    "open ends: distinct over a join": Distinct(Project((X,), Join(_p(_LAST), _BETWEEN))),
}


def _entailed(text: str) -> Operator:
    """With reasoning over the stream, by what the graph says."""
    known = Catalogue().stream(S1).stream(S2).graph(G1, schema=True)
    clauses = "FROM STREAM :stream1 WINDOW RANGE 10 SLIDE 5"
    query = f"PREFIX : <{EX}> SELECT * {clauses} {{ {text} }}"
    return optimize(create_plan(query, sources=known, reasoning="rdfs"))


CASES |= {"reasoning: a property and those below it": _entailed("?x :r ?y")}

_T = Variable("t")


def _timed(p: str, o: Variable, input: Operator) -> Pattern:
    return Pattern(X, EX[p], o, input, (X, o))


def _when(plan: Operator, asked: Timestamp | None = None) -> Operator:
    return Extend(_T, asked or Timestamp(X), plan)


_TP, _TQ = _timed("p", Y, sliding()), _timed("q", Z, sliding(RAW2, 4, 2))
_LATE = call(">", Timestamp(X), 4)
CASES |= {
    "timestamp: sliding window": _when(_TP),
    "timestamp: stepped window": _when(_timed("p", Y, SteppedWindow(RAW1, 10, 5))),
    "timestamp: window in the past": _when(_timed("p", Y, SteppedWindow(RAW1, 9, 3, until=4))),
    "timestamp: window over a pattern": _when(SlidingWindow(_timed("p", Y, RAW1), 7, 7, 2)),
    "timestamp: count window": _when(_timed("p", Y, CountWindow(RAW1, 4))),
    "timestamp: count window of two streams, over patterns": _when(
        CountWindow(Union(_timed("p", Y, RAW1), _timed("p", Y, RAW2)), 3, 2), Timestamp(X, S2)
    ),
    "timestamp: predicate window": _when(
        PredicateWindow(
            _timed("p", Y, RAW1), call(">", Timestamp(Y), 2), call(">", Timestamp(Y), 9), 12
        )
    ),
    "timestamp: join": _when(Join(_TP, _TQ)),
    "timestamp: join, of one stream": _when(Join(_TP, _TQ), Timestamp(X, S2)),
    "timestamp: left join": _when(LeftJoin(_TP, _TQ)),
    "timestamp: left join's condition": LeftJoin(
        _TP, _TQ, call("<", Timestamp(Y), call("+", Timestamp(Z), 3))
    ),
    "timestamp: union of two streams": _when(
        _timed("p", Y, Union(sliding(), sliding(RAW2))), Timestamp(X, S1)
    ),
    "timestamp: a stream that a variable names": _when(
        Union(
            Join(_TP, Values((W,), ((S1,),))),
            Join(_timed("p", Y, sliding(RAW2)), Values((W,), ((S2,),))),
        ),
        Timestamp(X, W),
    ),
    "timestamp: a graph merged with a stream": _when(
        Distinct(_timed("r", Y, Union(sliding(), GraphAccess(G1))))
    ),
    "timestamp: distinct": _when(Distinct(_TP)),
    "timestamp: distinct triples": _when(_timed("p", Y, Distinct(Union(sliding(), sliding(RAW2))))),
    "timestamp: filter": Filter(_LATE, Join(_TP, _TQ)),
    "timestamp: filter below a distinct": Distinct(Filter(_LATE, _TP)),
    "timestamp: semi-join": _when(SemiJoin(_TP, _TQ, call("<", Timestamp(X), 8))),
    "timestamp: anti-join": _when(AntiJoin(_TP, _TQ, call("<", Timestamp(Z), 8))),
    "timestamp: minus": _when(Minus(_TP, _TQ)),
    "timestamp: aggregate": Group(
        (Binding(X, Ref(X)),), (Binding(W, Max(Timestamp(Y))), Binding(Z, Count())), _TP
    ),
    "timestamp: group key": Group(
        (Binding(W, Timestamp(X)),), (Binding(Z, Count(distinct=True)),), Join(_TP, _TQ)
    ),
    "timestamp: aggregate clauses": _when(
        AggregateClauses((Clause(W, Max(Timestamp(Y)), (X,)),), _TP)
    ),
    "timestamp: order and slice": Slice(0, 2, OrderBy((SortKey(Timestamp(Y), True),), _TP)),
    "timestamp: above a slice": _when(Slice(1, 3, OrderBy((SortKey(Ref(X)),), Distinct(_TP)))),
    "timestamp: copy number": _when(CopyNumber(W, _TP)),
    "timestamp: exists": Filter(Exists(Filter(_LATE, _TQ)), _TP),
    "timestamp: above an exists": _when(Filter(Not(Exists(_B)), _TP)),
    "timestamp: exists with a group inside": Filter(
        Exists(
            Minus(
                Group((Binding(X, Ref(X)),), (Binding(W, Count()),), Filter(_LATE, _TQ)),
                Project((X,), Filter(call(">", Timestamp(X), 12), _TQ)),
            )
        ),
        _TP,
    ),
    "timestamp: projected away": Filter(Bound(X), Extend(W, Timestamp(X), Project((X,), _TP))),
    "timestamp: construct": Construct(_TEMPLATE, Filter(_LATE, _TP), "q/1"),
}

OPTIONAL = LeftJoin(
    pattern(X, "p", Y, SlidingWindow(RAW1, 10, 5)),
    pattern(X, "q", Z, SlidingWindow(RAW2, 4, 2)),
)
TWO_STAGES = Join(OPTIONAL, pattern(Y, "r", Variable("name"), SlidingWindow(RAW1, 9, 3)))
"""The left join's key is ?x, the join's is ?y."""

_ROWS1 = stream(
    ("a", "p", 1, 0),
    ("a", "p", 1, 2),
    ("b", "p", "c", 3),
    ("b", "q", "b", 3),
    ("c", "p", "d", 6),
    ("c", "q", "e", 5),
    ("a", "p", 3, 4),
    ("b", "p", 2.5, 8),
    ("a", "q", "a", 9),
    ("a", "p", "x", 11),
    ("c", "p", 2, 17),
    ("a", "p", 1, 14),
    ("a", "p", 2, 31),
)
_ROWS2 = stream(
    ("a", "q", 2, 1),
    ("c", "q", "c", 5),
    ("b", "q", 3, 9),
    ("d", "q", "a", 7),
    ("a", "q", 4, 12),
    ("a", "p", 7, 13),
    ("1", "q", "z", 21),
    ("a", "q", 9, 33),
)
DATA = Delivery(
    (
        (S2, tuple(_ROWS2[:5])),
        (S1, tuple(_ROWS1)),
        (S2, tuple(_ROWS2[5:])),
    ),
    tuple(
        triple(*row)
        for row in (
            ("a", "r", "b"),
            ("b", "r", "c"),
            ("c", "r", 1),
            ("q", RDFS.subPropertyOf, "p"),
            ("p", RDFS.subPropertyOf, "r"),
            ("p", RDFS.domain, "Thing"),
        )
    ),
)


def readings(source: URIRef, count: int, every: int, start: int = 0) -> tuple[Stamped, ...]:
    """a, b and c in turn have the values v0 to v3, as ?x p ?y in S1 and ?x q ?z in S2."""
    name = "p" if source == S1 else "q"
    times = range(start, start + count * every, every)
    return tuple(
        Stamped(triple("abc"[i % 3], name, f"v{i % 4}"), at, i) for i, at in enumerate(times)
    )


_NOISE = tuple(Stamped(triple("n", "other", i), i, i) for i in range(20))

DELIVERIES: dict[str, Delivery] = {
    "a source without matching triples for a while": Delivery(
        (
            (S1, readings(S1, 8, 3)),
            (S2, _NOISE),
            (S1, readings(S1, 4, 3, 24)),
            (S2, (Stamped(triple("a", "q", 1), 27),)),
        )
    ),
    "a source silent in most micro-batches": Delivery(
        (
            (S2, readings(S2, 2, 1)),
            *((S1, readings(S1, 4, 2, 8 * i)) for i in range(4)),
            (S2, readings(S2, 2, 9, 20)),
        )
    ),
    "two sources of very different rate": Delivery(
        (
            (S1, readings(S1, 80, 1)),
            (S2, readings(S2, 1, 1)),
            (S1, readings(S1, 80, 1, 80)),
            (S2, readings(S2, 3, 50, 50)),
        )
    ),
}

"""Random terms, streams, windows, expressions and plans: small, so that they meet often."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from askos.algebra import (
    AggregateClauses,
    And,
    AntiJoin,
    Avg,
    Binding,
    Bound,
    Boundary,
    Call,
    Clause,
    Coalesce,
    Constant,
    CopyNumber,
    Count,
    CountWindow,
    Distinct,
    EmptyGraph,
    Exists,
    Expression,
    Extend,
    Filter,
    GraphAccess,
    Group,
    GroupConcat,
    If,
    In,
    Join,
    Keyed,
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
    SteppedWindow,
    StreamAccess,
    Sum,
    Timestamp,
    Union,
    Values,
    Window,
)
from askos.algebra.operators.paths import (
    Alternative,
    Inverse,
    Link,
    Negated,
    OneOrMore,
    PathExpression,
    Sequence,
    ZeroOrMore,
    ZeroOrOne,
)
from askos.algebra.reference import Streams
from askos.terms import XSD, BNode, Literal, Solution, Term, Triple, URIRef, Variable
from tests.build import EX, G1, S1, S2, W, X, Y, Z

NODES: list[URIRef | BNode] = [EX.a, EX.b, BNode("n")]
PREDICATES = [EX.p, EX.q]
NUMBERS = [
    Literal("1", datatype=XSD.integer),
    Literal("01", datatype=XSD.integer),
    Literal("2", datatype=XSD.integer),
    Literal("1.5", datatype=XSD.decimal),
    Literal("1.0E0", datatype=XSD.double),
]
OTHERS = [Literal("text"), Literal("text", lang="en"), Literal("x", datatype=XSD.integer)]
VARIABLES = [X, Y, Z, W]


def terms() -> st.SearchStrategy[Term]:
    return st.sampled_from([*NODES, *NUMBERS, *OTHERS])


def triples() -> st.SearchStrategy[Triple]:
    objects = st.sampled_from([*NODES, *NUMBERS])
    return st.builds(Triple, st.sampled_from(NODES), st.sampled_from(PREDICATES), objects)


def solutions() -> st.SearchStrategy[Solution]:
    return st.dictionaries(st.sampled_from([X, Y, Z]), terms(), max_size=3).map(Solution)


def stamped() -> st.SearchStrategy[Stamped]:
    return st.builds(
        Stamped, triples(), st.integers(0, 20), st.one_of(st.none(), st.integers(0, 3))
    )


@st.composite
def data(draw: st.DrawFn) -> Streams:
    """Data for the two streams and the one graph that plans read."""
    return {
        S1: draw(st.lists(stamped(), max_size=7)),
        S2: draw(st.lists(stamped(), max_size=4)),
        G1: draw(st.lists(triples(), max_size=5)),
    }


def instants() -> st.SearchStrategy[int]:
    return st.integers(0, 40)


# ---- windows --------------------------------------------------------------------------------


@st.composite
def sliding(draw: st.DrawFn, input: Operator) -> Window:
    width = draw(st.integers(1, 12))
    return SlidingWindow(input, width, draw(st.integers(1, width)), draw(st.integers(0, 5)))


@st.composite
def stepped(draw: st.DrawFn, input: Operator) -> Window:
    width = draw(st.integers(1, 12))
    return SteppedWindow(
        input,
        width,
        draw(st.integers(1, 15)),
        until=draw(st.integers(0, width - 1)),
        boundary=draw(st.sampled_from(Boundary)),
        gaps=True,
        origin=draw(st.integers(0, 5)),
    )


@st.composite
def counting(draw: st.DrawFn, input: Operator) -> Window:
    return CountWindow(input, draw(st.integers(1, 5)), draw(st.integers(1, 6)), gaps=True)


@st.composite
def between(draw: st.DrawFn, input: Operator) -> Window:
    seen = sorted(input.variables) or [Variable("s"), Variable("p"), Variable("o")]

    def test() -> Expression:
        return Call("=", (Ref(draw(st.sampled_from(seen))), Constant(draw(terms()))))

    return PredicateWindow(input, test(), test(), draw(st.none() | st.integers(1, 8)))


def windows(input: Operator) -> st.SearchStrategy[Window]:
    return st.one_of(sliding(input), stepped(input), counting(input), between(input))


# ---- expressions ----------------------------------------------------------------------------


def _keys() -> st.SearchStrategy[tuple[Variable, ...]]:
    return st.lists(st.sampled_from([X, Y]), unique=True).map(tuple)


def expressions(*, exists: bool = True) -> st.SearchStrategy[Expression]:
    leaves = st.one_of(
        st.sampled_from([X, Y, Z]).map(Ref),
        terms().filter(lambda term: not isinstance(term, BNode)).map(Constant),
        st.sampled_from([X, Y, Z]).map(Bound),
        st.builds(Timestamp, st.sampled_from([X, Y, Z]), st.sampled_from([None, S1, S2])),
        st.builds(Keyed, st.just("RAND"), st.just(()), st.sampled_from(["q/1", "q/2"]), _keys()),
    )

    def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        names = st.sampled_from(["=", "!=", "<", "<=", "+", "*", "/", "SAMETERM"])
        kinds = [
            st.builds(And, inner, inner),
            st.builds(Or, inner, inner),
            st.builds(Not, inner),
            st.builds(If, inner, inner, inner),
            st.builds(Coalesce, st.tuples(inner, inner)),
            st.builds(In, inner, st.lists(inner, max_size=2).map(tuple)),
            st.builds(Call, names, st.tuples(inner, inner)),
            st.builds(Call, st.sampled_from(["ISNUMERIC", "STR", "UNARY -"]), st.tuples(inner)),
        ]
        return st.one_of(*kinds, *([st.builds(Exists, leaf_plans())] if exists else []))

    return st.recursive(leaves, larger, max_leaves=4)


# ---- plans ----------------------------------------------------------------------------------


@st.composite
def patterns(draw: st.DrawFn, input: Operator) -> Pattern:
    places = st.sampled_from([X, Y, Z])
    plain = Pattern(
        draw(places | st.sampled_from(NODES)),
        draw(st.sampled_from(PREDICATES) | places),
        draw(places | st.sampled_from([*NODES, *NUMBERS])),
        input,
    )
    keep = draw(st.booleans())
    return replace(plain, stamps=tuple(sorted(plain.variables)) if keep else ())


@st.composite
def leaf_plans(draw: st.DrawFn) -> Operator:
    """A pattern under a window, a window under a pattern, static data, or VALUES."""
    access: Operator = StreamAccess(draw(st.sampled_from([S1, S2])))
    match draw(st.integers(0, 7)):
        case 0 | 1:
            return draw(patterns(draw(windows(access))))
        case 2:
            return draw(windows(draw(patterns(access))))
        case 6:
            both = Union(draw(windows(access)), GraphAccess(G1))
            return draw(patterns(Distinct(both) if draw(st.booleans()) else EmptyGraph()))
        case 7:
            place = draw(patterns(access))
            both = Union(place, replace(place, input=StreamAccess(draw(st.sampled_from([S1, S2])))))
            return draw(windows(both))
        case 3:
            return draw(patterns(GraphAccess(G1)))
        case 4:
            ends = st.sampled_from([X, Y]) | st.just(EX.a)
            graph = Union(GraphAccess(G1), draw(windows(access)))
            return Path(draw(ends), draw(paths()), draw(ends), graph)
    row = st.tuples(terms(), st.none() | terms())
    return Values((X, Y), tuple(draw(st.lists(row, max_size=2))))


def paths() -> st.SearchStrategy[PathExpression]:
    links = st.sampled_from(PREDICATES)
    leaves = st.one_of(
        links.map(Link),
        st.builds(Negated, st.lists(links, max_size=1).map(tuple)),
        st.builds(Negated, st.just(()), st.lists(links, max_size=1).map(tuple)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Sequence, inner, inner),
            st.builds(Alternative, inner, inner),
            *(st.builds(kind, inner) for kind in (Inverse, ZeroOrMore, OneOrMore, ZeroOrOne)),
        ),
        max_leaves=3,
    )


@st.composite
def _larger(draw: st.DrawFn, inner: st.SearchStrategy[Operator]) -> Operator:
    plan, other = draw(inner), draw(inner)
    free = [v for v in VARIABLES if v not in plan.variables]
    columns = sorted(plan.variables)
    match draw(st.integers(0, 14)):
        case 0 | 1:
            return Join(plan, other)
        case 2:
            return Union(plan, other)
        case 3:
            return LeftJoin(plan, other, draw(expressions()))
        case 4:
            return Minus(plan, other, draw(_keys()) if draw(st.booleans()) else ())
        case 5:
            return draw(st.sampled_from([SemiJoin, AntiJoin]))(plan, other, draw(expressions()))
        case 6 if free:
            return Extend(free[0], draw(expressions()), plan)
        case 7:
            return Distinct(plan)
        case 8 if columns:
            return Project(tuple(draw(st.lists(st.sampled_from(columns), unique=True))), plan)
        case 9:
            keys = draw(st.lists(st.sampled_from([X, Y]), unique=True))
            aggregate = draw(st.sampled_from([Count, Sum, Avg, Min, Max, Sample, GroupConcat]))
            made = Binding(W, aggregate(draw(expressions()), distinct=draw(st.booleans())))
            return Group(tuple(Binding(v, Ref(v)) for v in keys), (made,), plan)
        case 10:
            ranked = OrderBy((SortKey(draw(expressions()), draw(st.booleans())),), plan)
            limit, by = draw(st.none() | st.integers(0, 3)), draw(_keys())
            return Slice(draw(st.integers(0, 1)), limit, ranked, by)
        case 11 if free:
            return CopyNumber(free[0], Reduced(plan))
        case 12 if free:
            by = tuple(draw(st.lists(st.sampled_from([X, Y]), unique=True)))
            return AggregateClauses((Clause(free[0], Sum(draw(expressions())), by),), plan)
        case 13 if free:
            return MarkJoin(plan, other, draw(expressions()), variable=free[0])
    return Filter(draw(expressions()), plan)


def plans(max_leaves: int = 4) -> st.SearchStrategy[Operator]:
    return st.recursive(leaf_plans(), _larger, max_leaves=max_leaves)

"""The reference evaluation against an independent SPARQL engine, on random plans.

Left out, because pyoxigraph departs from SPARQL 1.1 there: paths (it merges the duplicates of
`:p|:q`), COUNT of an expression that may fail (it then counts nothing, where SPARQL leaves the
failures out), `<` on anything but numbers, and literals that are not canonical (it rewrites them).
"""

from __future__ import annotations

from collections import Counter

import pyoxigraph as ox
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    And,
    AntiJoin,
    Binding,
    Bound,
    Call,
    Constant,
    Count,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Join,
    LeftJoin,
    Max,
    Min,
    Minus,
    Not,
    Operator,
    Or,
    Pattern,
    Project,
    Ref,
    SemiJoin,
    Sum,
    Union,
    Values,
)
from askos.algebra.reference import evaluate
from askos.terms import Solution, Term, Triple, Variable, n3
from tests.build import EX, G1, W, X, Y, Z, term
from tests.oracles.sparql import query

GRAPH = GraphAccess(G1)
NODES = [EX.a, EX.b]
NUMBERS = [term(n) for n in (1, 2, 3)]
TERMS = NODES + NUMBERS
VARIABLES = st.sampled_from([X, Y, Z])
TRIPLES = st.builds(
    Triple, st.sampled_from(NODES), st.sampled_from([EX.p, EX.q]), st.sampled_from(TERMS)
)


def patterns() -> st.SearchStrategy[Operator]:
    subjects = VARIABLES | st.sampled_from(NODES)
    objects = VARIABLES | st.sampled_from(TERMS)
    predicates = st.sampled_from([EX.p, EX.q]) | VARIABLES
    return st.builds(Pattern, subjects, predicates, objects, st.just(GRAPH))


def tables() -> st.SearchStrategy[Operator]:
    cell = st.none() | st.sampled_from(TERMS)
    rows = st.lists(st.tuples(cell, cell), max_size=3).map(tuple)
    return st.builds(Values, st.just((X, Y)), rows)


def conditions(inner: st.SearchStrategy[Operator]) -> st.SearchStrategy[Expression]:
    def compare(op: str, left: Variable, right: Term) -> Expression:
        return Call(op, (Ref(left), Constant(right)))

    leaves = st.one_of(
        st.builds(compare, st.sampled_from(["<", ">="]), VARIABLES, st.sampled_from(NUMBERS)),
        st.builds(compare, st.sampled_from(["=", "!="]), VARIABLES, st.sampled_from(TERMS)),
        st.builds(lambda a, b: Call("=", (Ref(a), Ref(b))), VARIABLES, VARIABLES),
        VARIABLES.map(Bound),
    )
    logic = st.recursive(
        leaves,
        lambda e: st.builds(And, e, e) | st.builds(Or, e, e) | st.builds(Not, e),
        max_leaves=3,
    )
    return logic | st.builds(Exists, inner) | st.builds(lambda p: Not(Exists(p)), inner)


@st.composite
def _larger(draw: st.DrawFn, inner: st.SearchStrategy[Operator]) -> Operator:
    plan, other = draw(inner), draw(inner)
    kind = draw(st.integers(0, 8))
    if kind == 0:
        return Union(plan, other)
    if kind == 1:
        return Minus(plan, other)
    if kind == 2:
        return LeftJoin(plan, other, draw(_plain()))
    if kind == 3:
        return Filter(draw(conditions(patterns())), plan)
    if kind == 4 and W not in plan.variables:
        return Extend(W, Call("+", (Ref(draw(VARIABLES)), Constant(term(1)))), plan)
    if kind == 5 and plan.variables:
        return Distinct(Project((draw(st.sampled_from(sorted(plan.variables))),), plan))
    if kind == 6 and plan.variables:
        return _group(draw, plan)
    if kind == 7:
        return draw(st.sampled_from([SemiJoin, AntiJoin]))(plan, draw(patterns()), draw(_plain()))
    return Join(plan, other)


def _plain() -> st.SearchStrategy[Expression]:
    return conditions(patterns()).filter(lambda e: not any(isinstance(n, Exists) for n in e.walk()))


def _group(draw: st.DrawFn, plan: Operator) -> Operator:
    columns = sorted(plan.variables - {W})
    keys = draw(st.lists(st.sampled_from(columns), unique=True, max_size=1)) if columns else []
    aggregate = draw(st.sampled_from([Count, Sum, Min, Max]))
    counted = Ref(draw(VARIABLES))
    value = counted if aggregate is Count else Call("+", (counted, Constant(term(0))))
    made = Binding(W, aggregate(value, distinct=draw(st.booleans())))
    return Group(tuple(Binding(v, Ref(v)) for v in keys), (made,), plan)


PLANS = st.recursive(patterns() | patterns() | tables(), _larger, max_leaves=5)


def ask_oxigraph(text: str, triples: list[Triple]) -> Counter[tuple[tuple[str, str], ...]]:
    store = ox.Store()
    lines = "".join(f"{triple} .\n" for triple in triples)
    store.load(lines.encode(), format=ox.RdfFormat.N_TRIPLES)
    answer = store.query(text)
    assert isinstance(answer, ox.QuerySolutions)
    names = [variable.value for variable in answer.variables]
    return Counter(
        tuple(sorted((name, str(row[name])) for name in names if row[name] is not None))
        for row in answer
    )


@given(PLANS, st.lists(TRIPLES, max_size=8, unique=True))
def test_the_reference_agrees_with_oxigraph(plan: Operator, triples: list[Triple]) -> None:
    ours: Counter[tuple[tuple[str, str], ...]] = Counter()
    for mu, n in evaluate(plan, {G1: triples}, 0).items():
        assert isinstance(mu, Solution)
        ours[tuple(sorted((str(v), n3(value)) for v, value in mu.items()))] += n
    text = query(plan)
    assert ours == ask_oxigraph(text, triples), text

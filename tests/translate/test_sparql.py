"""Plans as SPARQL text: whoever evaluates the text finds what the plan means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askos import select
from askos.algebra import (
    FALSE,
    TRUE,
    And,
    AntiJoin,
    Avg,
    Binding,
    Bound,
    Coalesce,
    Constant,
    CopyNumber,
    Count,
    Distinct,
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
    LeftJoin,
    Max,
    Minus,
    Not,
    Operator,
    Or,
    OrderBy,
    Path,
    Pattern,
    Payload,
    Project,
    Reduced,
    Ref,
    Sample,
    SemiJoin,
    Slice,
    SortKey,
    Static,
    Sum,
    Union,
    Values,
)
from askos.algebra.operators.paths import Link, OneOrMore
from askos.algebra.reference import evaluate as meaning
from askos.errors import UnsupportedError
from askos.static import Solutions
from askos.terms import BNode, Literal, Solution, Triple, URIRef, Variable, anonymous, n3
from askos.translate.sparql import Question, write_select
from tests.build import EX, G1, W, X, Y, Z, call, pattern, term
from tests.oracles.test_oxigraph import TRIPLES, ask_oxigraph, patterns, tables
from tests.static.strategies import static_plans
from tests.strategies import triples

MORE = settings(max_examples=2 * settings().max_examples)
GRAPH = GraphAccess(G1)
HIDDEN = anonymous("b0")


def of_one(plan: Operator) -> Operator:
    """The plan reading one graph alone."""
    return plan.transform(lambda node: GRAPH if node.payload is Payload.TRIPLE else node)


def texts(plan: Operator) -> list[tuple[Operator, Question]]:
    """The parts of a plan that have a text."""
    found = []
    for node in plan.walk():
        try:
            if isinstance(node, Operator):
                found.append((node, write_select(node)))
        except UnsupportedError:
            continue
    return found


def asked(question: Question, data: Sequence[Triple]) -> Counter[object]:
    answer = select(question.text, graph=list(data))
    assert isinstance(answer, Solutions)
    return Counter(
        Solution({question.columns[str(v)]: value for v, value in row.items()}) for row in answer
    )


# ---- the law -----------------------------------------------------------------------------------


@MORE
@given(static_plans().map(of_one), st.lists(triples(), max_size=8))
def test_whatever_has_a_text_means_its_text(plan: Operator, data: list[Triple]) -> None:
    for part, question in texts(plan):
        if any(isinstance(node, GraphAccess) for node in part.walk()):
            assert asked(question, data) == meaning(part, {G1: data}, 0), question.text


def conditions() -> st.SearchStrategy[Expression]:
    variables = st.sampled_from([X, Y, Z])
    terms = st.sampled_from([EX.a, EX.b, *(term(n) for n in (1, 2, 3))])
    equal = st.sampled_from(["=", "!=", "SAMETERM"])
    leaves = st.one_of(
        st.builds(call, equal, variables, variables | terms),
        st.builds(call, st.sampled_from(["<", ">="]), variables, st.sampled_from([1, 2])),
        st.builds(call, st.sampled_from(["ISIRI", "ISNUMERIC", "ISBLANK"]), variables),
        st.builds(In, variables.map(Ref), st.lists(terms.map(Constant), min_size=1).map(tuple)),
        variables.map(Bound),
        st.sampled_from([TRUE, FALSE]),
    )

    def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.one_of(
            st.builds(And, inner, inner),
            st.builds(Or, inner, inner),
            st.builds(Not, inner),
            st.builds(If, inner, inner, inner),
            st.builds(Coalesce, st.tuples(inner, inner)),
        )

    return st.recursive(leaves, larger, max_leaves=3)


@st.composite
def _larger(draw: st.DrawFn, inner: st.SearchStrategy[Operator]) -> Operator:
    plan, other = draw(inner), draw(inner)
    free = [v for v in (W, HIDDEN, Variable("a-b")) if v not in plan.variables]
    columns = sorted(plan.variables)
    some = draw(st.lists(st.sampled_from(columns), unique=True)) if columns else []
    match draw(st.integers(0, 11)):
        case 0:
            return Union(plan, other)
        case 1:
            return Minus(plan, other)
        case 2:
            return LeftJoin(plan, other, draw(conditions() | st.just(TRUE)))
        case 3:
            return Filter(draw(conditions()), plan)
        case 4 if free:
            value = draw(conditions() | st.sampled_from([Ref(X), Constant(EX.a)]))
            return Extend(free[0], value, plan)
        case 5:
            return Distinct(plan)
        case 6:
            return Project(tuple(some), plan)
        case 7 if free:
            counted = draw(st.sampled_from([Count(), Count(Ref(X)), Count(Ref(Y), distinct=True)]))
            keys = tuple(Binding(v, Ref(v)) for v in some)
            return Group(keys, (Binding(free[0], counted),), plan)
        case 8:
            return AntiJoin(plan, other, draw(conditions()))
        case 9:
            return Reduced(Static(plan))
        case 10:
            simple = draw(patterns())
            shared = plan.variables & simple.variables
            return SemiJoin(plan, simple) if shared <= plan.bound else plan
    return Join(plan, other)


WRITABLE = st.recursive(patterns() | patterns() | tables(), _larger, max_leaves=5)


@MORE
@given(WRITABLE, st.lists(triples(), max_size=8))
def test_what_sparql_defines_is_written(plan: Operator, data: list[Triple]) -> None:
    question = write_select(plan)
    assert asked(question, data) == meaning(plan, {G1: data}, 0), question.text


@MORE
@given(WRITABLE, st.lists(TRIPLES, max_size=8, unique=True))
def test_another_engine_reads_the_text_alike(plan: Operator, data: list[Triple]) -> None:
    question = write_select(plan)
    ours: Counter[tuple[tuple[str, str], ...]] = Counter()
    names = {variable: name for name, variable in question.columns.items()}
    for mu, n in meaning(plan, {G1: data}, 0).items():
        assert isinstance(mu, Solution)
        ours[tuple(sorted((names[v], n3(value)) for v, value in mu.items()))] += n
    assert ours == ask_oxigraph(question.text, data), question.text


# ---- what is written ---------------------------------------------------------------------------

SITE, RATED = pattern(X, "site", Y, GRAPH), pattern(X, "rated", Z, GRAPH)
P = f"<{EX}"


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (
            Join(SITE, RATED),
            f"SELECT ?x ?y ?z WHERE {{ ?x {P}site> ?y . ?x {P}rated> ?z . }}",
        ),
        (
            LeftJoin(SITE, Filter(Bound(Y), RATED)),
            f"SELECT ?x ?y ?z WHERE {{ ?x {P}site> ?y ."
            f" OPTIONAL {{ {{ ?x {P}rated> ?z . FILTER (BOUND(?y)) }} FILTER (true) }} }}",
        ),
        (
            AntiJoin(SITE, RATED),
            f"SELECT ?x ?y WHERE {{ {{ ?x {P}site> ?y ."
            f" OPTIONAL {{ {{ ?x {P}rated> ?z . BIND (true AS ?v0) }} }} }}"
            " FILTER (!BOUND(?v0)) }",
        ),
        (
            SemiJoin(SITE, RATED),
            f"SELECT ?x ?y WHERE {{ ?x {P}site> ?y ."
            f" {{ SELECT DISTINCT ?x WHERE {{ ?x {P}rated> ?z . }} }} }}",
        ),
        (
            Filter(Not(Not(Bound(Y))), SITE),
            f"SELECT ?x ?y WHERE {{ ?x {P}site> ?y . FILTER (!(!BOUND(?y))) }}",
        ),
        (
            Project((), SITE),
            f"SELECT ?v0 WHERE {{ ?x {P}site> ?y . }}",
        ),
        (
            pattern(HIDDEN, "site", Variable("v0"), GRAPH),
            f"SELECT ?v0 ?v1 WHERE {{ ?v1 {P}site> ?v0 . }}",
        ),
    ],
)
def test_the_text_of_a_plan(plan: Operator, text: str) -> None:
    assert write_select(plan).text == text


@pytest.mark.parametrize(
    "plan",
    [
        Slice(0, 5, SITE),
        OrderBy((SortKey(Ref(X)),), SITE),
        CopyNumber(W, SITE),
        Minus(SITE, RATED, (X,)),
        Filter(Exists(RATED), SITE),
        Filter(call("REGEX", X, Literal("a")), SITE),
        Extend(W, call("+", Y, 1), SITE),
        Filter(In(Ref(X), ()), SITE),
        Filter(call("=", X, BNode("n")), SITE),
        Filter(call("=", X, URIRef("relative")), SITE),
        Group((), (Binding(W, Sum(Ref(Y))),), SITE),
        Group((), (Binding(W, Avg(Ref(Y))),), SITE),
        Group((), (Binding(W, Max(Ref(Y))),), SITE),
        Group((), (Binding(W, Sample(Ref(Y))),), SITE),
        Group((), (Binding(W, GroupConcat(Ref(Y))),), SITE),
        Group((), (Binding(W, Count(distinct=True)),), SITE),
        Group((), (Binding(Y, Count()),), SITE),
        Group((), (), SITE),
        SemiJoin(SITE, RATED, Bound(Z)),
        SemiJoin(LeftJoin(SITE, RATED), pattern(Z, "p", W, GRAPH)),
        Pattern(BNode("n"), EX.p, X, GRAPH),
        Pattern(X, URIRef("relative"), Y, GRAPH),
        Pattern(X, EX.p, Literal("a", datatype=URIRef("relative")), GRAPH),
        Pattern(Literal("a"), EX.p, X, GRAPH),
        Pattern(X, EX.p, Y, Union(GRAPH, GRAPH)),
        Path(X, OneOrMore(Link(URIRef("relative"))), Y, GRAPH),
        Values((X,), ((BNode("n"),),)),
        Join(SITE, pattern(X, "rated", Z, GraphAccess(EX.graph2))),
    ],
    ids=lambda plan: type(plan).__name__,
)
def test_what_sparql_leaves_to_engines_has_no_text(plan: Operator) -> None:
    with pytest.raises(UnsupportedError):
        write_select(plan)

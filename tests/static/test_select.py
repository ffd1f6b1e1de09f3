"""`askos.select`: from text to answers, over files, triples and graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import rdflib

import askos
from askos.columns.keys import Keys
from askos.errors import QueryError, StreamError
from askos.static import Solutions, StaticGraph, select
from askos.static import graph as static_graph
from askos.terms import RDF, Literal, Solution, Triple, URIRef, Variable

P, Q = URIRef("http://e.example/p"), URIRef("http://e.example/q")
A, B, C = (URIRef(f"http://e.example/{name}") for name in "abc")
ONE = [(A, P, Literal("1")), (B, P, Literal("2"))]
PREFIX = "PREFIX : <http://e.example/> "
X = Variable("x")


def rows(text: str, **data: object) -> list[Solution]:
    answers = select(PREFIX + text, **data)  # type: ignore[arg-type]
    assert isinstance(answers, Solutions)
    return list(answers)


def test_a_graph_may_be_triples_a_file_or_a_graph(tmp_path: Path) -> None:
    file = tmp_path / "one.nt"
    file.write_text("".join(f"{Triple(*triple)} .\n" for triple in ONE))
    theirs = rdflib.Graph()
    for triple in ONE:
        theirs.add(triple)
    expected = [Solution({X: A}), Solution({X: B})]
    for graph in (ONE, [Triple(*t) for t in ONE], file, str(file), theirs, StaticGraph(ONE)):
        assert rows("SELECT ?x { ?x :p ?y } ORDER BY ?x", graph=graph) == expected


def test_several_graphs_are_merged() -> None:
    both = [StaticGraph(ONE), StaticGraph([ONE[0], (C, P, Literal("3"))])]
    assert rows("SELECT ?x { ?x :p ?y } ORDER BY ?x", graph=both) == [
        Solution({X: name}) for name in (A, B, C)
    ]


def test_graphs_that_are_merged_are_indexed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    both, built = [StaticGraph(ONE), StaticGraph([(C, P, Literal("3"))])], list[str]()

    class Counted(Keys):
        @classmethod
        def of(cls, *arguments: Any) -> Any:
            built.append("order")
            return Keys.of(*arguments)

    monkeypatch.setattr(static_graph, "Keys", Counted)
    for _ in range(3):
        assert len(rows("SELECT ?x { ?x :p ?y }", graph=both)) == 3
        assert len(built) == 2  # by subject, as they are kept, and by predicate


def test_a_dataset_given_as_the_graph_has_named_graphs(tmp_path: Path) -> None:
    (tmp_path / "data.trig").write_text(
        "@prefix : <http://e.example/> . :a :p 1 . :b { :b :p 2 } :c { :c :p 3 }"
    )
    (tmp_path / "more.nq").write_text(f"<{C}> <{P}> <{C}> .\n<{A}> <{P}> <{A}> <{B}> .\n")
    data = [tmp_path / "data.trig", tmp_path / "more.nq"]
    assert len(rows("SELECT * { ?x :p ?y }", graph=data)) == 2
    assert len(rows("SELECT * { GRAPH :b { ?x :p ?y } }", graph=data)) == 2
    assert len(rows("SELECT * { GRAPH ?g { ?x :p ?y } }", graph=data)) == 3
    named = {str(B): [(A, Q, A)]}
    assert len(rows("SELECT * { GRAPH :b { ?x ?p ?y } }", graph=data, named=named)) == 3
    with pytest.raises(StreamError, match=r"data\.trig has named graphs"):
        select("ASK { }", named={str(A): data[0]})


def test_no_data_is_an_empty_graph() -> None:
    assert rows("SELECT ?x { ?x :p ?y }") == []
    assert select("ASK { }") is True


def test_named_graphs_are_read_by_graph_and_by_from() -> None:
    named = {str(A): ONE, str(B): [(C, P, Literal("3"))]}
    assert rows("SELECT ?x { GRAPH :b { ?x :p ?y } }", named=named) == [Solution({X: C})]
    assert rows("SELECT ?x FROM :b { ?x :p ?y }", graph=ONE, named=named) == [Solution({X: C})]
    found = rows("SELECT DISTINCT ?g { GRAPH ?g { ?x :p ?y } } ORDER BY ?g", named=named)
    assert [row[Variable("g")] for row in found] == [A, B]


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "BIND(1 AS ?x)",
        "VALUES ?x { 1 2 }",
        "OPTIONAL { ?x :p ?y }",
        "FILTER NOT EXISTS { ?x :p ?y }",
        "{ SELECT (COUNT(*) AS ?n) { ?x :p ?y } }",
        "?x :p* ?y",
        "GRAPH :b { }",
    ],
)
@pytest.mark.parametrize("optimized", [True, False])
def test_in_a_graph_that_is_not_there_nothing_holds(inside: str, optimized: bool) -> None:
    named = {str(B): ONE}
    text = f"GRAPH :none {{ {inside} }}"

    def answers(where: str) -> bool:
        found = select(f"{PREFIX} ASK {{ {where} }}", graph=ONE, named=named, optimized=optimized)
        return found is True

    assert not answers(text)
    assert not answers(f"?x :p ?y FILTER EXISTS {{ {text} }}")
    assert answers(f"OPTIONAL {{ {text} }} FILTER(!BOUND(?x))")


def test_an_unknown_graph_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(QueryError, match="line 1") as caught:
        rows(
            "SELECT ?x FROM :observatoins { ?x :p ?y }", named={"http://e.example/observations": []}
        )
    assert "observations" in caught.value.hint


def test_the_order_of_variables_is_that_of_the_query() -> None:
    answers = select(PREFIX + "SELECT ?y ?x { ?x :p ?y }", graph=ONE)
    assert isinstance(answers, Solutions)
    assert [str(v) for v in answers.variables] == ["y", "x"]
    assert answers[0] in answers
    assert len(answers[:1]) == 1


@pytest.mark.parametrize("optimized", [True, False])
def test_construct_describe_and_ask(optimized: bool) -> None:
    made = select(PREFIX + "CONSTRUCT { ?y :q ?x } { ?x :q ?y }", graph=[(A, Q, B)])
    assert made == (Triple(B, Q, A),)
    described = select(PREFIX + "DESCRIBE :a", graph=ONE, optimized=optimized)
    assert described == (Triple(*ONE[0]),)
    assert select(PREFIX + 'ASK { :a :p "1" }', graph=ONE, optimized=optimized) is True
    assert select(PREFIX + 'ASK { :a :p "2" }', graph=ONE, optimized=optimized) is False


def test_reasoning_adds_what_the_graph_entails() -> None:
    rdfs = rdflib.RDFS
    data = [(A, RDF.type, B), (B, rdfs.subClassOf, C), (P, rdfs.domain, Q), (C, P, A)]
    assert rows("SELECT ?x { ?x a :c }", graph=data) == []
    assert rows("SELECT ?x { ?x a :c }", graph=data, reasoning="rdfs") == [Solution({X: A})]
    assert rows("SELECT ?x { ?x a :q }", graph=data, reasoning="rdfs") == [Solution({X: C})]


def test_what_select_cannot_do_is_refused() -> None:
    with pytest.raises(QueryError, match="line 1, column 10: select reads"):
        select("SELECT * FROM STREAM <s> WINDOW ELEMS 5 { ?s ?p ?o }")
    with pytest.raises(QueryError, match="reasoning 'owl' is not known"):
        select("ASK { }", reasoning="owl")  # type: ignore[arg-type]
    with pytest.raises(StreamError, match="No such file"):
        select("ASK { }", graph="data.csv")


def test_it_is_a_function_of_the_package() -> None:
    assert askos.select is select

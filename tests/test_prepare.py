"""`askos.prepare`: one value between a text and a host."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
import rdflib
from hypothesis import given

import askos
from askos.algebra import (
    Ask,
    Clock,
    Intervals,
    Join,
    Kind,
    Operator,
    Payload,
    Periodic,
    Project,
    StreamAccess,
)
from askos.errors import AskosError, QueryError, StreamError, UnsupportedError
from askos.prepared import Prepared, prepare
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.static import StaticGraph, load_graphs
from askos.terms import Variable, anonymous
from tests.build import EX, G1, S1, S2, X, Y, pattern, triple
from tests.strategies import plans

PREFIX = f"PREFIX : <{EX}>\n"
STREAM = "FROM STREAM :s1 WINDOW RANGE 10 SLIDE 5"
KNOWN = Catalogue().stream(EX.s1, [EX.p]).stream(EX.s2, [EX.q]).graph(EX.g1, predicates=[EX.r])

STEPPED = "FROM STREAM :s1 [RANGE 10 STEP 5] { ?x :p ?y }"
DIALECTS = {
    "streaming-sparql": f"SELECT ?x {STREAM} {{ ?x :p ?y }}",
    "csparql": f"SELECT ?x {STEPPED}",
    "cqels": "SELECT ?x { STREAM :s1 [RANGE 10 SLIDE 5] { ?x :p ?y } }",
    "rspql": "SELECT ?x FROM NAMED WINDOW :w ON :s1 [RANGE 10 STEP 5] { WINDOW :w { ?x :p ?y } }",
    "sparqlstream": "SELECT ?x FROM NAMED STREAM :s1 [NOW - 10 SLIDE 5] { ?x :p ?y }",
}
REGISTER = "CONSTRUCT { ?x :q ?y } FROM STREAM :s1 [RANGE 10 STEP 5] { ?x :p ?y }"


def prepared(text: str, sources: Catalogue | None = None) -> Prepared:
    return prepare(PREFIX + text, sources=sources)


def names(query: Prepared) -> list[str]:
    return [str(variable) for variable in query.columns]


def test_a_text_a_tree_and_a_plan_are_prepared_alike() -> None:
    text = f"{PREFIX} SELECT ?x {STREAM} {{ ?x :p ?y FILTER (?y > 2 + 3) }}"
    tree = askos.parse(text)
    plan = askos.create_plan(tree)
    from_text, from_tree, from_plan = prepare(text), prepare(tree), prepare(plan)
    assert from_text == from_tree
    assert from_text.text == text
    assert from_plan.text is None
    assert from_text.canonical == from_plan.canonical == plan
    assert from_text.plan == from_plan.plan == askos.optimize(plan)
    assert from_text.report == from_plan.report == Intervals()
    assert prepare(from_text) is from_text
    assert askos.prepare is prepare


def test_a_prepared_query_is_a_value() -> None:
    query = prepared(f"ASK {STREAM} {{ ?x :p ?y }}")
    with pytest.raises(FrozenInstanceError):
        query.text = ""  # type: ignore[misc]
    assert hash(query) == hash(prepared(f"ASK {STREAM} {{ ?x :p ?y }}"))
    assert pickle.loads(pickle.dumps(query)) == query


@pytest.mark.parametrize(
    ("text", "form", "columns"),
    [
        (f"SELECT ?y ?x {STREAM} {{ ?x :p ?y }}", "SELECT", ["y", "x"]),
        (f"SELECT * {STREAM} {{ ?x :p [ :q ?y ] }}", "SELECT", ["x", "y"]),
        (f"SELECT DISTINCT ?y {STREAM} {{ ?x :p ?y }} ORDER BY ?x LIMIT 3", "SELECT", ["y"]),
        (f"SELECT ?none ?x {STREAM} {{ ?x :p ?y }}", "SELECT", ["none", "x"]),
        (f"SELECT (COUNT(*) AS ?n) {STREAM} {{ ?x :p ?y }}", "SELECT", ["n"]),
        (f"CONSTRUCT {{ ?y :q ?x }} {STREAM} {{ ?x :p ?y }}", "CONSTRUCT", ["s", "p", "o"]),
        (f"DESCRIBE ?x {STREAM} {{ ?x :p ?y }}", "DESCRIBE", ["s", "p", "o"]),
        (f"ASK {STREAM} {{ ?x :p ?y }}", "ASK", ["answer"]),
    ],
)
def test_form_and_columns_are_those_of_the_query(text: str, form: str, columns: list[str]) -> None:
    query = prepared(text)
    assert (query.form, names(query)) == (form, columns)


def test_columns_of_a_plan_without_a_projection_are_its_variables_by_name() -> None:
    hidden = anonymous("b")
    plan = Join(pattern(Y, "p", hidden), Project((X,), pattern(X, "q", Variable("z"))))
    assert prepare(plan).columns == (X, Y)
    assert prepare(Ask(plan)).form == "ASK"
    assert prepare(StreamAccess(S1)).form == "CONSTRUCT"


def test_streams_and_graphs_are_what_the_canonical_plan_reads() -> None:
    query = prepared(
        "SELECT ?x FROM STREAM :s1 WINDOW RANGE 9 SLIDE FROM STREAM :s2 WINDOW RANGE 4 SLIDE"
        " FROM :g1 { ?x :p ?y FILTER EXISTS { ?x :nowhere ?z } }",
        KNOWN,
    )
    assert set(query.streams) == {EX.s1, EX.s2}
    assert query.graphs == (EX.g1,)
    assert set(query.plan.sources) < {EX.s1, EX.s2, EX.g1}
    assert query.clock == Clock.of(query.canonical)
    assert [window.width for window in query.clock.windows] == [9, 4]  # type: ignore[attr-defined]
    assert query.sources == KNOWN
    assert prepared("ASK { ?x :p ?y }").sources == Catalogue()


def test_the_report_is_the_dialects_unless_one_is_given() -> None:
    text = f"{PREFIX} SELECT ?x FROM STREAM :s1 [RANGE 10 STEP 5] {{ ?x :p ?y }}"
    assert prepare(text).report == Periodic(Kind.RSTREAM, (5,))
    assert prepare(text, report=Intervals()).report == Intervals()
    assert prepare(text, dialect="cqels").report == Periodic(Kind.ISTREAM, (5,), nonempty=True)
    plan = askos.create_plan(text)
    assert prepare(plan, report=Periodic(Kind.DSTREAM, (7,))).report.every == (7,)  # type: ignore[attr-defined]


# ---- JSON -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sources", [None, KNOWN])
@pytest.mark.parametrize("register", ["", "REGISTER STREAM out AS "])
def test_json_gives_back_an_equal_value(register: str, sources: Catalogue | None) -> None:
    query = prepare(f"{register}{PREFIX} {REGISTER}", sources=sources)
    assert Prepared.from_json(query.to_json(), sources=sources) == query
    assert Prepared.from_json(query.to_json(indent=1), sources=sources) == query


@given(plans())
def test_json_gives_back_any_plan(plan: Operator) -> None:
    query = prepare(plan, report=Periodic(Kind.RSTREAM, (5,)))
    assert Prepared.from_json(query.to_json()) == query
    payload = query.canonical.payload
    assert payload is not Payload.SOLUTION or set(query.columns) <= plan.variables


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "query JSON: "),
        ("[]", "version None is not known"),
        ('{"askos query": 9}', "version 9 is not known"),
        ('{"askos query": 1}', "'text' is missing"),
    ],
)
def test_what_is_no_prepared_query_is_refused(text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        Prepared.from_json(text)


def test_a_report_is_no_plan() -> None:
    document = json.loads(prepared("ASK { ?x :p ?y }").to_json())
    document["plan"] = document["report"]
    with pytest.raises(QueryError, match="plan cannot be Intervals"):
        Prepared.from_json(json.dumps(document))


# ---- explain --------------------------------------------------------------------------------


def test_explain_shows_what_runs() -> None:
    both = "FROM STREAM :s1 WINDOW RANGE 9 SLIDE FROM STREAM :s2 WINDOW RANGE 9 SLIDE"
    query = prepared(f"SELECT ?x {both} {{ ?x :p ?y }}", KNOWN)
    assert "StreamAccess :s2" in askos.explain(query)
    assert "StreamAccess :s2" not in askos.explain(query, level="optimized")
    assert query.text is not None
    for level in ("canonical", "optimized", "physical"):
        same = askos.explain(query.text, sources=KNOWN, level=level)
        assert askos.explain(query, level=level) == same


def test_explain_shows_what_the_caller_says() -> None:
    text = PREFIX + DIALECTS["csparql"]
    assert "RANGE 10 MS STEP 5 MS FROM 3 [o,c)" in askos.explain(text, boundary="[o,c)", origin=3)
    shown = askos.explain(text, level="physical", report="istream", every="10s", nonempty=True)
    assert shown.startswith("Reporting ISTREAM EVERY 10 S NON-EMPTY\n")
    assert askos.explain(text, level="physical", origin=3).startswith(
        "Reporting RSTREAM EVERY 5 MS FROM 3\n"
    )
    assert askos.explain(prepare(text), level="physical") == askos.explain(text, level="physical")
    for level in ("canonical", "optimized", "physical"):
        with pytest.raises(QueryError, match="does not apply to a prepared query"):
            askos.explain(prepare(text), level=level, origin=3)


# ---- bad input, before anything starts ------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("SELECT * FROM STREAM :s3 WINDOW RANGE 9 SLIDE { ?x :p ?y }", QueryError, "no source"),
        ("SELECT * FROM :g3 { ?x :p ?y }", QueryError, "no source"),
        ("SELECT * FROM :s1 { ?x :p ?y }", QueryError, "is a stream, not a static graph"),
        ("SELECT * FROM STREAM :g1 WINDOW RANGE 9 SLIDE { ?x :p ?y }", QueryError, "static graph"),
        ("SELECT * FROM STREAM :s1 { ?x :p ?y }", QueryError, "has no window"),
        ("SELECT * { SERVICE :s { ?x :p ?y } }", UnsupportedError, "SERVICE"),
    ],
)
def test_what_cannot_be_asked_is_told_with_place_and_hint(
    text: str, kind: type[AskosError], message: str
) -> None:
    with pytest.raises(kind, match=message) as caught:
        prepared(text, KNOWN)
    assert caught.value.line == 2
    assert caught.value.hint


# ---- static graphs --------------------------------------------------------------------------

READS = "SELECT * FROM :g1 { ?x :p ?y }"


def test_graphs_are_loaded_from_files_and_from_memory(tmp_path: Path) -> None:
    file = tmp_path / "g.nt"
    file.write_text(f"<{EX.a}> <{EX.p}> <{EX.b}> .\n")
    in_rdflib = rdflib.Graph().add((EX.a, EX.p, EX.b))
    ready = StaticGraph([triple("a", "p", "b")])
    for data in (file, str(file), in_rdflib, ready, [triple("a", "p", "b")]):
        known = Catalogue().graph(EX.g1, data)
        (loaded,) = load_graphs(prepared(READS, known)).values()
        assert set(loaded) == {triple("a", "p", "b")}
    assert load_graphs(prepared(READS, Catalogue().graph(EX.g1, ready)))[EX.g1] is ready


def test_a_graph_without_data_is_told_by_name() -> None:
    for known in (None, Catalogue().graph(EX.g1)):
        with pytest.raises(StreamError, match=f"<{EX.g1}> has no data") as caught:
            load_graphs(prepared(READS, known))
        assert "catalogue" in caught.value.hint
    with pytest.raises(StreamError, match=DEFAULT_GRAPH):
        load_graphs(prepared("SELECT * { ?x :p ?y }"))


@pytest.mark.parametrize(
    ("name", "text"), [("none.nt", None), ("bad.nt", "oops"), ("bad.ttl", "<a"), ("odd.xyz", "")]
)
def test_a_graph_that_cannot_be_read_is_told_with_its_file(
    tmp_path: Path, name: str, text: str | None
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    query = prepared(READS, Catalogue().graph(EX.g1, tmp_path / name))
    with pytest.raises(StreamError, match=name) as caught:
        load_graphs(query)
    assert f"<{EX.g1}>" in caught.value.message


def test_a_query_without_graphs_loads_none() -> None:
    assert load_graphs(prepare(pattern(X, "p", Y))) == {}
    assert prepare(Join(pattern(X, "p", Y), pattern(X, "q", Y))).streams == (S1,)
    assert S2 not in prepare(pattern(X, "p", Y)).streams
    assert G1 not in prepare(pattern(X, "p", Y)).graphs


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELECT (NOW() AS ?n)\n{}", "line 1, column 9: NOW"),
        ("SELECT ?x\n{} FILTER (?o < NOW())", "line 2, column 66: NOW"),
    ],
)
def test_what_has_no_value_is_told_with_its_place(text: str, place: str) -> None:
    body = "FROM STREAM <s> WINDOW RANGE 10 MS FIXED { ?x ?p ?o"
    with pytest.raises(UnsupportedError) as raised:
        prepare(text.replace("{}", body) + " }")
    assert place in str(raised.value)


def test_a_plan_that_is_too_deep_is_told_with_its_query() -> None:
    text = "SELECT *\n{ ?x ?p ?o " + "MINUS { ?x <a:q> ?o } " * 300 + "}"
    with pytest.raises(QueryError, match="line 2, column 1: 300 OPTIONAL, MINUS, BIND or"):
        prepare(text)

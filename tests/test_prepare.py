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
    Boundary,
    Clock,
    Intervals,
    Join,
    Kind,
    OnChange,
    Operator,
    Payload,
    Periodic,
    Project,
    Report,
    Stamped,
    StreamAccess,
    equivalent,
)
from askos.algebra.reference import intervals, reports
from askos.errors import AskosError, QueryError, StreamError, UnsupportedError
from askos.local import run
from askos.prepared import Options, Prepared, prepare
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.static import StaticGraph, load_graphs
from askos.terms import Literal, Triple, URIRef, Variable, anonymous
from tests.build import EX, G1, S1, S2, X, Y, pattern, triple
from tests.strategies import plans

PREFIX = f"PREFIX : <{EX}>\n"
STREAM = "FROM STREAM :s1 WINDOW RANGE 10 SLIDE 5"
CLOSED = Boundary.CLOSED_OPEN
KNOWN = Catalogue().stream(EX.s1, [EX.p]).stream(EX.s2, [EX.q]).graph(EX.g1, predicates=[EX.r])


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


# ---- what the caller says of windows and reports --------------------------------------------

STEPPED = "FROM STREAM :s1 [RANGE 10 STEP 5] { ?x :p ?y }"
DIALECTS = {
    "streaming-sparql": f"SELECT ?x {STREAM} {{ ?x :p ?y }}",
    "csparql": f"SELECT ?x {STEPPED}",
    "cqels": "SELECT ?x { STREAM :s1 [RANGE 10 SLIDE 5] { ?x :p ?y } }",
    "rspql": "SELECT ?x FROM NAMED WINDOW :w ON :s1 [RANGE 10 STEP 5] { WINDOW :w { ?x :p ?y } }",
    "sparqlstream": "SELECT ?x FROM NAMED STREAM :s1 [NOW - 10 SLIDE 5] { ?x :p ?y }",
}


def windows(query: Prepared) -> list[tuple[Boundary | None, int]]:
    found = (getattr(window, "boundary", None) for window in query.clock.windows)
    return list(zip(found, (w.origin for w in query.clock.windows), strict=True))  # type: ignore[attr-defined]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("boundary", ["(o,c]", "[o,c)"])
def test_boundary_and_origin_are_those_of_all_time_windows(dialect: str, boundary: str) -> None:
    text = f"{PREFIX} {DIALECTS[dialect]}"
    asked = prepare(text, boundary=boundary, origin=3, dialect=dialect, report="rstream")
    stepped = dialect != "streaming-sparql"
    assert windows(asked) == [(Boundary(boundary) if stepped else None, 3)]
    assert asked.report == Periodic(Kind.RSTREAM, (5,), origin=3, nonempty=dialect == "cqels")
    assert prepare(text, boundary=Boundary(boundary), origin=3, report="rstream") == asked
    own = Boundary.CLOSED_OPEN if dialect == "rspql" else Boundary.OPEN_CLOSED
    assert windows(prepare(text)) == [(own if stepped else None, 0)]


@pytest.mark.parametrize("window", ["NOW", "ALL", "TRIPLES 3"])
def test_windows_without_steps_have_no_origin(window: str) -> None:
    text = f"{PREFIX} SELECT ?x {{ STREAM :s1 [{window}] {{ ?x :p ?y }} }}"
    moved = prepare(text, origin=3, boundary="[o,c)")
    assert moved.canonical == prepare(text).canonical


def test_a_window_in_the_past_has_boundary_and_origin_too() -> None:
    text = "SELECT ?x FROM NAMED STREAM :s1 [NOW - 10 TO NOW - 5 SLIDE 5] { ?x :p ?y }"
    assert windows(prepare(PREFIX + text, boundary="[o,c)", origin=2)) == [(CLOSED, 2)]


ISTREAM, RSTREAM, DSTREAM = Kind.ISTREAM, Kind.RSTREAM, Kind.DSTREAM
COUNTED = "SELECT ?x FROM STREAM :s1 [RANGE TRIPLES 3] { ?x :p ?y }"
NOW = "SELECT ?x { STREAM :s1 [NOW] { ?x :p ?y } }"


@pytest.mark.parametrize(
    ("text", "options", "report"),
    [
        (DIALECTS["csparql"], {"report": "IStream"}, Periodic(ISTREAM, (5,))),
        (DIALECTS["csparql"], {"report": "intervals"}, Intervals()),
        (DIALECTS["csparql"], {"every": 7}, Periodic(RSTREAM, (7,))),
        (DIALECTS["csparql"], {"every": "1m 30s"}, Periodic(RSTREAM, (90_000,))),
        (DIALECTS["csparql"], {"every": ("10s", 7, 7)}, Periodic(RSTREAM, (7, 10_000))),
        (DIALECTS["csparql"], {"nonempty": True}, Periodic(RSTREAM, (5,), nonempty=True)),
        (DIALECTS["csparql"], {"origin": 2}, Periodic(RSTREAM, (5,), origin=2)),
        (
            DIALECTS["csparql"],
            {"origin": 2, "report": Periodic(DSTREAM, (4,))},
            Periodic(DSTREAM, (4,), origin=2),
        ),
        (DIALECTS["cqels"], {"report": "rstream"}, Periodic(RSTREAM, (5,), nonempty=True)),
        (DIALECTS["cqels"], {"nonempty": False}, Periodic(ISTREAM, (5,))),
        (NOW, {"report": "dstream"}, OnChange(DSTREAM)),
        (NOW, {"every": 5}, Periodic(ISTREAM, (5,), nonempty=True)),
        (COUNTED, {"report": "istream"}, OnChange(ISTREAM)),
        (COUNTED, {"nonempty": True}, OnChange(RSTREAM, nonempty=True)),
        (COUNTED, {"every": 5, "report": "dstream"}, Periodic(DSTREAM, (5,))),
        (DIALECTS["rspql"], {"report": "dstream"}, Periodic(DSTREAM, (5,))),
        (DIALECTS["streaming-sparql"], {"report": "istream"}, Periodic(ISTREAM, (5,))),
        (DIALECTS["streaming-sparql"], {"every": 8}, Periodic(RSTREAM, (8,))),
        (DIALECTS["streaming-sparql"], {"origin": 8}, Intervals()),
    ],
)
def test_the_report_is_what_the_caller_says_on_top_of_the_query(
    text: str, options: Options, report: Report
) -> None:
    assert prepare(PREFIX + text, **options).report == report


def test_a_plan_has_no_period_of_its_own() -> None:
    plan = prepared(DIALECTS["csparql"]).canonical
    assert prepare(plan, report="istream").report == OnChange(ISTREAM)
    assert prepare(plan, every=5).report == Periodic(RSTREAM, (5,))
    assert prepare(plan, every="5s", report="dstream").report == Periodic(DSTREAM, (5_000,))


def test_a_registered_stream_takes_its_period_from_the_caller() -> None:
    text = COUNTED.replace("SELECT ?x", "CONSTRUCT { ?x :q ?x }")
    registered = f"REGISTER STREAM out AS {PREFIX} {text}"
    assert prepare(registered, every=5).report == Periodic(RSTREAM, (5,))
    with pytest.raises(QueryError, match="needs a period"):
        prepare(registered, report="istream")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"boundary": "(o,o)"}, "no boundary '\\(o,o\\)'"),
        ({"boundary": 3}, "no boundary 3"),
        ({"origin": -1}, "origin must be a whole number >= 0"),
        ({"origin": "noon"}, "origin must be a whole number >= 0"),
        ({"report": "sometimes"}, "no report 'sometimes'"),
        ({"report": 5}, "no report 5"),
        ({"every": 0}, "a period must be a whole number >= 1"),
        ({"every": ()}, "no period in it"),
        ({"every": "0s"}, "the period '0s' must be"),
        ({"every": "soon"}, "'soon' is no duration"),
        ({"every": "10s!"}, "'10s!' is no duration"),
        ({"every": ""}, "'' is no duration"),
        ({"every": "10 fortnights"}, "unknown unit fortnights"),
        ({"every": 5, "report": "intervals"}, "intervals have no period"),
        ({"nonempty": "yes"}, "nonempty must be True or False"),
        ({"nonempty": True, "report": "intervals"}, "intervals are never without rows"),
        ({"every": 5, "report": Periodic(RSTREAM, (5,))}, "every=5 is said beside the report"),
        ({"nonempty": True, "report": OnChange(RSTREAM)}, "nonempty=True is said beside"),
        ({"origin": 3, "report": Periodic(RSTREAM, (5,), origin=2)}, "from 2, .* from 3"),
    ],
)
def test_what_makes_no_sense_is_refused(options: Options, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        prepare(PREFIX + DIALECTS["csparql"], **options)


@pytest.mark.parametrize("options", [{"boundary": "[o,c)"}, {"origin": 0}])
def test_a_plan_has_its_own_windows(options: Options) -> None:
    query = prepared(DIALECTS["csparql"])
    with pytest.raises(QueryError, match="does not apply to a plan"):
        prepare(query.canonical, **options)
    with pytest.raises(QueryError, match="does not apply to a prepared query"):
        prepare(query, **options)
    for further in ({"report": "rstream"}, {"every": 5}, {"nonempty": False}):
        with pytest.raises(QueryError, match=f"{next(iter(further))}=.* a prepared query"):
            prepare(query, **further)


DATA = {EX.s1: [(EX.a, EX.p, Literal(n), at) for n, at in enumerate((5, 10, 12))]}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"report": "rstream"},
        {"report": "istream", "every": (3, 4), "origin": 2},
        {"boundary": "[o,c)", "report": "dstream", "nonempty": False},
        {"boundary": "(o,c]", "origin": 3, "report": "intervals"},
    ],
)
def test_the_local_host_takes_texts_of_all_dialects_and_all_options(
    dialect: str, options: Options
) -> None:
    text = f"{PREFIX} {DIALECTS[dialect]}"
    query = prepare(text, **options)
    data = {EX.s1: [Stamped(Triple(s, p, o), at) for s, p, o, at in DATA[EX.s1]]}
    got = list(run(text, DATA, batch=1, **options))
    if isinstance(query.report, Periodic | OnChange):
        assert got == reports(query.canonical, data, query.report)
    else:
        assert equivalent(got, intervals(query.canonical, data))
    assert got


def test_base_resolves_what_the_text_leaves_relative() -> None:
    query = prepare("SELECT * FROM STREAM <s> WINDOW RANGE 9 SLIDE { ?x ?y ?z }", base="http://b/")
    assert query.streams == (URIRef("http://b/s"),)


REGISTER = "CONSTRUCT { ?x :q ?y } FROM STREAM :s1 [RANGE 10 STEP 5] { ?x :p ?y }"


@pytest.mark.parametrize(
    ("text", "base", "iri"),
    [
        (f"REGISTER STREAM <http://e/out> AS {PREFIX} {REGISTER}", None, "http://e/out"),
        (f"REGISTER STREAM out AS {PREFIX} {REGISTER}", None, "out"),
        (f"REGISTER STREAM out AS {PREFIX} {REGISTER}", "http://b/", "http://b/out"),
        (f"REGISTER QUERY out AS {PREFIX} {REGISTER}", None, None),
        (f"{PREFIX} {REGISTER}", None, None),
    ],
)
def test_a_registered_stream_has_a_name(text: str, base: str | None, iri: str | None) -> None:
    assert prepare(text, base=base).publishes == (None if iri is None else URIRef(iri))


@pytest.mark.parametrize(
    ("register", "name"),
    [
        ("REGISTER QUERY Gusts AS ", "Gusts"),
        ("REGISTER STREAM out AS ", "out"),
        ("REGISTER STREAM <http://e/out> AS ", "http://e/out"),
        ("", None),
    ],
)
def test_a_query_has_the_name_that_it_is_registered_by(register: str, name: str | None) -> None:
    assert prepare(f"{register}{PREFIX} {REGISTER}").name == name
    assert Prepared.from_json(prepare(f"{register}{PREFIX} {REGISTER}").to_json()).name == name


def test_a_registered_stream_needs_a_periodic_report() -> None:
    with pytest.raises(QueryError, match="needs a periodic report"):
        prepare(f"REGISTER STREAM out AS {PREFIX} {REGISTER}", report=Intervals())


def test_now_needs_a_periodic_report() -> None:
    text = f"{PREFIX} SELECT ?x {STREAM} {{ ?x :p ?y FILTER (?y < NOW()) }}"
    with pytest.raises(UnsupportedError, match="NOW"):
        prepare(text)
    assert prepare(text, report=Periodic(Kind.RSTREAM, (5,)))


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

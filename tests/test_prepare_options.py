"""`askos.prepare`: what the caller says of windows, reports and names."""

from __future__ import annotations

import pytest

from askos.algebra import (
    Boundary,
    Intervals,
    Kind,
    OnChange,
    Periodic,
    Report,
    Stamped,
    equivalent,
)
from askos.algebra.reference import intervals, reports
from askos.errors import QueryError, UnsupportedError
from askos.local import run
from askos.prepared import Options, Prepared, prepare
from askos.terms import Literal, Triple, URIRef
from tests.build import EX
from tests.test_prepare import DIALECTS, PREFIX, REGISTER, STREAM, prepared


def windows(query: Prepared) -> list[tuple[Boundary | None, int]]:
    return [(getattr(w, "boundary", None), getattr(w, "origin", -1)) for w in query.clock.windows]


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


CLOSED = Boundary.CLOSED_OPEN
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

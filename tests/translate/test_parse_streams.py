"""What texts become: the stream clauses of every dialect, which dialect it is, and remarks."""

from __future__ import annotations

import pytest

from askos.algebra.report import Kind
from askos.errors import QueryError
from askos.terms import XSD, Literal, URIRef, Variable
from askos.translate import Dialect, ast, parse

X, Y, Z = (ast.Term(Variable(name)) for name in "xyz")
P = ast.Term(URIRef("p"))
ONE = ast.Term(Literal("1", datatype=XSD.integer))
TRIPLE = ast.Block((ast.Triples(X, (ast.Property(P, (Y,)),)),))

# ---- stream dialects --------------------------------------------------------------------------

MINUTE = 60_000


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("RANGE 30 MINUTE SLIDE", ast.TimeWindow(30 * MINUTE, MINUTE)),
        ("RANGE 30 MINUTE SLIDE 90 S", ast.TimeWindow(30 * MINUTE, 90_000)),
        ("range 1 week fixed", ast.TimeWindow(7 * 24 * 60 * MINUTE, 7 * 24 * 60 * MINUTE)),
        ("RANGE 1000 SLIDE", ast.TimeWindow(1000, 1)),
        ("RANGE 1000 MS ADVANCE 500", ast.TimeWindow(1000, 500)),
        ("RANGE 60 min SLIDE 1 MIN 30 s", ast.TimeWindow(60 * MINUTE, 90_000)),
        ("ELEMS 1500", ast.CountWindow(1500)),
        ("ELEMS 10 ADVANCE 2", ast.CountWindow(10, 2)),
        (
            "START WHEN (?x > 1) END WHEN (?x = 1) WITHIN 1 HOUR",
            ast.PredicateWindow(
                ast.Compare(">", X, ONE), ast.Compare("=", X, ONE), within=60 * MINUTE
            ),
        ),
    ],
)
def test_windows_of_streaming_sparql(text: str, window: ast.Window) -> None:
    query = parse(f"SELECT * FROM STREAM <p> WINDOW {text} {{ ?x <p> ?y WINDOW {text} }}")
    assert query.dialect is Dialect.STREAMING
    assert query.dataset == (ast.FromStream(P, window=window),)
    assert query.where == ast.Group((TRIPLE,), window)


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("RANGE 1h STEP 10m", ast.TimeWindow(60 * MINUTE, 10 * MINUTE)),
        ("RANGE 1h STEP", ast.TimeWindow(60 * MINUTE, 60 * MINUTE)),
        ("NOW - 10 S TO NOW - 5 S SLIDE 5 S", ast.PastWindow(10_000, 5_000, 5_000)),
    ],
)
def test_streaming_sparql_reads_brackets_where_it_is_asked_for(
    text: str, window: ast.Window
) -> None:
    """As SRBench labels them."""
    full = f"SELECT ISTREAM ?x FROM NAMED STREAM <p> [{text}] {{ ?x <p> ?y }}"
    query = parse(full, dialect="streaming-sparql")
    assert query.dataset == (ast.FromStream(P, named=True, window=window),)


def test_named_streams_in_both_historical_orders() -> None:
    for words in ("FROM NAMED STREAM", "FROM STREAM NAMED"):
        query = parse(f"ASK {words} <p> WINDOW ELEMS 5 {{ GRAPH <p> {{ ?x <p> ?y }} }}")
        assert query.dataset == (ast.FromStream(P, named=True, window=ast.CountWindow(5)),)


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("RANGE 30m STEP 5m", ast.TimeWindow(30 * MINUTE, 5 * MINUTE)),
        ("RANGE 24 hours STEP 1 day", ast.TimeWindow(1440 * MINUTE, 1440 * MINUTE)),
        ("RANGE 1h TUMBLING", ast.TimeWindow(60 * MINUTE, 60 * MINUTE)),
        ("RANGE 1h STEP", ast.TimeWindow(60 * MINUTE, 60 * MINUTE)),
        ("RANGE 3000ms STEP 1s", ast.TimeWindow(3000, 1000)),
        ("RANGE 1h 30m STEP 1 min 30s", ast.TimeWindow(90 * MINUTE, 90_000)),
        ("RANGE TRIPLES 10", ast.CountWindow(10)),
        ("RANGE TRIPLES 10 STEP 5", ast.CountWindow(10, 5)),
    ],
)
def test_windows_of_csparql(text: str, window: ast.Window) -> None:
    query = parse(f"SELECT ?x FROM STREAM <p> [{text}] WHERE {{ ?x <p> ?y }}")
    assert query.dialect is Dialect.CSPARQL
    assert query.dataset == (ast.FromStream(P, window=window),)


def test_csparql_registers_aggregates_and_writes_as_printed() -> None:
    query = parse(
        """
        REGISTER QUERY Busy COMPUTED EVERY 5m AS
        PREFIX t: <t#>
        FROM STREAM <p> [ RANGE 30m STEP 5m ]
        SELECT DISTINCT ?x, ?total-n
        WHERE { ?x t:p ?y . FILTER (timestamp(?x) > 1 ^^ ?y-1 > 1) }
        AGGREGATE { (?total-n, COUNT, {?x}) FILTER (?total-n > 1) (?s, SUM(?y), {?x ?y}) }
        """
    )
    n, s = ast.Term(Variable("total-n")), ast.Term(Variable("s"))
    assert query.register == ast.Register("Busy", every=5 * MINUTE)
    assert query.form == ast.Select((ast.Projection(X), ast.Projection(n)), distinct=True)
    assert query.aggregates == (
        ast.AggregateClause(n, ast.Aggregate("COUNT", None), (X,), (ast.Compare(">", n, ONE),)),
        ast.AggregateClause(s, ast.Aggregate("SUM", Y), (X, Y)),
    )
    time = ast.Call("TIMESTAMP", (X,))
    both = (
        ast.Compare(">", time, ONE),
        ast.Compare(">", ast.Arithmetic((Y, ONE), ("-",)), ONE),
    )
    assert query.where is not None
    assert query.where.members[1] == ast.Filter(ast.And(both))


def test_csparql_registers_streams_of_triples() -> None:
    query = parse(
        "PREFIX : <u:> REGISTER STREAM :out AS"
        " CONSTRUCT { ?x <p> ?y } FROM STREAM <p> [RANGE 1m TUMBLING] { ?x <p> ?y }"
    )
    assert query.register == ast.Register(ast.Term(URIRef("u:out")), stream=True)


def test_a_difference_in_csparql_is_no_name() -> None:
    select = "SELECT (?a-?b AS ?c) (?a-abs(?b) AS ?d) (?a-b AS ?e)"
    form = parse(f"{select} FROM STREAM <p> [RANGE 1m TUMBLING] {{}}").form
    assert isinstance(form, ast.Select)
    shapes = [type(projection.expression).__name__ for projection in form.projections]
    assert shapes == ["Arithmetic", "Arithmetic", "Term"]
    sorted_by = "SELECT * FROM STREAM <p> [RANGE 1m TUMBLING] {} ORDER BY ?total-n (?x)"
    assert len(parse(sorted_by).modifiers.order_by) == 2


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("NOW", ast.NowWindow()),
        ("ALL", ast.AllWindow()),
        ("RANGE 3s", ast.TimeWindow(3000)),
        ("RANGE 1h30m SLIDE 5m", ast.TimeWindow(90 * MINUTE, 5 * MINUTE)),
        ("RANGE 2000000ns", ast.TimeWindow(2)),
        ("RANGE 1s SLIDE 1m", ast.TimeWindow(1000, MINUTE)),
        ("TRIPLES 10", ast.CountWindow(10)),
        ("SLIDE 4s STEP 2s", ast.TimeWindow(4000, 2000)),
    ],
)
def test_windows_of_cqels_before_and_after_the_name(text: str, window: ast.Window) -> None:
    pattern = ast.StreamPattern(P, ast.Group((TRIPLE,)), window)
    for order in (f"<p> [{text}]", f"[{text}] <p>"):
        query = parse(f"SELECT * {{ STREAM {order} {{ ?x <p> ?y }} }}")
        assert query.dialect is Dialect.CQELS
        assert query.where == ast.Group((pattern,))


def test_cqels_binds_parameters_and_streams_by_variable() -> None:
    text = "SELECT (1 AS ?n) COUNT(DISTINCT ?y) AS ?c { STREAM ?x [NOW] { ?x $who$ $Name$ } }"
    nora = Literal("Nora", lang="en")
    query = parse(text, parameters={"who": URIRef("p"), "Name": nora})
    (pattern,) = query.where.members  # type: ignore[union-attr]
    triples = (ast.Triples(X, (ast.Property(P, (ast.Term(nora),)),)),)
    assert pattern == ast.StreamPattern(X, ast.Group((ast.Block(triples),)), ast.NowWindow())


def test_cqels_streams_by_bare_names_take_their_window_from_the_dataset() -> None:
    query = parse(
        "REGISTER QUERY q AS SELECT * FROM STREAM Telemetry [RANGE 3s]"
        " { STREAM Telemetry { ?x <p> ?y } }"
    )
    name = ast.Term(URIRef("Telemetry"))
    assert query.dialect is Dialect.CQELS
    assert query.dataset == (ast.FromStream(name, window=ast.TimeWindow(3000)),)
    assert query.where == ast.Group((ast.StreamPattern(name, ast.Group((TRIPLE,))),))


def test_rspql_names_windows_and_says_what_it_reports() -> None:
    query = parse(
        """
        PREFIX : <u:>
        REGISTER IStream <out> AS
        SELECT AVG(?y) AS ?n
        FROM NAMED WINDOW :w ON STREAM :s [RANGE PT1M STEP PT0.5S]
        FROM NAMED WINDOW :v ON <s> [RANGE 10 STEP 2]
        FROM NAMED WINDOW :u ON <s> [ELEMENTS 5]
        WHERE { WINDOW :w { ?x <p> ?y } WINDOW ?z { ?x <p> ?y } }
        """
    )
    u, v, w, s = (ast.Term(URIRef(f"u:{name}")) for name in "uvws")
    here = ast.Term(URIRef("s"))
    group = ast.Group((TRIPLE,))
    assert query.register == ast.Register(ast.Term(URIRef("out")), stream=True, report=Kind.ISTREAM)
    assert query.dataset == (
        ast.FromWindow(w, s, ast.TimeWindow(MINUTE, 500)),
        ast.FromWindow(v, here, ast.TimeWindow(10, 2)),
        ast.FromWindow(u, here, ast.CountWindow(5)),
    )
    assert query.where == ast.Group((ast.WindowPattern(w, group), ast.WindowPattern(Z, group)))
    assert query.remarks == ()


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("NOW - 10 S TO NOW - 5 S SLIDE 5 S", ast.PastWindow(10_000, 5_000, 5_000)),
        ("FROM NOW - 10 S TO NOW STEP 5 S", ast.PastWindow(10_000, 0, 5_000)),
        ("NOW-10 S SLIDE 10 S", ast.PastWindow(10_000, 0, 10_000)),
        ("NOW- 1 HOURS", ast.PastWindow(60 * MINUTE, 0)),
        ("NOW-1 h 30 min TO NOW - 60 min", ast.PastWindow(90 * MINUTE, 60 * MINUTE)),
        ("NOW", ast.NowWindow()),
    ],
)
def test_windows_of_sparqlstream(text: str, window: ast.Window) -> None:
    query = parse(f"SELECT RSTREAM DISTINCT ?x FROM NAMED STREAM <p> [{text}] {{ ?x <p> ?y }}")
    assert query.dialect is Dialect.SPARQLSTREAM
    assert query.dataset == (ast.FromStream(P, named=True, window=window),)
    assert query.form == ast.Select((ast.Projection(X),), distinct=True, report=Kind.RSTREAM)


# ---- which dialect ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("PREFIX STREAM: <u:> SELECT ?range { ?stream STREAM:window ?range }", Dialect.SPARQL),
        ('SELECT * { ?x <p> "FROM STREAM <s> WINDOW RANGE 5" } # STREAM', Dialect.SPARQL),
        ("ASK FROM STREAM <p> { ?x <p> ?y WINDOW ELEMS 5 }", Dialect.STREAMING),
        ("SELECT ?x { ?x <p> ?y } AGGREGATE { (?n, COUNT, {?x}) }", Dialect.CSPARQL),
        ("REGISTER QUERY q AS SELECT * { }", Dialect.CSPARQL),
    ],
)
def test_the_dialect_is_told_by_stream_clauses_alone(text: str, dialect: Dialect) -> None:
    assert parse(text).dialect is dialect


def test_a_dialect_can_be_forced() -> None:
    assert parse("SELECT * { }", dialect="CQELS-QL").dialect is Dialect.CQELS
    assert parse("SELECT * { }", dialect=Dialect.RSPQL).dialect is Dialect.RSPQL
    with pytest.raises(QueryError, match="STREAM is a word of Streaming SPARQL"):
        parse("SELECT * FROM STREAM <s> { }", dialect="sparql")
    with pytest.raises(QueryError, match="C-SPARQL writes windows differently"):
        parse("SELECT * FROM STREAM <s> WINDOW ELEMS 5 { ?s ?p ?o }", dialect="csparql")
    with pytest.raises(QueryError, match="but this query is C-SPARQL"):
        parse("SELECT * { STREAM <s> [RANGE 1s STEP 1s] { } }", dialect="csparql")


# ---- remarks ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("SELECT * FROM STREAM <p> WINDOW ELEMS 5 { GRAPH <q> { ?x <p> ?y } }", "stream <p>"),
        ("SELECT * FROM NAMED STREAM <p> WINDOW ELEMS 5 { ?x <p> ?y }", "stream <p>"),
        (
            "REGISTER RSTREAM <o> AS SELECT * FROM NAMED WINDOW <w> ON <s> [ELEMENTS 5] { }",
            "window <w>",
        ),
    ],
)
def test_what_nobody_reads_is_remarked(text: str, remark: str) -> None:
    (found,) = parse(text).remarks
    assert found.message == f"{remark} is declared, but nothing reads it"
    assert found.at.line == 1


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM NAMED STREAM <p> WINDOW ELEMS 5 { GRAPH ?g { ?x <p> ?y } }",
        "SELECT * FROM NAMED STREAM <p> [RANGE 1m STEP 1m] { ?x <p> ?y }",
        "SELECT * FROM STREAM <p> WINDOW ELEMS 5 { FILTER EXISTS { ?x <p> ?y } }",
        "SELECT * FROM STREAM <p> WINDOW ELEMS 5 { { SELECT * { ?x <p> ?y } } }",
        "DESCRIBE <q> FROM STREAM <p> WINDOW ELEMS 5",
    ],
)
def test_what_is_read_is_not_remarked(text: str) -> None:
    assert parse(text).remarks == ()


@pytest.mark.parametrize(
    ("text", "remark", "at"),
    [
        ("SELECT ?x ?turbin { ?turbine <p> ?x }", "nothing binds ?turbin: it has no value", 11),
        ("SELECT ?x { ?s <p> ?o MINUS { ?s <q> ?x } }", "nothing binds ?x: it has no value", 8),
        ("ASK { { SELECT ?z { ?x <p> ?y } } }", "nothing binds ?z: it has no value", 16),
        (
            "SELECT ?y FROM STREAM <s> [RANGE 5 STEP 5]"
            " { { SELECT ?x ?y { ?x <p> ?y } } FILTER(timestamp(?x) > 5) }",
            "timestamp(?x) has no value: no triple pattern binds ?x here",
            84,
        ),
        (
            "SELECT * FROM STREAM <s> { ?x <p> ?y . ?x <q> ?z"
            " WINDOW START WHEN (?y > 1) END WHEN (?x = <end> || ?z = 1) }",
            "START WHEN asks for ?y, which this pattern does not bind: no window opens",
            40,
        ),
        (
            "SELECT * FROM STREAM <s> { ?x <p> ?y OPTIONAL { [] <q> [ <r> ?x ] }"
            " WINDOW START WHEN (BOUND(?x)) END WHEN (?x = <end>) }",
            "END WHEN asks for ?x, which this pattern does not bind: it ends no window",
            49,
        ),
        (
            "ASK FROM STREAM <s> WINDOW START WHEN (?o > 1 && ?v > 1) END WHEN (?o < 1)"
            " { ?x <p> ?v }",
            "START WHEN asks for ?v, which a triple does not bind: no window opens",
            17,
        ),
    ],
)
def test_what_never_has_a_value_is_remarked(text: str, remark: str, at: int) -> None:
    (found,) = parse(text).remarks
    assert found.message == remark
    assert found.at == (1, at)
    assert found.hint


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x ?y ?z { VALUES ?x { 1 } BIND(1 AS ?y) OPTIONAL { ?x <p> ?z } }",
        "SELECT ?g ?x { GRAPH ?g { } { SELECT ?x { ?x <p> ?y } } }",
        "SELECT ?x { ?s <p> ?o } VALUES ?x { 1 }",
        "SELECT ?y (?y + 1 AS ?z) { ?s <p> ?o } GROUP BY (?o AS ?y)",
        "SELECT ?n FROM STREAM <s> [RANGE 5 STEP 5] { ?s <p> ?o } AGGREGATE { (?n, COUNT, {?s}) }",
        "SELECT ?s FROM STREAM <s> [RANGE 5 STEP 5] { ?s <p> ?o FILTER(timestamp(?o, <s>) > 1) }",
        "SELECT ?s FROM STREAM <s> [RANGE 5 STEP 5]"
        " { { SELECT ?s { ?s <p> ?o FILTER(timestamp(?o) > 1) } } }",
        "SELECT ?s FROM STREAM <s> [RANGE 5 STEP 5]"
        " { { SELECT ?s { ?s <p> ?o } } FILTER(timestamp(?s, <p>, ?o) > 1) }",
        "ASK FROM STREAM <s> FROM NAMED <g> { ?x <p> ?y GRAPH <g> { ?x <q> ?z } ?x <p>/<q> ?z"
        " OPTIONAL { ?x <q> ?z WINDOW ELEMS 2 }"
        " WINDOW START WHEN (?y > 1 || ?z > 1) END WHEN (!BOUND(?z) && COALESCE(?z, ?y) > 1) }",
    ],
)
def test_what_may_have_a_value_is_not_remarked(text: str) -> None:
    assert parse(text).remarks == ()


@pytest.mark.parametrize("base", ["not an iri<>", "relative", "", "//host/path", "http://a b/"])
def test_a_base_is_an_absolute_iri(base: str) -> None:
    with pytest.raises(QueryError, match="is no absolute IRI") as told:
        parse("ASK { }", base=base)
    assert told.value.hint


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("ASK FROM STREAM <s> [RANGE 5m STEP 1m] { }", Dialect.CSPARQL),
        ("ASK FROM STREAM <s> [RANGE 5m SLIDE 1m] { }", Dialect.CQELS),
        ("REGISTER QUERY q AS ASK FROM STREAM <s> [RANGE 5m SLIDE 1m] { }", Dialect.CQELS),
        (
            "ASK FROM STREAM <s> [RANGE 5m SLIDE 1m] { ?x ?y ?z } AGGREGATE {(?n, COUNT, {?x})}",
            Dialect.CSPARQL,
        ),
    ],
)
def test_a_window_that_slides_is_cqels_and_one_that_steps_is_csparql(
    text: str, dialect: Dialect
) -> None:
    assert parse(text).dialect is dialect

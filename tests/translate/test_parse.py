"""What texts become: the syntax tree, clause by clause and dialect by dialect."""

from __future__ import annotations

import pytest

import askos
from askos.algebra.report import Kind
from askos.errors import QueryError
from askos.terms import RDF, XSD, BNode, Literal, URIRef, Variable
from askos.translate import Dialect, ast, parse

X, Y, Z = (ast.Term(Variable(name)) for name in "xyz")
P, Q, R = (ast.Term(URIRef(name)) for name in "pqr")
ONE = ast.Term(Literal("1", datatype=XSD.integer))
TRIPLE = ast.Block((ast.Triples(X, (ast.Property(P, (Y,)),)),))


def where(pattern: str) -> tuple[ast.Member, ...]:
    group = parse(f"SELECT * {{ {pattern} }}").where
    assert group is not None
    return group.members


def condition(expression: str) -> ast.Expression:
    (member,) = where(f"FILTER ({expression})")
    assert isinstance(member, ast.Filter)
    return member.condition


def verb(path: str) -> ast.Path:
    (block,) = where(f"?x {path} ?y")
    assert isinstance(block, ast.Block)
    return block.triples[0].properties[0].verb


def literal(text: str) -> object:
    term = condition(text)
    assert isinstance(term, ast.Term)
    return term.value


# ---- terms ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", Literal("5", datatype=XSD.integer)),
        ("-5", Literal("-5", datatype=XSD.integer)),
        ("05.50", Literal("05.50", datatype=XSD.decimal)),
        ("+.5", Literal("+.5", datatype=XSD.decimal)),
        ("1.e0", Literal("1.e0", datatype=XSD.double)),
        ("TRUE", Literal("true", datatype=XSD.boolean)),
        ("'a'", Literal("a")),
        ('"a"@EN-gb', Literal("a", lang="en-gb")),
        ('"a"^^<http://www.w3.org/2001/XMLSchema#string>', Literal("a")),
        ('"01"^^<u:t>', Literal("01", datatype=URIRef("u:t"))),
        (
            r'"tab\t quote\" \u00E9 \U0001F300 back\\slash"',
            Literal('tab\t quote" é 🌀 back\\slash'),
        ),
        (r'"\u0022"', Literal('"')),
        ('"""two\nlines and ""quotes"""', Literal('two\nlines and ""quotes')),
        ("'''it''s'''", Literal("it''s")),
        ("$y", Variable("y")),
        ("<a\\u0062c>", URIRef("abc")),
    ],
)
def test_terms(text: str, value: object) -> None:
    assert literal(text) == value


def test_names_are_resolved_with_the_prefix_and_base_declared_last() -> None:
    text = """
    BASE <http://wind.example/park/>
    PREFIX : <t#>
    BASE <http://sea.example/>
    PREFIX w: <http://wind.example/>
    PREFIX w: <http://gust.example/>
    SELECT * { <x> :a.b w:c%20\\~d . :\\u0041 w: <../y> }
    """
    block = parse(text).where.members[0]  # type: ignore[union-attr]
    terms = [node.value for node in block.walk() if isinstance(node, ast.Term)]
    assert list(map(str, terms)) == [
        "http://sea.example/x",
        "http://wind.example/park/t#a.b",
        "http://gust.example/c%20~d",
        "http://wind.example/park/t#A",
        "http://gust.example/",
        "http://sea.example/y",
    ]


def test_relative_names_stay_as_they_are_without_a_base() -> None:
    assert literal("<wind>") == URIRef("wind")
    query = parse("SELECT * { ?x <wind> ?y }", base="http://e.example/a")
    assert URIRef("http://e.example/wind") in [
        node.value for node in query.walk() if isinstance(node, ast.Term)
    ]


def test_every_node_says_where_it_stands() -> None:
    query = parse("SELECT ?x {\n  ?x <p> 5 ;\n     <q> ?y .\n  FILTER (?y > 1)\n}")
    places = {
        type(node).__name__: node.at for node in query.walk() if not isinstance(node, ast.Modifiers)
    }
    assert all(at.line > 0 for at in places.values())
    assert places["Filter"] == (4, 3)
    assert places["Compare"] == (4, 11)
    assert places["Property"] == (3, 6)


def test_an_absolute_name_is_not_normalised() -> None:
    text = "BASE <http://e.example/> SELECT * { FILTER (<eXAMPLE://a/./b/../c/%7bd%7d>) }"
    terms = [node.value for node in parse(text).walk() if isinstance(node, ast.Term)]
    assert terms == [URIRef("eXAMPLE://a/./b/../c/%7bd%7d")]


def test_the_base_is_the_declared_one_else_the_given() -> None:
    assert parse("ASK { }", base="http://e.example/").base == "http://e.example/"
    assert parse("BASE <x> ASK { }", base="http://e.example/").base == "http://e.example/x"
    assert parse("ASK { }").base is None


# ---- triples ----------------------------------------------------------------------------------


def test_lists_of_predicates_and_objects_are_kept() -> None:
    (block,) = where("?x <p> ?y, ?z ; a <q> ; .")
    assert block == ast.Block(
        (ast.Triples(X, (ast.Property(P, (Y, Z)), ast.Property(ast.Term(RDF.type), (Q,)))),)
    )


def test_blank_nodes_and_collections_are_kept() -> None:
    (block,) = where("[ <p> ?y ] <q> ( 1 [] _:b () ) . ( ?x )")
    inner = ast.Bracketed((ast.Property(P, (Y,)),))
    items = (ONE, ast.Bracketed(), ast.Term(BNode("b")), ast.Term(RDF.nil))
    assert block == ast.Block(
        (
            ast.Triples(inner, (ast.Property(Q, (ast.Collection(items),)),)),
            ast.Triples(ast.Collection((X,)), ()),
        )
    )


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("<p>/<q>|^<r>", ast.PathAlternative((ast.PathSequence((P, Q)), ast.PathInverse(R)))),
        ("(<p>|<q>)*", ast.PathRepeat(ast.PathAlternative((P, Q)), "*")),
        ("^<p>+", ast.PathInverse(ast.PathRepeat(P, "+"))),
        ("!(<p>|^<q>)", ast.PathNegated((P, ast.PathInverse(Q)))),
        ("!()", ast.PathNegated(())),
        ("!a", ast.PathNegated((ast.Term(RDF.type),))),
        ("((<p>))", P),
        ("<p>?", ast.PathRepeat(P, "?")),
    ],
)
def test_paths(text: str, path: ast.Path) -> None:
    assert verb(text) == path


# ---- expressions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("?x || ?y && ?z", ast.Or((X, ast.And((Y, Z))))),
        ("(?x || ?y) && ?z", ast.And((ast.Or((X, Y)), Z))),
        ("?x - 1 + ?y", ast.Arithmetic((X, ONE, Y), ("-", "+"))),
        ("?x -1", ast.Arithmetic((X, ONE), ("-",))),
        ("?x -1 * ?y", ast.Arithmetic((X, ast.Arithmetic((ONE, Y), ("*",))), ("-",))),
        ("?x * ?y / ?z", ast.Arithmetic((X, Y, Z), ("*", "/"))),
        ("-?x", ast.Unary("-", X)),
        ("!(?x)", ast.Unary("!", X)),
        ("?x >= ?y", ast.Compare(">=", X, Y)),
        ("?x<?y", ast.Compare("<", X, Y)),
        ("?x IN (1, ?y)", ast.In(X, (ONE, Y))),
        ("?x NOT IN ()", ast.In(X, (), negated=True)),
        ("isiri(?x)", ast.Call("ISIRI", (X,))),
        ("if(?x, ?y, 1)", ast.Call("IF", (X, Y, ONE))),
        ("now()", ast.Call("NOW", ())),
        ("<p>(?x)", ast.FunctionCall(P, (X,))),
        ("<p>()", ast.FunctionCall(P, ())),
        ("<p>(DISTINCT ?x)", ast.FunctionCall(P, (X,), distinct=True)),
        ("NOT EXISTS { ?x <p> ?y }", ast.Exists(ast.Group((TRIPLE,)), negated=True)),
    ],
)
def test_expressions(text: str, expression: ast.Expression) -> None:
    assert condition(text) == expression


@pytest.mark.parametrize(
    ("text", "aggregate"),
    [
        ("COUNT(*)", ast.Aggregate("COUNT", None)),
        ("count(DISTINCT *)", ast.Aggregate("COUNT", None, distinct=True)),
        ("SUM(?x + 1)", ast.Aggregate("SUM", ast.Arithmetic((X, ONE), ("+",)))),
        (
            "GROUP_CONCAT(DISTINCT ?x ; SEPARATOR = ', ')",
            ast.Aggregate("GROUP_CONCAT", X, distinct=True, separator=", "),
        ),
    ],
)
def test_aggregates(text: str, aggregate: ast.Aggregate) -> None:
    form = parse(f"SELECT ({text} AS ?n) {{ ?x <p> ?y }}").form
    assert form == ast.Select((ast.Projection(ast.Term(Variable("n")), aggregate),))


# ---- groups -----------------------------------------------------------------------------------


def test_members_of_a_group_stay_in_order() -> None:
    members = where(
        "?x <p> ?y . FILTER (?x) . OPTIONAL { ?x <p> ?y } MINUS { } GRAPH <q> { }"
        " SERVICE SILENT <r> { } BIND (1 AS ?z) VALUES ?x { 1 UNDEF } { SELECT * { } }"
    )
    empty = ast.Group()
    assert members == (
        TRIPLE,
        ast.Filter(X),
        ast.Optional(ast.Group((TRIPLE,))),
        ast.Minus(empty),
        ast.Graph(Q, empty),
        ast.Service(R, empty, silent=True),
        ast.Bind(ONE, Z),
        ast.Values((X,), ((ONE,), (None,))),
        ast.Group((ast.SubSelect(ast.Select(()), empty, ast.Modifiers()),)),
    )


def test_unions_are_flat() -> None:
    group = ast.Group((TRIPLE,))
    braces = "{ ?x <p> ?y }"
    assert where(f"{braces} UNION {braces} UNION {braces}") == (ast.Union((group,) * 3),)


def test_modifiers() -> None:
    query = parse(
        "SELECT ?x { ?x <p> ?y } GROUP BY ?x (?x + 1 AS ?z) STR(?x) HAVING (COUNT(*) > 1) (1)"
        " ORDER BY ?x DESC(?y) STR(?x) OFFSET 3 LIMIT 7 VALUES (?x) { (1) }"
    )
    count = ast.Compare(">", ast.Aggregate("COUNT", None), ONE)
    assert query.modifiers == ast.Modifiers(
        (
            ast.GroupKey(X),
            ast.GroupKey(ast.Arithmetic((X, ONE), ("+",)), Z),
            ast.GroupKey(ast.Call("STR", (X,))),
        ),
        (count, ONE),
        (ast.SortKey(X), ast.SortKey(Y, descending=True), ast.SortKey(ast.Call("STR", (X,)))),
        limit=7,
        offset=3,
    )
    assert query.values == ast.Values((X,), ((ONE,),))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("ASK { }", ast.Ask()),
        ("DESCRIBE *", ast.Describe(())),
        ("DESCRIBE <p> ?x { }", ast.Describe((P, X))),
        ("CONSTRUCT { } { }", ast.Construct(())),
        ("CONSTRUCT { ?x <p> ?y } { }", ast.Construct(TRIPLE.triples)),
        ("CONSTRUCT WHERE { ?x <p> ?y }", ast.Construct(None)),
        ("SELECT REDUCED ?x { }", ast.Select((ast.Projection(X),), reduced=True)),
    ],
)
def test_query_forms(text: str, form: ast.Form) -> None:
    assert parse(text).form == form


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


# ---- the tree ---------------------------------------------------------------------------------


def test_trees_are_equal_by_content_not_by_layout() -> None:
    a = parse("SELECT ?x WHERE { ?x <p> ?y }")
    b = parse("# a comment\nselect ?x\n{ ?x <p> ?y . }")
    assert a == b
    assert hash(a) == hash(b)
    assert a != parse("SELECT ?x WHERE { ?x <p> ?z }")


def test_the_package_offers_parse_and_loads_it_late() -> None:
    assert askos.parse is parse
    assert "parse" in dir(askos)
    with pytest.raises(AttributeError, match="has no attribute 'guess'"):
        _ = askos.guess

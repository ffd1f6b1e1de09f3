"""What texts become: the syntax tree of SPARQL 1.1, clause by clause."""

from __future__ import annotations

import pytest

import askos
from askos.terms import RDF, XSD, BNode, Literal, URIRef, Variable
from askos.translate import ast, parse

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

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import rdflib
from rdflib.compare import isomorphic

from askos.errors import StreamError
from askos.io import files
from askos.sources import DEFAULT_GRAPH
from askos.static import Terms, load, load_dataset
from askos.terms import XSD, BNode, Literal, Triple, URIRef
from tests.build import EX

NT = r"""# a comment
<http://example.org/a> <http://example.org/p> "say \"hi\"\u0021"@EN .

<http://example.org/a> <http://example.org/p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> . # more
	_:n<http://example.org/p>_:m.
<http://example.org/a> <http://example.org/p> "x"^^<http://www.w3.org/2001/XMLSchema#string>.
"""  # noqa: E501


def test_n_triples_are_read_with_exact_literals(tmp_path: Path) -> None:
    file = tmp_path / "data.nt"
    file.write_text(NT, encoding="utf-8")
    found = {triple.object for triple in load(file) if triple.subject == EX.a}
    assert found == {
        Literal('say "hi"!', lang="en"),
        Literal("01", datatype=XSD.integer),
        Literal("x"),
    }
    assert len(load(file)) == 4


def test_lines_read_the_same_whatever_stands_beside_them(tmp_path: Path) -> None:
    """Plain lines are read block by block, others one by one."""
    plain = ['<a:s> <a:p> "x"@en .', "<a:s>\t<a:p>\t_:n\t.", "_:n <a:p> <a:o> ."]
    others = [
        "",
        "# <a:s> <a:p> <a:c> .",
        "<a:s><a:p> '\\u00e9'.".replace("'", '"'),
        "_:a.b <a:p> _:n .",
    ]
    file = tmp_path / "data.nt"
    found = set[Triple]()
    for line in plain + others:
        file.write_text(line)
        found |= set(load(file))
    file.write_text("\r\n".join(plain + others + plain))
    assert set(load(file)) == found
    assert len(found) == 5


@pytest.mark.parametrize("comment", ["# said by a Mac", "<a:s> <a:p> <a:o> . # more"])
@pytest.mark.parametrize("suffix", ["nt", "nq"])
def test_a_comment_does_not_swallow_lines_that_end_otherwise(
    tmp_path: Path, suffix: str, comment: str
) -> None:
    """To N-Triples a carriage return ends a line too; ours end with a line feed, and say so."""
    file = tmp_path / f"data.{suffix}"
    file.write_bytes(f"{comment}\r<a:s> <a:p> <a:o> .\n".encode())
    with pytest.raises(StreamError, match="line 1: not a statement of N-Triples"):
        load(file)
    file.write_bytes(f"{comment}\r\n<a:s> <a:p> <a:o> .\n".encode())
    assert len(load(file)) == 1


def test_lines_are_counted_through_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FIRST_BLOCK", 64)
    (tmp_path / "bad.nt").write_text("<a:s> <a:p> <a:o> .\n" * 100 + "<a:s> <a:p> <a:\\u0020> .\n")
    with pytest.raises(StreamError, match=r"bad\.nt, line 101: .* is not an RDF term"):
        load(tmp_path / "bad.nt")


def test_a_compressed_file_reads_the_same(tmp_path: Path) -> None:
    plain, packed = tmp_path / "data.nt", tmp_path / "data.nt.gz"
    text = '<a:s> <a:p> "ü\u2028x" .\r\n<a:s> <a:p> <a:o> .'
    plain.write_bytes(text.encode())
    packed.write_bytes(gzip.compress(text.encode()))
    assert set(load(plain)) == set(load(packed))
    assert len(load(plain)) == 2


def test_blank_nodes_of_two_files_are_two_and_of_one_file_are_one(tmp_path: Path) -> None:
    one, two = tmp_path / "1.nt", tmp_path / "2.nt"
    for file in (one, two):
        file.write_text("_:n <a:p> _:n .", encoding="utf-8")
    nodes = [next(iter(load(file))).subject for file in (one, two, one)]
    assert all(isinstance(node, BNode) for node in nodes)
    assert nodes[0] != nodes[1]
    assert nodes[0] == nodes[2]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("<a:s> <a:p> .", "not a statement"),
        ("<a:s> <a:p> <a:o>", "not a statement"),
        ('"s" <a:p> <a:o> .', "not a statement"),
        ("<a:s> _:p <a:o> .", "not a statement"),
        ("<a:s> <a:p q> <a:o> .", "is not an RDF term"),
        ('<a:s> <a:p> "\\q" .', "is not an RDF term"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "bad.nt"
    file.write_text(f"<a:s> <a:p> <a:o> .\n{line}\n", encoding="utf-8")
    with pytest.raises(StreamError, match=rf"bad\.nt, line 2: .*{reason}"):
        load(file)


def test_turtle_and_rdf_xml_are_read_with_exact_literals_and_a_base(tmp_path: Path) -> None:
    spelled = {"01", "+1.50", "0.0000001", "-1.e6", "2"}
    turtle, xml = tmp_path / "data.ttl", tmp_path / "data.rdf"
    turtle.write_text("<#a> <#p> 01, +1.50, 0.0000001, -1.e6,2.", encoding="utf-8")
    xml.write_text(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://x#">'
        '<rdf:Description rdf:ID="a"><p>1</p></rdf:Description></rdf:RDF>',
        encoding="utf-8",
    )
    assert {str(t.object) for t in load(turtle, base="http://x")} == spelled
    assert {t.subject for t in load(turtle, base="http://x")} == {URIRef("http://x#a")}
    assert set(load(xml, base="http://x")) == {
        Triple(URIRef("http://x#a"), URIRef("http://x#p"), Literal("1"))
    }
    assert next(iter(load(turtle))).subject == URIRef(f"{turtle.resolve().as_uri()}#a")


def test_files_loaded_with_one_dictionary_share_ids(tmp_path: Path) -> None:
    file, terms = tmp_path / "data.nt", Terms()
    file.write_text("<a:s> <a:p> <a:o> .", encoding="utf-8")
    assert set(load(file, terms=terms)) == set(load(file, terms=terms))
    assert len(terms) == 3


@pytest.mark.parametrize("name", ["bad.ttl", "bad.trig", "bad.rdf", "bad.jsonld"])
def test_a_file_of_another_syntax_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("no such thing", encoding="utf-8")
    with pytest.raises(StreamError, match=f"{name} is not"):
        load(tmp_path / name)


def test_what_is_wrong_with_turtle_is_told_by_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "bad.ttl").write_text('<a:s> <a:p> <a:o> .\n\n  <a:s> <a:p> "x ;')
    with pytest.raises(StreamError, match=r"bad\.ttl is not Turtle: line 3, column 15: "):
        load(tmp_path / "bad.ttl")


# ---- other syntaxes ------------------------------------------------------------------------------

DOCUMENTS = {
    "nodes.ttl": "@prefix : <#> . _:n :p [ :q _:n, [] ] . [] :l (1 2.5 true) .",
    "bases.ttl": """<> <p> <../x>, <#f>, <//h/i> .
@base <http://c.example/d/> . <e> <f> <g/h> .""",
    "texts.ttl": r"""PREFIX : <http://x.example/> :s a :T ; :p 'a', "b\n\u00e9"@en-gb,
'''c "d"''', "5"^^<http://www.w3.org/2001/XMLSchema#byte> .""",
    "lists.rdf": """<rdf:RDF {RDF} xml:base="http://x.example/a/b"><e:T rdf:ID="i" e:a="1">
<e:p rdf:parseType="Resource"><e:q rdf:nodeID="n"/></e:p><e:r rdf:parseType="Collection">
<rdf:Description rdf:about="../c"/><e:T rdf:nodeID="n"/></e:r><e:s xml:lang="de">Böe</e:s>
<e:t rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">5</e:t></e:T></rdf:RDF>""".replace(
        "{RDF}",
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.example/"',
    ),
    "things.jsonld": """{"@context": {"@vocab": "http://v.example/", "knows": {"@type": "@id"}},
"@id": "me", "@type": "Person", "name": ["Ann", {"@value": "Anna", "@language": "de"}],
"age": 5, "knows": ["../you", "_:b"], "has": [{"size": {"@list": [1, 2]}}, {"@id": "_:b"}]}""",
}


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")  # rdflib's JSON-LD uses it
@pytest.mark.parametrize("name", DOCUMENTS)
def test_blank_nodes_and_relative_iris_are_those_of_rdflib(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(DOCUMENTS[name], encoding="utf-8")
    for base in ("http://b.example/dir/file", file.resolve().as_uri()):
        want = rdflib.Graph().parse(file, publicID=base)
        got = rdflib.Graph()
        for triple in load(file, base=base):
            got.add((triple.subject, triple.predicate, triple.object))
        assert len(got) > 3
        assert isomorphic(got, want)


def test_relative_iris_are_resolved_as_rfc_3986_says(tmp_path: Path) -> None:
    """Where rdflib does not: section 5.4.1."""
    (tmp_path / "data.ttl").write_text("<a:s> <a:p> <?y>, <g/../h>, <./g/.>, <;x> .")
    found = {
        str(triple.object) for triple in load(tmp_path / "data.ttl", base="http://a/b/c/d;p?q")
    }
    assert found == {f"http://a/b/c/{end}" for end in ("d;p?y", "h", "g/", ";x")}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_blank_nodes_are_the_files_own_and_always_the_same(tmp_path: Path, name: str) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(DOCUMENTS[name], encoding="utf-8")
    one, again, two = (set(load(tmp_path / f / name, base="a:b")) for f in ("one", "one", "two"))
    assert one == again
    nodes = [{n for t in found for n in t if isinstance(n, BNode)} for found in (one, two)]
    assert not nodes[0] & nodes[1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data.nq", "<a:s> <a:p> _:n .\n<a:s> <a:p> _:n <a:g> . # more\n<a:s> <a:q> <a:o> <a:g> ."),
        ("data.trig", "<a:s> <a:p> _:n . GRAPH <a:g> { <a:s> <a:p> _:n ; <a:q> <a:o> }"),
        (
            "data.jsonld",
            """[{"@id": "a:s", "a:p": {"@id": "_:n"}}, {"@id": "a:g", "@graph":
{"@id": "a:s", "a:p": {"@id": "_:n"}, "a:q": {"@id": "a:o"}}}]""",
        ),
    ],
)
def test_datasets_have_named_graphs_that_share_blank_nodes(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    default, named = load_dataset(tmp_path / name).items()
    assert (default[0], named[0]) == (DEFAULT_GRAPH, URIRef("a:g"))
    (about,) = default[1]
    assert about in named[1]
    assert isinstance(about.object, BNode)
    assert len(named[1]) == 2
    with pytest.raises(StreamError, match=f"{name} has named graphs"):
        load(tmp_path / name)


def test_a_graph_that_no_query_could_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data.trig").write_text("_:g { <a:s> <a:p> <a:o> }", encoding="utf-8")
    with pytest.raises(StreamError, match="names a graph"):
        load(tmp_path / "data.trig")


@pytest.mark.parametrize("term", ["<<( <a:s> <a:p> <a:o> )>>", '"x"@en--ltr'])
def test_terms_of_rdf_1_2_are_not_offered(tmp_path: Path, term: str) -> None:
    (tmp_path / "data.ttl").write_text(f"<a:s> <a:p> {term} .", encoding="utf-8")
    with pytest.raises(StreamError, match=r"data\.ttl: .* is of RDF 1\.2"):
        load(tmp_path / "data.ttl")


def test_nothing_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "data.jsonld").write_text('{"@context": "http://v.example/", "@id": "a:s", "p": 1}')
    with pytest.raises(StreamError, match=r"data\.jsonld is not JSON-LD"):
        load(tmp_path / "data.jsonld")


@pytest.mark.parametrize("name", ["table.csv", "table.tsv.gz"])
def test_a_table_gets_a_hint(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(StreamError, match="hint: a table is not RDF: write a triple for each cell"):
        load(tmp_path / name)


def test_unknown_syntaxes_and_missing_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "data.csv").touch()
    with pytest.raises(StreamError, match=r"unknown syntax '\.csv'"):
        load(tmp_path / "data.csv")
    with pytest.raises(StreamError, match="No such file"):
        load(tmp_path / "none.nt")

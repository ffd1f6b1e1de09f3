from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from askos.errors import StreamError
from askos.static import Terms, load
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
    assert load(file, terms=terms).ids == load(file, terms=terms).ids
    assert len(terms) == 3


@pytest.mark.parametrize("name", ["bad.ttl", "bad.rdf"])
def test_a_file_of_another_syntax_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("no such thing", encoding="utf-8")
    with pytest.raises(StreamError, match=f"{name} is not"):
        load(tmp_path / name)


def test_unknown_syntaxes_and_missing_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "data.csv").touch()
    with pytest.raises(StreamError, match=r"unknown syntax '\.csv'"):
        load(tmp_path / "data.csv")
    with pytest.raises(StreamError, match="No such file"):
        load(tmp_path / "none.nt")

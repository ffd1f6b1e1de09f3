"""Files that are broken, or made to cost more than they are worth: one line says what is wrong."""

from __future__ import annotations

import gzip
import re
import tracemalloc
from pathlib import Path

import pytest

from askos.errors import SetupError, StreamError
from askos.io import files, read_nquads
from askos.io.limits import Limits
from askos.io.lines import read_lines
from askos.static import load
from askos.terms import Literal

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://x.example/"'
LAUGHS = "".join(
    f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' if n else '<!ENTITY l0 "lol">' for n in range(10)
)


def xml(body: str, start: str = "") -> str:
    return f"{start}<rdf:RDF {RDF}>{body}</rdf:RDF>"


def refused(file: Path, data: bytes, limits: Limits | None = None) -> str:
    file.write_bytes(data)
    with pytest.raises(StreamError) as raised:
        load(file, limits=limits)
    return str(raised.value)


# ---- bytes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".nt", ".nq", ".ttl", ".trig", ".rdf", ".jsonld"])
def test_a_false_and_a_truncated_gz_are_named(tmp_path: Path, suffix: str) -> None:
    whole = gzip.compress(b"<a:s> <a:p> <a:o> .\n" * 1000)
    for data in (b"no gzip", whole[:40], whole[:-4], whole[:20] + b"\xff" * 20):
        told = refused(tmp_path / f"data{suffix}.gz", data)
        assert f"data{suffix}.gz is no whole gzip file: " in told


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("data.nt", "data.nt, line 2: byte 14 is not UTF-8"),
        ("data.nq", "data.nq, line 2: byte 14 is not UTF-8"),
        ("data.nt.gz", "data.nt.gz, line 2: byte 14 is not UTF-8"),
        ("data.ttl", "data.ttl is not Turtle: line 2, column 14: Invalid UTF-8"),
        ("data.trig", "data.trig is not TriG: line 2, column 14: Invalid UTF-8"),
    ],
)
def test_bytes_that_are_no_utf8_are_named_with_their_line(
    tmp_path: Path, name: str, place: str
) -> None:
    data = b'<a:s> <a:p> "\xc3\xa4" .\n<a:s> <a:p> "\xff" .\n'
    assert place in refused(tmp_path / name, gzip.compress(data) if ".gz" in name else data)


@pytest.mark.parametrize("name", ["data.rdf", "data.jsonld"])
def test_other_syntaxes_that_are_no_utf8_are_refused(tmp_path: Path, name: str) -> None:
    body = xml("<A><p>\xff</p></A>") if name == "data.rdf" else '{"@id": "a:s", "a:p": "\xff"}'
    assert f"{name} is not" in refused(tmp_path / name, body.encode("latin-1"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "iso-8859-1", "utf-8"])
def test_xml_may_say_how_it_is_encoded(tmp_path: Path, encoding: str) -> None:
    declared = f'<?xml version="1.0" encoding="{encoding}"?>'
    data = xml('<A><p xml:lang="de">Böe</p></A>', declared).encode(encoding)
    marked = data if encoding != "utf-16-le" else b"\xff\xfe" + data
    (tmp_path / "data.rdf").write_bytes(marked)
    objects = {triple.object for triple in load(tmp_path / "data.rdf")}
    assert Literal("Böe", lang="de") in objects


@pytest.mark.parametrize("suffix", [".nt", ".nq", ".ttl", ".trig", ".rdf", ".jsonld"])
def test_folders_and_missing_files_are_named(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"folder{suffix}").mkdir()
    for name in ("folder", "missing"):
        with pytest.raises(StreamError, match=f"{name}{suffix}: (Is a directory|No such file)"):
            load(tmp_path / f"{name}{suffix}")


# ---- size ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["{}", "<!-- {} -->", "x{}", ""])
def test_xml_that_declares_entities_is_refused_before_it_is_parsed(
    tmp_path: Path, form: str
) -> None:
    start = f"<!DOCTYPE rdf:RDF [{form.format('')}{LAUGHS}]>"
    told = refused(tmp_path / "laughs.rdf", xml("<A><p>&l9;</p></A>", start).encode())
    assert "laughs.rdf declares entities" in told
    assert "ASKOS_MAX_ENTITIES" in told


def test_entities_can_be_allowed(tmp_path: Path) -> None:
    file = tmp_path / "data.owl"
    file.write_text(xml("<A><p>&x;</p></A>", '<!DOCTYPE rdf:RDF [<!ENTITY x "y">]>'))
    with pytest.raises(StreamError, match="declares entities"):
        load(file)
    objects = {triple.object for triple in load(file, limits=Limits(entities=1))}
    assert Literal("y") in objects


@pytest.mark.parametrize("name", ["bomb.nt.gz", "bomb.ttl.gz", "bomb.rdf.gz", "bomb.jsonld.gz"])
def test_a_gzip_bomb_is_refused_long_before_it_is_unpacked(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_FREE", 1 << 20)
    bomb = gzip.compress(b" " * (1 << 24))
    tracemalloc.start()
    told = refused(tmp_path / name, bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert f"{name} grows to more than 250 times its size" in told
    assert most < 1 << 24


def test_a_gzip_bomb_that_arrives_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_FREE", 1 << 20)
    file = tmp_path / "bomb.nt.gz"
    file.write_bytes(gzip.compress(b"\n" * (1 << 22)))
    with pytest.raises(StreamError, match="grows to more than 250 times its size"):
        list(read_lines([file]))


def test_what_compresses_well_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_FREE", 1 << 10)
    file = tmp_path / "data.nt.gz"
    file.write_bytes(gzip.compress(b"".join(b"<a:s> <a:p> <a:%d> .\n" % n for n in range(5000))))
    assert len(load(file)) == 5000
    with pytest.raises(StreamError, match="grows to more than 2 times"):
        load(file, limits=Limits(growth=2))


@pytest.mark.parametrize("name", ["long.nt", "long.nq", "long.nt.gz"])
def test_a_line_without_end_is_refused(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b'<a:s> <a:p> <a:o> .\n<a:s> <a:p> "' + b"x" * 1_000_000
    file = tmp_path / name
    file.write_bytes(gzip.compress(data) if ".gz" in name else data)
    monkeypatch.setenv("ASKOS_MAX_LINE", "99999")
    place = rf"{re.escape(name)}, line 2: longer than 99,999 bytes"
    with pytest.raises(StreamError, match=place):
        load(file)
    with pytest.raises(StreamError, match=place):
        list(read_lines([file]) if name != "long.nq" else read_nquads(file))


def test_a_term_that_the_parser_cannot_hold_is_told(tmp_path: Path) -> None:
    told = refused(tmp_path / "long.ttl", b'<a:s> <a:p> "' + b"x" * (1 << 25) + b'" .')
    assert "long.ttl: a term or statement is too long" in told


@pytest.mark.parametrize(
    ("name", "opening", "closing"),
    [
        ("deep.rdf", "<A><p>", "</p></A>"),
        ("deep.rdf", "<A x='/>'><p x=\"/>\">", "</p></A>"),
        ("deep.rdf", "<!-- </A></p> --><A><p>", "</p></A>"),
        ("deep.jsonld", '{"@id": "a:]}", "a:p": ', "}"),
        ("deep.jsonld", '{"@id": "a:\\"]}", "a:p": [', "]}"),
    ],
)
@pytest.mark.parametrize("levels", [200, 200_000])
def test_deep_nesting_is_refused_before_it_is_parsed(
    tmp_path: Path, name: str, opening: str, closing: str, levels: int
) -> None:
    inner = opening * levels + ("1" if "json" in name else "") + closing * levels
    told = refused(tmp_path / name, (xml(inner) if name == "deep.rdf" else inner).encode())
    assert re.search(rf"{name}(, line 1)?: nested more than 100 deep", told)
    assert "ASKOS_MAX_DEPTH" in told


def test_flat_files_are_not_taken_for_deep_ones(tmp_path: Path) -> None:
    flat = "".join(
        f"<A rdf:about='a:{n}' rdf:value='/>'><p rdf:resource='a:o'/>"
        "<q><![CDATA[<<<]]></q><!-- < --></A>"
        for n in range(300)
    )
    (tmp_path / "flat.rdf").write_text(xml(flat))
    assert len(load(tmp_path / "flat.rdf")) == 4 * 300
    things = ",".join(f'{{"@id": "a:{n}", "a:p": ["[[[", "{{{{"]}}' for n in range(300))
    (tmp_path / "flat.jsonld").write_text(f"[{things}]")
    assert len(load(tmp_path / "flat.jsonld")) == 2 * 300


def test_turtle_may_be_nested_as_deep_as_it_likes(tmp_path: Path) -> None:
    depth = 20_000
    (tmp_path / "deep.ttl").write_text(
        "<a:s> <a:p> " + "[ <a:p> " * depth + "1" + "]" * depth + "."
    )
    assert len(load(tmp_path / "deep.ttl")) == depth + 1


def test_a_long_line_is_quoted_shortly(tmp_path: Path) -> None:
    assert len(refused(tmp_path / "data.nt", b"<a:s> <a:p> " + b"x" * 1_000_000)) < 600


def test_a_limit_that_is_no_number_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASKOS_MAX_GROWTH", "a lot")
    with pytest.raises(SetupError, match="ASKOS_MAX_GROWTH is 'a lot'"):
        Limits.of()

"""Expanded JSON-LD: read as the parser reads it, or left to the parser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from rdflib.compare import isomorphic

from askos.errors import StreamError
from askos.io import rdf
from askos.io.expanded import read_expanded
from askos.static import load
from askos.terms import XSD, Literal, URIRef

IRIS = st.sampled_from(["http://x/a", "https://x:80/a%20b?c=d#e", "urn:x:y", "http://x/../a"])
NODES = IRIS | st.sampled_from(["_:a", "_:b1"])
TEXTS = st.text(max_size=6) | st.sampled_from(["", 'say "hi"', "back\\slash", "tab\tline\n"])
LITERALS = (
    st.fixed_dictionaries({"@value": TEXTS})
    | st.fixed_dictionaries(
        {"@value": TEXTS, "@type": IRIS | st.sampled_from([XSD.string, XSD.token])}
    )
    | st.fixed_dictionaries({"@language": st.sampled_from(["en", "de-at"]), "@value": TEXTS})
)
VALUES = st.fixed_dictionaries({"@id": NODES}) | LITERALS
THINGS = st.builds(
    lambda about, kinds, values: {"@id": about, **kinds, **values},
    NODES,
    st.just({}) | st.fixed_dictionaries({"@type": st.lists(NODES, max_size=2)}),
    st.dictionaries(IRIS, st.lists(VALUES, max_size=2), max_size=3),
)
OTHERS: tuple[Any, ...] = (
    *(None, True, 5, "", "x", "http://x/a b", "http://[x", "_:a b", "EN", "e", "@id", "@json"),
    *([], {}, ["x"], [5], {"@id": "http://x/a"}, {"@value": "a"}, [{"@value": "a"}]),
)


@st.composite
def documents(draw: st.DrawFn) -> list[Any]:
    """A document of the form, in which one part may have been replaced, added or taken away."""
    made: Any = draw(st.lists(THINGS, min_size=1, max_size=4))
    part, place = made, draw(st.integers(0, len(made) - 1))
    while isinstance(part[place], list | dict) and part[place] and draw(st.booleans()):
        part = part[place]
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        place = draw(st.sampled_from(keys))
    match draw(st.integers(0, 5)):
        case 0:
            part[place] = draw(st.sampled_from(OTHERS))
        case 1:
            del part[place]
        case 2 if isinstance(part, dict):
            name = draw(st.sampled_from(["@id", "@value", "@type", "@language", "@index", "p"]))
            part[name] = draw(st.sampled_from(OTHERS))
    return list(made)


def loaded(file: Path, *, by_parser: bool) -> rdflib.Graph | str:
    """The graph, or what is wrong with the file."""
    with pytest.MonkeyPatch.context() as patch:
        if by_parser:
            patch.setattr(rdf, "read_expanded", lambda _: None)
        try:
            triples = load(file, base="http://base/")
        except StreamError as error:
            return str(error)
    graph = rdflib.Graph()
    for triple in triples:
        graph.add((triple.subject, triple.predicate, triple.object))
    return graph


@given(documents(), st.booleans(), st.sampled_from([None, 1]))
def test_any_document_reads_as_the_parser_reads_it(
    tmp_path_factory: pytest.TempPathFactory, made: list[Any], ascii: bool, indent: int | None
) -> None:
    file = tmp_path_factory.getbasetemp() / "data.jsonld"
    text = json.dumps(made, ensure_ascii=ascii, indent=indent)
    file.write_text(text, encoding="utf-8", errors="surrogatepass")
    ours, theirs = loaded(file, by_parser=False), loaded(file, by_parser=True)
    if isinstance(ours, rdflib.Graph) and isinstance(theirs, rdflib.Graph):
        assert isomorphic(ours, theirs)
    else:
        assert ours == theirs


def test_it_is_read_without_the_parser() -> None:
    text = """ [ {"http://x/p": [{"@id": "_:b"}, {"@value": "a\\n\\"b", "@type": "http://x/T"}],
"@type": ["http://x/C"], "@id": "http://x/s"},
{"@id": "_:b", "http://x/p": [{"@value": ""}, {"@language": "en-gb", "@value": "é"}]} ] """
    assert read_expanded(text.encode()) == [
        ("<http://x/s>", "<http://x/p>", "_:b", ""),
        ("<http://x/s>", "<http://x/p>", '"a\\n\\"b"^^<http://x/T>', ""),
        ("<http://x/s>", f"<{rdf_type()}>", "<http://x/C>", ""),
        ("_:b", "<http://x/p>", '""', ""),
        ("_:b", "<http://x/p>", '"é"@en-gb', ""),
    ]


def rdf_type() -> str:
    return "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


GOOD = '{"@id": "http://x/s", "http://x/p": [{"@value": "a"}]}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        GOOD,
        f"[{GOOD},]",
        f"[{GOOD}] x",
        f"[{GOOD}",
        f"[[{GOOD}]]",
        '[{"http://x/p": [{"@value": "a"}]}]',
        '[{"@id": "s", "http://x/p": [{"@value": "a"}]}]',
        '[{"@id": "http://x/s", "p": [{"@value": "a"}]}]',
        '[{"@id": "http://x/s", "http://x/p": {"@value": "a"}}]',
        '[{"@id": "http://x/s", "http://x/p": ["a"]}]',
        '[{"@id": "http://x/s", "http://x/p": [{"@value": 5}]}]',
        '[{"@id": "http://x/s", "http://x/p": [{"@value": ["a"], "@language": "en"}]}]',
        '[{"@id": "http://x/s", "http://x/p": [{"@value": "a", "@language": "EN"}]}]',
        '[{"@id": "http://x/s", "http://x/p": [{"@value": "\\ud800"}]}]',
        '[{"@id": "http://x/s", "http://x/p": [{"@list": [{"@value": "a"}]}]}]',
        '[{"@id": "http://x/s", "http://x/p": [{"@id": "http://x/a", "http://x/q": []}]}]',
        '[{"@id": "http://x/s", "@graph": [{"@id": "http://x/a"}]}]',
        '[{"@context": {}, "@id": "http://x/s", "http://x/p": [{"@value": "a"}]}]',
        '[{"@id": "http://x/s", "http://x/p": [{"@value": "a"}], "http://x/p": []}]',
        '[{"@id": "http://x/s", "http://x/p": [{"@value": "a", "@value": "b"}]}]',
    ],
)
def test_other_forms_are_left_to_the_parser(text: str) -> None:
    assert read_expanded(text.encode()) is None


def test_a_key_that_comes_twice_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonld"
    p = '"http://x/p": [{"@value": "%s"}]'
    file.write_text(f'[{{"@id": "http://x/s", {p % "a"}, {p % "b"}}}]')
    assert {triple.object for triple in load(file)} == {Literal("a"), Literal("b")}
    assert {triple.predicate for triple in load(file)} == {URIRef("http://x/p")}

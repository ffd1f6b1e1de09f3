"""IRI() and URI(), and RFC 3986's resolution of references."""

from __future__ import annotations

import pytest

from askos.terms import URIRef
from tests.build import result

BASE = URIRef("http://a/b/c/d;p?q")


@pytest.mark.parametrize(
    ("reference", "resolved"),
    [  # RFC 3986, 5.4.1 and 5.4.2
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
        ("http:g", "http:g"),
    ],
)
def test_references_resolve_as_rfc_3986_lists(reference: str, resolved: str) -> None:
    assert result("IRI", f'"{reference}"', BASE) == URIRef(resolved)
    assert result("URI", f'"{reference}"', BASE) == URIRef(resolved)


@pytest.mark.parametrize(
    ("reference", "base", "resolved"),
    [
        ("x", "http://a", "http://a/x"),
        ("x", "urn:a:b", "urn:x"),
        ("./x", "urn:a:b", "urn:x"),
        ("..", "urn:a:b", "urn:"),
        ("x", "file:///a/b", "file:///a/x"),
        ("é", "http://a/b", "http://a/é"),
        ("#x", "http://a/b#c", "http://a/b#x"),
        ("?", "http://a/b?c", "http://a/b?"),
    ],
)
def test_other_bases(reference: str, base: str, resolved: str) -> None:
    assert result("IRI", f'"{reference}"', URIRef(base)) == URIRef(resolved)


def test_an_iri_stays_as_it_is() -> None:
    assert result("IRI", "<http://a/../b>", BASE) == URIRef("http://a/../b")


def test_what_names_no_iri_is_an_error() -> None:
    assert result("IRI", '"relative"') is None
    assert result("IRI", '"http://a/"') == URIRef("http://a/")
    assert result("IRI", '"a b"', BASE) is None
    assert result("IRI", '"<a>"', BASE) is None
    assert result("IRI", '"a"@en', BASE) is None
    assert result("IRI", 1, BASE) is None
    assert result("IRI", "_:b", BASE) is None
    assert result("IRI", '"a"', URIRef("no base")) is None

"""Strings and hashes: the tables of SPARQL 1.1, 17.4.3 and 17.4.6."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.terms import Literal
from tests.build import nt, result

TEXTS = st.text("abAB é日𝄞", max_size=6)
PARTS = st.text("abA", max_size=2)


def wanted(text: object) -> object:
    return nt(text) if isinstance(text, str) else text


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("STRLEN", ['"chat"@en'], '"4"^^xsd:integer'),
        ("STRLEN", ['"\U0001f46a"'], '"1"^^xsd:integer'),
        ("STRLEN", [5], None),
        ("STRLEN", ["<http://a/>"], None),
        ("SUBSTR", ['"foobar"', 4], '"bar"'),
        ("SUBSTR", ['"foobar"@en', 4, 1], '"b"@en'),
        ("SUBSTR", ['"foobar"', 0, 2], '"f"'),
        ("SUBSTR", ['"foobar"', -5, 7], '"f"'),
        ("SUBSTR", ['"foobar"', 9], '""'),
        ("SUBSTR", ['"foobar"', 2, -1], '""'),
        ("SUBSTR", ['"日本語"@ja', 1, 1], '"日"@ja'),
        ("SUBSTR", ['"foobar"', 1.5], None),
        ("UCASE", ['"foo"'], '"FOO"'),
        ("UCASE", ['"straße"@de'], '"STRASSE"@de'),
        ("LCASE", ['"BAR"@en'], '"bar"@en'),
        ("LCASE", [1], None),
        ("ENCODE_FOR_URI", ['"Los Angeles"'], '"Los%20Angeles"'),
        ("ENCODE_FOR_URI", ['"é-_.~/"@fr'], '"%C3%A9-_.~%2F"'),
        ("CONCAT", [], '""'),
        ("CONCAT", ['"foo"', '"bar"'], '"foobar"'),
        ("CONCAT", ['"foo"@en', '"bar"@EN'], '"foobar"@en'),
        ("CONCAT", ['"foo"@en', '"bar"'], '"foobar"'),
        ("CONCAT", ['"foo"@en', '"bar"@es'], '"foobar"'),
        ("CONCAT", ['"foo"', 1], None),
        ("STRLANG", ['"chat"', '"en-US"'], '"chat"@en-us'),
        ("STRLANG", ['"chat"@fr', '"en"'], None),
        ("STRLANG", ['"chat"', '""'], None),
        ("STRLANG", ['"chat"', '"not a tag"'], None),
        ("STRDT", ['"123"', "<http://example.org/t>"], '"123"^^<http://example.org/t>'),
        ("STRDT", ['"a"', "<http://www.w3.org/2001/XMLSchema#string>"], '"a"'),
        ("STRDT", ['"a"@en', "<http://example.org/t>"], None),
        ("STRDT", ['"a"', '"b"'], None),
        ("STRDT", ['"a"', "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"], None),
        ("MD5", ['"abc"'], '"900150983cd24fb0d6963f7d28e17f72"'),
        ("SHA1", ['"abc"'], '"a9993e364706816aba3e25717850c26c9cd0d89d"'),
        ("MD5", ['"abc"@en'], None),
        ("SHA256", [1], None),
    ],
)
def test_functions_on_strings(name: str, arguments: list[object], expected: str | None) -> None:
    assert result(name, *arguments) == wanted(expected)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("SHA256", "ba7816bf8f01cfea"),
        ("SHA384", "cb00753f45a35e8b"),
        ("SHA512", "ddaf35a193617aba"),
    ],
)
def test_longer_hashes(name: str, start: str) -> None:
    found = result(name, '"abc"')
    assert found is not None
    assert found.startswith(start)
    assert len(found) == int(name.removeprefix("SHA")) // 4


@pytest.mark.parametrize(
    ("first", "second", "starts", "ends", "contains", "before", "after"),
    [
        ('"abc"', '"b"', False, False, True, '"a"', '"c"'),
        ('"abc"@en', '"ab"', True, False, True, '""@en', '"c"@en'),
        ('"abc"@en', '"bc"@en', False, True, True, '"a"@en', '""@en'),
        ('"abc"@en', '"b"@cy', None, None, None, None, None),
        ('"abc"', '"b"@en', None, None, None, None, None),
        ('"abc"', '""', True, True, True, '""', '"abc"'),
        ('"abc"@en', '""@en', True, True, True, '""@en', '"abc"@en'),
        ('"abc"@en', '"xyz"', False, False, False, '""', '""'),
        ('"abc"@en', '"z"@en', False, False, False, '""', '""'),
        ('"abab"', '"b"', False, True, True, '"a"', '"ab"'),
        ('"1"^^xsd:integer', '"1"', None, None, None, None, None),
    ],
)
def test_two_strings_must_be_compatible(
    first: str,
    second: str,
    starts: bool | None,
    ends: bool | None,
    contains: bool | None,
    before: str | None,
    after: str | None,
) -> None:
    for name, expected in (("STRSTARTS", starts), ("STRENDS", ends), ("CONTAINS", contains)):
        truth = f'"{str(expected).lower()}"^^xsd:boolean'
        assert result(name, first, second) == wanted(None if expected is None else truth)
    assert result("STRBEFORE", first, second) == wanted(before)
    assert result("STRAFTER", first, second) == wanted(after)


@pytest.mark.parametrize(
    ("tag", "wanted_range", "matches"),
    [
        ("en", "EN", True),
        ("en-gb", "en", True),
        ("eng", "en", False),
        ("en", "en-gb", False),
        ("de-latn-de", "de-de", False),
        ("fr", "*", True),
        ("", "*", False),
        ("", "en", False),
    ],
)
def test_language_ranges(tag: str, wanted_range: str, matches: bool) -> None:
    found = result("LANGMATCHES", Literal(tag), Literal(wanted_range))
    assert found == nt(f'"{str(matches).lower()}"^^xsd:boolean')


@given(TEXTS, PARTS)
def test_before_and_after_put_together_are_the_string(text: str, part: str) -> None:
    before = result("STRBEFORE", Literal(text), Literal(part))
    after = result("STRAFTER", Literal(text), Literal(part))
    if part in text:
        assert result("CONCAT", before, Literal(part), after) == Literal(text)
    else:
        assert before == after == Literal("")


@given(TEXTS, st.integers(-3, 8), st.integers(-3, 8))
def test_a_substring_has_the_characters_at_its_positions(text: str, start: int, size: int) -> None:
    kept = [c for place, c in enumerate(text, 1) if start <= place < start + size]
    assert result("SUBSTR", Literal(text), start, size) == Literal("".join(kept))

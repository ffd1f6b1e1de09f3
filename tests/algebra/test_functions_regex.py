r"""REGEX and REPLACE: XPath's notation, where it is not Python's.

The cases follow XPath functions 7.6 and XML Schema Part 2, appendix F.
"""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra.expressions.library import characters, engines, strings
from askos.algebra.expressions.library.characters import (
    category,
    complement,
    difference,
    escape,
    ranges,
    union,
    with_variants,
)
from askos.terms import Literal, Term
from tests.build import result, term

ASCII = [chr(code) for code in range(128)]
SETS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), max_size=4).map(
    lambda pairs: union(tuple((first, first + size) for first, size in pairs))
)


def matches(text: str, pattern: str, flags: str = "") -> Term | None:
    return result("REGEX", Literal(text), Literal(pattern), Literal(flags))


def replaced(text: str, pattern: str, by: str, flags: str = "") -> str | None:
    found = result("REPLACE", Literal(text), Literal(pattern), Literal(by), Literal(flags))
    return None if found is None else str(found)


def among(pattern: str, flags: str = "") -> str:
    """The ASCII characters that match."""
    return "".join(c for c in ASCII if matches(c, f"^{pattern}$", flags) == term(True))


@pytest.mark.parametrize(
    ("text", "pattern", "flags", "expected"),
    [
        ("abracadabra", "bra", "", True),
        ("abracadabra", "^a.*a$", "", True),
        ("abracadabra", "^bra", "", False),
        ("", "", "", True),
        ("Alice", "^ali", "", False),
        ("Alice", "^ali", "i", True),
        ("a\nb", "a.b", "", False),
        ("a\nb", "a.b", "s", True),
        ("a\nb", "^b$", "", False),
        ("a\nb", "^b$", "m", True),
        ("a\n", "a$", "", False),
        ("helloworld", "hello world", "x", True),
        ("hello world", "hello[ ]world", "x", True),
        ("a[b", r"a \[ b", "x", True),
        ("a.b", "a.b", "q", True),
        ("axb", "a.b", "q", False),
        ("A.B", "a.b", "qi", True),
        ("aa", r"(a)\1", "", True),
        ("aA", r"(a)\1", "i", True),
        ("b", r"(?:(a)|b)\1", "", True),
        ("aab1", r"((a)a)b1", "", True),
        ("aa1", r"(a)\11", "", True),
        ("abcdefghijj", r"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\10", "", True),
        ("aaa", "a{2}", "", True),
        ("a", "a{2,}", "", False),
        ("aaa", "^a{1,2}$", "", False),
        ("ba", "b^*a", "", True),
        ("K", "^\u212a$", "i", True),
        ("\u017f", "^s$", "i", True),
        ("straße", "STRAẞE", "i", True),
        ("ab|", r"^ab\|$", "", True),
        ("-", r"^[\-a]$", "", True),
        ("a^", "^[a^]+$", "", True),
    ],
)
def test_patterns(text: str, pattern: str, flags: str, expected: bool) -> None:
    assert matches(text, pattern, flags) == term(expected)


@pytest.mark.parametrize(
    ("pattern", "flags", "expected"),
    [
        (r"\s", "", "\t\n\r "),
        (r"\d", "", "0123456789"),
        (r"[a-e-[bd]]", "", "ace"),
        (r"[^\w\s\p{C}-[!-%]]", "", "&'()*,-./:;?@[\\]_{}"),
        (r"[A-Z-[IO]]", "i", "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjklmnpqrstuvwxyz"),
        (r"\p{Lu}", "i", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        (r"[\p{Nd}\P{L}-[\P{Nd}]]", "", "0123456789"),
        (r"\p{Sm}", "", "+<=>|~"),
        (r"[^a]", "i", "".join(c for c in ASCII if c not in "aA")),
        (r"[a-]", "", "-a"),
        (r"[-a]", "", "-a"),
        (r"[\d-]", "", "-0123456789"),
        (r"[a--[b]]", "", "-a"),
        (r"\i", "", ":ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"),
        (r"[\c-[\i]]", "", "-.0123456789"),
        (r"[\n\r\t]", "", "\t\n\r"),
    ],
)
def test_character_classes(pattern: str, flags: str, expected: str) -> None:
    assert among(pattern, flags) == expected


def test_a_word_has_symbols_but_no_punctuation() -> None:
    assert "$" in among(r"\w")
    assert "_" not in among(r"\w")
    assert set(among(r"\w")) | set(among(r"\W")) == set(ASCII)


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        ")",
        "a)",
        "[",
        "[]",
        "[^]",
        "[a",
        "]",
        "{",
        "a{",
        "a{,2}",
        "a{2,1}",
        "a{99999999999999999999}",
        "*",
        "a**",
        "a++",
        "a{1}{2}",
        "a???",
        "\\",
        r"\b",
        r"\y",
        r"\0",
        r"\1",
        r"(a\1)",
        r"\1(a)",
        r"[\1]",
        r"(?=a)",
        r"(?P<x>a)",
        r"(?i)a",
        r"\p",
        r"\p{Zz}",
        r"\p{IsBasicLatin}",
        "[a-c-e]",
        "[+--]",
        r"[\w-z]",
        "[z-a]",
        "[a[b]]",
        "[a-z-[b]c]",
        "(" * 60 + ")" * 60,
        "[a-" * 60 + "[a]" + "]" * 60,
    ],
)
def test_what_xpath_does_not_allow_is_an_error(pattern: str) -> None:
    assert matches("a", pattern) is None
    assert replaced("a", pattern, "b") is None


def test_unknown_flags_are_an_error() -> None:
    assert matches("a", "a", "g") is None
    assert matches("a", "a", "iim") == term(True)


def test_the_text_may_have_a_language_tag_but_not_the_pattern() -> None:
    assert result("REGEX", '"abc"@en', '"b"') == term(True)
    assert result("REGEX", '"abc"@en', '"b"@en') is None
    assert result("REGEX", 12, '"1"') is None


@pytest.mark.parametrize(
    ("text", "pattern", "by", "flags", "expected"),
    [
        ("abcd", "b", "Z", "", "aZcd"),
        ("abab", "B", "Z", "i", "aZaZ"),
        ("abab", "B.", "Z", "i", "aZb"),
        ("abracadabra", "bra", "*", "", "a*cada*"),
        ("abracadabra", "a.*a", "*", "", "*"),
        ("abracadabra", "a.*?a", "*", "", "*c*bra"),
        ("abracadabra", "a(.)", "a$1$1", "", "abbraccaddabbra"),
        ("AAAA", "A+", "b", "", "b"),
        ("AAAA", "A+?", "b", "", "bbbb"),
        ("darted", "^(.*?)d(.*)$", "$1c$2", "", "carted"),
        ("abcd", "(ab)|(a)", "[1=$1][2=$2]", "", "[1=ab][2=]cd"),
        ("abc", "b", "[$0]", "", "a[b]c"),
        ("abc", "(b)", "$12", "", "ab2c"),
        ("abc", "b", "$5", "", "ac"),
        ("abc", "b", "$55", "", "a5c"),
        ("abc", "b", r"\$\\", "", r"a$\c"),
        ("a.c", ".", r"$0\1", "q", r"a$0\1c"),
        ("abc", "b", "$", "", None),
        ("abc", "b", "$x", "", None),
        ("abc", "b", r"\n", "", None),
        ("abc", "z", "$", "", None),
        ("abracadabra", "^a*", "x", "", None),
        ("abc", "x?", "y", "", None),
        ("abc", "$", "y", "", None),
        ("abc", "", "y", "", None),
        ("a\nb", "^b", "x", "m", "a\nx"),
    ],
)
def test_replacements(text: str, pattern: str, by: str, flags: str, expected: str | None) -> None:
    assert replaced(text, pattern, by, flags) == expected


def test_a_replacement_keeps_the_language_tag() -> None:
    assert result("REPLACE", '"abc"@en', '"b"', '"x"') == Literal("axc", lang="en")
    assert result("REPLACE", '"abc"@en', '"b"', '"x"@en') is None


# ---- patterns that would take for ever ------------------------------------------------------

MANY = "a" * 40 + "!"


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        (MANY, "(a+)+$", False),
        (MANY, "(a|aa)+$", False),
        (MANY, "(.*)*x", False),
        (MANY, "(a*)*b", False),
        (MANY, "^(([a-z])+.)+[A-Z]([a-z])+$", False),
        ("a" * 40, "(a?){40}a{40}", True),
        ("a" * 50_000, "(x+x+)+y|a$", True),
    ],
    ids=lambda value: str(value)[:40],
)
def test_no_pattern_takes_more_than_linear_time(text: str, pattern: str, expected: bool) -> None:
    """Each of these sends a backtracking engine through some 2^40 ways."""
    assert matches(text, pattern) == term(expected)
    assert replaced(text, pattern, "-") is not None


def test_a_replacement_of_many_matches_is_that_of_each() -> None:
    assert replaced("aé𝄞" * 1000, "(a+)+(é)", "$2$1") == "éa𝄞" * 1000


@pytest.mark.parametrize("pattern", [r"^(a|aa)+\1b?$", r"^(\w|\w\w)+\1\w$"])
def test_a_reference_that_takes_too_long_is_an_error(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only an engine that backtracks has references; it stops when its time is over."""
    monkeypatch.setattr(engines, "TIME_LIMIT", 0.01)
    assert matches(MANY, pattern) is None
    assert replaced(MANY, pattern, "x") is None


def test_a_replacement_whose_matches_all_look_far_ahead_is_an_error_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "TIME_LIMIT", 0.0)
    monkeypatch.setattr(engines, "TIME_PER_BYTE", 0.0)
    assert replaced("a" * 100, "a(.*b)?", "x") is None
    assert replaced("c", "a(.*b)?", "x") == "c"


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("a" * 1500, "^a{1500}$"),
        ("ab" * 900, "^(?:(?:ab){30}){30}$"),
        ("\ud800\udfff", "^[\ud800-\udfff]{2}$"),
        ("é" * 1200, r"^\w{1200}$"),
    ],
    ids=["one", "nested", "surrogates", "class"],
)
def test_what_the_linear_engine_has_no_words_for_is_matched_all_the_same(
    text: str, pattern: str
) -> None:
    assert matches(text, pattern) == term(True)
    assert matches(text + "a", pattern) == term(False)
    assert replaced(text, pattern, "x") == "x"


def test_a_text_too_long_for_a_large_pattern_is_matched_with_a_time_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "_WORK", 0)
    assert matches("abc", r"^\w+$") == term(True)
    assert replaced("a b", r"\w", "<$0>") == "<a> <b>"


@pytest.mark.parametrize(
    "pattern",
    ["a" * 600_000, r"\w" * 10_000, "a{" + "9" * 5000 + "}", "a{1," + "9" * 5000 + "}"],
    ids=["characters", "classes", "times", "at most"],
)
def test_a_pattern_of_absurd_size_is_an_error(pattern: str) -> None:
    assert matches("a", pattern) is None


def test_a_result_of_absurd_length_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nested, each of these makes the text of the one inside several times longer."""
    monkeypatch.setattr(engines, "LONGEST", 100)
    monkeypatch.setattr(strings, "LONGEST", 100)
    assert replaced("a" * 10, "a", "b" * 10) == "b" * 100
    assert replaced("a" * 10, "a", "b" * 11) is None
    assert result("CONCAT", Literal("a" * 50), Literal("b" * 50)) == Literal("a" * 50 + "b" * 50)
    assert result("CONCAT", Literal("a" * 50), Literal("b" * 51)) is None


# ---- sets of characters ---------------------------------------------------------------------


def members(ranges: characters.Characters) -> set[int]:
    return {code for first, last in ranges for code in range(first, min(last, 60) + 1)}


@given(SETS, SETS)
def test_sets_of_characters_follow_the_laws_of_sets(a: object, b: object) -> None:
    assert isinstance(a, tuple)
    assert isinstance(b, tuple)
    assert members(union(a, b)) == members(a) | members(b)
    assert members(difference(a, b)) == members(a) - members(b)
    assert complement(complement(a)) == a
    assert union(a, complement(a)) == ((0, sys.maxunicode),)


def test_the_categories_part_all_characters() -> None:
    groups = [category(name) or () for name in "LMNPSZC"]
    assert union(*groups) == ((0, sys.maxunicode),)
    assert sum(last - first + 1 for g in groups for first, last in g) == sys.maxunicode + 1
    assert category("Lu") is not None
    assert category("") is None
    assert category("l") is None


def test_no_character_beyond_the_second_plane_has_case() -> None:
    assert all(chr(c).lower() == chr(c).upper() for c in range(0x20000, sys.maxunicode + 1))


def test_case_variants_go_both_ways() -> None:
    assert with_variants(ranges("kk")) == ranges("KKkk\u212a\u212a")
    assert with_variants(ranges("\u212a\u212a")) == ranges("KKkk\u212a\u212a")
    assert with_variants(ranges("09")) == ranges("09")
    assert escape("D") == complement(escape("d"))

"""Functions on terms and strings (SPARQL 1.1, 17.4.2 and 17.4.3), for whole arrays.

They are the algebra's, in the same order: what is of the wrong type is an error, and what arrays
cannot tell for sure (the upper case of ß) is UNKNOWN, or OPEN, and left to the algebra.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.algebra.expressions import ExpressionError
from askos.algebra.expressions.library.engines import compile_pattern
from askos.algebra.expressions.numbers import NUMERIC
from askos.columns.cases import ERROR, OPEN, Ternary
from askos.columns.ids import INTEGER, Mask, Texts
from askos.columns.lexical import (
    BLANK,
    IRI,
    SIMPLE,
    TAGGED,
    TYPED,
    UNKNOWN,
    Kinds,
    Parts,
    as_mask,
    written,
)
from askos.columns.numbers import Numbers
from askos.terms import RDF, XSD, Literal

Law: TypeAlias = Callable[[Any, Any], Any]

_LITERALS: Final = (SIMPLE, TAGGED, TYPED)
_STRINGS: Final = (SIMPLE, TAGGED)
_NUMERIC: Final = pa.array(sorted(map(str, NUMERIC)))
_PLAIN_NUMBER: Final = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"
_LONG: Final = 1 << 12  # bytes of a text or pattern that is not left to the algebra
_FAR: Final = 1 << 31  # no text is so long
_UNBOUNDED: Final = pa.array([str(kind) for kind in (XSD.integer, XSD.decimal, XSD.double)])
_BOOLEANS: Final = pa.array(["true", "false"])
_NO_ZERO: Final = r"^(-?[1-9][0-9]*\.[0-9]+|0\.[0-9]+|-0\.[0-9]*[1-9][0-9]*)$"
_SPECIAL: Final = re.compile(r"[\\|.?*+{}()\[\]^$]")


def _kinds(parts: Parts, wanted: Mask, kind: int | Kinds) -> Kinds:
    """`kind` where terms are as wanted, an error where they are not."""
    found = np.where(wanted, kind, ERROR)
    return np.where(parts.kind == UNKNOWN, UNKNOWN, found).astype(np.int8)


def _answer(parts: Parts, wanted: Mask, said: Mask) -> Ternary:
    """What is said where terms are as wanted, an error where they are not."""
    found = np.where(wanted, said, ERROR)
    return np.where(parts.kind == UNKNOWN, OPEN, found).astype(np.int8)


def _nothing(parts: Parts) -> Texts:
    return pa.repeat("", len(parts))


# ---- terms -----------------------------------------------------------------------------------


def of_kind(*kinds: int) -> Callable[[Parts], Ternary]:
    """ISIRI, ISBLANK, ISLITERAL."""
    return lambda parts: _answer(parts, parts.kind != ERROR, parts.among(*kinds))


is_iri: Final = of_kind(IRI)
is_blank: Final = of_kind(BLANK)
is_literal: Final = of_kind(*_LITERALS)


def is_numeric(parts: Parts) -> Ternary:
    """ISNUMERIC; of numbers only where they are written plainly."""
    numeric = parts.among(TYPED) & as_mask(pc.is_in(parts.mark, value_set=_NUMERIC))
    found = np.where(numeric, OPEN, _answer(parts, parts.kind != ERROR, numeric))
    plain = numeric & as_mask(pc.is_in(parts.mark, value_set=_UNBOUNDED))
    plain &= as_mask(pc.match_substring_regex(parts.text, _PLAIN_NUMBER))
    whole = as_mask(pc.equal(parts.mark, str(XSD.integer)))
    plain &= ~(whole & as_mask(pc.match_substring(parts.text, ".")))
    return np.where(plain, 1, found).astype(np.int8)


def text_of(parts: Parts) -> Parts:
    """STR: a blank node has no text."""
    kind = _kinds(parts, parts.among(IRI, *_LITERALS), SIMPLE)
    return Parts(kind, parts.text, _nothing(parts))


def language(parts: Parts) -> Parts:
    """LANG: "" of what has no tag."""
    kind = _kinds(parts, parts.among(*_LITERALS), SIMPLE)
    tag = pc.if_else(pa.array(parts.among(TAGGED)), parts.mark, "")
    return Parts(kind, tag, _nothing(parts))


def datatype(parts: Parts) -> Parts:
    """DATATYPE, also of simple and tagged literals."""
    kind = _kinds(parts, parts.among(*_LITERALS), IRI)
    untyped = pc.if_else(pa.array(parts.among(TAGGED)), str(RDF.langString), str(XSD.string))
    found = pc.if_else(pa.array(parts.among(TYPED)), parts.mark, untyped)
    return Parts(kind, found, _nothing(parts))


def as_string(parts: Parts) -> Parts:
    """xsd:string(x): of typed literals those that are written as their value is."""
    kind = _kinds(parts, parts.among(IRI, SIMPLE, TYPED), SIMPLE)
    typed = np.where(parts.among(TYPED), _written_plainly(parts), True)
    pointed = pc.and_(pa.array(parts.among(TYPED)), pc.equal(parts.mark, str(XSD.decimal)))
    trimmed = pc.utf8_rtrim(pc.utf8_rtrim(parts.text, "0"), ".")
    return Parts(
        np.where(typed, kind, UNKNOWN).astype(np.int8),
        pc.if_else(pointed, trimmed, parts.text),
        _nothing(parts),
    )


def _written_plainly(parts: Parts) -> Mask:
    """Booleans, integers and decimals whose text says their value, but for zeros at its end."""
    integer = pc.equal(parts.mark, str(XSD.integer))
    decimal = pc.equal(parts.mark, str(XSD.decimal))
    boolean = pc.equal(parts.mark, str(XSD.boolean))
    found = pc.or_(
        pc.and_(boolean, pc.is_in(parts.text, value_set=_BOOLEANS)),
        pc.or_(
            pc.and_(integer, pc.match_substring_regex(parts.text, r"^(0|-?[1-9][0-9]*)$")),
            pc.and_(decimal, pc.match_substring_regex(parts.text, _NO_ZERO)),
        ),
    )
    return as_mask(found)


# ---- strings ---------------------------------------------------------------------------------


def length(parts: Parts) -> Numbers:
    """STRLEN: how many code points."""
    kind = _kinds(parts, parts.among(*_STRINGS), INTEGER).astype(np.int64)
    count = pc.utf8_length(parts.text).to_numpy().astype(np.int64)
    return Numbers(kind, count, np.zeros_like(count), count.astype(np.float64))


def _cased(law: Callable[[Texts], Texts]) -> Callable[[Parts], Parts]:
    """Letters of ASCII alone: some others become two, and some depend on their neighbours."""

    def cased(parts: Parts) -> Parts:
        kind = _kinds(parts, parts.among(*_STRINGS), parts.kind)
        plain = as_mask(pc.string_is_ascii(parts.text)) | (kind == ERROR)
        return Parts(np.where(plain, kind, UNKNOWN).astype(np.int8), law(parts.text), parts.mark)

    return cased


upper: Final = _cased(pc.ascii_upper)
lower: Final = _cased(pc.ascii_lower)


def concatenated(strings: Sequence[Parts]) -> Parts:
    """CONCAT: the tag is kept where every argument has it; what gets long is UNKNOWN."""
    first = strings[0]
    good, same, known = (np.full(len(first), True) for _ in range(3))
    size = np.zeros(len(first), np.int64)
    for parts in strings:
        good &= parts.among(*_STRINGS, UNKNOWN)
        known &= parts.kind != UNKNOWN
        same &= (parts.kind == first.kind) & as_mask(pc.equal(parts.mark, first.mark))
        size += pc.binary_length(parts.text).to_numpy()
    short = size <= _LONG
    texts = (pc.if_else(pa.array(short), parts.text, "") for parts in strings)
    kind = np.where(known & short, np.where(same, first.kind, SIMPLE), UNKNOWN)
    kind = np.where(good, kind, ERROR).astype(np.int8)
    mark = pc.if_else(pa.array(kind == TAGGED), first.mark, "")
    return Parts(kind, pc.binary_join_element_wise(*texts, ""), mark)


def substring(first: int, count: int | None = None) -> Callable[[Parts], Parts]:
    """SUBSTR from a constant place, counted from 1; a start before it uses up some of `count`."""
    start, stop = max(first - 1, 0), None
    if count is not None:
        stop = min(start + max(count + min(first - 1, 0), 0), _FAR)

    def cut(parts: Parts) -> Parts:
        kind = _kinds(parts, parts.among(*_STRINGS), parts.kind)
        text = pc.utf8_slice_codeunits(parts.text, min(start, _FAR), stop)
        return Parts(kind, text, parts.mark)

    return cut


# ---- tests with a constant -------------------------------------------------------------------


def test(name: str, wanted: Literal) -> Callable[[Parts], Ternary]:
    """STRSTARTS, STRENDS and CONTAINS: what has a tag is looked for where it is the same."""
    law, text, tag = _TESTS[name], str(wanted), wanted.language

    def said(parts: Parts) -> Ternary:
        compatible = parts.among(*_STRINGS)
        if tag:
            compatible = parts.among(TAGGED) & as_mask(pc.equal(parts.mark, tag))
        return _answer(parts, compatible, as_mask(law(parts.text, pattern=text)))

    return said


_TESTS: Final[dict[str, Callable[..., Any]]] = {
    "STRSTARTS": pc.starts_with,
    "STRENDS": pc.ends_with,
    "CONTAINS": pc.match_substring,
}


def language_matches(wanted: str) -> Callable[[Parts], Ternary]:
    """LANGMATCHES: the range is a prefix of the tag, of whole subtags."""
    prefix = wanted.lower()

    def matches(parts: Parts) -> Ternary:
        simple, tag = parts.among(SIMPLE), pc.ascii_lower(parts.text)
        if prefix == "*":
            return _answer(parts, simple, as_mask(pc.not_equal(tag, "")))
        found = pc.or_(pc.equal(tag, prefix), pc.starts_with(tag, pattern=f"{prefix}-"))
        answer = _answer(parts, simple, as_mask(found))
        other = simple & ~as_mask(pc.string_is_ascii(parts.text))
        return np.where(other, OPEN, answer).astype(np.int8)

    return matches


def regex(pattern: str, flags: str = "") -> Callable[[Parts], Ternary]:
    """REGEX: a plain pattern is a string test; others are for the engine, text by text."""
    plain = None if flags else _plainly(pattern)

    def matches(parts: Parts) -> Ternary:
        string = parts.among(*_STRINGS)
        said = np.full(len(parts), ERROR, np.int8)
        texts = parts.text.filter(pa.array(string))
        said[string] = plain(texts) if plain else _by_engine(pattern, flags, texts)
        return np.where(parts.kind == UNKNOWN, OPEN, said).astype(np.int8)

    return matches


def _plainly(pattern: str) -> Callable[[Texts], Mask] | None:
    """A test for characters that stand for themselves, maybe after ^ or before $."""
    begins, ends = pattern.startswith("^"), pattern.endswith("$")
    text = pattern[begins : len(pattern) - ends]
    if _SPECIAL.search(text) or len(text) > _LONG:
        return None
    match begins, ends:
        case True, True:
            return lambda texts: as_mask(pc.equal(texts, text))
        case True, False:
            return lambda texts: as_mask(pc.starts_with(texts, pattern=text))
        case False, True:
            return lambda texts: as_mask(pc.ends_with(texts, pattern=text))
    return lambda texts: as_mask(pc.match_substring(texts, pattern=text))


def _by_engine(pattern: str, flags: str, texts: Texts) -> Ternary:
    return np.array([_matches(pattern, flags, text) for text in texts.to_pylist()], np.int8)


def _matches(pattern: str, flags: str, text: str) -> int:
    try:
        return int(compile_pattern(pattern, flags).matches(text))
    except ExpressionError:
        return ERROR


# ---- comparisons -----------------------------------------------------------------------------


def same(a: Parts, b: Parts) -> Ternary:
    """SAMETERM."""
    found = (a.kind == b.kind) & as_mask(
        pc.and_(pc.equal(a.text, b.text), pc.equal(a.mark, b.mark))
    )
    found = np.where((a.kind == UNKNOWN) | (b.kind == UNKNOWN), OPEN, found)
    return np.where((a.kind == ERROR) | (b.kind == ERROR), ERROR, found).astype(np.int8)


def equal(a: Parts, b: Parts) -> Ternary:
    """a = b: of typed literals it takes their values to tell, unless the other has a tag, or is
    none."""
    answer = same(a, b)
    values = a.among(SIMPLE, TYPED) & b.among(SIMPLE, TYPED) & (a.among(TYPED) | b.among(TYPED))
    return np.where(values, OPEN, answer).astype(np.int8)


def among(parts: Parts, wanted: Texts, *, simple: bool) -> Ternary:
    """One of IRIs and strings; a typed literal is none of them, but may not be told from one that
    is `simple` where its value is not known."""
    found = as_mask(pc.is_in(written(parts), value_set=wanted)).astype(np.int8)
    if simple:
        found[parts.among(TYPED)] = OPEN
    found[parts.among(UNKNOWN)] = OPEN
    return np.where(parts.kind == ERROR, ERROR, found).astype(np.int8)


def unequal(a: Parts, b: Parts) -> Ternary:
    """a != b."""
    answer = equal(a, b)
    return np.where((answer == 0) | (answer == 1), 1 - answer, answer).astype(np.int8)


def ordered(law: Law) -> Callable[[Parts, Parts], Ternary]:
    """a < b, and the like: UTF-8 orders as characters do; only values have an order."""

    def order(a: Parts, b: Parts) -> Ternary:
        said = as_mask(law(a.text, b.text))
        simple = a.among(SIMPLE) & b.among(SIMPLE)
        values = a.among(SIMPLE, TYPED, UNKNOWN) & b.among(SIMPLE, TYPED, UNKNOWN)
        found = np.where(simple, said, np.where(values, OPEN, ERROR))
        return found.astype(np.int8)

    return order


COMPARISONS: Final[dict[str, Callable[[Parts, Parts], Ternary]]] = {
    "=": equal,
    "!=": unequal,
    "<": ordered(pc.less),
    "<=": ordered(pc.less_equal),
    ">": ordered(pc.greater),
    ">=": ordered(pc.greater_equal),
}

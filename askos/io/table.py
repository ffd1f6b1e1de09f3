"""Answers as a table for the terminal.

What differs looks different, and what is shortened says so by an ellipsis.  Terms are spelled as in
SPARQL: strings in quotes, numbers bare; numbers of a type that SPARQL has no bare spelling for have
it in the heading, if all of their column are of that type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, TypeAlias

from askos.interval import moment
from askos.screen import visible, width
from askos.terms import XSD, BNode, Literal, Term, URIRef, n3, parse_term, spell

Cell: TypeAlias = str | int | bool | None
"""A term in N-Triples, an instant, the answer of ASK, or nothing."""

_NUMBERS: Final = frozenset((
    XSD.double, XSD.float, XSD.int, XSD.long, XSD.short, XSD.byte, XSD.nonNegativeInteger,
    XSD.positiveInteger, XSD.nonPositiveInteger, XSD.negativeInteger, XSD.unsignedLong,
    XSD.unsignedInt, XSD.unsignedShort, XSD.unsignedByte,
))  # fmt: skip
"""Types of numbers, but for those whose bare spelling is their own: integer and decimal."""
_NUMERAL: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|-?INF|NaN")
# Other lexical forms that nothing else has.
_BARE: Final = {
    XSD.dateTime: re.compile(r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]{5})?"),
    XSD.date: re.compile(r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}(?:Z|[+-][0-9:]{5})?"),
}
_CANONICAL: Final = re.compile(r"-?[1-9]\.[0-9]+E(-?[0-9]{1,2})")
_FRACTION: Final = re.compile(r"([+-]?)([0-9]*)\.([0-9]+)(.*)", re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_DIGITS: Final = 9
_FIRST_DIGITS: Final = 6
_LONGEST: Final = 200


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    prefixes: Mapping[str, str] | None = None,
) -> str:
    """Aligned columns: numbers to the right, IRIs by prefix, instants as times of day in UTC.

    >>> third = '"0.333333333333333333"^^<%s>' % XSD.decimal
    >>> print(table(["turbine", "note", "mean", "ts"], [["<http://e/T1>", '"5"', third, 0]],
    ...             {"": "http://e/"}))
    turbine  note       mean  ts
    :T1      "5"   0.333333…  1970-01-01T00:00:00Z
    """
    known = {"xsd": str(XSD), **(prefixes or {})}
    found = [[_term(value) for value in row] for row in rows]
    shown = [
        _column(name, [row[place] for row in found], known) for place, name in enumerate(columns)
    ]
    lines = zip(*map(_aligned, shown), strict=True) if shown else [()] * (1 + len(rows))
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _term(value: Cell) -> Term | int | None:
    return parse_term(value) if isinstance(value, str) else value


def _column(
    name: str, cells: Sequence[Term | int | None], prefixes: Mapping[str, str]
) -> list[str]:
    """The heading and the cells of a column, as they are shown."""
    kind = _common_type(cells)
    if kind is not None:
        texts = ["" if cell is None else _shortened(str(cell)) for cell in cells]
        return [f"{name} ({_short(kind, prefixes)})", *texts]
    return [name, *(_text(cell, prefixes) for cell in cells)]


def _common_type(cells: Sequence[Term | int | None]) -> URIRef | None:
    """The type that numbers of a column have in the heading, and not each by itself."""
    bound = [cell for cell in cells if cell is not None]
    kinds = {cell.datatype if isinstance(cell, Literal) else None for cell in bound}
    kind = kinds.pop() if len(kinds) == 1 else None
    numbers = kind in _NUMBERS and all(_NUMERAL.fullmatch(str(cell)) for cell in bound)
    return kind if numbers else None


def _text(cell: Term | int | None, prefixes: Mapping[str, str]) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return "yes" if cell else "no"
        case URIRef():
            return _short(cell, prefixes)
        case BNode():
            return visible(n3(cell))
        case Literal():
            return _literal(cell, prefixes)
    return moment(cell)


def _literal(literal: Literal, prefixes: Mapping[str, str]) -> str:
    kind = literal.datatype
    bare = _BARE.get(kind) if kind else None
    if spell(literal) == str(literal) or (bare and bare.fullmatch(literal)):
        return _shortened(str(literal))
    start = visible(n3(Literal(literal[:_LONGEST])))
    text = start if len(literal) <= _LONGEST else f"{start}…"
    if literal.language:
        return f"{text}@{literal.language}"
    return text if kind is None else f"{text}^^{_short(kind, prefixes)}"


def _shortened(number: str) -> str:
    """A number with all of its digits, or the first of them and an ellipsis.

    >>> _shortened("51.507351"), _shortened("55.1163333333"), _shortened("5.51163333333E1")
    ('51.507351', '55.1163…', '55.1163…')
    >>> _shortened("0.00001"), _shortened("12345678901.25"), _shortened("1.000000001E99")
    ('0.00001', '12345678901.2…', '1.00000…E99')
    """
    canonical = _CANONICAL.fullmatch(number)
    if canonical and -5 <= int(canonical[1]) < 15:
        number = f"{Decimal(number):f}"
    found = _FRACTION.fullmatch(number)
    if found is None:
        return number
    sign, whole, fraction, rest = found.groups()
    significant = (whole + fraction).lstrip("0")
    if len(significant) <= _DIGITS:
        return number
    zeros = len(whole + fraction) - len(significant)
    kept = max(zeros + _FIRST_DIGITS - len(whole), 1)
    return f"{sign}{whole}.{fraction[:kept]}…{rest}"


def _short(iri: URIRef, prefixes: Mapping[str, str]) -> str:
    for prefix, start in prefixes.items():
        rest = iri.removeprefix(start)
        if rest != iri and _NAME.fullmatch(rest):
            return f"{prefix}:{rest}"
    return f"<{visible(iri)}>"


def _aligned(column: Sequence[str]) -> list[str]:
    """The texts of a column with spaces to one width: numbers to the right."""
    most = max(map(width, column))
    right = len(column) > 1 and all(not c or _is_number(c) for c in column[1:])
    spaces = [" " * (most - width(text)) for text in column]
    return [s + t if right else t + s for s, t in zip(spaces, column, strict=True)]


def _is_number(text: str) -> bool:
    return _NUMERAL.fullmatch(text.replace("…", "")) is not None

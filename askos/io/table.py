"""Answers as a table for the terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from askos.interval import moment
from askos.terms import XSD, Literal, URIRef, parse_term

_TIMES: Final = ("ts", "te", "at")
_NUMBERS: Final = {str(kind) for kind in (XSD.double, XSD.float, XSD.decimal)}
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str | int | None]],
    prefixes: Mapping[str, str] | None = None,
) -> str:
    """Aligned columns: numbers to the right, IRIs by prefix, instants as times of day in UTC.

    >>> print(table(["turbine", "mean", "ts"], [['<http://e/T1>', '"1.5"^^<%s>' % XSD.decimal, 0]],
    ...             {"": "http://e/"}))
    turbine   mean  ts
    :T1      1.500  1970-01-01T00:00:00Z
    """
    cells = [
        [_cell(name, value, prefixes or {}) for name, value in zip(columns, row, strict=True)]
        for row in rows
    ]
    right = [
        all(_is_number(row[place]) or not row[place] for row in cells) and bool(cells)
        for place in range(len(columns))
    ]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if at_right else cell.ljust(width)
            for cell, width, at_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in [list(columns), *cells]
    ]
    return "\n".join(lines)


def _is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"-?[0-9.]+", cell))


def _cell(name: str, value: str | int | None, prefixes: Mapping[str, str]) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return moment(value) if name in _TIMES else str(value)
    match parse_term(value):
        case URIRef() as iri:
            return _short(iri, prefixes)
        case Literal() as literal if str(literal.datatype) in _NUMBERS:
            return _number(literal)
        case term:
            return str(term)


def _number(literal: Literal) -> str:
    try:
        return f"{float(str(literal)):.3f}"
    except (ValueError, OverflowError):
        return str(literal)


def _short(iri: URIRef, prefixes: Mapping[str, str]) -> str:
    for prefix, start in prefixes.items():
        rest = iri.removeprefix(start)
        if rest != iri and _NAME.fullmatch(rest):
            return f"{prefix}:{rest}"
    return f"<{iri}>"

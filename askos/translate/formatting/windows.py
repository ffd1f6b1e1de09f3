"""Windows and durations in the words of each dialect."""

from __future__ import annotations

from typing import Final

from askos.translate import ast
from askos.translate.dialect import Dialect

_SIZES: Final = (604_800_000, 86_400_000, 3_600_000, 60_000, 1_000, 1)  # a week .. 1 ms
# By size; "" where the dialect has no such unit.
_UNITS: Final = {
    Dialect.STREAMING: (" WEEK", " DAY", " HOUR", " MINUTE", " S", " MS"),
    Dialect.CSPARQL: ("", "d", "h", "m", "s", "ms"),
    Dialect.CQELS: ("", "d", "h", "m", "s", "ms"),
    Dialect.SPARQLSTREAM: ("", " DAYS", " HOURS", " MINUTES", " S", " MS"),
}
_ISO: Final = (("P{}D", 86_400_000), ("PT{}H", 3_600_000), ("PT{}M", 60_000), ("PT{}S", 1_000))
_STEP: Final = {Dialect.CSPARQL: "STEP", Dialect.RSPQL: "STEP"}
_TUMBLING: Final = {Dialect.STREAMING: "FIXED", Dialect.CSPARQL: "TUMBLING"}
_COUNT: Final = {
    Dialect.STREAMING: "ELEMS",
    Dialect.CSPARQL: "RANGE TRIPLES",
    Dialect.RSPQL: "ELEMENTS",
}


def duration(length: int, dialect: Dialect) -> str:
    """Milliseconds in the largest unit of the dialect that keeps the number whole.

    >>> duration(5_400_000, Dialect.CSPARQL), duration(1_500, Dialect.RSPQL)
    ('90m', 'PT1.5S')
    """
    if dialect is Dialect.RSPQL:
        return _iso(length)
    units = zip(_SIZES, _UNITS.get(dialect, _UNITS[Dialect.STREAMING]), strict=True)
    size, unit = next((s, u) for s, u in units if u and length % s == 0)
    return f"{length // size}{unit}"


def _iso(length: int) -> str:
    for form, size in _ISO:
        if length % size == 0:
            return form.format(length // size)
    return f"PT{length // 1000}.{length % 1000:03}S".replace("00S", "S").replace("0S", "S")


def extent(window: ast.Window, dialect: Dialect) -> str:
    """A window without its brackets, or the word WINDOW; predicate windows have conditions, and
    are written where expressions are."""
    match window:
        case ast.TimeWindow(width, slide):
            return f"RANGE {duration(width, dialect)}{_slide(width, slide, dialect)}"
        case ast.CountWindow(count, step):
            word = _COUNT.get(dialect, "TRIPLES")
            return f"{word} {count}" + (f" {_STEP.get(dialect, 'SLIDE')} {step}" * (step > 1))
        case ast.NowWindow():
            return "NOW"
        case ast.AllWindow():
            return "ALL"
        case ast.PastWindow(start, end, slide):
            until = f" TO NOW - {duration(end, dialect)}" if end else ""
            every = f" SLIDE {duration(slide, dialect)}" if slide else ""
            return f"NOW - {duration(start, dialect)}{until}{every}"
    raise TypeError(f"{type(window)} is no window in brackets")


def _slide(width: int, slide: int | None, dialect: Dialect) -> str:
    if slide is None:
        return ""
    if slide == width and dialect in _TUMBLING:
        return f" {_TUMBLING[dialect]}"
    return f" {_STEP.get(dialect, 'SLIDE')} {duration(slide, dialect)}"


def is_clause(window: ast.Window, dialect: Dialect) -> bool:
    """Whether a window is written WINDOW .., as in Streaming SPARQL, and not in brackets."""
    match window:
        case ast.TimeWindow(_, slide):
            return dialect is Dialect.STREAMING and slide is not None
        case ast.CountWindow():
            return dialect is Dialect.STREAMING
    return isinstance(window, ast.PredicateWindow)

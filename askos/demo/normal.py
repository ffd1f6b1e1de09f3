"""Answers in a normal form: texts that are equal exactly where the answers mean the same.

Of answers in intervals all that counts is how often a row holds at each instant, and not into which
pieces its time was cut, or in which order they came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from askos.algebra import Answer, Intervals
from askos.algebra.streams import Item
from askos.interval import Interval, moment
from askos.prepared import Prepared
from askos.queries import Queries
from askos.spark import elements, reports
from askos.terms import Solution, Triple, n3


def answer_lines(session: Any, queries: Queries, answers: Path) -> Iterator[str]:
    """What the sink `answers` holds of all queries, those first whose name is."""
    for query in sorted(queries.queries, key=lambda query: query.name or ""):
        for line in _lines(session, query, answers):
            yield f"{query.name} {line}"


def _lines(session: Any, query: Prepared, answers: Path) -> Iterator[str]:
    if isinstance(query.report, Intervals):
        told = elements(session, answers, query, name=query.name)
        return interval_lines((row_text(each.item), each.interval) for each in told)
    return report_lines(reports(session, answers, query, name=query.name))


def interval_lines(held: Iterable[tuple[str, Interval]]) -> Iterator[str]:
    """Of each row from when to when it holds, and how often.

    >>> list(interval_lines([("a", Interval(0, 2000)), ("a", Interval(2000, 3000))]))
    ['[1970-01-01T00:00:00Z, 1970-01-01T00:00:03Z) 1 a']
    """
    changes: dict[str, Counter[int]] = {}
    for row, interval in held:
        own = changes.setdefault(row, Counter())
        own[interval.start] += 1
        own[interval.end] -= 1
    for row in sorted(changes):
        count = since = 0
        for at, change in sorted(changes[row].items()):
            if change:
                if count:
                    yield f"[{moment(since)}, {moment(at)}) {count} {row}"
                count, since = count + change, at


def report_lines(told: Iterable[Answer]) -> Iterator[str]:
    """Of each report its instant, then its rows in their order."""
    for answer in told:
        yield f"{moment(answer.at)} {len(answer.rows)} rows"
        for row in answer.rows:
            yield f"{moment(answer.at)} {row_text(row)}"


def row_text(item: Item) -> str:
    """An answer as one line.

    >>> from askos.terms import Literal, Variable
    >>> row_text(Solution({Variable("b"): Literal("x"), Variable("a"): Literal("1")}))
    '?a = "1", ?b = "x"'
    """
    if isinstance(item, Solution):
        return ", ".join(f"{n3(name)} = {n3(item[name])}" for name in sorted(item))
    if isinstance(item, Triple):
        return " ".join(map(n3, item))
    return str(item)

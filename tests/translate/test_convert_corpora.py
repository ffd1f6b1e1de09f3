"""Every query of the corpora in every dialect: the same meaning comes back, or the reason why
not."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from typing import Any

import pytest

from askos.algebra import Distinct, GraphAccess, Join, Operator, Pattern, Union, Values, Window
from askos.algebra import windows as algebra
from askos.algebra.operators.access import EmptyGraph
from askos.algebra.report import Report
from askos.errors import QueryError, UnsupportedError
from askos.terms import Literal
from askos.translate import Dialect, Difference, ast, create_plan, parse
from askos.translate import format as format_query
from askos.translate.convert.difference import notices_duplicates
from askos.translate.convert.windows import other_boundary, plain
from askos.translate.plan.reports import default_report
from tests.translate.test_corpora import EXCEPTIONS, PAPERS, identity, streams, w3c

BASE = "http://example.org/"
ANY = frozenset(Difference)
PARAMETERS = {"Name": Literal("Nora")}
PRINTED = [
    {"id": str(file.relative_to(PAPERS)), "path": file}
    for file in sorted(PAPERS.rglob("*.rq"))
    if file.parent.name != "refused"
]
CORPORA = [row for row in streams() if row["id"] not in EXCEPTIONS] + PRINTED

Meaning = tuple[Operator, Report | None]


def meaning(query: ast.Query, blind: Collection[Difference]) -> Meaning:
    """What the query means to somebody who does not see some differences."""
    report = None if Difference.REPORT in blind else default_report(query)
    return create_plan(query).transform(lambda node: _seen(node, blind)), report


def _seen(node: Operator, blind: Collection[Difference]) -> Operator:
    match node:
        case Window():
            own = plain(node)
            moved = isinstance(own, algebra.SteppedWindow) and own.until == 1
            twin = other_boundary(own) if moved and Difference.BOUNDARY in blind else None
            return twin or own
        case Distinct(Pattern() as inner) if Difference.DUPLICATES in blind:
            return inner
        case GraphAccess() if Difference.STATIC in blind:
            return EmptyGraph()
        case Join(other, Values((), ())) if Difference.STATIC in blind:
            return other
        case Union():
            return reduce(Union, _branches(node, blind))
    return node


def _branches(union: Operator, blind: Collection[Difference]) -> list[Operator]:
    """What a union is of, whatever the order; without what is never there."""
    if not isinstance(union, Union):
        return [union]
    found = [*_branches(union.left, blind), *_branches(union.right, blind)]
    empty = [b for b in found if isinstance(b, EmptyGraph) or b.inputs == (EmptyGraph(),)]
    kept = [b for b in found if b not in empty] if Difference.STATIC in blind else found
    return sorted(kept, key=repr) or found[:1]


def check(query: ast.Query, allow: Collection[Difference]) -> None:
    """`meaning(parse(format(q, d))) = meaning(q)` for every dialect, up to what is allowed; where
    a query cannot tell a set from a bag, up to that."""
    blind = {*allow} | ({Difference.DUPLICATES} if not notices_duplicates(query) else set())
    wanted = meaning(query, blind)
    refused: list[tuple[Dialect, UnsupportedError]] = []
    for dialect in Dialect:
        try:
            text = format_query(query, dialect=dialect, allow=allow)
        except UnsupportedError as error:
            refused.append((dialect, error))
            continue
        back = parse(text, base=BASE)
        assert back.dialect in (dialect, Dialect.SPARQL), text
        assert meaning(back, blind) == wanted, text
    assert query.dialect not in [dialect for dialect, _ in refused]
    assert all(error.line > 0 for _, error in refused), refused


def planned(row: dict[str, Any]) -> ast.Query | None:
    """The query of a row; None where it has no plan to compare."""
    query = parse(row["path"].read_text(encoding="utf-8"), base=BASE, parameters=PARAMETERS)
    try:
        create_plan(query)
        default_report(query)
    except (QueryError, UnsupportedError):
        return None
    return query


@pytest.mark.parametrize("allow", [(), ANY], ids=["strict", "all allowed"])
@pytest.mark.parametrize("row", CORPORA, ids=identity)
def test_the_same_meaning_comes_back_or_the_reason_why_not(
    row: dict[str, Any], allow: Collection[Difference]
) -> None:
    query = planned(row)
    if query is not None:
        check(query, allow)


def test_nearly_all_queries_of_the_corpora_are_compared() -> None:
    """So that the test above is not an empty one."""
    assert sum(planned(row) is None for row in CORPORA) <= len(CORPORA) // 10


@pytest.mark.thorough
@pytest.mark.parametrize("difference", Difference, ids=lambda each: each.value)
def test_each_difference_admits_itself_alone(difference: Difference) -> None:
    for row in CORPORA:
        query = planned(row)
        if query is not None:
            check(query, [difference])


@pytest.mark.thorough
def test_plain_queries_mean_the_same_in_every_dialect() -> None:
    for row in w3c():
        if row["kind"] != "syntax-negative":
            query = planned(row)
            if query is not None:
                check(query, ())

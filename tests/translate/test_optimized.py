"""Optimised plans, golden: every query of the papers."""

from __future__ import annotations

import pytest

from askos.explaining import explain
from askos.sources import Catalogue
from askos.translate import create_plan, optimize, parse
from tests.golden import Case, golden, update
from tests.translate.test_canonical import CATALOGUES, QUERIES

PAPERS = [(paper, case) for paper in CATALOGUES for case in golden(f"optimized/{paper}")]


def optimized(text: str, sources: Catalogue | None) -> str:
    query = parse(text)
    plan = optimize(create_plan(query, sources=sources), sources=sources)
    return explain(plan, query.prefixes)


@pytest.mark.parametrize(("paper", "case"), PAPERS, ids=str)
def test_the_queries_of_the_papers(paper: str, case: Case, pytestconfig: pytest.Config) -> None:
    text = (QUERIES / paper / case.input).read_text(encoding="utf-8")
    plan = optimized(text, CATALOGUES[paper])
    if pytestconfig.getoption("--update-golden"):
        update(f"optimized/{paper}", case, plan)
        return
    assert plan == case.plan


def test_every_query_of_the_papers_has_an_optimised_plan() -> None:
    files = {f"{f.parent.name}/{f.name}" for f in QUERIES.glob("*/*.rq")}
    assert {f"{paper}/{case.input}" for paper, case in PAPERS} == files

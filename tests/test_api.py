"""The functions of the package itself."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import askos
from askos.api import LEVELS
from askos.errors import QueryError

TEXT = """
PREFIX : <http://wind.example/>
SELECT ?t FROM STREAM :s WINDOW RANGE 10 MINUTE SLIDE
{ ?t :power ?p . ?t :site ?s FILTER (?p > 5 && 1 < 2) }
"""


@pytest.mark.parametrize("name", askos.__all__)
def test_every_name_the_package_offers_is_there(name: str) -> None:
    assert getattr(askos, name)


def test_explain_shows_the_levels_of_a_plan() -> None:
    canonical, optimized, physical = (askos.explain(TEXT, level=level) for level in LEVELS)
    assert "Filter ?p > 5 && 1 < 2" in canonical
    assert canonical.index("Filter") < canonical.index("Join")
    assert "Filter ?p > 5\n" in optimized
    assert optimized.index("Join") < optimized.index("Filter")
    assert "Exchange BY ?t" in physical
    assert "Exchange" not in optimized


def test_explain_takes_texts_trees_and_plans() -> None:
    tree = askos.parse(TEXT)
    plan = askos.create_plan(tree)
    prefixes = {"": "http://wind.example/"}
    assert askos.explain(TEXT) == askos.explain(tree) == askos.explain(plan, prefixes=prefixes)


def test_explain_writes_every_format_and_view() -> None:
    for view in ("plan", "ograph", "dgraph"):
        assert json.loads(askos.explain(TEXT, format="json", view=view))["nodes"]
        assert askos.explain(TEXT, format="mermaid", view=view).startswith("flowchart")
        ElementTree.fromstring(askos.explain(TEXT, format="svg", view=view))


def test_a_level_that_does_not_exist_is_refused() -> None:
    with pytest.raises(QueryError, match="one of canonical, optimized, physical"):
        askos.explain(TEXT, level="logical")  # type: ignore[arg-type]


def test_a_catalogue_tells_what_sources_there_are() -> None:
    known = askos.Catalogue().stream("http://wind.example/s", predicates=["http://wind.example/p"])
    with pytest.raises(QueryError, match="there is no source"):
        askos.create_plan(TEXT.replace(":s WINDOW", ":t WINDOW"), sources=known)

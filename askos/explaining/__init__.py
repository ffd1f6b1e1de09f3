"""Plans to look at: as text, JSON, Mermaid or SVG; as they are, or as C-SPARQL's graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from askos.algebra.names import Names
from askos.algebra.operator import Operator
from askos.errors import require
from askos.explaining.dgraph import denotational_graph
from askos.explaining.document import document
from askos.explaining.graph import Graph
from askos.explaining.mermaid import mermaid
from askos.explaining.ograph import operator_graph
from askos.explaining.plan import plan_graph
from askos.explaining.svg import svg
from askos.explaining.text import listing, outline

VIEWS: Final[Mapping[str, Callable[[Operator, Names], Graph]]] = {
    "plan": plan_graph,
    "ograph": operator_graph,
    "dgraph": denotational_graph,
}
FORMATS: Final[Mapping[str, Callable[[Graph], str]]] = {
    "text": listing,
    "json": document,
    "mermaid": mermaid,
    "svg": svg,
}


def explain(
    plan: Operator,
    prefixes: Mapping[str, str] | None = None,
    *,
    format: str = "text",
    view: str = "plan",
) -> str:
    """A plan to look at; `prefixes` shorten IRIs.

    Views: the `plan` itself, C-SPARQL's operator graph `ograph`, its denotational graph
    `dgraph`.  Formats: `text`, stable, so that plans are reviewed as diffs; `json`; a `mermaid`
    flowchart; a self-contained `svg` picture.

    >>> from askos.algebra import Join, Pattern, StreamAccess, SlidingWindow
    >>> from askos.terms import URIRef, Variable
    >>> wind = SlidingWindow(StreamAccess(URIRef("http://wind.example/")), 600_000, 60_000)
    >>> power = Pattern(Variable("t"), URIRef("http://wind.example/power"), Variable("p"), wind)
    >>> print(explain(power, {"": "http://wind.example/"}))
    Pattern ?t :power ?p
      SlidingWindow RANGE 10 MINUTE SLIDE 1 MINUTE
        StreamAccess <http://wind.example/>
    """
    require(view in VIEWS, f"explain: there is no view {view!r}", f"one of {', '.join(VIEWS)}")
    ok = format in FORMATS
    require(ok, f"explain: there is no format {format!r}", f"one of {', '.join(FORMATS)}")
    names = Names(prefixes or {})
    if (view, format) == ("plan", "text"):
        return outline(plan, names)
    return FORMATS[format](VIEWS[view](plan, names))

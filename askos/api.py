"""Functions of the package that need more than one part of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from askos.algebra import Operator
from askos.errors import require
from askos.explaining import explain as explain_plan
from askos.prepared import Prepared
from askos.sources import Catalogue
from askos.translate import ast, create_plan, optimize, parse

Level: TypeAlias = Literal["canonical", "optimized", "physical"]
LEVELS: Final[tuple[Level, ...]] = ("canonical", "optimized", "physical")


def explain(
    plan: Operator | ast.Query | str | Prepared,
    *,
    level: Level = "canonical",
    format: str = "text",
    view: str = "plan",
    sources: Catalogue | None = None,
    prefixes: Mapping[str, str] | None = None,
) -> str:
    """A plan, or the plan of a query, to look at; of a prepared one, what hosts run.

    `canonical` is the plan as `create_plan` makes it, or as it is given; `optimized` the plan
    after all rewrites; `physical` what the hosts run, with the exchanges between its stages.
    Formats and views are those of `askos.explaining`: text, json, mermaid, svg; plan,
    ograph, dgraph.

    >>> print(explain("SELECT ?s { ?s <power> ?p FILTER (1 < 2) }", level="optimized"))
    Project ?s
      Pattern ?s <power> ?p
        GraphAccess <urn:askos:default>
    """
    require(level in LEVELS, f"explain: there is no level {level!r}", f"one of {', '.join(LEVELS)}")
    if isinstance(plan, str):
        plan = parse(plan)
    if not isinstance(plan, Operator) and prefixes is None:
        prefixes = plan.prefixes
    return explain_plan(_at(plan, level, sources), prefixes, format=format, view=view)


def _at(plan: Operator | ast.Query | Prepared, level: Level, sources: Catalogue | None) -> Operator:
    match plan:
        case Prepared():
            canonical, optimized = plan.canonical, plan.plan
        case _:
            canonical = plan if isinstance(plan, Operator) else create_plan(plan, sources=sources)
            optimized = canonical if level == "canonical" else optimize(canonical, sources=sources)
    if level != "physical":
        return canonical if level == "canonical" else optimized
    from askos.physical import build  # numpy and pyarrow: only who asks for it loads them

    return build(optimized).tree()

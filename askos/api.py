"""Functions of the package that need more than one part of it."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent
from typing import Final, Literal, TypeAlias, Unpack

from askos.algebra import Operator
from askos.algebra.names import Names
from askos.errors import require
from askos.explaining import explain as explain_plan
from askos.prepared import Options, Prepared, prepare
from askos.queries import Texts, prepare_all
from askos.sources import Catalogue
from askos.translate import ast, create_plan, optimize, parse

Level: TypeAlias = Literal["canonical", "optimized", "physical"]
LEVELS: Final[tuple[Level, ...]] = ("canonical", "optimized", "physical")


def explain(
    plan: Operator | ast.Query | str | Prepared,
    /,
    *,
    level: Level = "canonical",
    format: str = "text",
    view: str = "plan",
    sources: Catalogue | None = None,
    prefixes: Mapping[str, str] | None = None,
    **options: Unpack[Options],
) -> str:
    """A plan, or the plan of a query, to look at; of a prepared one, what hosts run.

    `canonical` is the plan as `create_plan` makes it, or as it is given; `optimized` the plan
    after all rewrites; `physical` what the hosts run, with the exchanges between its stages and
    the report on top.  `options` are those of `askos.prepare`.
    Formats and views are those of `askos.explaining`: text, json, mermaid, svg; plan,
    ograph, dgraph.

    >>> print(explain("SELECT ?s { ?s <power> ?p FILTER (1 < 2) }", level="optimized"))
    Project ?s
      Pattern ?s <power> ?p
        GraphAccess <urn:askos:default>
    """
    require(level in LEVELS, f"explain: there is no level {level!r}", f"one of {', '.join(LEVELS)}")
    if isinstance(plan, str):
        plan = parse(plan, dialect=options.get("dialect"), base=options.get("base"))
    if not isinstance(plan, Operator) and prefixes is None:
        prefixes = plan.prefixes
    return explain_plan(_at(plan, level, sources, options), prefixes, format=format, view=view)


def stages(
    plan: Operator | ast.Query | str | Prepared,
    /,
    *,
    sources: Catalogue | None = None,
    **options: Unpack[Options],
) -> str:
    """What hosts run, in words, stage by stage: keys, what is fused, tables, and state kept; then
    what other engines are asked for the tables."""
    from askos.physical.summary import summary  # numpy and pyarrow: only who asks loads them
    from askos.planning import physical
    from askos.static.elsewhere import questions

    query = prepare(plan, sources=sources, **options)
    built = physical(query)
    there = [graph.iri for graph in query.sources.graphs if graph.evaluate]
    asked = [
        f"table {number} asks the engine of {Names(query.prefixes).text(graph)}\n  {text}"
        for number, table in enumerate(built.tables, 1)
        for graph, text in questions(table.plan, there)
    ]
    return "\n".join([summary(built, query.prefixes), *asked])


def shared(
    texts: Texts,
    /,
    *,
    buckets: int = 2,
    sources: Catalogue | None = None,
    **options: Unpack[Options],
) -> str:
    """What several queries that begin together do once for all of them: those that run as one, and
    the operators with state that others have in common.

    >>> wind = "SELECT {} FROM STREAM <wind> WINDOW RANGE 5 S FIXED {{ ?t <p> ?v . ?t <q> ?w }}"
    >>> most = wind.format("?t (MAX(?v - ?w) AS ?most)") + " GROUP BY ?t"
    >>> print(shared({"pairs": wind.format("*"), "most": most}))
    stage 1 of pairs and stage 1 of most share Join
    """
    from askos.common import common  # numpy and pyarrow: only who asks loads them

    return common(prepare_all(texts, sources=sources, **options), buckets)


def plans(
    plan: Operator | ast.Query | str | Prepared,
    /,
    *,
    sources: Catalogue | None = None,
    **options: Unpack[Options],
) -> str:
    """All physical plans of a query, the cheapest first: what a batch costs by estimate, why each
    runs as it does, its operators and exchanges, and its stages in words."""
    from askos.physical import tree  # numpy and pyarrow: only who asks for it loads them
    from askos.physical.choices import USUAL, microseconds
    from askos.physical.summary import summary
    from askos.planning import considered, physical

    query = prepare(plan, sources=sources, **options)
    runs, rows = physical(query), query.rows_per_batch or USUAL
    told = []
    for number, one in enumerate(considered(query), 1):
        cost = f"about {microseconds(one.cost)} a batch of {rows:,} rows"
        told.append(f"plan {number}, {one.name}: {cost}{', runs' * (one.plan == runs)}")
        told += [f"  why: {reason}" for reason in one.reasons]
        told.append(indent(explain_plan(tree(one.plan), query.prefixes), "  "))
        told.append(indent(summary(one.plan, query.prefixes), "  "))
    return "\n".join(told)


def _at(
    plan: Operator | ast.Query | Prepared, level: Level, sources: Catalogue | None, options: Options
) -> Operator:
    if level == "physical":
        from askos.physical import tree  # numpy and pyarrow: only who asks for it loads them
        from askos.planning import physical

        return tree(physical(prepare(plan, sources=sources, **options)))
    if isinstance(plan, Prepared):
        prepare(plan, **options)  # refuses those that say otherwise
        return plan.canonical if level == "canonical" else plan.plan
    canonical = plan if isinstance(plan, Operator) else _canonical(plan, sources, options)
    return canonical if level == "canonical" else optimize(canonical, sources=sources)


def _canonical(query: ast.Query, sources: Catalogue | None, options: Options) -> Operator:
    """Of the options only those of windows and reasoning matter before there is a report."""
    boundary, origin = options.get("boundary"), options.get("origin")
    reasoning = options.get("reasoning")
    return create_plan(
        query, sources=sources, boundary=boundary, origin=origin, reasoning=reasoning
    )

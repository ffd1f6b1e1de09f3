"""The stages of a physical plan in words: what each reads, runs and keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from math import factorial
from typing import Final

from askos.algebra import (
    AntiJoin,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    OnChange,
    Operator,
    SemiJoin,
    Slice,
)
from askos.algebra.names import Names
from askos.algebra.placement import ONE_BUCKET, placement
from askos.physical.ends import is_open
from askos.physical.nodes import (
    AdaptiveJoin,
    Closure,
    GroupOfPanes,
    Instances,
    OrderedJoin,
    OrderedLeftJoin,
    Panes,
    Products,
    Reporting,
    ScanJoin,
    Snapshot,
    Top,
)
from askos.physical.openends import OpenEnds, Pieces
from askos.physical.plan import Based, PhysicalPlan, Port, Reloadable, Stage
from askos.physical.sharing import keeps_state, operators
from askos.terms import n3

_FLOWS: Final = 24  # that are told


def summary(plan: PhysicalPlan, prefixes: Mapping[str, str] | None = None) -> str:
    """A paragraph a stage, in the order in which rows go through them.

    What a stage reads of a stream is fused into one fragment that runs where the data enters,
    before rows are sent to their buckets.  What a stage runs is fused too, and keeps the state of
    the operators that need some: one copy a bucket.  A table holds what reads no stream.

    >>> from askos.physical import build
    >>> from askos.translate import create_plan
    >>> text = "SELECT ?s FROM STREAM <s> WINDOW RANGE 5 S FIXED { ?s <p> ?o . ?s <q> ?n }"
    >>> print(summary(build(create_plan(text))))
    stage 1, by ?s
      reads stream <s>: SlidingWindow, Pattern ?s <p> ?o
      reads stream <s>: SlidingWindow, Pattern ?s <q> ?n
      runs Join, Project
      keeps state of Join
    """
    names = Names(prefixes or {})
    return "\n".join(line for stage in plan.stages for line in _stage(plan, stage, names))


def _stage(plan: PhysicalPlan, stage: Stage, names: Names) -> Iterator[str]:
    yield f"stage {stage.number + 1}, {_key(stage)}"
    for feed in stage.feeds:
        _, *fused = feed.line
        what = ", ".join(_named(node, names) for node in fused) or "its triples"
        yield f"  reads stream {names.text(feed.source)}: {what}"
    if plan.hashed and stage.feeds:
        yield "  gives a triple to the patterns that have its constant"
    for table in stage.tables:
        share = "all of it in every bucket" if table.everywhere else "each bucket its share"
        yield f"  takes in {_table(plan, table.table)}: {share}, for nothing here looks into it"
    for leaf in (node for node in stage.plan.walk() if isinstance(node, Reloadable)):
        yield f"  takes in {_table(plan, leaf.number)}: each bucket its share, as it is reloaded"
    for base in _bases(stage):
        key = " ".join(map(n3, plan.tables[base.table].key))
        how = "each bucket tells of its share" if base.share else f"by {key}" if key else "as it is"
        yield f"  looks into {_table(plan, base.table)}: {how}"
    for number, _ in stage.upstream:
        yield f"  reads stage {number + 1}"
    every = list(operators(stage.plan))
    inside = [node for node in every if not isinstance(node, Port | Based | Reloadable | OpenEnds)]
    yield f"  runs {', '.join(type(node).__name__ for node in inside) or 'nothing more'}"
    yield from (f"  {line}" for node in every for line in _choice(node, names))
    for node in (node for node in every if _looks_up(node, stage)):
        yield f"  {type(node).__name__} looks up who is there up to every cut: their ends are open"
    kept = [type(node).__name__ for node in inside if keeps_state(node)]
    yield f"  keeps state of {', '.join(kept)}" if kept else "  keeps no state"


def _choice(node: Operator, names: Names) -> Iterator[str]:
    """Why an operator runs as it does, where there was a choice."""
    match node:
        case Snapshot():
            yield f"evaluates {_named(node.plan, names)} anew at every change: it has no kernel"
        case Products():
            yield "groups each input by itself: pairs, several a row, are not made"
        case GroupOfPanes():
            yield "takes in panes: elements of one interval are added up where they enter"
        case OpenEnds(Reloadable() as leaf):
            yield f"gives rows of table {leaf.number + 1} once, and what a reload changes"
        case OpenEnds():
            yield f"gives elements of {type(node.input).__name__} once, and ends as they are known"
        case Pieces():
            yield "cuts what has an open end into pieces, up to now: who reads them knows all ends"
        case AdaptiveJoin():
            yield from _flows(node)
        case ScanJoin():
            yield "compares all pairs, whatever their keys"
        case OrderedJoin() | OrderedLeftJoin():
            yield "takes one element at a time"


def _flows(node: AdaptiveJoin) -> Iterator[str]:
    """The left-deep data flows of an adaptive join, as far as there is room for them."""
    flows = (" ⋈ ".join(map(str, flow)) for flow in islice(node.flows, _FLOWS))
    more = ", …" * (factorial(len(node.below)) > _FLOWS)
    yield f"takes the flow that finds fewest, batch by batch: {', '.join(flows)}{more}"


def _looks_up(node: Operator, stage: Stage) -> bool:
    """Whether partners may be taken back."""
    kinds = LeftJoin | SemiJoin | AntiJoin | MarkJoin | Minus
    return isinstance(node, kinds) and is_open(node.right, {*stage.open})


def _key(stage: Stage) -> str:
    """By what its rows are spread; if they are not, for whose sake."""
    if stage.key:
        return f"by {' '.join(map(n3, stage.key))}"
    needs = next((what for node in operators(stage.plan) if (what := _needs_all(node))), None)
    return "one bucket" if needs is None else f"one bucket: {needs}"


def _needs_all(node: Operator) -> str | None:
    """Why an operator must see all rows, if it must."""
    match node:
        case Reporting(OnChange()):
            return "a report on change tells of all rows"
        case Reporting(has_order=True):
            return "a report in order has all rows"
        case Port() | Based() | Reloadable() | Instances() | Reporting() | Products() | Panes():
            return None
        case OpenEnds() | Pieces() | AdaptiveJoin():
            return None
        case Top():
            return None if node.by or node.whole else "Top of all rows"
        case Closure():
            return "Closure needs all rows"
        case GroupOfPanes():
            return None if node.keys else "GroupOfPanes of all rows"
        case Snapshot():
            node = node.plan
        case OrderedJoin() | ScanJoin():
            node = Join(node.left, node.right)
        case OrderedLeftJoin():
            node = LeftJoin(node.left, node.right, node.condition)
    if placement(node) != ONE_BUCKET:
        return None
    name = type(node).__name__
    if isinstance(node, Group | Slice):
        return f"{name} of all rows"
    if len(node.inputs) == 2:
        return f"the sides of {name} have no variable in common that is always bound"
    return f"{name} needs all rows"


def _table(plan: PhysicalPlan, number: int) -> str:
    columns = " ".join(map(n3, sorted(plan.tables[number].plan.variables))) or "triples"
    return f"table {number + 1} of {columns}"


def _bases(stage: Stage) -> list[Based]:
    """The tables that operators look into, where rows enter and inside the stage."""
    plans = [feed.plan for feed in stage.feeds] + [stage.plan]
    found = [node for plan in plans for node in plan.walk() if isinstance(node, Based)]
    return list({base.table: base for base in found}.values())


def _named(node: Operator, names: Names) -> str:
    if type(node).__name__.endswith("Window"):
        return type(node).__name__
    return f"{type(node).__name__} {node.label(names)}".rstrip()

"""From the logical plan to the physical one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from askos.algebra import (
    Clock,
    Constant,
    Extend,
    Join,
    OnChange,
    Operator,
    Payload,
    Periodic,
    Report,
    Slice,
)
from askos.algebra.answer import answer_columns
from askos.algebra.depth import check_depth
from askos.algebra.expansion import without_paths
from askos.algebra.expressions.instant import uses_instant
from askos.algebra.placement import (
    Spread,
    constants,
    ranking,
)
from askos.errors import UnsupportedError
from askos.physical import estimates
from askos.physical.arrivals import times_as_columns
from askos.physical.choices import USUAL, Choices, Chooser, Taken
from askos.physical.cut import Cut
from askos.physical.live import Live
from askos.physical.offers import OFFERS
from askos.physical.plan import INTERVALS, PhysicalPlan, Stage
from askos.physical.stages import Builder
from askos.physical.times import with_times
from askos.terms import Variable


def planned(
    plan: Operator,
    report: Report | None = None,
    columns: tuple[Variable, ...] | None = None,
    clock: Clock | None = None,
    rows: int | None = None,
    choices: Choices | None = None,
) -> tuple[PhysicalPlan, tuple[Taken, ...]]:
    """Cut a logical plan into stages; and what was chosen on the way.

    What needs no state runs where the data enters; what reads no stream is a table, evaluated
    once, and a join with it needs no state.  Operators with state are fused into one stage as
    long as some variable is a key of all of them: equal keys meet in one bucket, so a star of
    joins on ?turbine needs one exchange.  Where no key is left, the rows of the input go through
    an exchange into a further stage; an operator without any key gets one bucket.

    `clock` says when a periodic report begins and ends, where `plan` is not canonical; `rows` how
    many rows are expected a batch, where that is known; `choices` what is to be chosen, whatever
    it costs.
    """
    report = report or INTERVALS
    check(plan, report)
    columns = answer_columns(plan) if columns is None else columns
    cut, payload = Cut.of(plan, report), plan.payload
    clock = (clock or Clock.of(plan)) if isinstance(report, Periodic) else None
    plan = times_as_columns(plan).transform(_expanded).transform(without_paths)
    check_depth(plan)
    told = report if isinstance(report, Periodic | OnChange) else None
    plan = ranked(plan) if told else plan
    chooser = Chooser(rows or USUAL, choices or Choices())
    builder = Builder(Live(plan), chooser, isinstance(report, Periodic))
    part = builder.reported(plan, told, columns) if told else builder.whole(plan)
    keys = frozenset(columns) if part.spread.keys is None else part.spread.keys
    builder.close(replace(part, spread=Spread(keys)))
    stages = tuple(with_times(builder.stages))
    _choose_matcher(stages, chooser)
    built = PhysicalPlan(
        columns,
        stages,
        cut,
        tuple(builder.tables),
        payload,
        _cuts(stages),
        report,
        clock,
        chooser.ways,
    )
    return built, tuple(chooser.taken)


def _cuts(stages: Sequence[Stage]) -> bool:
    """Whether answers come in pieces that may be joined."""
    nodes = [node for stage in stages for node in stage.plan.walk() if isinstance(node, Operator)]
    return any(OFFERS[type(node)].cuts(node) for node in nodes if type(node) in OFFERS)


def _choose_matcher(stages: Sequence[Stage], chooser: Chooser) -> None:
    """How triples find their patterns, where several read the same stream."""
    read = {replace(feed, port=0) for stage in stages for feed in stage.feeds}
    lines = [count for count in Counter(feed.source for feed in read).values() if count > 1]
    if lines:
        options = estimates.patterns(lines, chooser.rows)
        chooser.choose(f"{sum(lines)} patterns", list(options))


# ---- what is refused -------------------------------------------------------------------------


def check(plan: Operator, report: Report = INTERVALS) -> None:
    """Refuse, before anything starts, what no host can run."""
    check_depth(plan)
    if uses_instant(plan) and not isinstance(report, Periodic):
        raise UnsupportedError(
            f"NOW() has no value in {report!r}",
            hint="NOW() is the instant of a report: ask for a periodic one",
        )


def ranked(plan: Operator) -> Operator:
    """A plan whose rows have an order as a slice of all of them: only slices know ranks."""
    whole = Slice(0, None, plan) if plan.payload is Payload.SOLUTION else plan
    return whole if ranking(whole) and not isinstance(plan, Slice) else plan


def _expanded(plan: Operator) -> Operator:
    """A ⋈ {{?g → name}} binds constants: no join is needed."""
    found = constants(plan) if isinstance(plan, Join) else None
    if found is None:
        return plan
    rows, table = found
    for variable, term in zip(table.columns, table.rows[0], strict=True):
        if term is not None:
            rows = Extend(variable, Constant(term), rows)
    return rows

"""Offers: how each operator of the algebra is run.

One table, total over the algebra: a test says which operator it forgot.  By which keys an
operator's rows may be spread stands beside it, in `askos.algebra.placement`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from askos.algebra import (
    AggregateClauses,
    AntiJoin,
    Ask,
    Construct,
    CopyNumber,
    CountWindow,
    Describe,
    Distinct,
    EmptyGraph,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    OrderBy,
    Path,
    Pattern,
    PredicateWindow,
    Project,
    Reduced,
    SemiJoin,
    Slice,
    SlidingWindow,
    Static,
    SteppedWindow,
    StreamAccess,
    Union,
    Values,
)
from askos.algebra import Operator as LogicalOperator
from askos.columns.coder import Coder
from askos.physical.adaptivejoin import AdaptiveJoinOperator
from askos.physical.aggregateclauses import AggregateClausesOperator
from askos.physical.antijoin import AntiJoinOperator
from askos.physical.ask import AskOperator
from askos.physical.closure import ClosureOperator
from askos.physical.copynumber import CopyNumberOperator
from askos.physical.countwindow import CountWindowOperator
from askos.physical.distinct import DistinctOperator
from askos.physical.extend import ExtendOperator
from askos.physical.filter import FilterOperator
from askos.physical.folds.compile import adds_up
from askos.physical.group import GroupOperator
from askos.physical.join import JoinOperator
from askos.physical.latest import LatestOperator
from askos.physical.leftjoin import LeftJoinOperator
from askos.physical.markjoin import MarkJoinOperator
from askos.physical.minus import MinusOperator
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
    side_of,
)
from askos.physical.openends import OpenEnds, Pieces
from askos.physical.operator import Operator
from askos.physical.orderedjoin import OrderedJoinOperator
from askos.physical.orderedleftjoin import OrderedLeftJoinOperator
from askos.physical.orderedreport import OrderedReportOperator
from askos.physical.panes import GroupOfPanesOperator, PanesOperator
from askos.physical.pattern import PatternOperator
from askos.physical.pieces import PiecesOperator
from askos.physical.plan import Reloadable
from askos.physical.predicatewindow import PredicateWindowOperator
from askos.physical.products import ProductsOperator
from askos.physical.project import ProjectOperator
from askos.physical.rankedreport import RankedReportOperator
from askos.physical.reporting import ReportOperator
from askos.physical.same import SameOperator
from askos.physical.semijoin import SemiJoinOperator
from askos.physical.slice import SliceOperator
from askos.physical.snapshot import SnapshotOperator
from askos.physical.template import TemplateOperator
from askos.physical.timing import Timing
from askos.physical.union import UnionOperator
from askos.physical.window import WindowOperator

Make: TypeAlias = Callable[[Any, Coder, Timing], Operator]


def always(plan: LogicalOperator) -> bool:
    """Every one of its kind."""
    return True


@dataclass(frozen=True, slots=True)
class Offer:
    """How an operator is run.

    `make` gives the physical operator; None where it never runs as such: a leaf, what stages
    are made of otherwise, or what has no kernel yet and is served by Snapshot.  `linear`: it
    needs no state.  `cuts`: whether it emits pieces, and promises the cut.  `native`: whether the
    kernel serves this very one; if not, Snapshot does.  `partial`: what every bucket can do by
    itself before its rows go to one.  `open_ends`: which inputs may have them (see `openends`); of
    what needs no state all.
    """

    make: Make | None = None
    linear: bool = False
    cuts: Callable[[Any], bool] = lambda plan: False
    native: Callable[[Any], bool] = lambda plan: True
    partial: Callable[[LogicalOperator], LogicalOperator] | None = None
    open_ends: Callable[[Any], Sequence[bool]] = lambda plan: ()


LEAF: Final = Offer(linear=True)
SERVED: Final = Offer(native=lambda plan: False)
"""By Snapshot."""
EXPANDED: Final = Offer()
"""Into others: CONSTRUCT is the distinct of its template's instances, a slice is one with what it
ranks by, a path is joins, unions and closures."""
TIME_WINDOW: Final = Offer(
    lambda plan, coder, timing: WindowOperator(plan, timing.grid), linear=True
)


def _all(plan: LogicalOperator) -> Sequence[bool]:
    return (True,) * len(plan.inputs)


def _partners(plan: LogicalOperator) -> Sequence[bool]:
    """Those who are looked up."""
    return False, True


def _group(plan: Group) -> Sequence[bool]:
    return (all(adds_up(made.value) for made in plan.aggregates),)


def _products(plan: Products) -> Sequence[bool]:
    """The sides of which only such aggregates are taken that add up."""
    others = [made for made in plan.made.values() if not adds_up(made)]
    return [all(side_of(made, plan.below) != n for made in others) for n in range(len(plan.below))]


def _distinct(plan: Distinct, coder: Coder, timing: Timing) -> Operator:
    return LatestOperator(plan, coder, timing.cut) if plan.times else DistinctOperator(plan)


def _report(plan: Reporting, coder: Coder, timing: Timing) -> Operator:
    if plan.ordered is not None:
        return OrderedReportOperator(plan, coder, timing)
    ranked = plan.descending is not None
    return RankedReportOperator(plan, timing) if ranked else ReportOperator(plan, timing)


def _open_ends(plan: OpenEnds, coder: Coder, timing: Timing) -> Operator:
    match plan.input:
        case CountWindow() as window:
            return CountWindowOperator(window, timing, open_ends=True)
        case PredicateWindow() as window:
            return PredicateWindowOperator(window, timing, open_ends=True)
    raise TypeError(f"the ends of {type(plan.input).__name__} are not open")


OFFERS: Final[dict[type[LogicalOperator], Offer]] = {
    AdaptiveJoin: Offer(lambda plan, coder, timing: AdaptiveJoinOperator(plan), open_ends=_all),
    AggregateClauses: Offer(
        lambda plan, coder, timing: AggregateClausesOperator(plan, coder, timing.cut), cuts=always
    ),
    AntiJoin: Offer(
        lambda plan, coder, timing: AntiJoinOperator(plan, timing.cut),
        cuts=always,
        open_ends=_partners,
    ),
    Ask: Offer(
        lambda plan, coder, timing: AskOperator(timing.cut),
        cuts=always,
        partial=lambda plan: Distinct(Project((), plan)),  # whether there is anything here
    ),
    Closure: Offer(lambda plan, coder, timing: ClosureOperator(plan, coder, timing.limit)),
    Construct: EXPANDED,
    CopyNumber: Offer(
        lambda plan, coder, timing: CopyNumberOperator(plan), native=lambda plan: not plan.times
    ),
    CountWindow: Offer(lambda plan, coder, timing: CountWindowOperator(plan, timing), cuts=always),
    Describe: SERVED,
    Distinct: Offer(_distinct, cuts=lambda plan: bool(plan.times)),
    EmptyGraph: LEAF,
    Extend: Offer(lambda plan, coder, timing: ExtendOperator(plan, coder), linear=True),
    Filter: Offer(lambda plan, coder, timing: FilterOperator(plan), linear=True),
    GraphAccess: LEAF,
    Group: Offer(
        lambda plan, coder, timing: GroupOperator(plan, coder, timing.cut),
        cuts=always,
        open_ends=_group,
    ),
    GroupOfPanes: Offer(
        lambda plan, coder, timing: GroupOfPanesOperator(plan, coder, timing.cut), cuts=always
    ),
    Instances: Offer(lambda plan, coder, timing: TemplateOperator(plan, coder), linear=True),
    Join: Offer(lambda plan, coder, timing: JoinOperator(plan), open_ends=_all),
    LeftJoin: Offer(
        lambda plan, coder, timing: LeftJoinOperator(plan, timing.cut),
        cuts=always,
        open_ends=_partners,
    ),
    MarkJoin: Offer(
        lambda plan, coder, timing: MarkJoinOperator(plan, timing.cut),
        cuts=always,
        open_ends=_partners,
    ),
    Minus: Offer(
        lambda plan, coder, timing: MinusOperator(plan, timing.cut),
        cuts=always,
        open_ends=_partners,
    ),
    OpenEnds: Offer(_open_ends),
    OrderBy: Offer(lambda plan, coder, timing: SameOperator(), linear=True),
    OrderedJoin: Offer(lambda plan, coder, timing: OrderedJoinOperator(plan)),
    OrderedLeftJoin: Offer(
        lambda plan, coder, timing: OrderedLeftJoinOperator(plan, timing.cut), cuts=always
    ),
    Panes: Offer(lambda plan, coder, timing: PanesOperator(plan, coder), linear=True),
    Path: EXPANDED,
    Pattern: Offer(lambda plan, coder, timing: PatternOperator(plan, coder), linear=True),
    Pieces: Offer(lambda plan, coder, timing: PiecesOperator(timing.cut), cuts=always),
    PredicateWindow: Offer(
        lambda plan, coder, timing: PredicateWindowOperator(plan, timing), cuts=always
    ),
    Products: Offer(
        lambda plan, coder, timing: ProductsOperator(plan, coder, timing.cut),
        cuts=always,
        open_ends=_products,
    ),
    Project: Offer(lambda plan, coder, timing: ProjectOperator(plan), linear=True),
    Reloadable: Offer(cuts=always),  # a leaf that has tables: see Fragment
    Reporting: Offer(_report),
    Reduced: Offer(lambda plan, coder, timing: SameOperator(), linear=True),
    ScanJoin: Offer(lambda plan, coder, timing: JoinOperator(plan), open_ends=_all),
    SemiJoin: Offer(
        lambda plan, coder, timing: SemiJoinOperator(plan, timing.cut),
        cuts=always,
        open_ends=_partners,
    ),
    Slice: EXPANDED,
    SlidingWindow: TIME_WINDOW,
    Snapshot: Offer(SnapshotOperator, cuts=always),
    Static: LEAF,
    SteppedWindow: TIME_WINDOW,
    StreamAccess: LEAF,
    Top: Offer(lambda plan, coder, timing: SliceOperator(plan, coder, timing.cut), cuts=always),
    Union: Offer(lambda plan, coder, timing: UnionOperator(), linear=True),
    Values: LEAF,
}

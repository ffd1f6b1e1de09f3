"""From the logical plan to the physical one: which operators share an exchange."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from askos.algebra import (
    Aggregate,
    Expression,
    Filter,
    Group,
    Intervals,
    Join,
    LeftJoin,
    Operator,
    Pattern,
    Payload,
    Project,
    Ref,
    Report,
    SlidingWindow,
    SteppedWindow,
    StreamAccess,
    Union,
)
from askos.columns.expressions import check_hosted
from askos.errors import UnsupportedError
from askos.physical.cut import Cut
from askos.physical.group import check_offered
from askos.physical.merge import Pairing
from askos.physical.plan import Feed, PhysicalPlan, Port, Stage
from askos.terms import Variable

_LINEAR = (SlidingWindow, SteppedWindow, Pattern, Filter, Project)
_STATEFUL = (Join, LeftJoin, Group)
_OFFERED = (StreamAccess, Union, *_LINEAR, *_STATEFUL)


def build(plan: Operator, report: Report | None = None) -> PhysicalPlan:
    """Cut a logical plan into stages.

    What needs no state runs where the data enters.  Operators with state are fused into one
    stage as long as some variable is a key of all of them: equal keys meet in one bucket, so a
    star of joins on ?turbine needs one exchange.  Where no key is left, the rows of the input
    go through an exchange into a further stage; an operator without any key gets one bucket.
    """
    _check(plan)
    builder = _Builder()
    fragment = builder.fragment(plan)
    keys = plan.variables if fragment.keys is None else fragment.keys
    builder.close(replace(fragment, keys=keys))
    columns = plan.columns if isinstance(plan, Project) else tuple(sorted(plan.variables))
    return PhysicalPlan(columns, tuple(builder.stages), Cut.of(plan, report))


def check_report(report: Report | None) -> Report | None:
    """Refuse the reports that no host gives yet: a plan can be cut for them already."""
    if report is not None and not isinstance(report, Intervals):
        raise UnsupportedError(
            f"{type(report).__name__} reports are not offered by the hosts yet",
            hint="ask for intervals: each answer with the time [ts, te) during which it holds",
        )
    return report


def _check(plan: Operator) -> None:
    if plan.payload is not Payload.SOLUTION:
        raise UnsupportedError(f"a query for {plan.payload.value} is not offered by the hosts yet")
    for node in plan.walk():
        if isinstance(node, Operator) and not isinstance(node, _OFFERED):
            raise UnsupportedError(
                f"{type(node).__name__} is not offered by the hosts yet",
                hint="the reference evaluation, askos.algebra.reference, offers everything",
            )
        if isinstance(node, Expression):
            check_hosted(node)
        if isinstance(node, Aggregate):
            check_offered(node)
        if isinstance(node, Pattern) and node.stamps:
            raise UnsupportedError("timestamp() is not offered by the hosts yet")


@dataclass(frozen=True, slots=True)
class _Fragment:
    """Part of a stage to be: a plan with ports for leaves, and the variables that may still be
    its key; None while any will do, because it has no state."""

    plan: Operator
    keys: frozenset[Variable] | None


@dataclass(slots=True)
class _Builder:
    stages: list[Stage] = field(default_factory=list)
    feeds: dict[int, tuple[Feed, ...]] = field(default_factory=dict)
    upstream: dict[int, int] = field(default_factory=dict)
    ports: int = 0

    def fragment(self, plan: Operator) -> _Fragment:
        lines = list(_lines(plan))
        if None not in lines:
            return self._fed(plan, [line for line in lines if line is not None])
        match plan:
            case Join(left, right) | LeftJoin(left, right):
                keys = frozenset(Pairing.of(left, right).key)
            case Group():
                keys = frozenset(b.variable for b in plan.keys if b.value == Ref(b.variable))
            case Union():
                return self._union(plan)
            case _:
                below = self.fragment(plan.inputs[0])
                return replace(below, plan=_with_inputs(plan, [below.plan]))
        return self._fused(plan, list(map(self.fragment, plan.inputs)), keys)

    def _fed(self, plan: Operator, lines: list[Operator]) -> _Fragment:
        """Nothing here needs state: a port that the streams feed directly."""
        port = self._port(plan)
        self.feeds[port.number] = tuple(Feed(line, port.number) for line in lines)
        return _Fragment(port, None)

    def _fused(
        self, plan: Operator, inputs: list[_Fragment], keys: frozenset[Variable]
    ) -> _Fragment:
        """One stage with those inputs that leave a common key, an exchange for the others."""
        below = []
        for logical, fragment in zip(plan.inputs, inputs, strict=True):
            # A key that a projection hides spreads the rows, but they do not show it any more.
            common = keys if fragment.keys is None else keys & fragment.keys & logical.variables
            fits = bool(common) or fragment.keys is None or not (keys or fragment.keys)
            below.append(fragment.plan if fits else self.close(fragment))
            keys = common if fits else keys
        return _Fragment(_with_inputs(plan, below), keys)

    def _union(self, plan: Union) -> _Fragment:
        inputs = list(map(self.fragment, plan.inputs))
        first = next(f.keys for f in inputs if f.keys is not None)
        return self._fused(plan, inputs, first)

    def close(self, fragment: _Fragment) -> Port:
        """Make the fragment a stage; the port stands for its output in the next one."""
        number = len(self.stages)
        ports = [node.number for node in fragment.plan.walk() if isinstance(node, Port)]
        self.stages.append(
            Stage(
                number,
                tuple(sorted(fragment.keys or ())),
                fragment.plan,
                tuple(feed for port in ports for feed in self.feeds.get(port, ())),
                tuple((self.upstream[port], port) for port in ports if port in self.upstream),
            )
        )
        port = self._port(fragment.plan)
        self.upstream[port.number] = number
        return port

    def _port(self, plan: Operator) -> Port:
        self.ports += 1
        return Port(self.ports - 1, tuple(sorted(plan.variables)), tuple(sorted(plan.bound)))


def _with_inputs(plan: Operator, inputs: list[Operator]) -> Operator:
    match plan:
        case Join() | LeftJoin() | Union():
            left, right = inputs
            return replace(plan, left=left, right=right)
        case Group() | Filter() | Project():
            return replace(plan, input=inputs[0])
    raise TypeError(f"{type(plan).__name__} is not part of a stage")


def _lines(plan: Operator) -> Iterator[Operator | None]:
    """The plan as a union of lines, each from one stream up; None where it needs state.

    Everything linear distributes over union, time windows included: what an element becomes
    depends on it alone.
    """
    match plan:
        case StreamAccess():
            yield plan
        case Union(left, right):
            yield from _lines(left)
            yield from _lines(right)
        case _ if isinstance(plan, _LINEAR):
            for line in _lines(plan.input):
                yield None if line is None else replace(plan, input=line)
        case _:
            yield None

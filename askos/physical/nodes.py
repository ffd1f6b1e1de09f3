"""Operators that only a physical plan has: other ways to run those of the algebra."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from askos.algebra import (
    Aggregate,
    Binding,
    Construct,
    OnChange,
    Operator,
    Payload,
    Periodic,
    SortKey,
    Template,
)
from askos.algebra.names import Names, duration
from askos.algebra.operators.binding import never_fails
from askos.algebra.operators.conditional import ConditionalJoin
from askos.algebra.operators.pattern import Position
from askos.static.given import Given
from askos.terms import BNode, Variable, n3


@dataclass(frozen=True, slots=True)
class Snapshot(Operator):
    """One operator that has no kernel, evaluated by the law at every instant at which an input
    changed: `plan` is that operator over given rows, with the patterns of its EXISTS; a slice comes
    with all that it ranks by.  `every`: it uses NOW(), so at every report instant."""

    plan: Operator
    below: tuple[Operator, ...]
    every: bool = False

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.below

    @property
    def payload(self) -> Payload:
        return self.plan.payload

    @property
    def variables(self) -> frozenset[Variable]:
        return self.plan.variables

    @property
    def bound(self) -> frozenset[Variable]:
        return self.plan.bound

    def label(self, names: Names) -> str:
        every = " AT EVERY REPORT" if self.every else ""
        return " < ".join(_line(node, names) for node in _chain(self.plan)) + every


@dataclass(frozen=True, slots=True)
class _Joining(Operator):
    """What joins otherwise than a Join does."""

    left: Operator
    right: Operator

    @property
    def variables(self) -> frozenset[Variable]:
        return self.left.variables | self.right.variables

    @property
    def bound(self) -> frozenset[Variable]:
        return self.left.bound | self.right.bound


@dataclass(frozen=True, slots=True)
class OrderedJoin(_Joining):
    """A join that takes one element at a time, where few are expected at a time."""


@dataclass(frozen=True, slots=True)
class ScanJoin(_Joining):
    """A join that compares all pairs, whatever keys they have."""


@dataclass(frozen=True, slots=True)
class AdaptiveJoin(Operator):
    """A join of all inputs, in an order that is chosen batch by batch."""

    below: tuple[Operator, ...]

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.below

    @property
    def key(self) -> tuple[Variable, ...]:
        """The variables that every input certainly binds."""
        return tuple(sorted(frozenset.intersection(*(part.bound for part in self.below))))

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset[Variable]().union(*(part.variables for part in self.below))

    @property
    def bound(self) -> frozenset[Variable]:
        return frozenset[Variable]().union(*(part.bound for part in self.below))

    @property
    def flows(self) -> Iterator[tuple[int, ...]]:
        """The left-deep data flows: in which orders the inputs may meet, counted from 1 on."""
        return permutations(range(1, len(self.below) + 1))


@dataclass(frozen=True, slots=True)
class OrderedLeftJoin(ConditionalJoin):
    """A left join of that kind."""


@dataclass(frozen=True, slots=True)
class Closure(Operator):
    """`p+` from a term or between two variables: `step` are the columns of the input that say from
    where to where one step leads."""

    subject: Position
    object: Variable
    step: tuple[Variable, Variable]
    below: tuple[Operator, ...]

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.below

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(v for v in (self.subject, self.object) if isinstance(v, Variable))

    @property
    def bound(self) -> frozenset[Variable]:
        return self.variables

    def label(self, names: Names) -> str:
        return f"{names.text(self.subject)} {names.text(self.object)}"


@dataclass(frozen=True, slots=True)
class Top(Operator):
    """A slice with all that it ranks by: rows in the order of `keys`, then in the total order of
    their `columns`, which is all that is left of them; of each group `by`, `limit` from `offset`
    on.  `distinct`: every row once, at its first rank.  `keyed`: the values of the keys stay, as
    hidden columns."""

    offset: int
    limit: int | None
    keys: tuple[SortKey, ...]
    columns: tuple[Variable, ...]
    certain: tuple[Variable, ...]
    below: tuple[Operator, ...]
    by: tuple[Variable, ...] = ()
    distinct: bool = False
    keyed: bool = False

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.below

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(self.columns)

    @property
    def bound(self) -> frozenset[Variable]:
        return frozenset(self.certain)

    @property
    def whole(self) -> bool:
        """Whether it leaves nothing out: then rows need not meet."""
        return self.limit is None and not self.offset and not self.distinct

    def label(self, names: Names) -> str:
        limit = "" if self.limit is None else f"LIMIT {self.limit}"
        offset = f"OFFSET {self.offset}" if self.offset else ""
        by = " ".join(("BY", *map(n3, self.by))) if self.by else ""
        order = " ".join(("ORDER BY", *(key.text(names) for key in self.keys))) if self.keys else ""
        columns = " ".join(("DISTINCT" * self.distinct, *map(n3, self.columns))).strip()
        return " ".join(part for part in (columns, by, order, limit, offset) if part)


def side_of(aggregate: Aggregate, parts: Sequence[Operator]) -> int | None:
    """The first input that has all variables of an aggregate; COUNT(*) looks at none of them."""
    sides = (n for n, part in enumerate(parts) if aggregate.variables <= part.variables)
    return None if aggregate.expression is None else next(sides, None)


@dataclass(frozen=True, slots=True)
class _Grouping(Operator):
    """What groups otherwise than a Group does: by variables alone."""

    keys: tuple[Variable, ...]
    aggregates: tuple[Binding, ...]

    @property
    def made(self) -> Mapping[Variable, Aggregate]:
        """The aggregates by name."""
        found = ((binding.variable, binding.value) for binding in self.aggregates)
        return {name: value for name, value in found if isinstance(value, Aggregate)}

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset([*self.keys, *(binding.variable for binding in self.aggregates)])

    def label(self, names: Names) -> str:
        made = ", ".join(binding.text(names) for binding in self.aggregates)
        return f"BY {' '.join(map(n3, self.keys)) or '()'}" + (f": {made}" if made else "")


@dataclass(frozen=True, slots=True)
class Products(_Grouping):
    """γ(A ⋈ B ⋈ …) by partial groups of each input, so that no pairs are made: by `keys`, those
    that all inputs have being `shared`."""

    shared: tuple[Variable, ...]
    below: tuple[Operator, ...]

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.below

    @property
    def bound(self) -> frozenset[Variable]:
        certain = frozenset[Variable]().union(*(part.bound for part in self.below))
        made = [b.variable for b in self.aggregates if never_fails(b.value, certain)]
        return certain & frozenset(self.keys) | frozenset(made)

    def label(self, names: Names) -> str:
        return f"{_Grouping.label(self, names)} JOINED BY {' '.join(map(n3, self.shared))}"


@dataclass(frozen=True, slots=True)
class Panes(_Grouping):
    """Elements of one group that have the same interval, as one row: what each brings to the
    aggregates is added up, as far as that is exact."""

    input: Operator

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(self.keys)

    @property
    def bound(self) -> frozenset[Variable]:
        return frozenset(self.keys) & self.input.bound


@dataclass(frozen=True, slots=True)
class GroupOfPanes(_Grouping):
    """γ over rows that `Panes` have made of their elements."""

    certain: tuple[Variable, ...]
    below: tuple[Operator, ...]

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.below

    @property
    def bound(self) -> frozenset[Variable]:
        return frozenset(self.certain)


@dataclass(frozen=True, slots=True)
class Reporting(Operator):
    """What is told of the answer, and when: the top of the last stage.

    `ordered` is what gives the rows of a report their order, over given rows; `descending` says it
    of rows that have their sort keys in hidden columns: which of these descend."""

    report: Periodic | OnChange
    columns: tuple[Variable, ...]
    below: tuple[Operator, ...]
    ordered: Operator | None = None
    descending: tuple[bool, ...] | None = None

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return self.below

    @property
    def has_order(self) -> bool:
        """Whether its rows have places."""
        return self.ordered is not None or self.descending is not None

    @property
    def payload(self) -> Payload:
        return (self.ordered or self.below[0]).payload

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(self.columns)

    def label(self, names: Names) -> str:
        report = self.report
        chain = [] if self.ordered is None else list(_chain(self.ordered))
        shown = [_line(node, names) for node in chain if _line(node, names) != "Slice"]
        order = f" IN ORDER OF {' < '.join(shown)}" if shown else " IN ORDER" * self.has_order
        return f"{report.kind.value} {when(report)}{' NON-EMPTY' * report.nonempty}{order}"


def when(report: Periodic | OnChange) -> str:
    """When there are reports, in words."""
    if isinstance(report, OnChange):
        return "ON CHANGE"
    origin = f" FROM {report.origin}" if report.origin else ""
    return f"EVERY {' AND '.join(duration(period) for period in report.every)}{origin}"


def _chain(plan: Operator) -> Iterator[Operator]:
    while not isinstance(plan, Given):
        yield plan
        if not plan.inputs:
            return
        plan = plan.inputs[0]


def _line(plan: Operator, names: Names) -> str:
    return f"{type(plan).__name__} {plan.label(names)}".rstrip()


@dataclass(frozen=True, slots=True)
class Instances(Operator):
    """The triples of a CONSTRUCT template, not yet a set; `copy` numbers equal solutions where
    the template has blank nodes."""

    template: tuple[Template, ...]
    site: str
    copy: Variable | None
    input: Operator

    @property
    def payload(self) -> Payload:
        return Payload.TRIPLE

    @property
    def blanks(self) -> frozenset[BNode]:
        """The blank nodes of the template."""
        return Construct(self.template, self.input, self.site).blanks

    def label(self, names: Names) -> str:
        return f"{{ {' . '.join(triple.text(names) for triple in self.template)} }}"

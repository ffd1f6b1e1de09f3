"""Arrival times as columns: a plan without timestamp(), for hosts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final, TypeAlias

from askos.algebra import (
    AntiJoin,
    Binding,
    Call,
    Coalesce,
    Constant,
    Construct,
    CopyNumber,
    Describe,
    Distinct,
    Exists,
    Expression,
    Extend,
    Group,
    If,
    Latest,
    MarkJoin,
    Minus,
    Node,
    Operator,
    OrderBy,
    Path,
    Pattern,
    Payload,
    Project,
    Ref,
    SemiJoin,
    Slice,
    StreamAccess,
    Timestamp,
    Union,
    Values,
    Window,
)
from askos.algebra.expressions.exists import mentioned
from askos.algebra.placement import plain_keys
from askos.terms import Stamp, URIRef, Variable, anonymous

Times: TypeAlias = Mapping[Stamp, tuple[Variable, ...]]
"""The columns that may hold arrival times, per variable and stream; the largest counts."""
Names: TypeAlias = frozenset[Variable]

NOTHING: Final[Names] = frozenset()
NEVER: Final = Coalesce(())
"""timestamp() of what no stream binds: an error."""


def times_as_columns(plan: Operator) -> Operator:
    """The same answers, with timestamp() left only right above the patterns that keep arrival
    times: σ_{timestamp(?v) < 5}(ν ⋈ ν′) = π(σ_{latest(?a, ?b) < 5}(ε_{?a := timestamp(?v, s)}(ν) ⋈
    ε_{?b := timestamp(?v, s)}(ν′))), with ?a and ?b new.

    Every pattern has columns of its own, so that no join looks at them, and the larger is taken
    where it is asked for.  Only what something above asks for is kept.
    """
    return _Rewriting().visible(plan)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A plan, and where in its solutions arrival times are."""

    plan: Operator
    times: Times = field(default_factory=dict)


class _Level:
    """An operator with EXISTS: its inputs, to which further columns can be added.

    A group lets no value of the outer solution in but those of its plain keys, and tells them as
    its own.  So every group inside EXISTS gets names of its own for the outer arrival times, and
    no two parts of the pattern have one in common by that.
    """

    def __init__(self, inputs: Sequence[_Kept], outer: _Outer | None) -> None:
        self._times = [dict(kept.times) for kept in inputs]
        self._times[0] = _merged([self._times[0], outer.times if outer else {}])
        self._outer = outer
        self._added: list[list[tuple[Variable, Latest]]] = [[] for _ in inputs]

    @property
    def names(self) -> Names:
        """What may come from outside into the patterns of EXISTS."""
        own = (column for times in self._times for found in times.values() for column in found)
        added = (variable for side in self._added for variable, _ in side)
        return frozenset([*own, *added]) | (self._outer.level.names if self._outer else NOTHING)

    def again(self, stamp: Stamp, fresh: Iterable[Variable]) -> tuple[Variable, ...]:
        """The outer arrival times of a variable under new names."""
        names = []
        for side, times, variable in zip(self._added, self._times, fresh, strict=False):
            if stamp in times:
                side.append((variable, Latest(times[stamp])))
                names.append(variable)
        return tuple(names)

    def extended(self, side: int, plan: Operator) -> Operator:
        """An input with the columns that were asked for."""
        for variable, value in self._added[side]:
            plan = Extend(variable, value, plan)
        return plan


@dataclass(frozen=True, slots=True)
class _Outer:
    """Inside EXISTS: the arrival times of the outer solution, as far as they can be seen."""

    times: Times
    level: _Level

    def through(self, columns: Collection[Variable]) -> _Outer:
        """What a sub-select lets in."""
        seen = {stamp: found for stamp, found in self.times.items() if stamp[0] in columns}
        return replace(self, times=seen)


class _Rewriting:
    """One plan; its new columns are numbered."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._columns: set[Variable] = set()

    def _fresh(self) -> Variable:
        return anonymous(f"#time{next(self._numbers)}")

    def _column(self) -> Variable:
        column = self._fresh()
        self._columns.add(column)
        return column

    # ---- nothing above asks ------------------------------------------------------------------

    def visible(self, plan: Operator, outer: _Outer | None = None) -> Operator:
        """The plan for whoever does not ask for arrival times."""
        if plan.payload is Payload.SOLUTION:
            return self._only(plan, self._kept(plan, NOTHING, outer), (), outer)
        return self._triples(plan)

    def _triples(self, plan: Operator) -> Operator:
        """What yields triples, or asks: times begin above it, or end in it."""

        def below(child: Node) -> Node:
            return self.visible(child) if isinstance(child, Operator) else self._said(child, {})

        return plan.map_children(below)

    def _only(
        self, plan: Operator, kept: _Kept, times: Collection[Variable], outer: _Outer | None
    ) -> Operator:
        """`kept` without arrival times but `times`.  Inside EXISTS, all that it mentions may
        come in from outside."""
        if kept.plan.variables <= {*plan.variables, *times}:
            return kept.plan
        if outer is None:
            return Project((*sorted(plan.variables), *times), kept.plan)
        hidden = self._columns - {*times} - outer.level.names
        return Project(tuple(sorted({*mentioned(kept.plan)} - hidden)), kept.plan)

    # ---- solutions ---------------------------------------------------------------------------

    def _kept(self, plan: Operator, asked: Names, outer: _Outer | None) -> _Kept:
        """The plan with columns for the arrival times of the variables `asked` for, at least."""
        match plan:
            case Pattern():
                return self._matched(plan, tuple(v for v in plan.stamps if v in asked))
            case Path() | Values():
                return _Kept(self._triples(plan))
            case Window(input):
                return self._over(plan, [self._kept(input, asked | _asked(plan), None)], None)
            case Project(columns, input):
                return self._project(plan, outer.through(columns) if outer else None)
            case Group():
                return self._group(plan, outer)
            case Distinct(input):
                return self._distinct(plan, self._kept(input, asked, outer), asked, outer)
            case Slice() | CopyNumber():
                return self._in_order(plan, asked, outer)
            case Minus(left, right):
                kept = self._kept(left, asked, outer)
                return replace(
                    kept, plan=replace(plan, left=kept.plan, right=self.visible(right, outer))
                )
        below = [self._kept(child, asked | _asked(plan), outer) for child in plan.inputs]
        if isinstance(plan, OrderBy) and asked:
            below = [self._normal(below[0])]  # above it, a further column would forget ranks
        made = self._over(plan, below, outer)
        if isinstance(plan, SemiJoin | AntiJoin | MarkJoin):
            return replace(made, times=below[0].times)
        return made

    def _over(self, plan: Operator, below: Sequence[_Kept], outer: _Outer | None) -> _Kept:
        """An operator over its inputs, its expressions looking at columns."""
        times = _merged([kept.times for kept in below])
        seen = _merged([times, outer.times if outer else {}])
        inside = _Outer(seen, _Level(below, outer)) if below else None
        said = {
            id(child): self._said(child, seen, inside)
            for child in plan.children
            if not isinstance(child, Operator)
        }
        inputs = iter(range(len(below)))

        def change(child: Node) -> Node:
            if not isinstance(child, Operator):
                return said[id(child)]
            side = next(inputs)
            assert inside is not None
            return inside.level.extended(side, below[side].plan)

        return _Kept(plan.map_children(change), times)

    def _project(self, plan: Project, inside: _Outer | None) -> _Kept:
        below = self._kept(plan.input, NOTHING, inside).plan
        let_in = set(mentioned(below)) & inside.level.names if inside else set()
        return _Kept(replace(plan, columns=(*plan.columns, *sorted(let_in)), input=below))

    def _group(self, plan: Group, outer: _Outer | None) -> _Kept:
        inside = None
        if outer is not None:
            seen = outer.through(plain_keys(plan)).times
            new = {s: outer.level.again(s, iter(self._fresh, None)) for s in seen}
            inside = replace(outer, times=new)
        made = self._over(plan, [self._kept(plan.input, _asked(plan), inside)], inside).plan
        assert isinstance(made, Group)
        let_in = set(mentioned(made)) & inside.level.names if inside else set()
        keys = tuple(Binding(v, Ref(v)) for v in sorted(let_in))
        return _Kept(replace(made, keys=(*made.keys, *keys)))

    def _distinct(self, plan: Distinct, below: _Kept, asked: Names, outer: _Outer | None) -> _Kept:
        times = {stamp: found for stamp, found in below.times.items() if stamp[0] in asked}
        columns = _columns(times)
        return _Kept(Distinct(self._only(plan, below, columns, outer), columns), times)

    def _in_order(self, plan: Slice | CopyNumber, asked: Names, outer: _Outer | None) -> _Kept:
        """Solutions that differ in arrival times alone are told apart by them, all of them."""
        if not asked & _stamped(plan.input):
            return _Kept(replace(plan, input=self.visible(plan.input, outer)))
        below = self._normal(self._kept(plan.input, plan.input.variables, outer))
        columns = _columns(below.times)
        rows = self._only(plan.input, below, columns, outer)
        return _Kept(replace(plan, input=rows, times=columns), below.times)

    def _normal(self, kept: _Kept) -> _Kept:
        """One column per variable and stream."""
        plan, times, known = (
            kept.plan,
            dict[Stamp, tuple[Variable, ...]](),
            dict[object, Variable](),
        )
        for stamp, columns in sorted(kept.times.items()):
            if len(columns) > 1 and columns not in known:
                known[columns] = self._column()
                plan = Extend(known[columns], Latest(columns), plan)
            times[stamp] = (known.get(columns, columns[0]),)
        return _Kept(plan, times)

    # ---- patterns ----------------------------------------------------------------------------

    def _matched(self, plan: Pattern, wanted: tuple[Variable, ...]) -> _Kept:
        """ν, and when its triples came.  ν is injective, so that a distinct below it can stand
        above."""
        if wanted and any(isinstance(node, Distinct) for node in _merge(plan.input)):
            match plan.input:
                case Distinct(input):
                    below = self._matched(replace(plan, input=input), wanted)
                    return self._distinct(Distinct(plan), below, frozenset(wanted), None)
                case Union(left, right):
                    sides = [self._matched(replace(plan, input=s), wanted) for s in (left, right)]
                    both = Union(sides[0].plan, sides[1].plan)
                    return _Kept(both, _merged([side.times for side in sides]))
        triples = self._triples(plan.input)
        accesses = (node for node in _merge(plan.input) if isinstance(node, StreamAccess))
        columns = {access.source: self._column() for access in accesses} if wanted else {}
        matched: Operator = replace(plan, input=triples, stamps=wanted[:1] if columns else ())
        for stream, column in columns.items():
            matched = Extend(column, Timestamp(wanted[0], stream), matched)
        if columns:
            matched = Project((*sorted(plan.variables), *columns.values()), matched)
        return _Kept(matched, {(v, s): (column,) for s, column in columns.items() for v in wanted})

    # ---- expressions -------------------------------------------------------------------------

    def _said(self, node: Node, times: Times, inside: _Outer | None = None) -> Node:
        """An expression over columns; `inside` is what its EXISTS see of the solution."""
        match node:
            case Timestamp(variable, stream):
                return _latest(variable, stream, times)
            case Exists(pattern) if inside is None or not _asked(node):
                return Exists(_unstamped(pattern))
            case Exists(pattern):
                return Exists(self._kept(pattern, NOTHING, inside).plan)
        return node.map_children(lambda child: self._said(child, times, inside))


def _latest(variable: Variable, stream: URIRef | Variable | None, times: Times) -> Expression:
    found = {source: columns for (v, source), columns in times.items() if v == variable}
    if isinstance(stream, Variable):
        chosen = (
            If(Call("SAMETERM", (Ref(stream), Constant(source))), Latest(columns), NEVER)
            for source, columns in sorted(found.items())
        )
        return Coalesce(tuple(chosen))
    columns = (c for source, own in found.items() if stream in (None, source) for c in own)
    unique = tuple(dict.fromkeys(columns))
    return Latest(unique) if unique else NEVER


def _merged(all_times: Iterable[Times]) -> dict[Stamp, tuple[Variable, ...]]:
    """The times of several inputs: any of their columns may hold the largest."""
    both: dict[Stamp, tuple[Variable, ...]] = {}
    for times in all_times:
        for stamp, columns in times.items():
            both[stamp] = tuple(dict.fromkeys((*both.get(stamp, ()), *columns)))
    return both


def _columns(times: Times) -> tuple[Variable, ...]:
    """Each column once, in the order of variables and streams."""
    return tuple(dict.fromkeys(c for _, columns in sorted(times.items()) for c in columns))


def _asked(plan: Node) -> Names:
    """The variables whose arrival times the expressions of an operator ask for, EXISTS too; or
    of which an expression does."""
    parts = [c for c in plan.children if not isinstance(c, Operator) or isinstance(plan, Exists)]
    nodes = (node for part in parts for node in part.walk())
    return frozenset(node.variable for node in nodes if isinstance(node, Timestamp))


def _stamped(plan: Operator) -> Names:
    """The variables that have arrival times in the solutions of a plan, at most."""
    nodes = (node for node in plan.walk() if isinstance(node, Pattern))
    return frozenset(v for node in nodes for v in node.stamps) & plan.variables


def _merge(plan: Operator) -> Iterable[Operator]:
    """What a graph of triples is merged from."""
    yield plan
    if not isinstance(plan, Construct | Describe):
        for child in plan.inputs:
            yield from _merge(child)


def _unstamped(plan: Operator) -> Operator:
    """A plan that nobody asks for arrival times."""

    def rule(node: Operator) -> Operator:
        return replace(node, stamps=()) if isinstance(node, Pattern) and node.stamps else node

    return plan.transform(rule)

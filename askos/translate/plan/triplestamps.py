"""timestamp(?s, ?p, ?o): when the copies of a triple came, as a column beside solutions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from askos.algebra import (
    TRUE,
    UNIT,
    And,
    Binding,
    Bound,
    Call,
    Constant,
    Exists,
    Expression,
    Filter,
    Group,
    If,
    Join,
    LeftJoin,
    Max,
    Not,
    Operator,
    Or,
    Project,
    Ref,
    Timestamp,
    Union,
)
from askos.algebra.operators.pattern import Position
from askos.terms import Variable, anonymous
from askos.translate import ast
from askos.translate.plan.access import streams_of
from askos.translate.plan.context import Context, is_stamp_column, is_triple_stamp
from askos.translate.plan.patterns import Positions, held


def with_triple_stamps(
    context: Context, plan: Operator, nodes: Iterable[ast.Expression]
) -> Operator:
    """A ⟕ γ_{s,p,o: max τ}(ν_{s,p,o}): `plan` beside the latest arrival of every triple that
    `nodes` ask for, among the valid copies in the streams of the active graph.

    What a solution may leave unbound is compared, not joined: it must stay unbound.
    """
    for lookup in _lookups(context, nodes):
        if lookup.column not in plan.variables:
            joined = lookup.named(plan.bound)
            plan = LeftJoin(plan, joined.copies, joined.same)
    return plan


def optional_with_triple_stamps(
    context: Context, plan: LeftJoin, nodes: Iterable[ast.Expression]
) -> LeftJoin:
    """The same for the condition of a left join, which sees pairs: beside the side that binds all
    that is asked for; else every pair has a copy of the triple, or it has none."""
    for lookup in _lookups(context, nodes):
        copies = lookup.named(lookup.wanted).copies
        if lookup.wanted <= plan.right.bound:
            plan = replace(plan, right=LeftJoin(plan.right, copies))
        elif lookup.wanted <= plan.left.bound:
            plan = replace(plan, left=LeftJoin(plan.left, copies))
        else:
            joined = lookup.named(frozenset())
            right = Join(plan.right, Union(joined.copies, UNIT))
            here, none = And(joined.same, plan.condition), And(lookup.none, plan.condition)
            plan = LeftJoin(plan.left, right, If(Bound(lookup.column), here, none))
    return plan


def without_triple_stamps(plan: Operator) -> Operator:
    """The solutions of a query without SELECT: when a triple came last is no part of them, so
    that a template's blank nodes stay what they are when another copy comes."""
    if not any(map(is_stamp_column, plan.variables)):
        return plan
    return Project(tuple(v for v in sorted(plan.variables) if not is_stamp_column(v)), plan)


@dataclass(frozen=True, slots=True)
class _Joined:
    """The copies of triples, and the condition under which one is the triple asked for."""

    copies: Operator
    same: Expression


@dataclass(frozen=True, slots=True)
class _Lookup:
    """A call of timestamp(s, p, o)."""

    context: Context
    column: Variable
    positions: Positions

    @property
    def wanted(self) -> frozenset[Variable]:
        """The variables whose values say which triple."""
        return frozenset(p for p in self.positions if isinstance(p, Variable))

    def named(self, joined: frozenset[Variable]) -> _Joined:
        """With the variables `joined` for what they stand for, and new ones for others."""
        places, same = list[Position](), list[Expression]()
        for number, position in enumerate(self.positions):
            last = number == 2 and not any(isinstance(p, Variable) for p in places)
            apart = position not in joined if isinstance(position, Variable) else last
            new = anonymous(f"{self.column[2:]}.{number}")
            places.append(new if apart else position)
            if apart:
                value = Ref(position) if isinstance(position, Variable) else Constant(position)
                same.append(Call("SAMETERM", (value, Ref(new))))
        return self._over((places[0], places[1], places[2]), same)

    def _over(self, places: Positions, same: Sequence[Expression]) -> _Joined:
        variables = tuple(dict.fromkeys(p for p in places if isinstance(p, Variable)))
        keeping = replace(self.context, stamps=frozenset(variables[:1]))
        copies = held(keeping, places, streams_of(self.context.active))
        condition = reduce(And, same) if same else TRUE
        if not self.wanted:  # a constant: a variable is there only to have a time
            copies, condition, variables = Filter(condition, copies), TRUE, ()
            latest = Max(Timestamp(_first(places)))
        else:
            latest = Max(Timestamp(variables[0]))
        keys = tuple(Binding(v, Ref(v)) for v in variables)
        return _Joined(Group(keys, (Binding(self.column, latest),), copies), condition)

    @property
    def none(self) -> Expression:
        """No copy of the triple is there: also where it is not said which."""
        pattern = held(
            replace(self.context, stamps=frozenset()),
            self.positions,
            streams_of(self.context.active),
        )
        unsaid: list[Expression] = [Not(Bound(v)) for v in sorted(self.wanted)]
        return reduce(Or, [*unsaid, Not(Exists(pattern))])


def _first(places: Positions) -> Variable:
    return next(p for p in places if isinstance(p, Variable))


def _lookups(context: Context, nodes: Iterable[ast.Expression]) -> Iterator[_Lookup]:
    if not streams_of(context.active):
        return
    samples = context.grouped.samples if context.grouped else {}
    for call in (call for node in nodes for call in _calls(node)):
        values = [term.value for term in call.arguments if isinstance(term, ast.Term)]
        s, p, o = (samples.get(v, v) if isinstance(v, Variable) else v for v in values)
        yield _Lookup(context, context.triple_stamp(call), (s, p, o))


def _calls(node: ast.Expression) -> Iterator[ast.Call]:
    """Those of an expression, or of the argument of an aggregate; EXISTS has its own, and the
    aggregates in an expression over groups have them below."""
    todo: list[ast.Node] = [node]
    if isinstance(node, ast.Aggregate):
        todo = [] if node.expression is None else [node.expression]
    while todo:
        part = todo.pop()
        if is_triple_stamp(part):
            assert isinstance(part, ast.Call)
            yield part
        elif not isinstance(part, ast.Exists | ast.Aggregate):
            todo.extend(reversed(tuple(part.parts())))

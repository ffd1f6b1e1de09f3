"""EXISTS of patterns that see outer values in other ways than by joining."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Final

from askos.algebra import (
    TRUE,
    UNIT,
    AggregateClauses,
    AntiJoin,
    Binding,
    Bound,
    Call,
    Coalesce,
    CopyNumber,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Node,
    Not,
    Operator,
    Or,
    Path,
    Pattern,
    Project,
    Reduced,
    Ref,
    SemiJoin,
    Slice,
    Static,
    Union,
    Values,
    Window,
)
from askos.algebra.expressions.exists import mentioned
from askos.algebra.operators.conditional import ConditionalJoin
from askos.algebra.operators.paths import (
    Alternative,
    Inverse,
    OneOrMore,
    PathExpression,
    Sequence,
    ZeroOrMore,
    ZeroOrOne,
)
from askos.algebra.placement import plain_keys
from askos.terms import Variable
from askos.translate.rules.lift_exists import lift_exists, lifted
from askos.translate.rules.mark_exists import can_hide, mark_exists
from askos.translate.rules.properties import (
    Variables,
    has_exists,
    is_ranked,
    keeps_stamps,
    names,
)
from askos.translate.rules.unnest_exists import pair
from askos.translate.rules.unnesting import (
    READERS,
    Fresh,
    changed,
    hidden,
    number_of,
    outside_exists,
    own_exists,
    replaced,
)


def number_exists(plan: Operator) -> Operator:
    """σ_{EXISTS B}(A) = π_A(A_n ⋉ π_n(B_n)), where A_n is A with a number n for what each solution
    binds of the variables of B, and B_n holds, for each number, the solutions of B with these
    bindings put in; likewise ▷ for NOT EXISTS, and a mark join for EXISTS anywhere else.

    The numbered bindings are joined to the leaves of B that they restrict, and n is carried
    through every operator above them: a key of joins, OPTIONAL, MINUS, groups and slices, for
    without it MINUS and OFFSET would mix solutions that belong to different numbers.  What each
    operator of B lets in is said in `askos.algebra.reference.substitute`.  A part of B without an
    outer variable is evaluated once.  An EXISTS inside B is treated alike, by the solutions of B
    and what is put into them: so from the outside in.

    Only where a stream is read; not where arrival times are kept, outside or inside.
    """
    return Numbering(Fresh(plan)).numbered(plan)


@dataclass(frozen=True, slots=True)
class Outer:
    """Outer solutions by number: a table with the number, which tells all the outer variables let
    in here."""

    number: tuple[Variable, ...] = ()
    names: Variables = frozenset()
    table: Operator = UNIT
    everywhere: bool = False
    """Whether they are let in below projections and groups too, as nothing in SPARQL is: what they
    stand for are constants."""

    def only(self, visible: Variables) -> Outer:
        """What is let in where only the `visible` are."""
        return self if self.everywhere else replace(self, names=self.names & visible)

    def of(self, variables: Set[Variable] = frozenset()) -> Operator:
        """The numbers with what is outside for these variables, every number once."""
        columns = *self.number, *sorted(self.names & variables)
        return Distinct(Project(columns, self.table))

    def concerns(self, plan: Operator) -> bool:
        """Whether the solutions of `plan` can differ from number to number."""
        return not self.names.isdisjoint(names(plan))

    def hide(self, plan: Operator, kept: Variables) -> Operator:
        """`plan` with the number and what is to be `kept`."""
        return hidden(plan, kept.union(self.number))

    def agreeing(self, plan: Operator, *computed: Variable) -> Operator:
        """`plan` without solutions that compute, for an outer variable, another value."""
        outside = self.names.intersection(computed)
        return SemiJoin(plan, self.of(outside)) if outside else plan


NOBODY: Final = Outer()


@dataclass(slots=True)
class _View:
    """What the expressions of an operator see: solutions that bind `variables`, in `input`, and
    outer values under other names, so that what a solution binds itself stays as it is."""

    input: Operator
    variables: Variables
    outside: Mapping[Variable, Variable] = field(default_factory=dict)
    marks: dict[Exists, Variable] = field(default_factory=dict)

    def value(self, variable: Variable) -> Expression:
        """What `variable` stands for: outer values go first."""
        if variable not in self.outside:
            return Ref(variable)
        outer = Ref(self.outside[variable])
        return Coalesce((outer, Ref(variable))) if variable in self.variables else outer

    def changed(self, node: Node) -> Node | None:
        match node:
            case Exists() if node in self.marks:
                return Ref(self.marks[node])
            case Ref(variable) if variable in self.outside:
                return self.value(variable)
            case Bound(variable) if variable in self.outside:
                outer = Bound(self.outside[variable])
                return Or(outer, node) if variable in self.variables else outer
        return None


@dataclass(frozen=True, slots=True)
class Numbering:
    """The rewrite of one plan; `fresh` names what it makes."""

    fresh: Fresh

    # ---- outside EXISTS -----------------------------------------------------------------

    def numbered(self, plan: Operator) -> Operator:
        """`plan`, inside no EXISTS, with joins for all of its own."""
        plan = mark_exists(lift_exists(plan, self.fresh), self.fresh)
        return outside_exists(plan, self._unnested)

    def _unnested(self, plan: Operator) -> Operator:
        if not isinstance(plan, READERS) or not own_exists(plan) or not can_hide(plan):
            return plan
        return self._reader(plan, plan.input, NOBODY)

    # ---- inside, by number --------------------------------------------------------------

    def solutions(self, plan: Operator, outer: Outer) -> Operator:
        """The solutions of `plan` with the outer values of each number put in, beside it."""
        if not outer.concerns(plan) and not is_ranked(plan):
            return Join(self.numbered(plan), outer.of())
        match plan:
            case Pattern() | Window():
                return Join(outer.of(plan.variables), plan)
            case Path():
                return self._path(plan, outer)
            case Values():
                return self._values(plan, outer)
            case Join(a, b):
                return Join(self._side(a, outer), self._side(b, outer))
            case Union(a, b):
                return Union(self.solutions(a, outer), self.solutions(b, outer))
            case Minus():
                return self._minus(plan, outer)
            case Project(columns, a):
                below = self.solutions(a, outer.only(frozenset(columns)))
                return Project((*columns, *outer.number), below)
            case Slice(input=a, by=by):
                return replace(plan, input=self.solutions(a, outer), by=(*by, *outer.number))
            case Distinct(a) | Reduced(a):
                return replace(plan, input=self.solutions(a, outer))
            case Static(a):
                return self.solutions(a, outer)
            case CopyNumber(variable, a):
                counted = CopyNumber(variable, self.solutions(a, outer))
                return outer.agreeing(counted, variable)
            case ConditionalJoin():
                return self._conditional(plan, outer)
            case Group():
                return self._group(plan, outer)
        assert isinstance(plan, READERS)
        return self._reader(plan, self.solutions(plan.input, outer), outer)

    def _side(self, plan: Operator, outer: Outer) -> Operator:
        """One side of a join of which the other has the numbers, if this one does not need them."""
        return self.solutions(plan, outer) if outer.concerns(plan) else self.numbered(plan)

    def _values(self, plan: Values, outer: Outer) -> Operator:
        # Outer values restrict a table; they do not fill what it leaves unbound.
        if plan.variables & outer.names <= plan.bound:
            return Join(outer.of(plan.variables), plan)
        return SemiJoin(Join(plan, outer.of()), outer.of(plan.variables))

    def _minus(self, plan: Minus, outer: Outer) -> Operator:
        left = self.solutions(plan.left, outer)
        if not outer.concerns(plan.right):
            return replace(plan, left=left, right=self.numbered(plan.right))
        right = self.solutions(plan.right, outer)
        return replace(plan, left=left, right=right, by=(*plan.by, *outer.number))

    def _conditional(self, plan: ConditionalJoin, outer: Outer) -> Operator:
        if has_exists(plan.condition):
            split = self.solutions(lifted(plan, self.fresh("number")), outer)
            return outer.hide(split, plan.variables)
        a, b = plan.left, plan.right
        view = self._view(plan, self.solutions(a, outer), a.bound | b.bound, outer)
        joined = replace(replaced(plan, view.changed), left=view.input, right=self._side(b, outer))
        made = outer.hide(joined, plan.variables)
        return outer.agreeing(made, plan.variable) if isinstance(plan, MarkJoin) else made

    def _group(self, plan: Group, outer: Outer) -> Operator:
        plain = plain_keys(plan)
        computed = plan.variables - plain
        inner = outer.only(plain)
        if not inner.concerns(plan):  # so is every group without keys, which is one when empty
            return outer.agreeing(Join(self.numbered(plan), outer.of()), *computed)
        grouped = self._reader(plan, self.solutions(plan.input, inner), inner)
        if not plan.keys:
            grouped = Union(grouped, _of_nothing(plan, grouped, outer))
        return outer.agreeing(grouped, *computed)

    # ---- expressions --------------------------------------------------------------------

    def _reader(self, plan: Operator, input: Operator, outer: Outer) -> Operator:
        """An operator over `input`, which is its own input by number."""
        assert isinstance(plan, READERS)
        view = self._view(plan, input, plan.input.bound, outer)
        match plan:
            case Filter(Exists() as exists) if _is_plain(exists):
                base, right, condition = self._partner(exists, view, view.input)
                return outer.hide(SemiJoin(base, right, condition), plan.variables)
            case Filter(Not(Exists() as exists)) if _is_plain(exists):
                base, right, condition = self._partner(exists, view, view.input)
                return outer.hide(AntiJoin(base, right, condition), plan.variables)
        view = self._marked(plan, view)
        made = _carrying(replace(replaced(plan, view.changed), input=view.input), outer)
        return outer.agreeing(outer.hide(made, plan.variables), *_computed(plan))

    def _view(self, plan: Operator, input: Operator, bound: Variables, outer: Outer) -> _View:
        """What the expressions of `plan` see.  What is certainly `bound` agrees with what is
        outside, and needs no second name."""
        variables = frozenset[Variable]().union(*(child.variables for child in plan.inputs))
        own = (child for child in plan.children if not isinstance(child, Operator))
        used = frozenset(v for child in own for v in mentioned(child))
        outside = {v: self.fresh(f"outer-{v}-") for v in sorted(used & outer.names - bound)}
        if not outside:
            return _View(input, variables)
        named = renamed(outer.of(frozenset(outside)), outer.number, outside)
        return _View(Join(input, named), variables, outside)

    def _marked(self, plan: Operator, view: _View) -> _View:
        """The view with a column for every EXISTS."""
        marks, base = dict[Exists, Variable](), view.input
        for exists in filter(_is_plain, own_exists(plan)):
            base, right, condition = self._partner(exists, view, base)
            marks[exists] = self.fresh("mark")
            base = MarkJoin(base, right, condition, variable=marks[exists])
        return replace(view, input=base, marks=marks)

    def _partner(
        self, exists: Exists, view: _View, base: Operator
    ) -> tuple[Operator, Operator, Expression]:
        """What to join, so that who has a partner is who EXISTS holds for; `base` is the view's
        input, with or without marks."""
        pattern = exists.pattern
        while isinstance(pattern, LeftJoin):  # whether OPTIONAL finds anything does not matter
            pattern = pattern.left
        seen = names(pattern) & (view.variables | view.outside.keys())
        right, condition = pair(pattern) or (None, TRUE)
        if right and names(right).isdisjoint(view.outside):
            return base, right, changed(condition, view.changed)
        if not seen:
            return base, Project((), self.numbered(pattern)), TRUE
        number = self.fresh("number")
        aliases = [view.outside[v] for v in sorted(seen) if v in view.outside]
        value = number_of([*sorted(seen & view.variables), *aliases])
        table = self._table(Extend(number, value, view.input), number, seen, view)
        inside = self.solutions(pattern, Outer((number,), seen, table))
        return Extend(number, value, base), Project((number,), inside), TRUE

    def _table(self, base: Operator, number: Variable, seen: Variables, view: _View) -> Operator:
        """The values of the variables `seen`, by number, once or more."""
        new = {v: self.fresh(f"outer-{v}-") for v in sorted(seen & view.outside.keys())}
        if not new:
            return base
        for variable, name in new.items():
            base = Extend(name, view.value(variable), base)
        kept = number, *sorted(seen - new.keys())
        values = Project((*kept, *new.values()), base)
        return renamed(values, kept, {name: variable for variable, name in new.items()})

    # ---- paths --------------------------------------------------------------------------

    def _path(self, plan: Path, outer: Outer) -> Operator:
        """A path of zero length may stand at an outer value that is no node of the graph."""
        known = Join(outer.of(plan.variables), plan)
        ways, ends = ways_to_stay(plan.path), (plan.subject, plan.object)
        variables = [end for end in ends if isinstance(end, Variable)]
        outside = sorted(outer.names.intersection(variables))
        if not ways or not outside or len(variables) < len(ends):
            return known
        place = self.fresh("place")
        stays = AntiJoin(_standing(place, outside, outer), self._nodes(place, plan.input))
        made: Operator = stays
        for end in sorted(set(variables)):
            made = Extend(end, Ref(place), made)
        if ways > 1:
            made = Join(made, Values((), ((),) * ways))
        return Union(known, outer.hide(made, plan.variables))

    def _nodes(self, place: Variable, graph: Operator) -> Operator:
        """Every subject and object of a graph, once or more."""
        other, link = self.fresh("other"), self.fresh("link")
        return Union(Pattern(place, link, other, graph), Pattern(other, link, place, graph))


def _of_nothing(plan: Group, grouped: Operator, outer: Outer) -> Operator:
    """A group without keys is one when empty too: for the numbers that have no solution."""
    empty = replace(plan, input=Values(tuple(sorted(plan.input.variables)), ()))
    return Join(AntiJoin(outer.of(), Project(outer.number, grouped)), empty)


def _is_plain(exists: Exists) -> bool:
    """Whether no arrival times are kept or asked for inside."""
    return not exists.stamps and not keeps_stamps(exists.pattern)


def _computed(plan: Operator) -> list[Variable]:
    match plan:
        case Extend(variable):
            return [variable]
        case AggregateClauses(clauses):
            return [clause.variable for clause in clauses]
    return []


def _carrying(plan: Operator, outer: Outer) -> Operator:
    """An operator that groups, by number too."""
    match plan:
        case Group(keys):
            return replace(plan, keys=(*keys, *(Binding(v, Ref(v)) for v in outer.number)))
        case AggregateClauses(clauses):
            by = (replace(clause, by=(*clause.by, *outer.number)) for clause in clauses)
            return replace(plan, clauses=tuple(by))
    return plan


def renamed(
    plan: Operator, kept: tuple[Variable, ...], new: Mapping[Variable, Variable]
) -> Operator:
    """The columns `kept`, and the others under `new` names."""
    for old, name in new.items():
        plan = Extend(name, Ref(old), plan)
    return Project((*kept, *new.values()), plan)


def _standing(place: Variable, outside: list[Variable], outer: Outer) -> Operator:
    """By number, the one place that all bound ends have outside."""
    first, *others = map(Ref, outside)
    table = Extend(place, Coalesce((first, *others)) if others else first, outer.of({*outside}))
    placed: Operator = Filter(Bound(place), table)
    for end in outside if others else []:
        same = Call("SAMETERM", (Ref(end), Ref(place)))
        placed = Filter(Or(Not(Bound(end)), same), placed)
    return Project((*outer.number, place), placed)


def ways_to_stay(path: PathExpression) -> int:
    """In how many ways a path leads from a term to itself in a graph without triples."""
    match path:
        case ZeroOrMore() | ZeroOrOne():
            return 1
        case OneOrMore(inner):
            return min(1, ways_to_stay(inner))
        case Inverse(inner):
            return ways_to_stay(inner)
        case Sequence(left, right):
            return ways_to_stay(left) * ways_to_stay(right)
        case Alternative(left, right):
            return ways_to_stay(left) + ways_to_stay(right)
    return 0

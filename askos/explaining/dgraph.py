"""C-SPARQL's D-Graph: what a query says about terms, apart from how it is evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from askos.algebra.expressions import Expression, Ref
from askos.algebra.expressions.aggregates import Aggregate
from askos.algebra.expressions.logic import conjuncts
from askos.algebra.names import Names
from askos.algebra.operator import Operator, Payload
from askos.algebra.operators import (
    AggregateClauses,
    AntiJoin,
    Binding,
    Construct,
    CopyNumber,
    Describe,
    Distinct,
    EmptyGraph,
    Extend,
    Filter,
    GraphAccess,
    Group,
    LeftJoin,
    MarkJoin,
    Minus,
    Path,
    Pattern,
    Project,
    SemiJoin,
    StreamAccess,
    Union,
    Values,
)
from askos.algebra.operators.pattern import Position, predicate_or_term
from askos.algebra.placement import own_patterns
from askos.algebra.windows import Window
from askos.explaining.graph import Graph, Line, Role
from askos.explaining.sketch import Scope, Sketch
from askos.terms import Variable, n3


def denotational_graph(plan: Operator, names: Names) -> Graph:
    """The D-Graph of a plan: terms and variables as vertices, triple patterns as edges between
    them, filters and aggregates at the variables they speak of, a frame around each source.

    An Execution Environment for C-SPARQL Queries, section 4, steps 1 to 6: the frames tell
    static from streaming knowledge.  Departures, since the paper assumes one conjunction over
    one window a stream:

    1. A predicate is a vertex of its own in every triple pattern, else patterns with the same
       predicate could not be told apart; a variable predicate is the variable's vertex.
    2. Constants inside conditions stay in the annotation.
    3. What OPTIONAL, UNION, MINUS or EXISTS hold is said at the predicates inside.
    4. A stream has a frame for each window it is read through; a pattern over several sources
       has one frame, naming them all.  A variable of two frames lies outside both.
    5. The group of an aggregation is a vertex linked to its variables, which lie elsewhere.
    6. The variables of the result are filled, not those of inner projections; a variable that a
       sub-select hides is a vertex of its own.  Solution modifiers are not shown.
    """
    sketch = Sketch(names)
    scope = Scope(sketch)
    for variable in _result(plan):
        scope.of(variable, Role.PROJECTED)
    todo = [_Part(plan, scope)]
    unions = 0
    while todo:
        part = todo.pop()
        if isinstance(part.plan, Union) and part.plan.payload is Payload.SOLUTION:
            unions += 1
        _draw(part)
        todo.extend(reversed(list(_below(part, unions))))
    return sketch.graph()


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a plan, the scope and the OPTIONALs, UNIONs.. it is in, and its group window."""

    plan: Operator
    scope: Scope
    modes: tuple[str, ...] = ()
    window: Window | None = None

    def into(self, plan: Operator, *modes: str) -> _Part:
        return replace(self, plan=plan, modes=self.modes + modes)

    def aside(self, plan: Operator, seen: Iterable[Variable], mode: str) -> _Part:
        return replace(self.into(plan, mode), scope=self.scope.narrowed(seen))


def _result(plan: Operator) -> Iterator[Variable]:
    """The variables the result shows, each once or more."""
    while plan.payload is Payload.SOLUTION and not isinstance(plan, Project):
        if len(plan.inputs) != 1 or plan.variables != plan.inputs[0].variables:
            break
        plan = plan.inputs[0]
    match plan:
        case Project(columns):
            yield from columns
        case Construct(template):
            positions = (p for triple in template for p in triple.positions)
            yield from (p for p in positions if isinstance(p, Variable))
        case Describe(resources):
            yield from (r for r in resources if isinstance(r, Variable))
        case _:
            yield from sorted(plan.variables)


def _below(part: _Part, union: int) -> Iterator[_Part]:
    """The parts below one, in their scopes and modes."""
    plan, scope = part.plan, part.scope
    match plan:
        case Pattern() | Path():
            yield from (_apart(part, made) for made, _ in _sources(plan.input, None))
        case Describe():
            yield part.into(plan.input)
            yield from (_apart(part, made) for made, _ in _sources(plan.graph, None))
        case Project(columns, child):
            yield replace(part, plan=child, scope=scope.narrowed(columns))
        case Group():
            yield _grouped(part, plan)
        case LeftJoin(left, right):
            yield part.into(left)
            yield part.into(right, _SECOND[LeftJoin])
        case (SemiJoin() | AntiJoin() | MarkJoin() | Minus()) as plan:
            left, right = plan.left, plan.right
            yield part.into(left)
            yield part.aside(right, left.variables, _SECOND[type(plan)])
        case Union():
            branches = _branches(plan)
            yield from (
                part.into(branch, f"UNION {union}, branch {at}")
                for at, branch in enumerate(branches, start=1)
            )
        case Window():
            yield replace(part, plan=plan.input, window=plan)
        case _:
            yield from (part.into(child) for child in plan.inputs)
    seen = frozenset().union(*(child.variables for child in plan.inputs))
    yield from (part.aside(pattern, seen, "EXISTS") for pattern in own_patterns(plan))


_SECOND: dict[type[Operator], str] = {
    LeftJoin: "OPTIONAL",
    SemiJoin: "EXISTS",
    MarkJoin: "EXISTS",
    AntiJoin: "NOT EXISTS",
    Minus: "MINUS",
}


def _branches(plan: Operator) -> list[Operator]:
    """The branches of a union of unions, left to right."""
    branches, todo = [], [plan]
    while todo:
        node = todo.pop()
        if isinstance(node, Union):
            todo.extend((node.right, node.left))
        else:
            branches.append(node)
    return branches


def _apart(part: _Part, made: Operator) -> _Part:
    """What makes triples for another pattern to match: none of its variables are shared."""
    return _Part(made, Scope(part.scope.sketch), part.modes)


def _draw(part: _Part) -> None:
    """What one operator adds to the picture."""
    scope, names = part.scope, part.scope.sketch.names
    match part.plan:
        case (Pattern() | Path()) as plan:
            _triple(part, plan)
        case Describe() as plan:
            _described(part, plan)
        case Filter(condition, child):
            _condition(scope, "FILTER", condition, child.variables)
        case (LeftJoin() | SemiJoin() | AntiJoin()) as plan if plan.label(names):
            seen = plan.left.variables | plan.right.variables
            _condition(scope, f"{_SECOND[type(plan)]} FILTER", plan.condition, seen)
        case Extend(variable) | MarkJoin(variable=variable):
            scope.note([variable], part.plan.label(names))
        case CopyNumber(variable):
            scope.note([variable], "copy number")
        case Values(columns):
            scope.note(columns, f"VALUES {part.plan.label(names)}")
        case AggregateClauses(clauses):
            for clause in clauses:
                _aggregation(scope, [(scope.of(clause.variable), clause.aggregate)], clause.by)


def _triple(part: _Part, plan: Pattern | Path) -> None:
    """Steps 2 and 6: two edges, inside the frame of the pattern's sources."""
    sketch, scope = part.scope.sketch, part.scope
    start, middle, end = (
        _position(scope, plan.subject),
        _middle(part, plan),
        _position(scope, plan.object),
    )
    sketch.link(start, middle, Line.TRIPLE)
    sketch.link(middle, end, Line.TRIPLE)
    _frame(part, plan.input, (start, middle, end))


def _middle(part: _Part, plan: Pattern | Path) -> str:
    """The vertex of a predicate, with the modes its pattern is in."""
    scope, names = part.scope, part.scope.sketch.names
    match plan:
        case Path(path=path):
            name = scope.sketch.vertex(Role.PREDICATE, path.text(names))
        case Pattern(predicate=Variable() as variable):
            name = scope.of(variable)
        case Pattern(predicate=predicate):
            title = predicate_or_term(names, predicate, 1)
            name = scope.sketch.vertex(Role.PREDICATE, title)
    for mode in part.modes:
        scope.sketch.note(name, mode)
    return name


def _position(scope: Scope, position: Position) -> str:
    return scope.of(position) if isinstance(position, Variable) else scope.sketch.term(position)


def _described(part: _Part, plan: Describe) -> None:
    """Not in the paper: every triple about the resources, as one vertex in the frame."""
    sketch = part.scope.sketch
    resources = [_position(part.scope, resource) for resource in plan.resources]
    about = sketch.vertex(Role.PREDICATE, "DESCRIBE", "every triple about")
    for resource in resources:
        sketch.link(about, resource, Line.LINK)
    _frame(part, plan.graph, (about,))


def _frame(part: _Part, graph: Operator, vertices: Iterable[str]) -> None:
    """Step 6: vertices that emerge from the triples of `graph`."""
    sketch = part.scope.sketch
    sources = list(_sources(graph, part.window))
    spelt = (_source(source, window, sketch.names) for source, window in sources)
    streaming = any(isinstance(source, StreamAccess) for source, _ in sources)
    box = sketch.box(Role.STREAM if streaming else Role.GRAPH, " + ".join(spelt))
    for name in vertices:
        sketch.put(name, box)


def _sources(graph: Operator, window: Window | None) -> Iterator[tuple[Operator, Window | None]]:
    """What triples are read from, and through which window."""
    match graph:
        case Window():
            yield from _sources(graph.input, graph)
        case Union() | Distinct():
            for child in graph.inputs:
                yield from _sources(child, window)
        case _:
            yield graph, window


def _source(source: Operator, window: Window | None, names: Names) -> str:
    match source:
        case StreamAccess():
            seen = f" {window.label(names)}" if window else ""
            return f"STREAM {source.label(names)}{seen}"
        case GraphAccess():
            return f"GRAPH {source.label(names)}"
        case EmptyGraph():
            return "GRAPH without triples"
    return f"{type(source).__name__} {source.label(names)}".strip()


def _condition(scope: Scope, word: str, condition: Expression, seen: frozenset[Variable]) -> None:
    """Step 3: every conjunct at the variables it speaks of, at none in a vertex of its own."""
    names = scope.sketch.names
    for conjunct in conjuncts(condition):
        text = f"{word} {conjunct.text(names)}"
        scope.note(conjunct.variables & seen, text)
        if not conjunct.variables & seen:
            scope.sketch.vertex(Role.OPERATOR, text)


def _grouped(part: _Part, plan: Group) -> _Part:
    """Step 4 for GROUP BY: only the keys are the same variables above and below."""
    scope = part.scope
    below = scope.narrowed(key.variable for key in plan.keys if _plain(key))
    by: set[Variable] = set()
    for key in plan.keys:
        by |= key.value.variables
        if not _plain(key):
            scope.note([key.variable], key.text(scope.sketch.names))
    made = [(scope.of(made.variable), made.value) for made in plan.aggregates]
    _aggregation(below, made, sorted(by))
    return replace(part, plan=plan.input, scope=below)


def _plain(key: Binding) -> bool:
    return key.value == Ref(key.variable)


def _aggregation(
    scope: Scope, made: Iterable[tuple[str, Expression | Aggregate]], by: Iterable[Variable]
) -> None:
    """Step 4: the group, linked to each function, which is linked to its parameter and to the
    variable it is bound to."""
    sketch = scope.sketch
    spelt = " ".join(n3(v) for v in by)
    group = sketch.vertex(Role.GROUPING, f"G = {{{spelt}}}")
    box = sketch.box(Role.AGGREGATION, "AGGREGATE", group)
    sketch.put(group, box)
    for variable in by:
        sketch.link(group, scope.of(variable), Line.LINK, "BY")
    for bound, function in made:
        name = sketch.vertex(Role.FUNCTION, function.text(sketch.names))
        sketch.link(group, name, Line.LINK)
        for variable in sorted(function.variables):
            sketch.link(name, scope.of(variable), Line.LINK, "of")
        sketch.link(name, bound, Line.LINK, "AS")
        sketch.put(name, box)
        sketch.put(bound, box)

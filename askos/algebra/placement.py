"""Placement: by which variables the rows of an operator may be spread over buckets.

Equal keys meet in one bucket, so that every bucket can work by itself.  The optimiser, which
counts exchanges, and the hosts, which make them, both read this table; it names every operator of
the algebra, and a test says which one it forgot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from askos.algebra.expressions.exists import Exists
from askos.algebra.expressions.expression import Ref
from askos.algebra.expressions.instant import is_instant
from askos.algebra.expressions.timestamp import Timestamp
from askos.algebra.node import Node
from askos.algebra.operator import Operator, Payload
from askos.algebra.operators import (
    AggregateClauses,
    AntiJoin,
    Ask,
    Construct,
    CopyNumber,
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
    Project,
    Reduced,
    SemiJoin,
    Slice,
    Static,
    StreamAccess,
    Union,
    Values,
)
from askos.algebra.windows import (
    CountWindow,
    PredicateWindow,
    SlidingWindow,
    SteppedWindow,
    Window,
)
from askos.algebra.windows.predicate import OBJECT, PREDICATE, SUBJECT
from askos.terms import Variable

Keys: TypeAlias = frozenset[Variable] | None
"""Variables of which any one, or several, can be the key; None: whatever the input is spread
by.  No variables at all: one bucket."""

ONE_BUCKET: Final[frozenset[Variable]] = frozenset()
TRIPLE: Final = (SUBJECT, PREDICATE, OBJECT)
"""The columns of a stream of triples."""
ANSWER: Final = Variable("answer")
"""The column of what ASK says."""


def _as_the_input(plan: Operator) -> Keys:
    return None


def _one_bucket(plan: Operator) -> Keys:
    return ONE_BUCKET


def _row(plan: Distinct | CopyNumber) -> Keys:
    """Equal rows meet wherever any of their columns send them; unbound is a value."""
    columns = frozenset(TRIPLE if plan.payload is Payload.TRIPLE else plan.input.variables)
    return columns - {*plan.times}


def _shared(plan: Any) -> Keys:
    """Only what both sides surely bind: what one side may lack fits any value of the other."""
    return frozenset(plan.left.bound & plan.right.bound)


def _join(plan: Join) -> Keys:
    return None if constants(plan) else _shared(plan)


def constants(plan: Join) -> tuple[Operator, Values] | None:
    """A ⋈ {{?g → name}}, where A does not bind ?g: the bindings are constants of every row, and
    nothing needs to meet.  GRAPH ?g is a union of such joins."""
    for rows, table in ((plan.left, plan.right), (plan.right, plan.left)):
        if isinstance(table, Values) and len(table.rows) == 1:
            return None if rows.variables & table.variables else (rows, table)
    return None


def plain_keys(plan: Group) -> frozenset[Variable]:
    """The grouping keys that are variables standing for themselves."""
    return frozenset(key.variable for key in plan.keys if key.value == Ref(key.variable))


def _clauses(plan: AggregateClauses) -> Keys:
    return frozenset.intersection(*(frozenset(clause.by) for clause in plan.clauses))


def _groups(plan: Slice) -> Keys:
    """A slice of all solutions needs all of them; a slice of each group, those of the group."""
    return frozenset(plan.by)


def _template(plan: Construct) -> Keys:
    """Blank nodes of the template need copy numbers, hence equal solutions in one place."""
    return frozenset(plan.input.variables) if plan.blanks else None


PLACEMENT: Final[dict[type[Operator], Callable[[Any], Keys]]] = {
    AggregateClauses: _clauses,
    AntiJoin: _shared,
    Ask: _one_bucket,
    Construct: _template,
    CopyNumber: _row,
    CountWindow: _one_bucket,
    Describe: _one_bucket,
    Distinct: _row,
    EmptyGraph: _as_the_input,
    Extend: _as_the_input,
    Filter: _as_the_input,
    GraphAccess: _as_the_input,
    Group: plain_keys,
    Join: _join,
    LeftJoin: _shared,
    MarkJoin: _shared,
    Minus: _shared,
    OrderBy: _as_the_input,
    Path: _one_bucket,
    Pattern: _as_the_input,
    PredicateWindow: _one_bucket,
    Project: _as_the_input,
    Reduced: _as_the_input,
    SemiJoin: _shared,
    Slice: _groups,
    SlidingWindow: _as_the_input,
    Static: _as_the_input,
    SteppedWindow: _as_the_input,
    StreamAccess: _as_the_input,
    Union: _as_the_input,
    Values: _as_the_input,
}


def placement(plan: Operator) -> Keys:
    """By which variables the inputs of `plan` may be spread.

    >>> from askos.algebra import StreamAccess, SlidingWindow
    >>> from askos.terms import URIRef
    >>> t, p, s = Variable("t"), Variable("p"), Variable("s")
    >>> wind = SlidingWindow(StreamAccess(URIRef("wind")), 10, 1)
    >>> power, site = Pattern(t, URIRef("power"), p, wind), Pattern(t, URIRef("site"), s, wind)
    >>> placement(Join(power, site))
    frozenset({rdflib.term.Variable('t')})
    """
    return ONE_BUCKET if any(own_patterns(plan)) else PLACEMENT[type(plan)](plan)


# ---- what is computed below an operator ------------------------------------------------------


def below(plan: Operator) -> tuple[Operator, ...]:
    """What is computed before `plan`: its inputs, below an ORDER BY that it ranks by; and the
    leaves of its EXISTS, into which solutions put their values."""
    return (*inputs_below(plan), *leaves_below(plan))


def inputs_below(plan: Operator) -> tuple[Operator, ...]:
    """The inputs; those of the ORDER BY where a slice ranks by one."""
    ranked = ranking(plan)
    return ranked[-1].inputs if ranked else plan.inputs


def leaves_below(plan: Operator) -> tuple[Operator, ...]:
    """The leaves of EXISTS."""
    patterns = (p for node in ranking(plan) or (plan,) for p in own_patterns(node))
    return tuple(leaf for pattern in patterns for leaf in leaves(pattern))


def ranking(plan: Operator) -> tuple[Operator, ...]:
    """From a slice down to the ORDER BY whose ranks it uses; nothing where there is none."""
    chain: list[Operator] = [plan]
    while isinstance(chain[-1], Slice | Project | Distinct | Reduced | Static):
        chain.append(chain[-1].input)
    ranks = isinstance(plan, Slice) and isinstance(chain[-1], OrderBy)
    return tuple(chain) if ranks else ()


def leaves(pattern: Operator) -> Iterator[Operator]:
    """Where the pattern of EXISTS meets the graph, also inside a further EXISTS.  A path stays:
    one of zero length may start at a value that was put in."""
    todo = [pattern]
    while todo:
        node = todo.pop()
        if isinstance(node, Path):
            yield node.input
        elif isinstance(node, Pattern | Window | Values) or _is_timed(node):
            yield node
        else:
            todo += [*node.inputs, *own_patterns(node)][::-1]


def _is_timed(plan: Operator) -> bool:
    """Whether the plan is a pattern beside the arrival times of its triples, which only the
    triples themselves can tell."""
    chain = plan.input if isinstance(plan, Project) else plan
    while isinstance(chain, Extend) and isinstance(chain.expression, Timestamp):
        chain = chain.input
    return isinstance(plan, Project) and isinstance(chain, Pattern) and chain is not plan.input


def own_patterns(plan: Node) -> Iterator[Operator]:
    """The patterns of the EXISTS in the expressions of one operator, left to right."""
    for child in plan.children:
        if isinstance(child, Exists):
            yield child.pattern
        elif not isinstance(child, Operator):
            yield from own_patterns(child)


def streaming(plan: Operator) -> Set[int]:
    """The nodes of a plan, by identity, that change with time: they read a stream themselves or
    below, or ask for the report instant."""
    found: set[int] = set()
    for node in reversed(list(plan.walk())):
        own = isinstance(node, StreamAccess) or is_instant(node)
        if own or any(id(child) in found for child in node.children):
            found.add(id(node))
    return found


def reloadable(plan: Operator) -> bool:
    """Whether what a plan reads may be reloaded: then no row of it is known to hold for ever."""
    return any(isinstance(node, GraphAccess) and node.reloadable for node in plan.walk())


# ---- fusing ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spread:
    """How a part of a plan is spread: by `keys`, None while it has no state, of which the rows
    still show `shown`.  A name that a projection has hidden may come back with another meaning,
    so it is never shown again.  `static` is what reads no stream."""

    keys: Keys = None
    shown: frozenset[Variable] = ONE_BUCKET
    static: bool = False

    def fits(self, keys: frozenset[Variable]) -> bool:
        """Whether an operator that needs `keys` can work where this is."""
        return self.keys is None or bool(keys & self.shown) or not (keys or self.keys)


@dataclass(frozen=True, slots=True)
class Fused:
    """What an operator makes of the spreads of its inputs: which of these have to be exchanged
    first, and which go to every bucket."""

    spread: Spread
    exchanged: tuple[bool, ...]
    everywhere: tuple[bool, ...]


def fuse(plan: Operator, inputs: Sequence[Spread]) -> Fused:
    """Let `plan` work where its inputs are, as far as some variable is a key of all of them.

    A static side is a table that every bucket can look into, unless it is preserved: then it would
    be told once by each of them.
    """
    return fuse_by(placement(plan), plan, inputs)


def fuse_by(keys: Keys, plan: Operator, inputs: Sequence[Spread]) -> Fused:
    """`fuse`, for an operator that needs these keys."""
    copied = _copied(plan, inputs)
    stay = (False,) * len(inputs)
    if any(copied):
        return Fused(_shown(plan, _beside(plan, inputs, copied)), stay, copied)
    if keys is None:
        stateful = [spread for spread in inputs if spread.keys is not None]
        if len(inputs) < 2 or not stateful:
            return Fused(_shown(plan, stateful[0] if stateful else Spread()), stay, stay)
        keys = stateful[0].shown or stateful[0].keys
    return _fused(plan, inputs, keys or ONE_BUCKET)


def _fused(plan: Operator, inputs: Sequence[Spread], keys: frozenset[Variable]) -> Fused:
    exchanged = []
    for spread in inputs:
        fits = spread.fits(keys)
        exchanged.append(not fits)
        if fits and spread.keys is not None:
            keys &= spread.shown
    return Fused(_shown(plan, Spread(keys, keys)), tuple(exchanged), (False,) * len(inputs))


def _copied(plan: Operator, inputs: Sequence[Spread]) -> tuple[bool, ...]:
    """Which inputs can go to every bucket."""
    match plan, [spread.static for spread in inputs]:
        case (
            (Join() | LeftJoin() | SemiJoin() | AntiJoin() | MarkJoin() | Minus()),
            [False, True],
        ):
            return False, True
        case Join(), [True, False]:
            return True, False
    return (False,) * len(inputs)


def _beside(plan: Operator, inputs: Sequence[Spread], copied: tuple[bool, ...]) -> Spread:
    """Beside a table the other side stays where it is, and needs no state for it.  But a variable
    that it may lack and the table has is no key any more: a row that gets its value here is not
    where rows are that had it."""
    side = copied.index(False)
    rows, table = plan.inputs[side], plan.inputs[1 - side]
    own = frozenset(rows.variables - table.variables) | rows.bound
    mine = inputs[side]
    return replace(mine, shown=mine.shown & own)


def _shown(plan: Operator, spread: Spread) -> Spread:
    """The keys that are still to be seen above `plan`."""
    if isinstance(plan, Pattern | Construct):  # ?s of a query is no subject of a triple
        return replace(spread, shown=ONE_BUCKET)
    if plan.payload is Payload.TRIPLE:
        return spread
    return replace(spread, shown=spread.shown & plan.variables)

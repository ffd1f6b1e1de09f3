"""Plans as SPARQL text, for another engine to evaluate: C-SPARQL's plug-in.

C-SPARQL 2010, section 4, hands the static part of a query to a SPARQL engine of its own.  Written
is only what SPARQL 1.1 defines to the letter.  What it leaves to engines is not: which of several
equal solutions LIMIT keeps, which term SAMPLE takes, in which order GROUP_CONCAT writes, how a
computed number is spelt or rounded, what a regular expression means, what EXISTS substitutes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from askos.algebra import (
    TRUE,
    And,
    AntiJoin,
    Binding,
    Bound,
    Call,
    Coalesce,
    Constant,
    Count,
    Distinct,
    Expression,
    Extend,
    Filter,
    GraphAccess,
    Group,
    If,
    In,
    Join,
    LeftJoin,
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
    Static,
    Union,
    Values,
)
from askos.algebra.expressions.exists import mentioned
from askos.algebra.names import Names
from askos.algebra.node import parts_of
from askos.algebra.operators.paths import Link, Negated
from askos.errors import UnsupportedError
from askos.terms import BNode, Literal, Term, URIRef, Variable, n3

_NAMES: Final = Names()
_VARNAME: Final = re.compile(r"[A-Za-z0-9_]+")
_IRI: Final = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\]*')
_FORMS: Final = (And, Bound, Coalesce, Constant, If, In, Not, Or, Ref)
_FILTERS: Final = (AntiJoin, Filter, Reduced, SemiJoin, Static)
"""Operators whose text may end with a filter."""
_FUNCTIONS: Final = frozenset().union(
    ("=", "!=", "<", "<=", ">", ">=", "SAMETERM"),
    ("ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "STR", "LANG", "DATATYPE", "STRDT"),
    ("STRLANG", "LANGMATCHES", "STRLEN", "SUBSTR", "UCASE", "LCASE", "STRSTARTS", "STRENDS"),
    ("CONTAINS", "STRBEFORE", "STRAFTER", "CONCAT", "YEAR", "MONTH", "DAY", "HOURS", "MINUTES"),
)
"""Functions of which every engine must say the same: their results have one spelling."""


@dataclass(frozen=True, slots=True)
class Question:
    """A SELECT query, and the variables of a plan by the names that they have in its text, sorted
    by these."""

    text: str
    columns: Mapping[str, Variable]


def write_select(plan: Operator) -> Question:
    """The query whose solutions over a graph, its default graph, are those of `plan`; without FROM.

    UnsupportedError, with the part that has no such text; and for a plan that reads several graphs
    or a stream.  Variables that no query could name get other names.

    >>> from askos.terms import anonymous
    >>> t, site = Variable("t"), URIRef("http://wind.example/site")
    >>> park = GraphAccess(URIRef("http://wind.example/park"))
    >>> write_select(Project((t,), Pattern(t, site, anonymous("b0"), park))).text
    'SELECT ?t WHERE { ?t <http://wind.example/site> ?v0 . }'
    """
    if len(set(plan.sources)) > 1:
        raise UnsupportedError("a text for another engine reads one graph alone")
    fresh = _fresh(set(mentioned(plan)))
    named = {v: v if _VARNAME.fullmatch(v) else next(fresh) for v in sorted(set(mentioned(plan)))}
    text = _Writer(fresh).query(_renamed(plan, named))
    return Question(text, dict(sorted((str(named[v]), v) for v in plan.variables)))


def is_writable(term: Term) -> bool:
    """Whether a text can name the term: not a blank node, nor an IRI that is relative."""
    match term:
        case URIRef():
            return bool(_IRI.fullmatch(term))
        case Literal(datatype=URIRef() as datatype):
            return bool(_IRI.fullmatch(datatype))
    return not isinstance(term, BNode)


def _fresh(taken: set[Variable]) -> Iterator[Variable]:
    """Variables that nobody uses."""
    names = (Variable(f"v{number}") for number in count())
    return (name for name in names if name not in taken)


def _renamed(plan: Operator, names: Mapping[Variable, Variable]) -> Operator:
    def of(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(of(member) for member in value)
        return names[value] if isinstance(value, Variable) else value

    def rule(node: Node) -> Node:
        return replace(node, **{part: of(getattr(node, part)) for part in parts_of(node)})

    result = plan.rewrite(Node, rule)
    assert isinstance(result, Operator)
    return result


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes a plan operator by operator, each in a group or a sub-select of its own: so nothing is
    in scope of an expression but what the operator below binds."""

    fresh: Iterator[Variable]

    def query(self, plan: Operator) -> str:
        """The plan as SELECT."""
        match plan:
            case Static(input) | Reduced(input):
                return self.query(input)
            case Project(columns, input):
                return self._select((v for v in columns if v in plan.variables), input)
            case Distinct(Project(columns, input) as chosen, times=()):
                return self._select(
                    (v for v in columns if v in chosen.variables), input, "DISTINCT "
                )
            case Distinct(input, times=()):
                return self._select(sorted(plan.variables), input, "DISTINCT ")
            case Group():
                return self._grouped(plan)
        return self._select(sorted(plan.variables), plan)

    def _select(self, columns: Iterable[Variable], input: Operator, distinct: str = "") -> str:
        # A SELECT of nothing is not SPARQL; of what nothing binds, it is the same.
        chosen = " ".join(map(n3, columns)) or n3(next(self.fresh))
        return f"SELECT {distinct}{chosen} WHERE {{ {self._body(input)} }}"

    def _grouped(self, plan: Group) -> str:
        made = [key for key in plan.keys if key.value != Ref(key.variable)] + [*plan.aggregates]
        taken = {binding.variable for binding in made} & plan.input.variables
        if taken or not (plan.keys or plan.aggregates) or not all(map(_is_count, plan.aggregates)):
            raise _unwritable(plan)
        for binding in made:
            if isinstance(binding.value, Expression):
                _expression(binding.value)
        parts = [n3(key.variable) for key in plan.keys]
        parts += [binding.text(_NAMES) for binding in plan.aggregates]
        keys = " ".join(key.text(_NAMES) for key in plan.keys)
        by = f" GROUP BY {keys}" if keys else ""
        return f"SELECT {' '.join(parts)} WHERE {{ {self._body(plan.input)} }}{by}"

    def _body(self, plan: Operator) -> str:
        """What stands between the braces of a group that means the plan."""
        match plan:
            case Static(input) | Reduced(input):
                return self._body(input)
            case Project() | Distinct() | Group():
                return self.query(plan)
            case Pattern() | Path() | Values():
                return _leaf(plan)
            case Join(left, right):
                return f"{self._member(left)} {self._member(right)}"
            case Union(left, right):
                return f"{{ {self._body(left)} }} UNION {{ {self._body(right)} }}"
            case Minus(left, right, by=()):
                return f"{self._member(left)} MINUS {{ {self._body(right)} }}"
            case Filter(condition, input):
                return f"{self._member(input)} FILTER ({_expression(condition)})"
            case Extend(variable, value, input):
                return f"{self._member(input)} BIND ({_expression(value)} AS {n3(variable)})"
            case LeftJoin():
                return self._optional(plan)
            case AntiJoin(left, right, condition):
                return self._lonely(left, right, condition)
            case SemiJoin():
                return self._partnered(plan)
        raise _unwritable(plan)

    def _member(self, plan: Operator) -> str:
        """A part of a larger group: in braces, unless it is joined with its neighbours anyway."""
        return self._body(plan) if _is_basic(plan) else f"{{ {self._body(plan)} }}"

    def _optional(self, plan: LeftJoin) -> str:
        # A filter of the right side's own would be taken for the condition by engines that
        # drop braces too early: so there is one beside it that is the condition.
        condition = f" FILTER ({_expression(plan.condition)})"
        if plan.condition == TRUE and not isinstance(plan.right, _FILTERS):
            condition = ""
        return f"{self._member(plan.left)} OPTIONAL {{ {self._member(plan.right)}{condition} }}"

    def _lonely(self, left: Operator, right: Operator, condition: Expression) -> str:
        """A ▷_p B = σ_¬bound(m)(A ⟕_p (B, m := true)), for a new variable m.

        Not NOT EXISTS, into which engines substitute in ways of their own.
        """
        mark = next(self.fresh)
        marked = LeftJoin(left, Extend(mark, TRUE, right), condition)
        return self._body(Filter(Not(Bound(mark)), marked))

    def _partnered(self, plan: SemiJoin) -> str:
        """A ⋉_p B = σ_p(A ⋈ δ(π_V(B))), V being what A and B share, if both bind all of it, and p
        asks for nothing else of B."""
        left, right, condition = plan.left, plan.right, plan.condition
        shared = left.variables & right.variables
        if not shared <= left.bound & right.bound or condition.variables & right.variables - shared:
            raise _unwritable(plan)
        pairs = Join(left, Distinct(Project(tuple(sorted(shared)), right)))
        return self._body(pairs if condition == TRUE else Filter(condition, pairs))


def _is_basic(plan: Operator) -> bool:
    return isinstance(plan, Join | Pattern | Path | Values)


def _is_count(aggregate: Binding) -> bool:
    """COUNT(*) or COUNT(?x); COUNT(DISTINCT *) would count blank nodes of the query too."""
    match aggregate.value:
        case Count(None, distinct=False) | Count(Ref()):
            return True
    return False


def _leaf(plan: Pattern | Path | Values) -> str:
    if not all(is_writable(part) for part in _terms(plan) if not isinstance(part, Variable)):
        raise _unwritable(plan)
    if isinstance(plan, Values):
        return f"VALUES {plan.label(_NAMES)}"
    if isinstance(plan.subject, Literal) or not _is_graph(plan.input):
        raise _unwritable(plan)
    # Arrival times are those of streams.
    plain = replace(plan, stamps=()) if isinstance(plan, Pattern) else plan
    return f"{plain.label(_NAMES)} ."


def _terms(plan: Pattern | Path | Values) -> Iterator[Term | Variable]:
    match plan:
        case Values(rows=rows):
            yield from (term for row in rows for term in row if term is not None)
        case Pattern():
            yield from plan.positions
        case Path(subject, path, end):
            yield from (subject, end)
            for part in path.walk():
                yield from (part.predicate,) if isinstance(part, Link) else ()
                yield from (*part.forward, *part.backward) if isinstance(part, Negated) else ()


def _is_graph(triples: Operator) -> bool:
    """Whether triples are all those of a graph, which is a set."""
    while isinstance(triples, Distinct):
        triples = triples.input
    return isinstance(triples, GraphAccess)


def _expression(expression: Expression) -> str:
    for part in expression.walk():
        match part:
            case Constant(term):
                exact = is_writable(term)
            case Call(name):
                exact = name in _FUNCTIONS
            case In(choices=choices):
                exact = bool(choices)  # of none, engines disagree where the operand is an error
            case _:
                exact = isinstance(part, _FORMS)
        if not exact:
            raise UnsupportedError(f"{part} has no text that means the same in every engine")
    return expression.text(_NAMES)


def _unwritable(plan: Operator) -> UnsupportedError:
    text = f"{type(plan).__name__} {plan.label(_NAMES)}".rstrip()
    return UnsupportedError(f"{text} has no text that means the same in every engine")

"""Graphs whose content is in another engine: what a plan wants of them, asked as SPARQL text.

C-SPARQL 2010, section 4: the static part of a query goes to a SPARQL engine of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial, reduce
from typing import Final, TypeAlias, cast

from askos.algebra import (
    UNIT,
    Construct,
    Distinct,
    Exists,
    GraphAccess,
    Join,
    Node,
    Operator,
    Path,
    Pattern,
    Payload,
    Template,
    Union,
    Values,
)
from askos.algebra.expressions.call import keyed_hash
from askos.algebra.operators.paths import followed
from askos.algebra.placement import TRIPLE
from askos.algebra.windows.predicate import PREDICATE
from askos.errors import StreamError, UnsupportedError
from askos.sources import Evaluate
from askos.static.evaluate import evaluate
from askos.static.graph import StaticGraph
from askos.static.interning import Terms
from askos.terms import BNode, Term, Triple, URIRef, Variable, parse_term
from askos.translate.sparql import Question, is_writable, write_select

Row: TypeAlias = tuple[Term | None, ...]
_ADAPT: Final = (
    "give mappings from names of variables to rdflib's terms, N-Triples or None: of rdflib, for"
    " instance, evaluate=lambda text: graph.query(text).bindings"
)


class Elsewhere:
    """The graphs that other engines have, each by the function that evaluates a text over it.

    A text is asked once.  Blank nodes of its answer are the engine's own, and no others: those of
    two answers are different nodes, whatever their labels.
    """

    def __init__(self, engines: Mapping[URIRef, Evaluate]) -> None:
        self._engines = engines
        self._answers: dict[tuple[URIRef, str], tuple[Row, ...]] = {}

    def answered(self, plan: Operator) -> Operator:
        """`plan` with tables in the place of all that it reads of these graphs.

        The largest parts that have a text are asked as a whole, at the least each pattern.  Where a
        pattern or path reads several graphs, the triples that may count are asked of each.
        """
        result = self._part(plan, inside=False)
        assert isinstance(result, Operator)
        return result

    def graph(self, iri: URIRef, terms: Terms | None = None) -> StaticGraph:
        """All triples of one of these graphs."""
        found = evaluate(self.answered(GraphAccess(iri)), {})
        return StaticGraph(cast("list[Triple]", found), terms)

    # ---- what is asked -----------------------------------------------------------------------

    def _part(self, node: Node, *, inside: bool) -> Node:
        """With `inside`, a part of EXISTS: every solution puts its own values into it, and of what
        they reach only patterns can be asked before."""
        if isinstance(node, Operator):
            if self._engines.keys().isdisjoint(node.sources):
                return node
            table = self._table(node) if isinstance(node, Pattern) or not inside else None
            if table is not None:
                return table
        match node:
            case Pattern():
                return replace(node, input=self._triples(node.input, _matching(node)))
            case Path():
                return replace(node, input=self._triples(node.input, _passed(node)))
            case GraphAccess():
                return self._triples(node, UNIT)
            case Join() if not inside:
                parts = (self._part(part, inside=False) for part in self._regrouped(node))
                return reduce(Join, parts)  # type: ignore[arg-type]
        within = inside or isinstance(node, Exists)
        return node.map_children(lambda child: self._part(child, inside=within))

    def _regrouped(self, plan: Join) -> list[Operator]:
        """What is joined, in whatever order: where one engine can join parts by a variable, they
        are one part."""
        parts = list[Operator]()
        for member in _members(plan):
            near, far = list[Operator](), list[Operator]()
            for part in parts:
                (near if self._go_together(part, member) else far).append(part)
            parts = [*far, reduce(Join, [*near, member])]
        return parts

    def _go_together(self, one: Operator, other: Operator) -> bool:
        sources = {*one.sources, *other.sources}
        theirs = len(sources) == 1 and sources <= self._engines.keys()
        shared = one.variables & other.variables
        return theirs and bool(shared) and _question(Join(one, other)) is not None

    def _table(self, plan: Operator) -> Values | None:
        """The solutions of a plan that reads one of these graphs alone; None if it has no text."""
        question = _question(plan)
        if question is None:
            return None
        (source,) = set(plan.sources)
        asked = source, question.text
        if asked not in self._answers:
            self._answers[asked] = tuple(self._ask(source, question, plan.bound))
        return Values(tuple(question.columns.values()), self._answers[asked])

    def _triples(self, plan: Operator, only: Values) -> Operator:
        """Triples, of these graphs those alone that agree with a row of `only`: they are made
        again of the solutions of a pattern."""
        match plan:
            case GraphAccess(source) if source in self._engines:
                every = Pattern(*TRIPLE, plan)
                table = self._table(every if only == UNIT else Join(only, every))
                assert table is not None
                return Construct((Template(*TRIPLE),), table)
            case Union() | Distinct():
                return plan.map_children(lambda child: self._triples(child, only))  # type: ignore[arg-type]
        result = self._part(plan, inside=False)
        assert isinstance(result, Operator)
        return result

    # ---- what is answered --------------------------------------------------------------------

    def _ask(self, source: URIRef, question: Question, bound: frozenset[Variable]) -> Iterator[Row]:
        """The rows of an answer."""
        needed = {name for name, variable in question.columns.items() if variable in bound}
        try:
            for row in self._engines[source](question.text):
                yield _read(row, question.columns, needed, scope=f"{source} {question.text}")
        except Exception as error:  # whatever the engine's own are
            why = error.message if isinstance(error, StreamError) else repr(error)
            raise StreamError(
                f"the engine of the static graph <{source}> gave no answer: {why}\n"
                f"  it was asked {question.text}",
                hint=error.hint if isinstance(error, StreamError) else "",
            ) from error


def questions(plan: Operator, graphs: Iterable[URIRef]) -> list[tuple[URIRef, str]]:
    """What `Elsewhere` would ask for `plan`, and of which graph; nobody is asked."""
    asked: list[tuple[URIRef, str]] = []

    def note(graph: URIRef, text: str) -> tuple[()]:
        asked.append((graph, text))
        return ()

    Elsewhere({graph: partial(note, graph) for graph in graphs}).answered(plan)
    return asked


def _members(plan: Operator) -> list[Operator]:
    """The parts of a join of joins."""
    if not isinstance(plan, Join):
        return [plan]
    return _members(plan.left) + _members(plan.right)


def _question(plan: Operator) -> Question | None:
    """The text of a plan, if it has one."""
    if plan.payload is not Payload.SOLUTION:
        return None
    try:
        return write_select(plan)
    except UnsupportedError:
        return None


def _matching(pattern: Pattern) -> Values:
    """What a triple must have to match the pattern, as far as a text can say it."""
    pairs = zip(TRIPLE, pattern.positions, strict=True)
    known = {
        place: term for place, term in pairs if not isinstance(term, Variable) and is_writable(term)
    }
    return Values(tuple(known), (tuple(known.values()),))


def _passed(path: Path) -> Values:
    """The predicates that the path may follow, if it cannot follow all."""
    links = followed(path.path)
    if links is None or not all(map(is_writable, links)):
        return UNIT
    return Values((PREDICATE,), tuple((link,) for link in sorted(links)))


def _read(row: object, columns: Mapping[str, Variable], needed: set[str], scope: str) -> Row:
    """A row as terms, in the order of the columns."""
    if not isinstance(row, Mapping):
        raise StreamError(f"{row!r} is no mapping", hint=_ADAPT)
    found = {str(name): _term(value, scope) for name, value in row.items()}
    strange = sorted(found.keys() - columns.keys())
    missing = sorted(name for name in needed if found.get(name) is None)
    if strange or missing:
        what = f"binds ?{strange[0]}" if strange else f"does not bind ?{missing[0]}"
        raise StreamError(f"the row {dict(row)!r} {what}", hint=_ADAPT)
    return tuple(found.get(name) for name in columns)


def _term(value: object, scope: str) -> Term | None:
    """A term of rdflib; of another library, by its text."""
    if value is None:
        return None
    term = value if isinstance(value, Term) else parse_term(str(value))
    return BNode(keyed_hash(scope, str(term)).hex()) if isinstance(term, BNode) else term

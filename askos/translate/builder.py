"""From the grammar's rules to the syntax tree: one method a rule, called as it is recognised.

A method gets what the rule's parts became: tokens, nodes, or lists of them.  Methods keep no
state, so one builder serves all parses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

from askos.algebra.report import Kind
from askos.errors import QueryError
from askos.terms import RDF, XSD, Literal, URIRef, Variable, canonical
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.durations import milliseconds
from askos.translate.lexer import Token
from askos.translate.words import ARITY

Parts: TypeAlias = list[Any]
N = TypeVar("N", bound=ast.Node)


def fault(message: str, at: ast.Position, hint: str = "") -> QueryError:
    """An error at a position; `parse` adds the text."""
    return QueryError(message, "", at.line, at.column, hint)


def _tokens(parts: Parts, *types: str) -> list[Token]:
    return [part for part in parts if isinstance(part, Token) and part.type in types]


def _has(parts: Parts, *types: str) -> bool:
    return bool(_tokens(parts, *types))


def _all(parts: Parts, *kinds: type[N]) -> tuple[N, ...]:
    return tuple(part for part in parts if isinstance(part, kinds))


def _first(parts: Parts, *kinds: type[N]) -> N | None:
    return next(iter(_all(parts, *kinds)), None)


def _term(part: Any) -> Any:
    """A token that is a term, as a node; nodes as they are."""
    if not isinstance(part, Token):
        return part
    match part.type:
        case "A":
            return ast.Term(RDF.type, at=part.at)
        case "NIL":
            return ast.Term(RDF.nil, at=part.at)
        case "ANON":
            return ast.Bracketed(at=part.at)
        case "WORD":
            return ast.Term(URIRef(part.value), at=part.at)
    return ast.Term(part.value, at=part.at)


def _kind(parts: Parts) -> Kind | None:
    words = _tokens(parts, "REPORT")
    return Kind(words[0].value.upper()) if words else None


class Builder:
    """The methods are named after the rules and aliases of grammar.lark."""

    # ---- the query ----------------------------------------------------------------------------

    def query(self, parts: Parts) -> Parts:
        return parts

    def base(self, parts: Parts) -> ast.Base:
        return ast.Base(parts[1].value, at=parts[0].at)

    def prefix(self, parts: Parts) -> ast.Prefix:
        return ast.Prefix(parts[1].value, parts[2].value, at=parts[0].at)

    def select(self, parts: Parts) -> ast.Select:
        return ast.Select(
            tuple(_projections(parts)),
            _has(parts, "DISTINCT"),
            _has(parts, "REDUCED"),
            _kind(parts),
            at=parts[0].at,
        )

    def project(self, parts: Parts) -> ast.Projection:
        return ast.Projection(_term(parts[0]), at=parts[0].at)

    def project_as(self, parts: Parts) -> ast.Projection:
        return ast.Projection(_term(parts[2]), parts[1], at=parts[0].at)

    def project_bare(self, parts: Parts) -> ast.Projection:
        return ast.Projection(_term(parts[1]), parts[0], ast.Quirk.BARE, at=parts[0].at)

    def construct(self, parts: Parts) -> ast.Construct:
        return ast.Construct(parts[-1], _kind(parts), at=parts[0].at)

    def construct_where(self, parts: Parts) -> ast.Construct:
        return ast.Construct(None, _kind(parts), at=parts[0].at)

    def template(self, parts: Parts) -> tuple[ast.Triples, ...]:
        block = _first(parts, ast.Block)
        return block.triples if block else ()

    def describe(self, parts: Parts) -> ast.Describe:
        names = tuple(_term(part) for part in parts[1:] if part.type != "STAR")
        return ast.Describe(names, at=parts[0].at)

    def ask(self, parts: Parts) -> ast.Ask:
        return ast.Ask(at=parts[0].at)

    def where(self, parts: Parts) -> ast.Group:
        group: ast.Group = parts[0]
        return group

    # ---- the dataset --------------------------------------------------------------------------

    def from_graph(self, parts: Parts) -> ast.From:
        window = _window(parts)
        if window:
            raise fault(
                "a static graph has no window",
                window.at,
                "write FROM STREAM for a stream; leave the window out for a graph",
            )
        name = _tokens(parts, "IRI", "VAR")[0]
        return ast.From(_source(name), _has(parts, "NAMED"), at=parts[0].at)

    def from_stream(self, parts: Parts) -> ast.FromStream:
        name = _tokens(parts, "IRI", "VAR", "WORD")[0]
        window = _window(parts)
        return ast.FromStream(_source(name), _has(parts, "NAMED"), window, at=parts[0].at)

    def from_window(self, parts: Parts) -> ast.FromWindow:
        name, source = _tokens(parts, "IRI", "VAR", "WORD")
        window = _window(parts)
        if window is None:
            raise fault(
                "a named window needs its extent",
                source.at,
                "write [RANGE PT10M STEP PT1M] after the stream",
            )
        return ast.FromWindow(_source(name), _source(source), window, at=parts[0].at)

    # ---- modifiers ----------------------------------------------------------------------------

    def tail(self, parts: Parts) -> Parts:
        return parts

    def group_by(self, parts: Parts) -> Parts:
        return parts

    def group_key(self, parts: Parts) -> ast.GroupKey:
        inner = [_term(part) for part in parts if not _has([part], "LPAR")]
        return ast.GroupKey(*inner, at=parts[0].at)

    def having(self, parts: Parts) -> tuple[ast.Expression, ...]:
        return tuple(parts)

    def order_by(self, parts: Parts) -> Parts:
        return parts

    def sort_key(self, parts: Parts) -> ast.SortKey:
        return ast.SortKey(_term(parts[-1]), _has(parts[:1], "DESC"), at=parts[0].at)

    def limits(self, parts: Parts) -> dict[str, int]:
        return {name: count for part in parts for name, count in part.items()}

    def limit(self, parts: Parts) -> dict[str, int]:
        return {"limit": int(parts[1].value)}

    def offset(self, parts: Parts) -> dict[str, int]:
        return {"offset": int(parts[1].value)}

    def values(self, parts: Parts) -> ast.Values:
        """VALUES ?x { 1 2 }, or VALUES (?x ?y) { (1 2) }."""
        variables = tuple(_term(token) for token in _tokens(parts, "VAR"))
        rows = tuple(part for part in parts if isinstance(part, tuple))
        single = not _has(parts, "NIL", "LPAR")
        for at, row, bare in rows:
            if len(row) != len(variables) or bare != single:
                wanted = f"{len(variables)} in parentheses" if not single else "one"
                raise fault(
                    f"VALUES: this row has {len(row)}{'' if bare else ' in parentheses'},"
                    f" but there must be {wanted}",
                    at,
                    "a row has one term, or UNDEF, for each variable",
                )
        return ast.Values(variables, tuple(row for _, row, _ in rows), at=parts[0].at)

    def row(self, parts: Parts) -> tuple[ast.Position, tuple[ast.Term | None, ...], bool]:
        cells = [part for part in parts if not _has([part], "LPAR", "NIL")]
        row = tuple(None if _has([cell], "UNDEF") else _term(cell) for cell in cells)
        return parts[0].at, row, len(cells) == len(parts)

    # ---- groups -------------------------------------------------------------------------------

    def group(self, parts: Parts) -> ast.Group:
        members = parts[1:]
        window = None
        if members and isinstance(members[-1], _WINDOWS):
            window = members.pop()
        for stray in _all(members, *_WINDOWS):
            raise fault(
                "a WINDOW stands at the end of its group",
                stray.at,
                "move it before the closing brace, or give the patterns it is for braces",
            )
        return ast.Group(tuple(members), window, at=parts[0].at)

    def sub_select(self, parts: Parts) -> ast.SubSelect:
        select, where, tail, *values = parts
        modifiers, aggregates = _modifiers(tail)
        if aggregates:
            at = aggregates[0].at
            raise fault(
                "AGGREGATE belongs to the outermost query", at, "use GROUP BY in sub-selects"
            )
        return ast.SubSelect(select, where, modifiers, *values, at=select.at)

    def block(self, parts: Parts) -> ast.Block:
        return ast.Block(tuple(parts), at=parts[0].at)

    def union(self, parts: Parts) -> ast.Union:
        return ast.Union(tuple(parts), at=parts[0].at)

    def optional(self, parts: Parts) -> ast.Optional:
        return ast.Optional(parts[1], at=parts[0].at)

    def minus(self, parts: Parts) -> ast.Minus:
        return ast.Minus(parts[1], at=parts[0].at)

    def graph(self, parts: Parts) -> ast.Graph:
        return ast.Graph(_term(parts[1]), parts[2], at=parts[0].at)

    def service(self, parts: Parts) -> ast.Service:
        *_, name, group = parts
        return ast.Service(_term(name), group, _has(parts, "SILENT"), at=parts[0].at)

    def filter(self, parts: Parts) -> ast.Filter:
        return ast.Filter(_term(parts[1]), at=parts[0].at)

    def bind(self, parts: Parts) -> ast.Bind:
        return ast.Bind(parts[1], _term(parts[2]), at=parts[0].at)

    def stream(self, parts: Parts) -> ast.StreamPattern:
        name = _tokens(parts, "IRI", "VAR", "WORD")[0]
        return ast.StreamPattern(_term(name), parts[-1], _window(parts), at=parts[0].at)

    def window_pattern(self, parts: Parts) -> ast.WindowPattern:
        return ast.WindowPattern(_term(parts[1]), parts[2], at=parts[0].at)

    # ---- triples and paths --------------------------------------------------------------------

    def triples(self, parts: Parts) -> ast.Triples:
        return ast.Triples(_term(parts[0]), tuple(parts[1:]), at=parts[0].at)

    def property(self, parts: Parts) -> ast.Property:
        return ast.Property(parts[0], tuple(map(_term, parts[1:])), at=parts[0].at)

    def verb(self, parts: Parts) -> ast.Term:
        term: ast.Term = _term(parts[0])
        return term

    def bracketed(self, parts: Parts) -> ast.Bracketed:
        return ast.Bracketed(tuple(parts[1:]), at=parts[0].at)

    def collection(self, parts: Parts) -> ast.Collection:
        return ast.Collection(tuple(map(_term, parts[1:])), at=parts[0].at)

    def literal(self, parts: Parts) -> ast.Term:
        first = parts[0]
        match parts:
            case [Token("STRING")]:
                return ast.Term(Literal(first.value), at=first.at)
            case [Token("STRING"), Token("LANGTAG") as tag]:
                return ast.Term(Literal(first.value, lang=tag.value), at=first.at)
            case [Token("STRING"), _, Token(value=datatype)]:
                return ast.Term(_typed(first.value, datatype), at=first.at)
            case [Token("BOOLEAN")]:
                return ast.Term(Literal(first.value.lower(), datatype=_BOOLEAN), at=first.at)
        return ast.Term(first.value, at=first.at)

    def path_alternative(self, parts: Parts) -> ast.Path:
        steps = parts[::2]
        return steps[0] if len(steps) == 1 else ast.PathAlternative(tuple(steps), at=steps[0].at)

    def path_sequence(self, parts: Parts) -> ast.Path:
        steps = parts[::2]
        return steps[0] if len(steps) == 1 else ast.PathSequence(tuple(steps), at=steps[0].at)

    def path_step(self, parts: Parts) -> ast.Path:
        path = next(part for part in parts if isinstance(part, ast.Node))
        for sign in _tokens(parts, "STAR", "PLUS", "QMARK"):
            path = ast.PathRepeat(path, sign.value, at=path.at)
        return ast.PathInverse(path, at=parts[0].at) if _has(parts[:1], "CARET") else path

    def path_primary(self, parts: Parts) -> ast.Path:
        match parts[0]:
            case Token("BANG", at=at):
                return ast.PathNegated(_all(parts, ast.Term, ast.PathInverse), at=at)
            case Token("LPAR"):
                return parts[1]
        term: ast.Term = _term(parts[0])
        return term

    def negated_step(self, parts: Parts) -> ast.Path:
        term: ast.Term = _term(parts[-1])
        return ast.PathInverse(term, at=parts[0].at) if len(parts) == 2 else term

    # ---- expressions --------------------------------------------------------------------------

    def disjunction(self, parts: Parts) -> ast.Expression:
        return parts[0] if len(parts) == 1 else ast.Or(tuple(parts[::2]), at=parts[0].at)

    def conjunction(self, parts: Parts) -> ast.Expression:
        return parts[0] if len(parts) == 1 else ast.And(tuple(parts[::2]), at=parts[0].at)

    def relation(self, parts: Parts) -> ast.Expression:
        match parts:
            case [only]:
                return only
            case [left, *negated, (choices, distinct)]:
                if distinct:
                    raise fault("IN takes no DISTINCT", left.at)
                return ast.In(left, choices, bool(negated), at=left.at)
        left, sign, right = parts
        return ast.Compare(sign.value, left, right, at=left.at)

    def sum(self, parts: Parts) -> ast.Expression:
        if len(parts) == 1:
            return parts[0]
        return _arithmetic(list(_unsigned(parts)))

    def signed_product(self, parts: Parts) -> tuple[Token, ast.Expression]:
        """?a -5 * ?b is ?a - 5 * ?b: the sign of a number is the operator's (19.8, rule 116)."""
        token = parts[0]
        sign = Token("PLUS" if token.value[0] == "+" else "DASH", token.value[0], token.at)
        bare = Literal(str(token.value)[1:], datatype=token.value.datatype)
        return sign, _arithmetic([ast.Term(bare, at=token.at), *parts[1:]])

    def product(self, parts: Parts) -> ast.Expression:
        return _arithmetic(parts)

    def unary(self, parts: Parts) -> ast.Expression:
        if len(parts) == 1:
            return _term(parts[0])
        return ast.Unary(parts[0].value, _term(parts[1]), at=parts[0].at)

    def call(self, parts: Parts) -> ast.Call:
        token, (arguments, distinct) = parts
        name = token.value.upper()
        least, most = ARITY[name]
        count = len(arguments)
        if distinct:
            raise fault(f"{name} takes no DISTINCT", token.at, "only aggregates do")
        if count < least or (most is not None and count > most):
            wanted = str(least) if least == most else f"{least} to {most}"
            raise fault(f"{name} takes {wanted} arguments, not {count}", token.at)
        if name in ("BOUND", "TIMESTAMP") and not _is_variable(arguments[0]):
            raise fault(f"{name} takes a variable", arguments[0].at, f"as in {name}(?x)")
        return ast.Call(name, arguments, at=token.at)

    def function_call(self, parts: Parts) -> ast.FunctionCall:
        token, (arguments, distinct) = parts
        return ast.FunctionCall(_term(token), arguments, distinct, at=token.at)

    def arguments(self, parts: Parts) -> tuple[tuple[ast.Expression, ...], bool]:
        return tuple(p for p in parts if isinstance(p, ast.Node)), _has(parts, "DISTINCT")

    def aggregate(self, parts: Parts) -> ast.Aggregate:
        token, *rest = parts
        name = token.value.upper()
        expression = next((part for part in rest if isinstance(part, ast.Node)), None)
        separators = _tokens(rest, "STRING")
        if expression is None and name != "COUNT":
            raise fault(f"only COUNT takes *, not {name}", token.at, f"as in {name}(?x)")
        if separators and name != "GROUP_CONCAT":
            raise fault(f"{name} takes no SEPARATOR", token.at, "only GROUP_CONCAT does")
        return ast.Aggregate(
            name,
            expression,
            _has(rest, "DISTINCT"),
            separators[0].value if separators else None,
            at=token.at,
        )

    def exists(self, parts: Parts) -> ast.Exists:
        return ast.Exists(parts[-1], _has(parts, "NOT"), at=parts[0].at)

    # ---- streams ------------------------------------------------------------------------------

    def time_window(self, parts: Parts) -> ast.TimeWindow:
        width, *slides = [part for part in parts if isinstance(part, _Span)]
        slide = slides[0].length if slides else None
        if _has(parts, "FIXED"):
            slide = width.length
        elif _has(parts, "SLIDE") and not slides:
            slide = width.unit
        elif slide is None and _has(parts[:1], "WINDOW"):
            raise fault(
                "a RANGE needs SLIDE or FIXED",
                parts[0].at,
                "write SLIDE 1 MINUTE, SLIDE alone for one unit of RANGE, or FIXED to tumble",
            )
        for span in (width, *slides):
            _positive(span.length, "a window's time", span.at)
        return ast.TimeWindow(width.length, slide, at=parts[0].at)

    def slide_window(self, parts: Parts) -> ast.TimeWindow:
        width, slide = (part for part in parts if isinstance(part, _Span))
        for span in (width, slide):
            _positive(span.length, "a window's time", span.at)
        return ast.TimeWindow(width.length, slide.length, at=parts[0].at)

    def count_window(self, parts: Parts) -> ast.CountWindow:
        numbers = _tokens(parts, "INTEGER")
        for number in numbers:
            _positive(int(number.value), "a window's count", number.at)
        count, *step = (int(number.value) for number in numbers)
        steps = [count] if _has(parts, "FIXED") else step
        return ast.CountWindow(count, *steps, at=parts[0].at)

    def predicate_window(self, parts: Parts) -> ast.PredicateWindow:
        start, end = (_term(part) for part in parts if isinstance(part, ast.Node))
        spans = [part for part in parts if isinstance(part, _Span)]
        for span in spans:
            _positive(span.length, "WITHIN", span.at)
        return ast.PredicateWindow(start, end, *(s.length for s in spans), at=parts[0].at)

    def now_window(self, parts: Parts) -> ast.NowWindow:
        return ast.NowWindow(at=parts[0].at)

    def all_window(self, parts: Parts) -> ast.AllWindow:
        return ast.AllWindow(at=parts[0].at)

    def past_window(self, parts: Parts) -> ast.PastWindow:
        start, *ends = [part[0] for part in parts if isinstance(part, tuple)]
        slides = [part for part in parts if isinstance(part, _Span)]
        end = ends[0].length if ends else 0
        for span in slides:
            _positive(span.length, "SLIDE", span.at)
        if start.length <= end:
            raise fault("the window ends before it begins", start.at, "NOW - 10 S TO NOW - 5 S")
        slide = slides[0].length if slides else None
        return ast.PastWindow(start.length, end, slide, at=parts[0].at)

    def past(self, parts: Parts) -> tuple[_Span]:
        return (parts[-1],)

    def signed_past(self, parts: Parts) -> tuple[_Span]:
        number, unit = parts
        if str(number.value)[0] != "-":
            raise fault("a window reaches into the past", number.at, "write NOW - 10 S")
        bare = Token("INTEGER", Literal(str(number.value)[1:]), number.at)
        return (self.duration([bare, unit]),)

    def duration(self, parts: Parts) -> _Span:
        text = " ".join(str(part.value) for part in parts)
        try:
            return _Span(*milliseconds(text), parts[0].at)
        except ValueError as error:
            message, _, hint = str(error).partition("; ")
            raise fault(message, parts[-1].at, hint) from None

    def register_query(self, parts: Parts) -> ast.Register:
        return _register(parts, stream=False)

    def register_stream(self, parts: Parts) -> ast.Register:
        return _register(parts, stream=True)

    def register_report(self, parts: Parts) -> ast.Register:
        name = _term(parts[2])
        return ast.Register(name, stream=True, report=_kind(parts), at=parts[0].at)

    def every(self, parts: Parts) -> _Span:
        span: _Span = parts[0]
        _positive(span.length, "COMPUTED EVERY", span.at)
        return span

    def aggregates(self, parts: Parts) -> Parts:
        return [clause for part in parts for clause in part]

    def aggregate_clause(self, parts: Parts) -> Parts:
        return list(_all(parts, ast.AggregateClause))

    def clause(self, parts: Parts) -> ast.AggregateClause:
        variable, aggregate, *rest = parts
        if isinstance(aggregate, Token):
            if aggregate.value.upper() != "COUNT":
                name = aggregate.value.upper()
                raise fault(f"{name} needs what it aggregates", aggregate.at, f"as in {name}(?x)")
            aggregate = ast.Aggregate("COUNT", None, at=aggregate.at)
        by = tuple(_term(token) for token in _tokens(rest, "VAR"))
        filters = [_term(rest[i + 1]) for i, p in enumerate(rest) if _has([p], "FILTER")]
        return ast.AggregateClause(_term(variable), aggregate, by, tuple(filters), at=variable.at)


# ---- parts of the above -----------------------------------------------------------------------

_BOOLEAN = XSD.boolean
_WINDOWS = (ast.TimeWindow, ast.CountWindow, ast.PredicateWindow)
_BRACKETS = (ast.NowWindow, ast.AllWindow, ast.PastWindow)


@dataclass(frozen=True, slots=True)
class _Span:
    """A duration in milliseconds, and one of its unit."""

    length: int
    unit: int
    at: ast.Position


def _projections(parts: Parts) -> Iterator[ast.Projection]:
    for before, part in pairwise(parts):
        if isinstance(part, ast.Projection):
            comma = _has([before], "COMMA")
            yield replace(part, quirk=ast.Quirk.COMMA, at=before.at) if comma else part


def _source(token: Token) -> ast.Term:
    if token.type == "VAR":
        raise fault("a source is named by an IRI", token.at, "variables stand in GRAPH ?g {..}")
    term: ast.Term = _term(token)
    return term


def _window(parts: Parts) -> Any:
    return _first(parts, *_WINDOWS, *_BRACKETS)


def _positive(number: int, what: str, at: ast.Position) -> None:
    if not 0 < number < 2**63:
        raise fault(f"{what} must be more than 0", at, "an empty window has no elements")


def _typed(text: str, datatype: URIRef) -> Literal:
    return canonical(Literal(text, datatype=datatype))  # type: ignore[return-value]


def _is_variable(node: ast.Node) -> bool:
    return isinstance(node, ast.Term) and isinstance(node.value, Variable)


def _unsigned(parts: Parts) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, tuple):
            yield from part
        else:
            yield part


def _arithmetic(parts: Parts) -> Any:
    if len(parts) == 1:
        return parts[0]
    signs = tuple(token.value for token in parts[1::2])
    return ast.Arithmetic(tuple(parts[::2]), signs, at=parts[0].at)


def _register(parts: Parts, stream: bool) -> ast.Register:
    token = parts[2]
    name = _term(token) if token.type == "IRI" else str(token.value)
    every = [part.length for part in parts if isinstance(part, _Span)]
    return ast.Register(name, stream, *every, at=parts[0].at)


def _modifiers(tail: Parts) -> tuple[ast.Modifiers, list[ast.AggregateClause]]:
    """What the rule `tail` collected, told apart by what it is."""
    *modifiers, aggregates = tail
    group: tuple[Any, ...] = ()
    order: tuple[Any, ...] = ()
    having: tuple[Any, ...] = ()
    limits: dict[str, int] = {}
    for part in modifiers:
        match part:
            case dict():
                limits = part
            case tuple():
                having = part
            case [ast.GroupKey(), *_]:
                group = tuple(part)
            case _:
                order = tuple(part)
    return ast.Modifiers(group, having, order, **limits), aggregates


def assemble(parts: Parts, dialect: Dialect, text: str) -> ast.Query:
    """The query of what the rule `query` collected."""
    tail = next(part for part in parts if isinstance(part, list))
    modifiers, aggregates = _modifiers(tail)
    form = next(
        p for p in parts if isinstance(p, ast.Select | ast.Construct | ast.Describe | ast.Ask)
    )
    return ast.Query(
        dialect,
        form,
        _first(parts, ast.Group),
        _all(parts, ast.From, ast.FromStream, ast.FromWindow),
        modifiers,
        _first(parts, ast.Values),
        tuple(aggregates),
        _all(parts, ast.Base, ast.Prefix),
        _first(parts, ast.Register),
        text,
        at=form.at,
    )

"""Rules of stream clauses: windows, durations, REGISTER, and C-SPARQL's AGGREGATE."""

from __future__ import annotations

from askos.terms import Literal
from askos.translate import ast
from askos.translate.durations import milliseconds
from askos.translate.lexer import Token
from askos.translate.syntax.parts import Parts, Span, every, fault, has, report, term, tokens, whole


class StreamRules:
    """Methods named after rules and aliases of grammar.lark."""

    def time_window(self, parts: Parts) -> ast.TimeWindow:
        width, *slides = [part for part in parts if isinstance(part, Span)]
        slide = slides[0].length if slides else None
        if has(parts, "FIXED"):
            slide = width.length
        elif has(parts, "SLIDE") and not slides:
            slide = width.unit
        elif slide is None and has(parts[:1], "WINDOW"):
            raise fault(
                "a RANGE needs SLIDE or FIXED",
                parts[0].at,
                "write SLIDE 1 MINUTE, SLIDE alone for one unit of RANGE, or FIXED to tumble",
            )
        for span in (width, *slides):
            _positive(span.length, "a window's time", span.at)
        return ast.TimeWindow(width.length, slide, at=parts[0].at)

    def slide_window(self, parts: Parts) -> ast.TimeWindow:
        width, slide = (part for part in parts if isinstance(part, Span))
        for span in (width, slide):
            _positive(span.length, "a window's time", span.at)
        return ast.TimeWindow(width.length, slide.length, at=parts[0].at)

    def count_window(self, parts: Parts) -> ast.CountWindow:
        numbers = tokens(parts, "INTEGER")
        for number in numbers:
            _positive(whole(number), "a window's count", number.at)
        count, *step = map(whole, numbers)
        steps = [count] if has(parts, "FIXED") else step
        return ast.CountWindow(count, *steps, at=parts[0].at)

    def predicate_window(self, parts: Parts) -> ast.PredicateWindow:
        start, end = (term(part) for part in parts if isinstance(part, ast.Node))
        spans = [part for part in parts if isinstance(part, Span)]
        for span in spans:
            _positive(span.length, "WITHIN", span.at)
        return ast.PredicateWindow(start, end, *(s.length for s in spans), at=parts[0].at)

    def now_window(self, parts: Parts) -> ast.NowWindow:
        return ast.NowWindow(at=parts[0].at)

    def all_window(self, parts: Parts) -> ast.AllWindow:
        return ast.AllWindow(at=parts[0].at)

    def past_window(self, parts: Parts) -> ast.PastWindow:
        start, *ends = [part[0] for part in parts if isinstance(part, tuple)]
        slides = [part for part in parts if isinstance(part, Span)]
        end = ends[0].length if ends else 0
        for span in slides:
            _positive(span.length, "SLIDE", span.at)
        if start.length <= end:
            raise fault("the window ends before it begins", start.at, "NOW - 10 S TO NOW - 5 S")
        slide = slides[0].length if slides else None
        return ast.PastWindow(start.length, end, slide, at=parts[0].at)

    def past(self, parts: Parts) -> tuple[Span]:
        return (parts[-1],)

    def signed_past(self, parts: Parts) -> tuple[Span]:
        number, *rest = parts
        if str(number.value)[0] != "-":
            raise fault("a window reaches into the past", number.at, "write NOW - 10 S")
        bare = Token("INTEGER", Literal(str(number.value)[1:]), number.at)
        return (self.duration([bare, *rest]),)

    def duration(self, parts: Parts) -> Span:
        text = " ".join(str(part.value) for part in parts)
        try:
            return Span(*milliseconds(text), parts[0].at)
        except ValueError as error:
            message, _, hint = str(error).partition("; ")
            raise fault(message, parts[-1].at, hint) from None

    def register_query(self, parts: Parts) -> ast.Register:
        return _register(parts, stream=False)

    def register_stream(self, parts: Parts) -> ast.Register:
        return _register(parts, stream=True)

    def register_report(self, parts: Parts) -> ast.Register:
        name = term(parts[2])
        return ast.Register(name, stream=True, report=report(parts), at=parts[0].at)

    def every(self, parts: Parts) -> Span:
        span: Span = parts[0]
        _positive(span.length, "COMPUTED EVERY", span.at)
        return span

    def aggregates(self, parts: Parts) -> Parts:
        return [clause for part in parts for clause in part]

    def aggregate_clause(self, parts: Parts) -> Parts:
        return list(every(parts, ast.AggregateClause))

    def clause(self, parts: Parts) -> ast.AggregateClause:
        variable, aggregate, *rest = parts
        if isinstance(aggregate, Token):
            if aggregate.value.upper() != "COUNT":
                name = aggregate.value.upper()
                raise fault(f"{name} needs what it aggregates", aggregate.at, f"as in {name}(?x)")
            aggregate = ast.Aggregate("COUNT", None, at=aggregate.at)
        by = tuple(term(token) for token in tokens(rest, "VAR"))
        filters = [term(rest[i + 1]) for i, p in enumerate(rest) if has([p], "FILTER")]
        return ast.AggregateClause(term(variable), aggregate, by, tuple(filters), at=variable.at)


def _positive(number: int, what: str, at: ast.Position) -> None:
    if not 0 < number < 2**63:
        raise fault(f"{what} must be more than 0", at, "an empty window has no elements")


def _register(parts: Parts, stream: bool) -> ast.Register:
    token = parts[2]
    name = term(token) if token.type == "IRI" else str(token.value)
    period = next((part.length for part in parts if isinstance(part, Span)), None)
    return ast.Register(name, stream, period, at=parts[0].at)

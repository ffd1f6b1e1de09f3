"""Rules of graph patterns: groups, triples and property paths."""

from __future__ import annotations

from typing import Any

from askos.terms import XSD, Literal, canonical
from askos.translate import ast
from askos.translate.lexer import Token
from askos.translate.syntax.parts import (
    WINDOWS,
    Parts,
    every,
    fault,
    has,
    term,
    tokens,
    window,
)


class PatternRules:
    """Methods named after rules and aliases of grammar.lark."""

    def group(self, parts: Parts) -> ast.Group:
        members = parts[1:]
        window = None
        if members and isinstance(members[-1], WINDOWS):
            window = members.pop()
        for stray in every(members, *WINDOWS):
            raise fault(
                "a WINDOW stands at the end of its group",
                stray.at,
                "move it before the closing brace, or give the patterns it is for braces",
            )
        return ast.Group(tuple(members), window, at=parts[0].at)

    def sub_select(self, parts: Parts) -> ast.SubSelect:
        select, where, (modifiers, aggregates), *values = parts
        if aggregates:
            at = aggregates[0].at
            raise fault("AGGREGATE stands outside of sub-selects", at, "use GROUP BY inside")
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
        return ast.Graph(term(parts[1]), parts[2], at=parts[0].at)

    def service(self, parts: Parts) -> ast.Service:
        *_, name, group = parts
        return ast.Service(term(name), group, has(parts, "SILENT"), at=parts[0].at)

    def filter(self, parts: Parts) -> ast.Filter:
        return ast.Filter(term(parts[1]), at=parts[0].at)

    def bind(self, parts: Parts) -> ast.Bind:
        return ast.Bind(parts[1], term(parts[2]), at=parts[0].at)

    def stream(self, parts: Parts) -> ast.StreamPattern:
        name = tokens(parts, "IRI", "VAR", "WORD")[0]
        return ast.StreamPattern(term(name), parts[-1], window(parts), at=parts[0].at)

    def window_pattern(self, parts: Parts) -> ast.WindowPattern:
        return ast.WindowPattern(term(parts[1]), parts[2], at=parts[0].at)

    # ---- triples and paths --------------------------------------------------------------------

    def triples(self, parts: Parts) -> ast.Triples:
        return ast.Triples(term(parts[0]), tuple(parts[1:]), at=parts[0].at)

    def property(self, parts: Parts) -> ast.Property:
        return ast.Property(parts[0], tuple(map(term, parts[1:])), at=parts[0].at)

    def verb(self, parts: Parts) -> Any:
        return term(parts[0])

    def bracketed(self, parts: Parts) -> ast.Bracketed:
        return ast.Bracketed(tuple(parts[1:]), at=parts[0].at)

    def collection(self, parts: Parts) -> ast.Collection:
        return ast.Collection(tuple(map(term, parts[1:])), at=parts[0].at)

    def literal(self, parts: Parts) -> ast.Term:
        head = parts[0]
        match parts:
            case [Token("STRING")]:
                return ast.Term(Literal(head.value), at=head.at)
            case [Token("STRING"), Token("LANGTAG") as tag]:
                return ast.Term(Literal(head.value, lang=tag.value), at=head.at)
            case [Token("STRING"), _, Token(value=datatype)]:
                return ast.Term(canonical(Literal(head.value, datatype=datatype)), at=head.at)
            case [Token("BOOLEAN")]:
                return ast.Term(Literal(head.value.lower(), datatype=XSD.boolean), at=head.at)
        return ast.Term(head.value, at=head.at)

    def path_alternative(self, parts: Parts) -> Any:
        steps = parts[::2]
        return steps[0] if len(steps) == 1 else ast.PathAlternative(tuple(steps), at=steps[0].at)

    def path_sequence(self, parts: Parts) -> Any:
        steps = parts[::2]
        return steps[0] if len(steps) == 1 else ast.PathSequence(tuple(steps), at=steps[0].at)

    def path_step(self, parts: Parts) -> Any:
        path: Any = next(part for part in parts if isinstance(part, ast.Node))
        for sign in tokens(parts, "STAR", "PLUS", "QMARK"):
            path = ast.PathRepeat(path, sign.value, at=path.at)
        return ast.PathInverse(path, at=parts[0].at) if has(parts[:1], "CARET") else path

    def path_primary(self, parts: Parts) -> Any:
        match parts[0]:
            case Token("BANG", at=at):
                return ast.PathNegated(every(parts, ast.Term, ast.PathInverse), at=at)
            case Token("LPAR"):
                return parts[1]
        return term(parts[0])

    def negated_step(self, parts: Parts) -> Any:
        step = term(parts[-1])
        return ast.PathInverse(step, at=parts[0].at) if len(parts) == 2 else step

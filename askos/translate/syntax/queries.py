"""Rules of whole queries: declarations, forms, the dataset, and what comes after WHERE."""

from __future__ import annotations

from typing import Any

from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.syntax.parts import (
    Parts,
    every,
    fault,
    first,
    has,
    report,
    source,
    term,
    tokens,
    whole,
    window,
)


class QueryRules:
    """Methods named after rules and aliases of grammar.lark."""

    def query(self, parts: Parts) -> Parts:
        return parts

    def base(self, parts: Parts) -> ast.Base:
        return ast.Base(parts[1].value, at=parts[0].at)

    def prefix(self, parts: Parts) -> ast.Prefix:
        return ast.Prefix(parts[1].value, parts[2].value, at=parts[0].at)

    def select(self, parts: Parts) -> ast.Select:
        return ast.Select(
            every(parts, ast.Projection),
            has(parts, "DISTINCT"),
            has(parts, "REDUCED"),
            report(parts),
            at=parts[0].at,
        )

    def project(self, parts: Parts) -> ast.Projection:
        return ast.Projection(term(parts[0]), at=parts[0].at)

    def project_as(self, parts: Parts) -> ast.Projection:
        return ast.Projection(term(parts[2]), parts[1], at=parts[0].at)

    def project_bare(self, parts: Parts) -> ast.Projection:
        return ast.Projection(term(parts[1]), parts[0], at=parts[0].at)

    def construct(self, parts: Parts) -> ast.Construct:
        return ast.Construct(parts[-1], report(parts), at=parts[0].at)

    def construct_where(self, parts: Parts) -> ast.Construct:
        return ast.Construct(None, report(parts), at=parts[0].at)

    def template(self, parts: Parts) -> tuple[ast.Triples, ...]:
        block = first(parts, ast.Block)
        return block.triples if block else ()

    def describe(self, parts: Parts) -> ast.Describe:
        names = tuple(term(part) for part in parts[1:] if part.type != "STAR")
        return ast.Describe(names, at=parts[0].at)

    def ask(self, parts: Parts) -> ast.Ask:
        return ast.Ask(at=parts[0].at)

    def where(self, parts: Parts) -> ast.Group:
        group: ast.Group = parts[0]
        return group

    # ---- the dataset --------------------------------------------------------------------------

    def from_graph(self, parts: Parts) -> ast.From:
        extent = window(parts)
        if extent:
            raise fault(
                "a static graph has no window",
                extent.at,
                "write FROM STREAM for a stream; leave the window out for a graph",
            )
        name = tokens(parts, "IRI", "VAR")[0]
        return ast.From(source(name), has(parts, "NAMED"), at=parts[0].at)

    def from_stream(self, parts: Parts) -> ast.FromStream:
        name = tokens(parts, "IRI", "VAR", "WORD")[0]
        extent = window(parts)
        return ast.FromStream(source(name), has(parts, "NAMED"), extent, at=parts[0].at)

    def from_window(self, parts: Parts) -> ast.FromWindow:
        name, stream = tokens(parts, "IRI", "VAR", "WORD")
        extent = window(parts)
        if extent is None:
            raise fault(
                "a named window needs its extent",
                stream.at,
                "write [RANGE PT10M STEP PT1M] after the stream",
            )
        return ast.FromWindow(source(name), source(stream), extent, at=parts[0].at)

    # ---- modifiers ----------------------------------------------------------------------------

    def tail(self, parts: Parts) -> tuple[ast.Modifiers, Parts]:
        """All that may follow WHERE, told apart by what it is; C-SPARQL's clauses beside it."""
        *modifiers, aggregates = parts
        known: dict[str, Any] = {}
        for part in modifiers:
            known |= part
        return ast.Modifiers(**known), aggregates

    def group_by(self, parts: Parts) -> dict[str, Any]:
        return {"group_by": tuple(parts)}

    def group_key(self, parts: Parts) -> ast.GroupKey:
        inner = [term(part) for part in parts if not has([part], "LPAR")]
        return ast.GroupKey(*inner, at=parts[0].at)

    def having(self, parts: Parts) -> dict[str, Any]:
        return {"having": tuple(parts)}

    def order_by(self, parts: Parts) -> dict[str, Any]:
        return {"order_by": tuple(parts)}

    def sort_key(self, parts: Parts) -> ast.SortKey:
        return ast.SortKey(term(parts[-1]), has(parts[:1], "DESC"), at=parts[0].at)

    def limits(self, parts: Parts) -> dict[str, int]:
        return {name: count for part in parts for name, count in part.items()}

    def limit(self, parts: Parts) -> dict[str, int]:
        return {"limit": whole(parts[1])}

    def offset(self, parts: Parts) -> dict[str, int]:
        return {"offset": whole(parts[1])}

    def values(self, parts: Parts) -> ast.Values:
        """VALUES ?x { 1 2 }, or VALUES (?x ?y) { (1 2) }."""
        variables = tuple(term(token) for token in tokens(parts, "VAR"))
        rows = tuple(part for part in parts if isinstance(part, tuple))
        single = not has(parts, "NIL", "LPAR")
        for at, row, bare in rows:
            if bare != single:
                shape = "without" if single else "in"
                raise fault(f"VALUES: a row here stands {shape} parentheses", at)
            if len(row) != len(variables):
                raise fault(
                    f"VALUES: {len(row)} terms for {len(variables)} variables",
                    at,
                    "a row has one term, or UNDEF, for each variable",
                )
        return ast.Values(variables, tuple(row for _, row, _ in rows), at=parts[0].at)

    def row(self, parts: Parts) -> tuple[ast.Position, tuple[ast.Term | None, ...], bool]:
        cells = [part for part in parts if not has([part], "LPAR", "NIL")]
        row = tuple(None if has([cell], "UNDEF") else term(cell) for cell in cells)
        return parts[0].at, row, len(cells) == len(parts)


def assemble(parts: Parts, dialect: Dialect, text: str) -> ast.Query:
    """The query of what the rule `query` collected."""
    modifiers, aggregates = next(part for part in parts if isinstance(part, tuple))
    form: Any = first(parts, ast.Select, ast.Construct, ast.Describe, ast.Ask)
    return ast.Query(
        dialect,
        form,
        first(parts, ast.Group),
        every(parts, ast.From, ast.FromStream, ast.FromWindow),
        modifiers,
        first(parts, ast.Values),
        tuple(aggregates),
        every(parts, ast.Base, ast.Prefix),
        first(parts, ast.Register),
        text,
        at=form.at,
    )

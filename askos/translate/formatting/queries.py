"""Whole queries as text."""

from __future__ import annotations

from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.formatting.names import Terms, bracketed, is_word, quoted
from askos.translate.formatting.patterns import Patterns, braces
from askos.translate.formatting.windows import duration


def write(query: ast.Query) -> str:
    """The canonical text of a query, in its own dialect; it ends with a line end."""
    # A base that the caller gave has done its work: names are resolved.
    declared = [str(d.iri) for d in query.declarations if isinstance(d, ast.Base)]
    base = declared[-1] if declared else None
    based = query.base is not None
    return Queries(query.dialect, query.prefixes, base, based).query(query) + "\n"


class Queries(Patterns):
    """A query from its declarations to its last modifier."""

    def query(self, query: ast.Query) -> str:
        register = [self._register(query.register)] if query.register else []
        declarations = "\n".join(map(self._declaration, query.declarations))
        head = [declarations] if declarations else []
        if register and self.dialect is Dialect.CSPARQL:
            # C-SPARQL 2010, section 2.4: what is registered is a query, with its declarations.
            return "\n\n".join(["\n".join(register), *head, self._body(query)])
        return "\n\n".join([*head, "\n".join([*register, self._body(query)])])

    def _body(self, query: ast.Query) -> str:
        lines = [self._form(query.form), *map(self._dataset, query.dataset)]
        if query.where is not None:
            lines.append(f"WHERE {self.group(query.where)}")
        lines += self.modifiers(query.modifiers)
        if query.aggregates:
            lines.append(f"AGGREGATE {braces([self._clause(c) for c in query.aggregates])}")
        return "\n".join(lines + [self.values(v) for v in (query.values,) if v])

    def _declaration(self, node: ast.Declaration) -> str:
        match node:
            case ast.Base(iri):
                return f"BASE {bracketed(str(iri))}"
            case ast.Prefix(name, iri):
                return f"PREFIX {name}: {bracketed(str(iri))}"

    def _register(self, node: ast.Register) -> str:
        if node.report:
            assert isinstance(node.name, ast.Term), "RSP-QL names its results by IRIs"
            return f"REGISTER {node.report.value} {self.term(node.name)} AS"
        what = "STREAM" if node.stream else "QUERY"
        every = f" COMPUTED EVERY {duration(node.every, self.dialect)}" if node.every else ""
        return f"REGISTER {what} {self._name(node.name)}{every} AS"

    def _name(self, name: ast.Term | str) -> str:
        if isinstance(name, str):
            return name if is_word(name, self.dialect, "WORD", "BUILTIN", "AGG") else quoted(name)
        before = Terms(self.dialect) if self.dialect is Dialect.CSPARQL else self
        return before.iri(name)

    def _form(self, form: ast.Form) -> str:
        match form:
            case ast.Select():
                return self.select(form)
            case ast.Construct(template, report):
                head = "CONSTRUCT" + (f" {report.value}" if report else "")
                if template is None:
                    return head
                return f"{head} {braces([self.triples(triples) for triples in template])}"
            case ast.Describe(resources):
                return " ".join(["DESCRIBE", *(map(self.term, resources) if resources else "*")])
            case ast.Ask():
                return "ASK"

    def _dataset(self, node: ast.Dataset) -> str:
        match node:
            case ast.From(source, named):
                return f"FROM {'NAMED ' * named}{self.iri(source)}"
            case ast.FromStream(source, named, window):
                extent = f" {self.window(window)}" if window else ""
                return f"FROM {'NAMED ' * named}STREAM {self.source(source, window)}{extent}"
            case ast.FromWindow(name, source, window):
                stream = self.source(source)
                return f"FROM NAMED WINDOW {self.iri(name)} ON {stream} {self.window(window)}"

    def _clause(self, node: ast.AggregateClause) -> str:
        """C-SPARQL 2010, section 2.2: COUNT stands alone where it counts solutions."""
        aggregate = node.aggregate
        plain = aggregate.expression is None and not aggregate.distinct
        text = aggregate.name if plain else self.expression(aggregate)
        keys = ", ".join(map(self.term, node.by))
        filters = "".join(f"\n  FILTER {self.constraint(f)}" for f in node.filters)
        return f"({self.term(node.variable)}, {text}, {{{keys}}}){filters}"

"""Triples, paths and groups as text."""

from __future__ import annotations

from enum import IntEnum

from askos.terms import RDF, URIRef
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.formatting.expressions import Expressions
from askos.translate.formatting.names import is_word

WIDTH = 88


def indent(text: str) -> str:
    """Two spaces before every line; no token has a line end in it."""
    return "  " + text.replace("\n", "\n  ")


def braces(lines: list[str]) -> str:
    """Lines in braces, indented."""
    return "{\n" + indent("\n".join(lines)) + "\n}" if lines else "{}"


class Bond(IntEnum):
    """How firmly a path holds together (SPARQL 1.1, 19.8, rules 89 to 94)."""

    ALTERNATIVE = 1
    SEQUENCE = 2
    INVERSE = 3
    REPEAT = 4
    STEP = 5


def _bond(path: ast.Path) -> Bond:
    match path:
        case ast.PathAlternative():
            return Bond.ALTERNATIVE
        case ast.PathSequence():
            return Bond.SEQUENCE
        case ast.PathInverse():
            return Bond.INVERSE
        case ast.PathRepeat():
            return Bond.REPEAT
    return Bond.STEP


class Patterns(Expressions):
    """What stands in braces."""

    # ---- triples and paths --------------------------------------------------------------------

    def triples(self, triples: ast.Triples) -> str:
        """Triples of one subject, a property a line, each below the first."""
        subject = self._object(triples.subject)
        if not triples.properties:
            return f"{subject} ."
        between = " ;\n" + " " * (len(subject) + 1)
        return f"{subject} {between.join(map(self._property, triples.properties))} ."

    def _property(self, node: ast.Property) -> str:
        return f"{self.path(node.verb)} {', '.join(map(self._object, node.objects))}"

    def _object(self, node: ast.Object) -> str:
        match node:
            case ast.Bracketed(()):
                return "[]"
            case ast.Bracketed(properties):
                return f"[ {' ; '.join(map(self._property, properties))} ]"
            case ast.Collection(items):
                return f"({' '.join(map(self._object, items))})"
        return self.object(node)

    def path(self, path: ast.Path, least: Bond = Bond.ALTERNATIVE) -> str:
        """A verb, in parentheses if it holds together less than `least`."""
        text = self._path(path)
        return f"({text})" if _bond(path) < least else text

    def _path(self, path: ast.Path) -> str:
        match path:
            case ast.PathAlternative(choices):
                return "|".join(self.path(choice, Bond.SEQUENCE) for choice in choices)
            case ast.PathSequence(steps):
                return "/".join(self.path(step, Bond.INVERSE) for step in steps)
            case ast.PathInverse(inner):
                return f"^{self.path(inner, Bond.REPEAT)}"
            case ast.PathRepeat(inner, sign):
                return f"{self.path(inner, Bond.STEP)}{sign}"
            case ast.PathNegated((only,)):
                return f"!{self.path(only)}"
            case ast.PathNegated(excluded):
                return f"!({'|'.join(map(self.path, excluded))})"
            case ast.Term(value):
                return "a" if value == RDF.type else self.term(path)
        raise TypeError(f"{type(path)} is no path")

    # ---- groups -------------------------------------------------------------------------------

    def group(self, group: ast.Group) -> str:
        lines = [self._member(member) for member in group.members]
        if group.window:
            lines.append(self.window(group.window))
        return braces(lines)

    def _member(self, member: ast.Member) -> str:
        match member:
            case ast.Block(triples):
                return "\n".join(map(self.triples, triples))
            case ast.Filter(condition):
                return f"FILTER {self.constraint(condition)}"
            case ast.Bind(expression, variable):
                return f"BIND({self.expression(expression)} AS {self.term(variable)})"
            case ast.Values():
                return self.values(member)
            case ast.SubSelect():
                return self.sub_select(member)
            case ast.Union(groups):
                return " UNION ".join(map(self.group, groups))
            case ast.Optional(group):
                return f"OPTIONAL {self.group(group)}"
            case ast.Minus(group):
                return f"MINUS {self.group(group)}"
            case ast.Group():
                return self.group(member)
        return self._named(member)

    def _named(self, member: ast.Member) -> str:
        """Patterns over something that has a name."""
        match member:
            case ast.Graph(name, group):
                return f"GRAPH {self.term(name)} {self.group(group)}"
            case ast.Service(name, group, silent):
                return f"SERVICE {'SILENT ' * silent}{self.term(name)} {self.group(group)}"
            case ast.StreamPattern(name, group, window):
                extent = f" {self.window(window)}" if window else ""
                return f"STREAM {self.source(name)}{extent} {self.group(group)}"
            case ast.WindowPattern(name, group):
                return f"WINDOW {self.term(name)} {self.group(group)}"
        raise TypeError(f"{type(member)} is no pattern")

    def source(self, name: ast.Term, window: ast.Window | None = None) -> str:
        """The name of a stream; a bare word where a base would change <word>, and where CQELS is
        told by it alone."""
        text = str(name.value)
        telling = self.dialect is Dialect.CQELS and _is_sliding(window)
        bare = (self.based or telling) and isinstance(name.value, URIRef)
        return text if bare and is_word(text, self.dialect, "WORD") else self.term(name)

    def values(self, values: ast.Values) -> str:
        """VALUES ?x { .. } on a line where it fits, else a row a line."""
        match values.variables:
            case (only,):
                head = f"VALUES {self.term(only)} "
                rows = [self._cell(cell) for (cell,) in values.rows]
                line = f"{head}{{ {' '.join(rows)} }}"
                return line if rows and len(line) <= WIDTH else head + braces(rows)
            case variables:
                head = f"VALUES ({' '.join(map(self.term, variables))}) "
                return head + braces([f"({' '.join(map(self._cell, row))})" for row in values.rows])

    def _cell(self, cell: ast.Term | None) -> str:
        return "UNDEF" if cell is None else self.term(cell)

    # ---- selects ------------------------------------------------------------------------------

    def sub_select(self, node: ast.SubSelect) -> str:
        """{ SELECT .. } without its braces."""
        lines = [self.select(node.select), f"WHERE {self.group(node.where)}"]
        lines += self.modifiers(node.modifiers)
        return "\n".join(lines + [self.values(v) for v in (node.values,) if v])

    def select(self, select: ast.Select) -> str:
        """SELECT and what it projects, one a line where the line would be long."""
        head = "SELECT" + (f" {select.report.value}" if select.report else "")
        head += " DISTINCT" * select.distinct + " REDUCED" * select.reduced
        projections = [self._projection(p) for p in select.projections] or ["*"]
        line = " ".join((head, *projections))
        between = "\n" + " " * (len(head) + 1)
        return line if len(line) <= WIDTH else f"{head} {between.join(projections)}"

    def _projection(self, node: ast.Projection) -> str:
        if node.expression is None:
            return self.term(node.variable)
        return f"({self.expression(node.expression)} AS {self.term(node.variable)})"

    def modifiers(self, modifiers: ast.Modifiers) -> list[str]:
        """GROUP BY .. OFFSET, a line each."""
        clauses = {
            "GROUP BY": [self._group_key(key) for key in modifiers.group_by],
            "HAVING": [self.constraint(condition) for condition in modifiers.having],
            "ORDER BY": [self._sort_key(key) for key in modifiers.order_by],
            "LIMIT": [] if modifiers.limit is None else [str(modifiers.limit)],
            "OFFSET": [] if modifiers.offset is None else [str(modifiers.offset)],
        }
        return [" ".join((word, *parts)) for word, parts in clauses.items() if parts]

    def _group_key(self, key: ast.GroupKey) -> str:
        if key.variable is None:
            return self.key(key.expression)
        return f"({self.expression(key.expression)} AS {self.term(key.variable)})"

    def _sort_key(self, key: ast.SortKey) -> str:
        if key.descending:
            return f"DESC({self.expression(key.expression)})"
        return self.key(key.expression)


def _is_sliding(window: ast.Window | None) -> bool:
    """Whether it is [RANGE w], which would be C-SPARQL with its STEP forgotten."""
    return isinstance(window, ast.TimeWindow) and window.slide is None
